import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.errors import RequestError
from pi_memory.memories.namespaces import chosen, covers, of_project, parse, place, root, scope, slug


@pytest.mark.parametrize(
    ("written", "namespace"),
    [
        ("user", "user"),
        ("Global/Style/", "global/style"),
        ("project/pi-memory/http", "project/pi-memory/http"),
        (" project/a.b_c ", "project/a.b_c"),
    ],
)
def test_a_namespace_is_brought_into_one_form(written: str, namespace: str) -> None:
    assert parse(written) == namespace


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            "/",
            "project",
            "project/",
            "other",
            "users",
            "/user",
            "user//x",
            "user/../global",
            "user/a..b",
            "user/..",
            "user/.",
        ),
        *(
            "user/*",
            "user/%",
            "user/a?",
            "project/a b",
            "user/\x00",
            "user/a\n",
            "user\t",
            "user/ä",
            "user/" + "x" * 200,
        ),
        *("user/a/b/c/d/e/f/g", "user\\x", "\u202euser"),
    ],
)
def test_what_is_no_namespace_is_refused_by_name(written: str) -> None:
    with pytest.raises(RequestError, match=r"^namespace: "):
        parse(written)


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("pi-memory", "pi-memory"),
        ("/home/me/Pi Memory/", "pi-memory"),
        ("C:\\work\\Garden", "garden"),
        ("~/src/küche", "kuche"),
        ("..hidden", "hidden"),
    ],
)
def test_a_project_is_named_by_its_last_component(project: str, name: str) -> None:
    assert slug(project) == name


@pytest.mark.parametrize("project", ["", "/", "..", " ~ ", "./"])
def test_a_project_without_a_name_is_refused(project: str) -> None:
    with pytest.raises(RequestError, match=r"^project: "):
        slug(project)


def test_names_in_other_scripts_are_distinguished() -> None:
    assert slug("庭") != slug("台所")


@given(st.text())
def test_every_project_that_has_a_name_has_a_namespace(project: str) -> None:
    try:
        namespace = of_project(project)
    except RequestError:
        return
    assert parse(namespace) == namespace
    assert covers(namespace, scope(project)) or not project.strip()


def test_only_the_current_project_is_seen() -> None:
    seen = scope("/srv/garden")
    assert all(covers(n, seen) for n in ("global", "user/food", "project/garden", "project/garden/pumps"))
    assert not any(covers(n, seen) for n in ("project/garden2", "project/kitchen", "users"))
    assert not covers("project/garden", scope(None))


def test_what_is_asked_to_be_seen_is_never_more_than_the_project_sees() -> None:
    assert chosen(None, None) is None
    assert chosen(None, "Garden") == ("global", "user", "project/garden")
    assert chosen("user/facts", "Garden") == ("user/facts",)
    assert chosen("PROJECT/garden/pumps", "garden") == ("project/garden/pumps",)
    for namespace in ("project/gardens", "project/shop"):
        with pytest.raises(RequestError, match="is not seen from project garden"):
            chosen(namespace, "garden")


def test_the_root_says_whose_a_namespace_is() -> None:
    names = "user/facts", "global", "project/shop/rules/tests"
    assert [*map(root, names)] == ["user", "global", "project/shop"]
    assert [*map(place, names)] == ["user", "user", "project/shop"]
