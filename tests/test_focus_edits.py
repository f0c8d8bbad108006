"""What people do to RECENT_FOCUS.md, while work goes on, is what becomes of the topics.

Each edit is made twice: to the text, as somebody with an editor would, and to a plain model of what they mean by it.
The model knows neither how the file is read nor how it is merged.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from pi_memory.decay import DAY
from pi_memory.focus_file.document import Document, render
from pi_memory.focus_file.merge import apply, edits
from pi_memory.focus_file.parse import parse
from pi_memory.topics.names import touch
from pi_memory.types import Tag, Topic

NOW = 1_771_770_600.0
LATER = NOW + 60
NAMES = ("memory", "büro/regal", "台所", "מטבח", "node.js", "c++", "deep-learning", "files")
NEW = ("auth", "jardín", "حديقة", "phase-2/plan", "käse")
NOTES = (
    "ask Ana about it, it is full",
    "> quoted: **not** a topic",
    "```\n- **inside** | 1 session | nothing\nfile: no.py\n\n  deep\n```",
    "<!--\n- **hidden** | 1 session | last: 2d ago | strength: 0.81\n  file: hidden.py\n-->",
    "<!-- a remark -->",
    "🚀 - 👩🏽\u200d🔬 תזכורת",
    "x" * 20_000,
    "| a | table |\n|---|---|\n| 1 | 2 |",
    "- buy this, and that; not those:\n  file: none.py\n  - deeper",
    "- ~~**struck**~~ | 2 sessions | last: 1d ago | strength: 0.90\n  file: old.py",
    "***",
    "\\*escaped\\* & [link](x.md) [[wiki]]",
    "one\n\ntwo",
)


@dataclass
class Meant:
    """What the user means: the topics with their files, and the notes at their places."""

    files: dict[str, set[str]]
    notes: dict[str, list[str]] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)


@dataclass
class Editor:
    """The text in pieces, as they stand on the screen, and what is meant by it."""

    pieces: dict[str, str]
    meant: Meant
    order: list[str]
    head: str
    tail: str = ""

    def text(self) -> str:
        return "\n\n".join([self.head, "## Active", *(self.pieces[name] for name in self.order)]) + "\n" + self.tail


Operation = Callable[[Editor, str, str], None]


def remove(editor: Editor, name: str, value: str) -> None:
    editor.order.remove(name)
    del editor.meant.files[name]


def rename(editor: Editor, name: str, value: str) -> None:
    if value in editor.meant.files:
        return
    editor.pieces[value] = editor.pieces.pop(name).replace(f"**{name}**", f"**{value.upper()}**", 1)
    editor.order[editor.order.index(name)] = value
    editor.meant.files[value] = editor.meant.files.pop(name)


def add(editor: Editor, name: str, value: str) -> None:
    if value in editor.meant.files:
        return
    editor.pieces[value] = f"- {value}\n  files: {value[-1]}.txt\n  dirs: /new/"
    editor.order.insert(editor.order.index(name), value)
    editor.meant.files[value] = {f"{value[-1]}.txt"}


def strike_a_file(editor: Editor, name: str, value: str) -> None:
    editor.pieces[name] = editor.pieces[name].replace("files: a.py, ", "files: ")
    editor.meant.files[name].discard(f"/{name}/a.py")


def add_a_file(editor: Editor, name: str, value: str) -> None:
    editor.pieces[name] = editor.pieces[name].replace("\n  dirs:", ", own/plan.md\n  dirs:")
    editor.meant.files[name].add("own/plan.md")


def note_below(editor: Editor, name: str, value: str) -> None:
    editor.pieces[name] += "".join(f"\n  {line}" if line else "\n" for line in value.split("\n"))
    editor.meant.notes.setdefault(name, []).append(value)


def note_between(editor: Editor, name: str, value: str) -> None:
    editor.pieces[name] += f"\n\n{value}"
    editor.meant.notes.setdefault(name, []).append(value)


def note_first(editor: Editor, name: str, value: str) -> None:
    editor.head += f"\n\n{value}"
    editor.meant.before.append(value)


def own_section(editor: Editor, name: str, value: str) -> None:
    editor.tail += f"\n## Mine\n\n{value}\n"
    editor.meant.sections += ["## Mine", value]


def duplicate(editor: Editor, name: str, value: str) -> None:
    first, _, rest = editor.pieces[name].partition("\n")
    editor.pieces[name] += f"\n\n{first}\n{rest.partition('dirs:')[0]}dirs: /copy/"


def comment_out(editor: Editor, name: str, value: str) -> None:
    if "-->" not in editor.pieces[name] and editor.order[0] != name:
        above = editor.order[editor.order.index(name) - 1]
        hidden = f"<!--\n{editor.pieces[name]}\n-->"
        editor.pieces[above] += f"\n\n{hidden}"
        editor.meant.notes.setdefault(above, []).append(hidden)
        remove(editor, name, value)


def move_up(editor: Editor, name: str, value: str) -> None:
    editor.order.remove(name)
    editor.order.insert(0, name)


OPERATIONS: list[Operation] = [
    remove, rename, add, strike_a_file, add_a_file, note_below, note_between, note_first, own_section, duplicate,
    comment_out, move_up,
]  # fmt: skip


def lists_over_lines(text: str) -> str:
    if "<!--" in text:
        return text  # what is in a comment stays as it is
    lines = []
    for line in text.split("\n"):
        key, colon, names = line.partition(": ")
        if key in ("  files", "  dirs") and colon:
            lines += [f"{key}:", *(f"    - {name}" for name in names.split(", "))]
        else:
            lines.append(line)
    return "\n".join(lines)


HABITS: list[Callable[[str], str]] = [
    lambda text: text.replace("\n", "\r\n"),
    lambda text: "\ufeff" + text,
    lambda text: text.replace("\n- **", "\n* **"),
    lambda text: text.replace("\n- **", "\n1. **"),
    lambda text: text.replace("\n- **", "\n-\t**").replace("\n  files", "\n\tfiles"),
    lambda text: text.replace("\n", "  \n"),
    lambda text: text.rstrip("\n"),
    lambda text: text.replace(", own/", ",\n    own/"),
    lambda text: text.replace("## Active", "### ACTIVE:"),
    lambda text: text.replace("# Recent Focus", "# 🎯 Recent focus"),
    lambda text: text.replace("\n\n", "\n\n\n") if "one\n\ntwo" not in text else text,
    lists_over_lines,
]


def opened(names: list[str]) -> tuple[dict[str, Topic], Editor]:
    """Topics that were worked on, and their file in an editor."""
    topics = {
        name: Topic(name, 0.0, NOW - n * DAY / 8, (f"/{name}/a.py", f"/{name}/{name[-1]}b.md"), (f"/{name}/",))
        for n, name in enumerate(names)
    }
    text = render(list(topics.values()), now=NOW)
    head, *pieces = text.rstrip("\n").split("\n\n")
    meant = Meant({name: set(topic.file_paths) for name, topic in topics.items()})
    shown = dict(zip(names, (piece.removeprefix("## Active\n") for piece in pieces), strict=True))
    return topics, Editor(shown, meant, list(names), head)


def worked(topics: dict[str, Topic], tags: list[Tag]) -> dict[str, Topic]:
    for tag in tags:
        name = str(tag.topic)
        topics = topics | {name: touch(topics.get(name), tag, LATER - 1, new_session=False)}
    return topics


def without_layout(note: str) -> list[str]:
    """The lines, whatever their indentation and their bullet marks."""
    return [re.sub(r"^(?:[-*]|1\.)\s+", "- ", line.strip()) for line in note.split("\n") if line.strip()]


def holds(notes: tuple[str, ...], note: str) -> bool:
    """Whether a note is there: its lines in their order."""
    lines, wanted = without_layout("\n".join(notes)), without_layout(note)
    return any(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))


def assert_notes(document: Document, meant: Meant) -> None:
    """The notes of topics that are gone may be anywhere, or gone with them."""
    notes = document.notes
    kept = {name: found for name, found in meant.notes.items() if name in meant.files}
    assert all(holds(notes.topics.get(name, ()), note) for name, found in kept.items() for note in found)
    assert all(holds(notes.before, note) for note in meant.before)
    assert all(holds(notes.sections, note) for note in meant.sections)
    wanted = [*meant.before, *meant.sections, *(note for found in meant.notes.values() for note in found)]
    there = [*notes.before, *notes.sections, *(line for lines in notes.topics.values() for line in lines)]
    assert set(without_layout("\n".join(there))) <= set(without_layout("\n".join(wanted)))


steps = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 7), st.sampled_from(NEW), st.sampled_from(NOTES)), max_size=6
)
tags = st.lists(st.builds(Tag, st.sampled_from([*NAMES[:4], *NEW]), st.sampled_from([("/t/new.py",), ()])), max_size=3)
habits = st.lists(st.sampled_from(HABITS), max_size=3, unique=True)


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True), steps, habits, tags)
def test_what_is_meant_is_what_becomes_of_it(
    names: list[str],
    made: list[tuple[Operation, int, str, str]],
    ways: list[Callable[[str], str]],
    work: list[Tag],
) -> None:
    topics, editor = opened(names)
    base = editor.text()
    touched: set[str] = set()
    for operation, at, new, note in made:
        # One operation a topic: what two mean together is not always to be seen.
        able = [name for name in editor.order if name not in touched]
        if able:
            name = able[at % len(able)]
            operation(editor, name, note if "note" in operation.__name__ or operation is own_section else new)
            touched |= {name, new} if operation in (rename, add) else {name}
            touched |= set(editor.order) if operation is comment_out else set()
    text = editor.text()
    for way in ways:
        text = way(text)
    known = worked(topics, work)
    theirs = parse(text, base=base)
    merged = known | apply(edits(parse(base), theirs), known, LATER)
    active = {name: set(topic.file_paths) for name, topic in merged.items() if topic.is_active}

    expected = {name: set(files) for name, files in editor.meant.files.items()}
    for tag in work:
        name = str(tag.topic)
        if name in expected or name not in names:
            expected.setdefault(name, set()).update(tag.file_paths)
    renamed = {name for name in editor.meant.files if name not in names and name in editor.order}
    assert set(active) == set(expected)
    for name, files in expected.items():
        # A topic that was renamed while the old name was worked on has those files too.
        assert files <= active[name]
        assert active[name] - files <= ({"/t/new.py"} if name in renamed else set())
    assert_notes(theirs, editor.meant)

    again = render(list(merged.values()), now=LATER, notes=theirs.notes)
    assert parse(again).notes == theirs.notes or set(theirs.notes.topics) - set(active)
    assert edits(parse(again), parse(again)) == []
    assert render(list(merged.values()), now=LATER, notes=parse(again).notes) == again


sides = st.lists(
    st.tuples(st.sampled_from([add, add_a_file, note_below, remove, strike_a_file]), st.integers(0, 7)), max_size=3
)


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True), sides, sides, st.booleans())
def test_of_a_merge_conflict_everything_that_either_side_has_is_there(
    names: list[str], ours: list[tuple[Operation, int]], theirs: list[tuple[Operation, int]], ancestor: bool
) -> None:
    topics, editor = opened(names)
    base = editor.text()
    meant = Meant({name: set(topic.file_paths) for name, topic in topics.items()})
    bodies = []
    for steps_made, new in ((ours, NEW[0]), (theirs, NEW[1])):
        _, side = opened(names)
        for operation, at in steps_made:
            if side.order:
                operation(side, side.order[at % len(side.order)], NOTES[0] if operation is note_below else new)
        bodies.append("\n\n".join(side.pieces[name] for name in side.order))
        for name, files in side.meant.files.items():
            meant.files.setdefault(name, set()).update(files)
    middle = f"||||||| base\n{base.partition('## Active')[2]}\n=======" if ancestor else "======="
    text = f"{editor.head}\n\n## Active\n<<<<<<< ours\n{bodies[0]}\n{middle}\n{bodies[1]}\n>>>>>>> theirs\n"
    merged = topics | apply(edits(parse(base), parse(text, base=base)), topics, LATER)
    assert {name: set(topic.file_paths) for name, topic in merged.items() if topic.is_active} == meant.files


def test_a_line_that_ends_with_a_carriage_return_and_spaces_is_one_line() -> None:
    _, editor = opened(["memory"])
    text = lists_over_lines(editor.text())
    assert parse(text.replace("\n", "\r  \n"), base=editor.text()) == parse(text, base=editor.text())
