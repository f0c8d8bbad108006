from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_memory.decay import DAY, strength
from pi_memory.focus_file.document import Entry, Notes, render
from pi_memory.focus_file.merge import (
    Added,
    Edit,
    Edited,
    NotesChanged,
    Removed,
    Renamed,
    apply,
    edits,
    edits_of_old,
    merged_notes,
)
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.recovery import rebuild
from pi_memory.focus_file.validate import UnreadableDocument
from pi_memory.topics.display import HOUR
from pi_memory.topics.names import touch
from pi_memory.types import Tag, Topic
from tests.test_parse import lines

NOW = 1_771_770_600.0
LATER = NOW + 60
TOPICS = {
    topic.name: topic
    for topic in (
        Topic("memory", 0.0, NOW - 6 * HOUR, ("/m/a.py", "/m/b.py"), ("/m/",), session_count=4),
        Topic("kitchen", 0.0, NOW - 2 * DAY, ("/k/plan.md",), ("/k/",)),
        Topic("garden", 0.0, NOW - 9 * DAY, (), ("/g/",)),
    )
}
TEXT = render(list(TOPICS.values()), now=NOW)
BASE = parse(TEXT)


def after(change: Callable[[str], str], *, topics: dict[str, Topic] | None = None) -> dict[str, Topic]:
    """All topics after the user changed the text and, maybe, work went on."""
    known = TOPICS if topics is None else topics
    return {**known, **apply(edits(BASE, parse(change(TEXT))), known, LATER)}


def without(name: str) -> Callable[[str], str]:
    return lambda text: "\n\n".join(part for part in text.split("\n\n") if f"**{name}**" not in part)


def test_what_is_ours_is_no_edit() -> None:
    aged = render(list(TOPICS.values()), now=NOW + 3 * DAY)
    assert edits(BASE, parse(aged)) == []
    assert edits(BASE, parse(TEXT.replace("4 sessions", "9 sessions").replace("0.97", "0.11"))) == []


def test_a_removed_topic_becomes_inactive_and_keeps_its_row() -> None:
    assert edits(BASE, parse(without("kitchen")(TEXT))) == [Removed("kitchen")]
    assert after(without("kitchen"))["kitchen"] == replace(TOPICS["kitchen"], is_active=False)


def test_a_topic_tagged_since_the_text_was_written_is_not_lost() -> None:
    new = touch(None, Tag("auth", ("/a/login.py",)), LATER, new_session=True)
    topics = after(without("kitchen"), topics={**TOPICS, "auth": new})
    assert topics["auth"] == new
    assert not topics["kitchen"].is_active


def test_a_removal_stands_though_the_topic_was_touched_since() -> None:
    touched = touch(TOPICS["kitchen"], Tag("kitchen"), LATER - 1, new_session=False)
    assert not after(without("kitchen"), topics={**TOPICS, "kitchen": touched})["kitchen"].is_active


def test_an_added_topic_has_full_strength() -> None:
    added = after(lambda text: text + "\n- **auth/login**\n  files: login.py, b.py\n  dirs: /a\n")["auth/login"]
    assert added == Topic("auth/login", LATER, LATER, ("login.py", "/m/b.py"), ("/a/",))
    assert strength(added.last_touched_at, LATER) == 1.0


def test_an_added_topic_that_was_known_comes_back_with_its_history() -> None:
    known = {**TOPICS, "auth": Topic("auth", 1.0, 2.0, ("/a/login.py",), session_count=7, is_active=False)}
    added = after(lambda text: text + "\n- auth\n", topics=known)["auth"]
    assert added == Topic("auth", 1.0, LATER, ("/a/login.py",), session_count=7)


def test_a_topic_added_by_both_is_one_with_the_files_of_both() -> None:
    known = {**TOPICS, "auth": Topic("auth", LATER, LATER + 5, ("/a/login.py",))}
    added = after(lambda text: text + "\n- **auth**\n  files: oauth.py\n", topics=known)["auth"]
    assert added == Topic("auth", LATER, LATER + 5, ("/a/login.py", "oauth.py"))


@pytest.mark.parametrize("name", ["memory", "kitchen", "garden"])
def test_a_topic_whose_name_was_changed_is_renamed(name: str) -> None:
    topics = after(lambda text: text.replace(f"**{name}**", "**brain**"))
    assert topics["brain"] == replace(TOPICS[name], name="brain")
    assert not topics[name].is_active


def test_a_rename_is_seen_though_the_topic_moved_and_lost_its_figures() -> None:
    moved = without("kitchen")(TEXT) + "\n- **cooking**\n  files: plan.md\n  dirs: /k/\n"
    assert edits(BASE, parse(moved)) == [Renamed("kitchen", "cooking")]


def test_renamed_and_edited_at_once() -> None:
    change = TEXT.replace("**kitchen**", "**cooking**").replace("plan.md", "plan.md, shop.md")
    assert edits(BASE, parse(change)) == [Renamed("kitchen", "cooking"), Edited("cooking", files_added=("shop.md",))]


def test_one_topic_for_another_is_no_rename() -> None:
    change = without("kitchen")(TEXT) + "\n- **auth**\n"
    found = edits(BASE, parse(change))
    assert found[0] == Removed("kitchen")
    assert isinstance(found[1], Added)


def test_renaming_to_a_name_tagged_since_joins_both() -> None:
    known = {**TOPICS, "cooking": Topic("cooking", LATER, LATER, ("/c/soup.md",), touch_count=2)}
    topics = after(lambda text: text.replace("**kitchen**", "**cooking**"), topics=known)
    assert topics["cooking"] == Topic("cooking", 0.0, LATER, ("/k/plan.md", "/c/soup.md"), ("/k/",), 3)
    assert not topics["kitchen"].is_active


def test_an_edited_path_is_mapped_back_to_full_paths() -> None:
    topics = after(lambda text: text.replace("a.py, b.py", "b.py, plan.md, new/c.py").replace("/m/", "/mem"))
    assert topics["memory"].file_paths == ("/m/b.py", "/k/plan.md", "new/c.py")
    assert topics["memory"].directories == ("/mem/",)
    assert topics["memory"].last_touched_at == TOPICS["memory"].last_touched_at


def test_a_name_made_longer_is_the_same_file() -> None:
    assert after(lambda text: text.replace("files: a.py", "files: m/a.py"))["memory"].file_paths[-1] == "/m/a.py"


def test_files_tagged_since_stay_when_the_list_was_edited() -> None:
    touched = touch(TOPICS["memory"], Tag("memory", ("/n/a.py", "/m/c.py")), LATER, new_session=False)
    topics = after(lambda text: text.replace("a.py, ", ""), topics={**TOPICS, "memory": touched})
    assert topics["memory"].file_paths == ("/m/b.py", "/n/a.py", "/m/c.py")


def test_files_that_were_not_shown_stay() -> None:
    topic = Topic("big", 0.0, NOW, tuple(f"/a/{n}.py" for n in range(20)))
    text = render([topic], now=NOW)
    found = edits(parse(text), parse(text.replace("15.py, ", "")))
    assert apply(found, {"big": topic}, LATER)["big"].file_paths == tuple(
        path for path in topic.file_paths if path != "/a/15.py"
    )


def test_notes_are_an_edit_that_changes_no_topic() -> None:
    found = edits(BASE, parse(TEXT.replace("  dirs: /k/", "  dirs: /k/\n  call Ana")))
    assert found == [NotesChanged(Notes(topics={"kitchen": ("call Ana",)}))]
    assert apply(found, TOPICS, LATER) == {}


def test_an_edit_of_a_topic_that_is_not_known_creates_it() -> None:
    found = edits(BASE, parse(TEXT.replace("plan.md", "shop.md").replace("**garden**", "**park**")))
    assert set(apply(found, {}, LATER)) == {"kitchen", "park"}


def test_a_lost_database_is_rebuilt_from_the_file() -> None:
    rebuilt = {topic.name: topic for topic in rebuild(BASE, NOW + DAY)}
    assert rebuilt["memory"].file_paths == ("/m/a.py", "/m/b.py")
    assert rebuilt["memory"].session_count == 4
    for name, topic in TOPICS.items():
        assert abs(rebuilt[name].last_touched_at - topic.last_touched_at) < 3 * HOUR


def test_a_rebuilt_topic_without_figures_is_fresh() -> None:
    (topic,) = rebuild(parse("# Recent Focus\n- garden\n"), NOW)
    assert topic == Topic("garden", NOW, NOW)


def swap(text: str) -> str:
    head, *parts = text.split("\n\n")
    return "\n\n".join([head, *reversed(parts)])


changes = st.sampled_from(
    [
        without("memory"),
        without("kitchen"),
        swap,
        lambda text: text + "\n- **added**\n",
        lambda text: text.replace("**garden**", "**park**"),
        lambda text: text.replace("a.py, ", ""),
        lambda text: text.replace("b.py", "b.py, z.py"),
        lambda text: text.replace("## Fading", "## My own"),
        lambda text: text.replace("- **", "* **"),
    ]
)
tags = st.builds(
    Tag, st.sampled_from([*TOPICS, "fresh"]), st.lists(st.sampled_from(["/n/z.py", "/m/q.py"]), unique=True).map(tuple)
)


@given(st.lists(changes, max_size=6), st.lists(tags, max_size=4))
def test_what_both_sides_meant_is_kept(user: list[Callable[[str], str]], work: list[Tag]) -> None:
    text, topics = TEXT, dict(TOPICS)
    for change in user:
        text = change(text)
    for tag in work:
        topics[str(tag.topic)] = touch(topics.get(str(tag.topic)), tag, LATER, new_session=False)
    text = text.replace("\n", "\r\n")
    theirs = {entry.name for entry in parse(text).entries}
    merged = {**topics, **apply(edits(BASE, parse(text)), topics, LATER)}
    active = {name for name, topic in merged.items() if topic.is_active}
    assert active == theirs | ({str(tag.topic) for tag in work} - set(TOPICS))
    for tag in work:
        assert str(tag.topic) not in active or set(tag.file_paths) <= set(merged[str(tag.topic)].file_paths)


@pytest.mark.parametrize("line", ["- **a1** | 1 session | last: 999999w ago", "- **a1** | 1 session"])
def test_an_age_beyond_all_years_is_ten_years(line: str) -> None:
    (topic,) = rebuild(parse(f"# Recent Focus\n> Last updated: 0001-01-01T00:00:00+00:00\n\n## Active\n{line}\n"), NOW)
    assert NOW - topic.last_touched_at == 3_650 * DAY


def active_after(found: list[Edit]) -> dict[str, Topic]:
    merged = {**TOPICS, **apply(found, TOPICS, LATER)}
    return {name: topic for name, topic in merged.items() if topic.is_active}


no_comment = lines.filter(lambda line: "<!--" not in line)


@given(st.lists(st.tuples(st.integers(0, 20), no_comment), max_size=4))
def test_no_lines_that_are_put_in_anywhere_lose_a_topic(put: list[tuple[int, str]]) -> None:
    text = TEXT.split("\n")
    for at, line in put:
        text.insert(at, line)
    try:
        theirs = parse("\n".join(text), base=TEXT)
    except UnreadableDocument:
        return
    assert set(TOPICS) <= set(active_after(edits(BASE, theirs)))


@given(st.sets(st.integers(0, TEXT.count("\n"))))
def test_no_lines_that_are_taken_out_take_a_topic_with_them_but_its_own(out: set[int]) -> None:
    kept = [line for at, line in enumerate(TEXT.split("\n")) if at not in out or line.startswith("- **")]
    try:
        theirs = parse("\n".join(kept), base=TEXT)
    except UnreadableDocument:
        return
    assert set(active_after(edits(BASE, theirs))) == set(TOPICS)


typed = st.one_of(st.just(""), st.characters(categories=["L", "N", "P"], exclude_characters="|"))


@example("## Active", 3, "İ")
@given(st.sampled_from(["# Recent Focus", "## Active", "## Fading"]), st.integers(3, 12), typed)
def test_a_slip_of_the_finger_in_a_heading_changes_nothing(heading: str, at: int, letter: str) -> None:
    at = min(at, len(heading) - 1)
    theirs = parse(TEXT.replace(heading, heading[:at] + letter + heading[at + 1 :]), base=TEXT)
    assert edits(BASE, theirs) == []


@given(st.lists(lines, max_size=25))
def test_no_text_that_nobody_knows_loses_a_topic_or_a_file(written: list[str]) -> None:
    try:
        theirs = parse("\n".join(["# Recent Focus", *written, ""]))
    except UnreadableDocument:
        return
    found = edits_of_old(BASE, theirs, TOPICS)
    renamed = {step.old: step.new for step in found if isinstance(step, Renamed)}
    active = active_after(found)
    for name, topic in TOPICS.items():
        assert set(topic.file_paths) <= set(active[renamed.get(name, name)].file_paths)


def test_what_an_old_text_still_has_is_not_added_again() -> None:
    known = {**TOPICS, "old": Topic("old", 0.0, NOW, is_active=False), "new": Topic("new", 0.0, NOW)}
    theirs = parse(TEXT + "\n- **old** | 1 session | last: 2d ago | strength: 0.81\n- **new** | 1 session\n- mine\n")
    assert edits_of_old(BASE, theirs, known) == [Added(Entry("mine"))]


texts = st.lists(st.sampled_from(["a", "b", "c", "```", ""]), max_size=4).map(tuple)


@given(texts, texts, texts)
def test_no_line_of_a_note_is_lost_that_somebody_wrote(
    base: tuple[str, ...], theirs: tuple[str, ...], ours: tuple[str, ...]
) -> None:
    merged = merged_notes(Notes(base, {"t": base}), Notes(theirs, {"t": theirs}), Notes(ours, {"t": ours}))
    new = (set(theirs) | set(ours)) - set(base)
    assert new <= set(merged.before)
    assert new <= set(merged.topics.get("t", ()))
    assert merged_notes(Notes(base), Notes(theirs), Notes(base)).before == theirs
    assert merged_notes(Notes(base), Notes(base), Notes(ours)).before == ours
