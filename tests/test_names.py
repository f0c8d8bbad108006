import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_memory.decay import DAY
from pi_memory.topics.names import LEVEL_LENGTH, MAX_FILES, match, mentioned, normalise, place, same_spelling, touch
from pi_memory.types import Tag, Topic

EXTRACTION = Topic("memory/extraction", 0.0, 100.0, ("/m/extraction.ts",), ("/m/",))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Memory", "memory"),
        (" memory / Fact Extraction ", "memory/fact-extraction"),
        ("**memory/extraction**", "memory/extraction"),
        ("`snake_case`/", "snake-case"),
        ("memory/extraction/dedup", "memory/extraction"),
        ("memory/Memory", "memory"),
        ("//auth//login", "auth/login"),
        ("C++ and C#", "c++-and-c#"),
        ("node.js", "node.js"),
        ("Cafe\u0301 Küche", "café-küche"),
        ("हिन्दी", "हिन्दी"),
        ("gar\u200bden\x00", "garden"),
        ("🏠 home", "home"),
    ],
)
def test_a_name_is_brought_into_one_form(written: str, name: str) -> None:
    assert normalise(written) == name


@pytest.mark.parametrize("written", ["", " / ", "**", "-", "🏠", "\x00\n", "..", "#"])
def test_nothing_is_left_of_a_name_without_letters(written: str) -> None:
    assert normalise(written) is None


def test_a_long_name_is_cut_at_a_word() -> None:
    assert normalise("the " * 40) == "-".join(["the"] * 8)
    assert normalise("x" * 500) == "x" * LEVEL_LENGTH


@given(st.text())
def test_normalising_twice_changes_nothing_and_fits_a_line(written: str) -> None:
    name = normalise(written)
    if name is not None:
        assert normalise(name) == name
        assert name.count("/") <= 1
        assert not set(name) & set("*|`\n\r\t ")
        assert all(0 < len(level) <= LEVEL_LENGTH for level in name.split("/"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("migration", "migrations"),
        ("recent-focus", "recentfocus"),
        ("dependency", "dependencies"),
        ("memory/extraction", "memory/extractions"),
        ("authentication", "authentification"),
        ("extraction", "extractoin"),
        ("api", "apis"),
    ],
)
def test_spelling_variants_are_one_name(one: str, other: str) -> None:
    assert same_spelling(one, other)
    assert match(one, [other, "garden"]) == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("memory", "memory/extraction"),
        ("memory/extraction", "memory/retrieval"),
        ("encoding", "decoding"),
        ("serialization", "deserialization"),
        ("phase-1", "phase-2"),
        ("python2", "python3"),
        ("form", "from"),
        ("c", "c++"),
        ("authentication", "authorization"),
        ("import", "export"),
        ("css", "cs"),
        ("ui", "ux"),
    ],
)
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert match(one, [other]) is None
    assert match(other, [one]) is None


def test_meaning_is_asked_last_and_only_above_the_threshold() -> None:
    known = ["authentication", "garden"]
    similarity = {"authentication": 0.8, "garden": 0.1}
    assert match("login", known, similarity=similarity, threshold=0.7) == "authentication"
    assert match("login", known, similarity=similarity, threshold=0.9) is None
    assert match("login", known, similarity=similarity) is None
    assert match("gardens", known, similarity=similarity, threshold=0.7) == "garden"


def test_meaning_never_joins_a_parent_with_its_child_or_two_children() -> None:
    similar = {"memory": 1.0, "memory/retrieval": 1.0}
    assert match("memory/extraction", list(similar), similarity=similar, threshold=0.5) is None


def test_a_child_needs_a_parent_of_three_sessions() -> None:
    memory = Topic("memory", 0.0, 0.0, session_count=2)
    assert place("memory/extraction", {}) == "memory"
    assert place("memory/extraction", {"memory": memory}) == "memory"
    assert place("memory/extraction", {"memory": replace(memory, session_count=3)}) == "memory/extraction"
    assert place("memory", {}) == "memory"


def test_an_active_child_is_used_whatever_its_parent() -> None:
    assert place(EXTRACTION.name, {EXTRACTION.name: EXTRACTION}) == EXTRACTION.name
    assert place(EXTRACTION.name, {EXTRACTION.name: replace(EXTRACTION, is_active=False)}) == "memory"


def test_a_new_topic_starts_with_one_touch_and_one_session() -> None:
    topic = touch(None, Tag("auth", ("/a/login.py",), ("/a/",)), 5.0, new_session=True)
    assert topic == Topic("auth", 5.0, 5.0, ("/a/login.py",), ("/a/",))
    with pytest.raises(ValueError, match="chatter"):
        touch(None, Tag(None), 5.0, new_session=True)


def test_a_touch_counts_and_puts_the_newest_last() -> None:
    tag = Tag("memory/extraction", ("/m/service.ts", "/m/extraction.ts"), ("/m/", "/n/"))
    touched = touch(EXTRACTION, tag, 200.0, new_session=False)
    assert (touched.touch_count, touched.session_count, touched.last_touched_at) == (2, 1, 200.0)
    assert touched.file_paths == ("/m/service.ts", "/m/extraction.ts")
    assert touched.directories == ("/m/", "/n/")
    assert touch(touched, tag, 300.0, new_session=True).session_count == 2


def test_an_old_touch_neither_moves_time_back_nor_wakes_a_topic() -> None:
    asleep = replace(EXTRACTION, is_active=False, first_seen_at=50.0)
    old = touch(asleep, Tag(EXTRACTION.name), 20.0, new_session=True)
    assert (old.last_touched_at, old.first_seen_at, old.is_active) == (100.0, 20.0, False)
    assert touch(asleep, Tag(EXTRACTION.name), 40 * DAY, new_session=True).is_active


def test_the_oldest_files_are_forgotten_first() -> None:
    files = tuple(f"/m/{n}.py" for n in range(MAX_FILES + 10))
    topic = touch(EXTRACTION, Tag(EXTRACTION.name, files), 200.0, new_session=False)
    assert topic.file_paths == files[10:]


KNOWN = {"garden", "garden/drip-valves", "auth", "c++", "node.js", "home-automation"}


def found(text: str) -> tuple[str, ...]:
    return mentioned(
        text, knows=KNOWN.__contains__, canonical=lambda name: "auth" if name == "authentication" else name
    )


def test_topics_are_found_by_their_names() -> None:
    assert found("how do we water the Garden?") == ("garden",)
    assert found("is authentication slower than home automation?") == ("auth", "home-automation")
    assert found("what about garden/drip-valves") == ("garden", "garden/drip-valves")
    assert found("c++ or node.js.") == ("c++", "node.js")


def test_words_that_name_nothing_name_nothing() -> None:
    assert found("how do we deploy the gardener's thing") == ()
    assert found("") == ()


@given(st.text(max_size=400))
def test_any_text_will_do(text: str) -> None:
    assert set(found(text)) <= KNOWN


def test_a_long_text_is_looked_at_up_to_a_point() -> None:
    assert found("word " * 50_000 + "garden") == ()
