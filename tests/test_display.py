import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.decay import DAY
from pi_memory.topics.display import ago, clean, joined, listed, sessions, short_names


def test_ages_are_rounded_down() -> None:
    ages = [ago(seconds) for seconds in (-5, 3_599, 3_600, 6.9 * 3_600, DAY, 2.9 * DAY, 28 * DAY)]
    assert ages == ["just now", "just now", "1h ago", "6h ago", "1d ago", "2d ago", "28d ago"]


def test_one_session_and_more() -> None:
    assert [sessions(1), sessions(4)] == ["1 session", "4 sessions"]


def test_a_base_name_is_enough_for_one_file() -> None:
    assert short_names(["/a/x.py", "y.py"]) == {"x.py": ("/a/x.py",), "y.py": ("y.py",)}


def test_files_of_one_base_name_are_distinguished() -> None:
    paths = ["/app/auth/views.py", "/app/shop/views.py", "/lib/shop/views.py", "/app/urls.py"]
    assert list(short_names(paths)) == ["auth/views.py", "app/shop/views.py", "lib/shop/views.py", "urls.py"]


def test_a_relative_path_is_the_file_that_it_ends() -> None:
    assert short_names(["src/a.py", "/me/src/a.py", "a.py"]) == {"a.py": ("src/a.py", "/me/src/a.py", "a.py")}


@pytest.mark.parametrize("names", [["a.py"], ["a, b.py", "+3 more", " c", "d.py"], ["x.md"] * 2])
def test_a_list_reads_back(names: list[str]) -> None:
    assert listed(joined(names, most=9)) == tuple(dict.fromkeys(names))


def test_a_long_list_shows_the_newest() -> None:
    assert joined(["a", "b", "c", "d"], most=2) == "c, d, +2 more"
    assert listed("c, d, +2 more") == ("c", "d")


@given(st.lists(st.text(min_size=1)))
def test_any_names_read_back(written: list[str]) -> None:
    names = [name for text in written if (name := clean(text))]
    assert listed(joined(names, most=len(names) + 1)) == tuple(dict.fromkeys(names))


def test_many_files_of_one_base_name_are_distinguished_at_once() -> None:
    paths = [f"/a{i}/b/x.py" for i in range(20_000)]
    assert list(short_names(paths)) == [path[1:] for path in paths]
