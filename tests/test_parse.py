import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.decay import DAY
from pi_memory.focus_file.document import Document, Entry, Notes, render
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.validate import LARGEST, UnreadableDocument
from pi_memory.topics.display import HOUR, short_names
from pi_memory.topics.names import normalise
from pi_memory.types import Topic

NOW = 1_771_770_600.0
TOPICS = [
    Topic("memory", 0.0, NOW - 6 * HOUR, ("/m/a.py", "/m/b.py"), ("/m/",), session_count=4),
    Topic("garden", 0.0, NOW - 9 * DAY, (), ("/g/",)),
]
TEXT = render(TOPICS, now=NOW)
MEMORY, GARDEN = parse(TEXT).entries
GARDEN_LINES = TEXT.rstrip("\n").split("\n\n")[-1]
FIGURES = "| 4 sessions | last: 6h ago | strength: 0.97"


def named(text: str) -> list[str]:
    return [entry.name for entry in parse(text).entries]


def test_what_was_written_reads_back() -> None:
    stats = "4 sessions | last: 6h ago | strength: 0.97"
    assert Entry("memory", ("a.py", "b.py"), ("/m/",), stats, 4, 6 * HOUR, 0.97) == MEMORY
    assert (GARDEN.directories, GARDEN.sessions, GARDEN.age, GARDEN.strength) == (("/g/",), 1, 9 * DAY, 0.39)
    assert parse(TEXT).updated_at == NOW


@pytest.mark.parametrize(
    "edited",
    [
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT.replace("- **", "* **"),
        TEXT.replace("- **", "+ **"),
        TEXT.replace("- **", "-\t**").replace("  files", "\tfiles").replace("  dirs", "\tdirs"),
        TEXT.replace("**", ""),
        TEXT.replace("**", "__"),
        TEXT.replace("\n\n", "\n\n\n\n"),
        TEXT.replace("\n\n", "\n"),
        TEXT.rstrip("\n"),
        TEXT.replace("files:", "Files:").replace("# Recent Focus", "# RECENT FOCUS #"),
        TEXT.replace("a.py, b.py", "a.py,b.py,"),
        TEXT.replace("\n", " \n"),
    ],
)
def test_what_editors_do_to_it_changes_nothing(edited: str) -> None:
    assert parse(edited) == parse(TEXT)
    assert parse(edited.encode()) == parse(TEXT)


def test_the_order_and_the_section_are_free() -> None:
    head, memory, garden = TEXT.split("\n\n")
    moved = "\n\n".join([head, garden.replace("## Fading", "## Active"), memory.replace("## Active\n", "")])
    assert sorted(named(moved)) == sorted(named(TEXT))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("- kitchen", "kitchen"),
        ("* **Home Automation**", "home-automation"),
        ("- **kitchen**: order the lamp", "kitchen"),
        ("1. Büro/Regal", "büro/regal"),
        ("- [ ] kitchen", "kitchen"),
        ("- kitchen | new", "kitchen"),
        ("- 台所", "台所"),
    ],
)
def test_a_topic_may_be_added_in_any_bullet(line: str, name: str) -> None:
    assert named(TEXT.replace("## Fading", f"{line}\n\n## Fading")) == ["memory", name, "garden"]


def test_a_sentence_is_a_note_and_not_a_topic() -> None:
    text = TEXT.replace("## Fading", "- remember to ask Ana about the disk, it is full.\n\n## Fading")
    assert named(text) == ["memory", "garden"]
    assert parse(text).notes.topics == {"memory": ("- remember to ask Ana about the disk, it is full.",)}


def test_own_sections_and_remarks_are_notes() -> None:
    text = TEXT.replace("## Active", "first this\n\n## Active") + "\n## Ideas\n\n- a fan\n- a lamp\n"
    text = text.replace("  dirs: /g/", "  dirs: /g/\n  > wait for rain\n    - till May")
    assert parse(text).notes == Notes(
        ("first this",), {"garden": ("> wait for rain", "  - till May")}, ("## Ideas", "", "- a fan", "- a lamp")
    )
    assert named(text) == ["memory", "garden"]


def test_a_topic_moved_under_an_own_heading_is_still_one() -> None:
    text = TEXT.replace("## Fading", "## This winter\nno hurry") + "  till May\n\nthe end\n"
    assert parse(text).entries == parse(TEXT).entries
    assert parse(text).notes == Notes((), {"garden": ("till May",)}, ("## This winter", "no hurry", "the end"))


def test_a_topic_written_twice_is_one() -> None:
    text = TEXT + "\n- **Memory** | 1 session | last: 2d ago | strength: 0.81\n  files: c.py\n  and more\n"
    assert parse(text).entries[0] == Entry(
        "memory", ("a.py", "b.py", "c.py"), ("/m/",), MEMORY.stats, 4, 6 * HOUR, 0.97
    )
    assert parse(text).notes.topics == {"memory": ("and more",)}


@pytest.mark.parametrize("ancestor", ["", "||||||| base\n- **old** | 1 session\n"])
def test_both_sides_of_a_merge_conflict_are_kept(ancestor: str) -> None:
    conflict = f"<<<<<<< mine\n- **mine** {FIGURES}\n{ancestor}=======\n- **yours** {FIGURES}\n>>>>>>> yours\n"
    document = parse(TEXT + conflict)
    assert [entry.name for entry in document.entries] == ["memory", "garden", "mine", "yours"]
    assert document.notes == Notes()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        ("\ufeff \n\n", "empty"),
        (TEXT.encode() + b"notes\n" * LARGEST, "larger"),
        (b"\xff\xfe#\x00", "UTF-8"),
        ("# Recent Focus\n\x00", "binary"),
        (TEXT.replace("# Recent Focus\n", ""), "heading"),
        ("## Active\n- **memory**\n", "heading"),
        (TEXT[: TEXT.index(" sessions") + 9], "truncated"),
        (TEXT[: TEXT.index("mory**")], "truncated"),
        (TEXT[: TEXT.index("edits are")], "truncated"),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(data: bytes | str, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=reason):
        parse(data)


def test_a_cut_copy_of_the_last_text_is_known_wherever_it_was_cut() -> None:
    for length in range(len("# Recent Focus") + 1, len(TEXT) - 1):
        if "\n" not in (TEXT[length - 1], TEXT[length]):
            with pytest.raises(UnreadableDocument):
                parse(TEXT[:length], base=TEXT)


def test_topics_deleted_from_the_end_are_no_truncation() -> None:
    assert named(TEXT[: TEXT.index("## Fading")]) == ["memory"]
    assert [e.name for e in parse(TEXT[: TEXT.index("\n\n## Fading")], base=TEXT).entries] == ["memory"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ("  files:\n    - c.py\n    - d/e.py", ("c.py", "d/e.py")),
        ("  files:\n  - c.py\n  - d.py", ("c.py", "d.py")),
        ("  files: c.py,\n    d.py,\n    e.py", ("c.py", "d.py", "e.py")),
        ("  files:\n    - c.py,\n    d.py,\n    e.py\n    - f.py", ("c.py", "d.py", "e.py", "f.py")),
        ("  - files: c.py", ("c.py",)),
        ("  files: c.py\n\n  files: d.py", ("c.py", "d.py")),
        ("  files:\n  - call Ana, she knows", ()),
        ("  files: c.py\n  - d.py", ("c.py",)),
    ],
)
def test_a_list_may_go_on_over_lines(files: str, found: tuple[str, ...]) -> None:
    assert parse(TEXT.replace("  files: a.py, b.py", files)).entries[0].files == found


def test_what_is_written_behind_the_figures_is_a_note() -> None:
    text = TEXT.replace("strength: 0.97", "strength: 0.97 — ask Ana | soon").replace(
        "- **garden** |", "- 🌱 **garden** (old)"
    )
    assert parse(text).notes.topics == {"memory": ("ask Ana | soon",), "garden": ("🌱 (old) 1 session",)}
    assert parse(text).entries[0] == MEMORY


def test_code_and_comments_are_the_users_whatever_they_look_like() -> None:
    hidden = GARDEN_LINES.replace("## Fading\n", "")
    for begin, end in (("<!--", "-->"), ("<!-- not now:", "till May -->")):
        document = parse(TEXT.replace(hidden, f"{begin}\n{hidden}\n{end}"))
        assert [entry.name for entry in document.entries] == ["memory"]
        assert document.entries[0] == MEMORY
    code = "```\n# make\n- run\nfiles: none\n\n  deep\n```"
    document = parse(TEXT.replace("\n\n## Fading", f"\n{code}\n\n## Fading"))
    assert document.entries == parse(TEXT).entries
    assert document.notes.topics == {"memory": tuple(code.split("\n"))}


@pytest.mark.parametrize("begun", ["<!--", "```", "<<<<<<< mine", "~~~~"])
def test_what_has_no_end_yet_hides_nothing(begun: str) -> None:
    assert parse(f"{TEXT.replace('## Active', f'{begun}{chr(10)}## Active')}").entries == parse(TEXT).entries


def test_two_marks_of_code_around_our_topics_hide_nothing() -> None:
    head, memory, garden = TEXT.split("\n\n")
    assert parse("\n\n".join([head, "```", memory, "```", garden])).entries == parse(TEXT).entries


@pytest.mark.parametrize(
    "title",
    [
        "# Recent Fokus",
        "# Recnt focus",
        "Recent Focus",
        "#RecentFocus",
        "# My focus",
        "# Aktuelles",
        "# Recent  Foucs:",
    ],
)
def test_a_misspelt_title_is_the_title(title: str) -> None:
    document = parse(TEXT.replace("# Recent Focus", title))
    assert document.entries == parse(TEXT).entries
    assert document.notes == Notes()


@pytest.mark.parametrize(("ours", "misspelt"), [("Active", "Actve"), ("Active", "Acitve"), ("Fading", "Fadding")])
def test_a_misspelt_section_is_the_section(ours: str, misspelt: str) -> None:
    document = parse(TEXT.replace(f"## {ours}", f"## {misspelt}\n- kitchen"))
    assert "kitchen" in {entry.name for entry in document.entries}
    assert document.notes == Notes()


@pytest.mark.parametrize("heading", ["## Inactive", "## Reading", "## Actions"])
def test_a_section_of_the_users_is_not_taken_for_a_misspelt_one_of_ours(heading: str) -> None:
    assert heading in parse(f"{TEXT}\n{heading}\nmine\n").notes.sections


def test_what_stands_above_the_title_stays_there() -> None:
    text = "---\ntags: [focus]\n---\n\n" + TEXT
    document = parse(text)
    assert document.notes == Notes(top=("---", "tags: [focus]", "---"))
    assert document.entries == parse(TEXT).entries
    assert render(TOPICS, now=NOW, notes=document.notes) == text


def test_headings_may_be_underlined() -> None:
    text = TEXT + "\nIdeas\n-----\n- a fan\n- a lamp\n"
    assert parse(text).entries == parse(TEXT).entries
    assert parse(text).notes.sections == ("Ideas", "-----", "- a fan", "- a lamp")


def test_what_belongs_to_a_bullet_that_is_no_topic_is_no_topics_file() -> None:
    text = TEXT.replace("- **garden**", "- ~~**garden**~~")
    assert parse(text).entries == (MEMORY,)
    assert parse(text).notes.before[-1] == "  dirs: /g/"


def test_a_conflict_that_was_tidied_up_half_way_loses_nothing() -> None:
    conflict = "<<<<<<< mine\n- **mine** | new\n||||||| base\nold note, kept\n>>>>>>> yours\n- **yours** | new\n"
    document = parse(TEXT + conflict)
    assert document.conflicted
    assert [entry.name for entry in document.entries] == ["memory", "garden", "mine", "yours"]
    assert document.notes.topics["mine"] == ("new", "old note, kept")


@pytest.mark.parametrize(
    "line",
    [
        "# recent focus" + " " * 200_000 + "x",
        "## active" + " :#" * 100_000 + "x",
        "- **" + "a " * 100_000,
        "- **a** | " + "1 session " * 40_000,
        "- **a** | last: " + "1" * 200_000,
        "  files: " + ", " * 100_000 + "+",
        "  files: " + "`" * 100_001,
        "> Last updated: " + "2" * 200_000,
        "-" * 200_000,
        "<!--" * 50_000,
        "/" * 200_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_very_long_line_takes_no_time(line: str) -> None:
    began = time.process_time()
    with contextlib.suppress(UnreadableDocument):
        parse(f"{TEXT}\n{line}\n", base=TEXT)
    assert time.process_time() - began < 5  # what is not linear takes minutes


names = st.text(min_size=1).map(normalise).filter(lambda name: name is not None).map(str)
paths = st.lists(st.text(min_size=1, max_size=30), max_size=5, unique=True).map(tuple)
topics = st.builds(
    Topic,
    name=names,
    first_seen_at=st.just(0.0),
    last_touched_at=st.floats(NOW - 28 * DAY, NOW),
    file_paths=paths,
    directories=paths,
    session_count=st.integers(1, 900),
)


@given(st.lists(topics, unique_by=lambda topic: topic.name, max_size=6))
def test_every_rendered_text_reads_back(shown: list[Topic]) -> None:
    document = parse(render(shown, now=NOW))
    by_name = {entry.name: entry for entry in document.entries}
    assert set(by_name) == {topic.name for topic in shown}
    assert document.notes == Notes()
    for topic in shown:
        assert set(by_name[topic.name].files) == set(short_names(topic.file_paths))
        assert by_name[topic.name].sessions == topic.session_count


lines = st.one_of(
    st.sampled_from(
        [
            *TEXT.split("\n"),
            "## Own",
            "=======",
            "<<<<<<< x",
            ">>>>>>> y",
            "  files: z.py",
            "- new",
            "note",
            "```",
            "  ```",
            "<!--",
            "-->",
            "---",
            "===",
            "  files:",
            "    - x.py",
            "||||||| z",
            "> x",
            "\tdeep",
            "- ~~no~~",
        ]
    ),
    st.text(max_size=40),
    st.text(alphabet="-*+ #>\t:|,.`ab12", max_size=20),
)


@given(st.lists(lines, max_size=25))
def test_any_text_is_read_or_refused_and_its_notes_stay(written: list[str]) -> None:
    text = "\n".join(["# Recent Focus", *written, ""])
    try:
        document = parse(text)
    except UnreadableDocument:
        return
    again = parse(render(_topics(document), now=NOW, notes=document.notes))
    assert again.notes == document.notes
    assert {entry.name for entry in again.entries} == {entry.name for entry in document.entries}


@given(st.text(), st.binary())
def test_nothing_else_is_raised(text: str, data: bytes) -> None:
    for content in (text, data, "# Recent Focus\n" + text):
        with contextlib.suppress(UnreadableDocument):
            parse(content)


def _topics(document: Document) -> list[Topic]:
    return [Topic(e.name, NOW, NOW, e.files, e.directories) for e in document.entries]
