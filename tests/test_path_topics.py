from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.tagging.path_topics import detail_of, names_of_file
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.topics.names import normalise

PATTERNS = load_patterns(Path(__file__).parent.parent / "config" / "topics.toml")


def area_of(path: str, base: str | None = None) -> str | None:
    names = names_of_file(path, PATTERNS, base=base)
    return max(names, key=lambda name: names[name], default=None)


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("/apps/api/src/memory/extraction.ts", "memory"),
        ("/home/me/code/shop/src/billing/invoice/Total.java", "invoice"),
        ("packages/editor/src/index.ts", "editor"),
        ("src/components/UserProfile.test.tsx", "user-profile"),
        ("tests/test_checkout.py", "checkout"),
        ("/srv/clinic/apps/appointments/tests/test_tasks.py", "appointments"),
        ("~/recipes/bread.md", "recipes"),
        ("Dockerfile", "docker"),
        ("requirements.txt", "dependencies"),
        ("docker-compose.prod.yml", "docker"),
        ("src/locales/de.json", "localization"),
        ("README.md", "docs"),
        ("/home/me/website/index.html", "website"),
        (r"C:\Users\me\src\payroll\run.py", "payroll"),
        ("src/authentication/login.py", "auth"),
        (".github/workflows/build.yml", "ci"),
        ("src/index.ts", None),
        ("src/2024/01.txt", None),
    ],
)
def test_the_area_of_a_file(path: str, area: str | None) -> None:
    assert area_of(path) == area


def test_the_working_directory_is_where_the_project_lies() -> None:
    assert area_of("/data/shop/cart/total.py") == "total"
    assert area_of("/data/shop/cart/total.py", base="/data/shop") == "cart"


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("a/UserProfile.test.tsx", "user-profile"),
        ("a/test_fact_extraction.py", "fact-extraction"),
        ("a/api.plan-stream.ts", "api-plan-stream"),
        ("a/index.ts", None),
        ("a/.env", None),
        ("a/requirements-dev.txt", None),
        ("a/tickets.sql", "tickets"),
        ("a/2026-02-22-notes.md", None),
        ("a/one-two-three-four-five.md", None),
    ],
)
def test_the_detail_of_a_file(path: str, detail: str | None) -> None:
    assert detail_of(path, PATTERNS) == detail


@given(st.text(alphabet="aZ1./\\-_~ é[]", max_size=40))
def test_any_path_gives_names_or_none(path: str) -> None:
    assert all(normalise(name) == name and weight <= 1 for name, weight in names_of_file(path, PATTERNS).items())
