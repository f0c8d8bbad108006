from hypothesis import given
from hypothesis import strategies as st

from pi_memory.tagging.file_index import FileIndex
from pi_memory.types import Topic

PATHS = st.lists(st.sampled_from(["/p/a/x.py", "/q/a/x.py", "a/x.py", "x.py", "/p/y.py", "b/y.py"]), max_size=4)


def test_a_base_name_alone_is_in_every_project() -> None:
    holders = FileIndex()
    holders.update({"memory": Topic("memory", 0, 0, ("/p/memory/a.py",))})
    assert holders.of(["memory/a.py", "a.py", "/q/a.py"]) == {
        "memory/a.py": {"memory"},
        "a.py": set(),
        "/q/a.py": set(),
    }


@given(st.lists(st.dictionaries(st.sampled_from("abc"), PATHS), max_size=6), PATHS)
def test_what_is_kept_between_exchanges_is_what_would_be_found_anew(
    result: list[dict[str, list[str]]], asked: list[str]
) -> None:
    kept, known = FileIndex(), dict[str, Topic]()
    for files in result:
        # A topic whose files have not changed is the same object, as in the daemon.
        now = {name: Topic(name, 0, 0, tuple(paths)) for name, paths in files.items()}
        known = {name: known[name] if known.get(name) == topic else topic for name, topic in now.items()}
        kept.update(known)
    fresh = FileIndex()
    fresh.update(known)
    assert kept.of(asked) == fresh.of(asked)
