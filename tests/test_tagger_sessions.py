"""What sessions on projects of many kinds are called, by rules alone."""

import asyncio
from collections.abc import Sequence

import pytest

from pi_memory.focus.last_tags import LastTag
from pi_memory.tagging.tagger import EvidenceTagger
from pi_memory.topics.names import touch
from pi_memory.types import Exchange, ToolCall, Topic
from pi_memory.worker import Worker
from tests.test_tagger import PATTERNS, edit

Step = tuple[str, Sequence[ToolCall], str]


def ran(command: str) -> ToolCall:
    return ToolCall("bash", {"command": command})


def patch(*files: str) -> ToolCall:
    body = "".join(f"*** Update File: {file}\n@@\n-a\n+b\n" for file in files)
    return ToolCall("apply_patch", {"input": f"*** Begin Patch\n{body}*** End Patch"})


def topics_of(steps: Sequence[Step]) -> list[str | None]:
    """The topic of each exchange of one session that begins with nothing known."""
    tagger, session, known = EvidenceTagger(PATTERNS, worker=Worker("compute")), LastTag(0.0), dict[str, Topic]()

    async def work() -> list[str | None]:
        found = []
        for at, (user, calls, reply) in enumerate(steps):
            exchange = Exchange("s", user, reply, float(at), tool_calls=tuple(calls))
            newest = sorted(known.values(), key=lambda topic: -topic.last_touched_at)
            repeated = session.hear(user)
            tag = await tagger.tag(
                exchange, topics=newest, current=session.current, working_directory=None, repeated=repeated
            )
            if tag.topic is not None:
                known[tag.topic] = touch(known.get(tag.topic), tag, float(at), new_session=True)
                session.record(tag)
            found.append(tag.topic)
        return found

    return asyncio.run(work())


SESSIONS: dict[str, tuple[list[Step], list[str | None]]] = {
    "web shop": (
        [
            (
                "The total is wrong with a coupon",
                [edit("/Users/mia/dev/shop/lib/pricing/coupons.ts")],
                "",
            ),
            ("nice, thanks!", [], "You're welcome!"),
            ("now the stripe webhook", [edit("/Users/mia/dev/shop/app/api/webhooks/stripe/route.ts")], "Created."),
        ],
        ["pricing", None, "stripe"],
    ),
    "notebook": (
        [
            ("plot retention", [ToolCall("NotebookEdit", {"notebook_path": "notebooks/churn.ipynb"})], "Plotted."),
            (
                "a column has NaNs",
                [ToolCall("NotebookEdit", {"notebook_path": "notebooks/churn.ipynb"})],
                "OK.",
            ),
        ],
        ["data-analysis", "data-analysis"],
    ),
    "infrastructure": (
        [
            ("add a private subnet", [edit("/home/kim/infra/modules/network/subnets.tf")], "Planned."),
            ("why would it destroy the instance?", [edit("/home/kim/infra/modules/rds/main.tf")], "It is renamed."),
            ("apply it", [ran("terraform apply tf.plan")], "Applied."),
        ],
        ["network", "rds", "rds"],
    ),
    "mobile": (
        [
            ("it crashes on rotation", [edit("app/src/main/java/com/acme/notes/ui/login/LoginViewModel.kt")], "Fixed."),
            ("continue", [edit("app/src/main/java/com/acme/notes/ui/login/LoginFragment.kt")], "Done."),
            ("the migration fails", [edit("app/src/main/java/com/acme/notes/data/db/NotesDatabase.kt")], "Added one."),
        ],
        ["login", "login", "database"],
    ),
    "embedded": (
        [
            ("the I2C sensor returns 0xFF", [edit("firmware/src/drivers/bme280.c")], "The bus has to be set up again."),
            ("flash it and watch the serial output", [ran("idf.py -p /dev/ttyUSB0 flash monitor")], "Sane now."),
        ],
        ["bme280", "bme280"],
    ),
    "German": (
        [
            (
                "Rechnungen kommen doppelt an",
                [edit("src/Rechnung/VersandService.php")],
                "Eine Sperre hilft.",
            ),
            ("ja, weiter", [edit("tests/Rechnung/VersandServiceTest.php")], "Test ergänzt."),
            ("danke", [], "Gern!"),
        ],
        ["rechnung", "rechnung", None],
    ),
    "Japanese": (
        [
            ("検索結果の並び順を新しい順にして", [edit("src/search/ranking.py")], "変更しました。"),
            ("ありがとう！", [], "どういたしまして"),
        ],
        ["search", None],
    ),
    "game": (
        [
            ("the enemies get stuck", [edit("Assets/Scripts/AI/EnemyNavigation.cs")], "Raised the radius."),
            ("the boss is too slow", [edit("Assets/Scripts/AI/BossController.cs")], "Faster."),
            ("the jump feels floaty", [edit("Assets/Scripts/Player/PlayerMovement.cs")], "Heavier."),
        ],
        ["ai", "ai", "player"],
    ),
    "service": (
        [
            ("a token bucket per tenant", [edit("internal/ratelimit/limiter.go")], "Done."),
            ("a benchmark for it", [edit("internal/ratelimit/limiter_bench_test.go")], "120 ns."),
            ("lgtm", [ran("git push -u origin tenant-limits")], "Pushed."),
        ],
        ["ratelimit", "ratelimit", "ratelimit"],
    ),
    "patches": ([("configurable backoff", [patch("crates/http/src/retry.rs")], "Done.")], ["retry"]),
    "pipeline": ([("it fails on one system only", [edit(".github/workflows/build.yml")], "Separators.")], ["ci"]),
    "paper": ([("tighten it", [edit("paper/sections/related_work.tex"), edit("paper/refs.bib")], "Cut.")], ["paper"]),
    "here document": (
        [("serve the blog", [ran("cat > /etc/nginx/sites-available/blog.conf <<'E'\nserver {}\nE")], "Done.")],
        ["blog"],
    ),
    "kitchen": (
        [
            ("How long should sourdough proof in a cold kitchen?", [], "Six to eight hours. " * 20),
            ("and in the fridge?", [], "Overnight. " * 30),
            ("lol ok", [], "Enjoy!"),
        ],
        ["cooking", "cooking", None],
    ),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_called_what_its_author_would_call_it(name: str) -> None:
    steps, expected = SESSIONS[name]
    assert topics_of(steps) == expected


def test_an_agent_that_repeats_its_order_is_followed_by_what_it_does() -> None:
    order = "put the api into a docker container, please, and then go on with the rest of the plan"
    steps: list[Step] = [
        (order, [edit("docker/Dockerfile")], "Wrote the image."),
        (order, [edit("src/billing/invoice.py"), edit("src/billing/tax.py")], "Now the invoices."),
    ]
    assert topics_of(steps) == ["docker", "billing"]
