"""What the user changed in RECENT_FOCUS.md, and the topics after it. Pure.

Three ways: an edit is a difference between the text last written (`base`) and the file as it is now (`theirs`), never
between the file and the topics, which may have changed since. Then the edits are applied to the topics as they are.

What is chosen where both sides changed:
- removed by the user, touched since: it is removed. The removal is the newer wish; the next touch brings it back.
- added by the user, tagged since: one topic with the files of both.
- files edited by the user, files tagged since: only the names the user took out go, the new ones stay.
- renamed by the user, the new name tagged since: one topic of both.
- figures, section and order are ours; what the user does to them is not an edit.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pi_memory.decay import DAY, TOPIC_RATE
from pi_memory.focus.document import Document, Entry, Notes
from pi_memory.focus.shown import HOUR, clean, short_names
from pi_memory.focus.topics import MAX_DIRECTORIES, MAX_FILES, merge, within_limits
from pi_memory.turn import Topic

OLDEST = 3_650 * DAY
"""The most that a file can make a topic older than now: what it says may have been mistyped."""


@dataclass(frozen=True, slots=True)
class Removed:
    name: str


@dataclass(frozen=True, slots=True)
class Added:
    entry: Entry


@dataclass(frozen=True, slots=True)
class Renamed:
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """Names as the file shows them."""

    name: str
    files_added: tuple[str, ...] = ()
    files_removed: tuple[str, ...] = ()
    directories_added: tuple[str, ...] = ()
    directories_removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotesChanged:
    notes: Notes


Edit = Renamed | Removed | Added | Edited | NotesChanged


def edits(base: Document, theirs: Document) -> list[Edit]:
    """What the user did to `base` to get `theirs`: renames first, then removals, additions and changed lists."""
    old, new = {e.name: e for e in base.entries}, {e.name: e for e in theirs.entries}
    renamed = _renames(base.entries, theirs.entries)
    found: list[Edit] = [Renamed(before, after) for before, after in renamed.items()]
    found += [Removed(name) for name in old if name not in new and name not in renamed]
    found += [Added(new[name]) for name in new if name not in old and name not in renamed.values()]
    kept = [(name, name) for name in new if name in old]
    changes = (_edited(old[before], new[after]) for before, after in [*renamed.items(), *kept])
    found += [change for change in changes if change is not None]
    return [*found, NotesChanged(theirs.notes)] if theirs.notes != base.notes else found


def _edited(before: Entry, after: Entry) -> Edited | None:
    change = Edited(
        after.name,
        files_added=_without(after.files, before.files),
        files_removed=_without(before.files, after.files),
        directories_added=_without(after.directories, before.directories),
        directories_removed=_without(before.directories, after.directories),
    )
    return None if change == Edited(after.name) else change


def _without(names: Iterable[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


def _renames(old: Sequence[Entry], new: Sequence[Entry]) -> dict[str, str]:
    """Old to new name where a topic is gone and one that looks the same has come; a topic is used once."""
    before, after = {e.name: e for e in old}, {e.name: e for e in new}
    came = {name: e for name, e in after.items() if name not in before}
    ahead_of_old, ahead_of_new = _predecessors(old, after), _predecessors(new, before)
    pairs: dict[str, str] = {}
    for name in before:
        if name in after:
            continue
        same = (c for c, e in came.items() if _same(before[name], e, same_place=ahead_of_old[name] == ahead_of_new[c]))
        if (match := next(same, None)) is not None:
            pairs[name] = match
            del came[match]
    return pairs


def _predecessors(entries: Sequence[Entry], common: Mapping[str, Entry]) -> dict[str, str]:
    """The last topic above each one that is in both texts: where it stands, whatever came or went around it."""
    above, found = "", {}
    for entry in entries:
        found[entry.name] = above
        above = entry.name if entry.name in common else above
    return found


def _same(old: Entry, new: Entry, *, same_place: bool) -> bool:
    """Whether `new` is `old` under another name: people change the name and leave the rest of the line."""
    same_lists = (old.files, old.directories) == (new.files, new.directories)
    if new.stats:
        return new.stats == old.stats and (same_place or (same_lists and bool(old.files)))
    return same_lists and bool(old.files)


def apply(found: Iterable[Edit], topics: Mapping[str, Topic], now: float) -> dict[str, Topic]:
    """The topics that change, by name, for edits made at about `now`; `topics` are all known ones, also inactive.

    A removed or renamed topic is among them under its old name, inactive.
    """
    changed: dict[str, Topic] = {}
    for edit in found:
        changed |= _applied(edit, {**topics, **changed}, now)
    return changed


def _applied(edit: Edit, topics: Mapping[str, Topic], now: float) -> dict[str, Topic]:
    match edit:
        case Removed(name) if name in topics:
            return {name: replace(topics[name], is_active=False)}
        case Added(entry):
            return {entry.name: _add(entry, topics, now)}
        case Renamed(old, new) if old in topics:
            return {old: replace(topics[old], is_active=False), new: _rename(topics[old], new, topics.get(new))}
        case Renamed(_, new):
            return {new: _add(Entry(new), topics, now)}
        case Edited(name):
            return {name: _edit(topics.get(name) or Topic(name, now, now), edit, topics)}
        case _:
            return {}


def _add(entry: Entry, topics: Mapping[str, Topic], now: float) -> Topic:
    """At full strength; a topic that was known keeps its counts and its first touch."""
    topic = topics.get(entry.name) or Topic(entry.name, now, now)
    topic = replace(topic, last_touched_at=max(now, topic.last_touched_at), is_active=True)
    return _edit(topic, Edited(entry.name, files_added=entry.files, directories_added=entry.directories), topics)


def _rename(topic: Topic, name: str, other: Topic | None) -> Topic:
    if other is None:
        return replace(topic, name=name, is_active=True)
    return replace(
        other,
        first_seen_at=min(topic.first_seen_at, other.first_seen_at),
        last_touched_at=max(topic.last_touched_at, other.last_touched_at),
        file_paths=merge(topic.file_paths, other.file_paths, most=MAX_FILES),
        directories=merge(topic.directories, other.directories, most=MAX_DIRECTORIES),
        touch_count=topic.touch_count + other.touch_count,
        session_count=max(topic.session_count, other.session_count),
        is_active=True,
    )


def _edit(topic: Topic, edit: Edited, topics: Mapping[str, Topic]) -> Topic:
    added = [path for name in edit.files_added[-MAX_FILES:] for path in _full_paths(name, topic, topics)]
    removed = {path for name in edit.files_removed for path in _paths_of(name, topic)} - set(added)
    files = [path for path in topic.file_paths if path not in removed]
    directories = [path for path in topic.directories if clean(path) not in edit.directories_removed]
    new_directories = [f"{path.rstrip('/')}/" for path in edit.directories_added]
    return replace(
        topic,
        file_paths=merge(files, added, most=MAX_FILES),
        directories=merge(directories, new_directories, most=MAX_DIRECTORIES),
    )


def _full_paths(name: str, topic: Topic, topics: Mapping[str, Topic]) -> tuple[str, ...]:
    """What a name that the user wrote stands for: a file of the topic, a file of the latest topic that has one of this
    base name, else what is written."""
    if known := _paths_of(name, topic):
        return known
    others = sorted(topics.values(), key=lambda t: -t.last_touched_at) if "/" not in name else []
    return next((paths for other in others if (paths := _paths_of(name, other))), (name,))


def _paths_of(name: str, topic: Topic) -> tuple[str, ...]:
    """The topic's paths that end in `name`; of several files the one that has been there longest, because the name
    was enough to tell it when it was written."""
    end = "/" + name.strip("/")
    groups = short_names(topic.file_paths).values()
    return next((group for group in groups if any(f"/{clean(path)}".endswith(end) for path in group)), ())


def rebuild(document: Document, now: float) -> list[Topic]:
    """The topics of a file whose database is lost, as far as the file tells them: ages are to the hour or day."""
    written = min(now, document.updated_at or now)
    return [_rebuilt(entry, max(written - _age(entry), now - OLDEST)) for entry in document.entries]


def _age(entry: Entry) -> float:
    """Seconds before the file was written; the strength refines what `5d ago` leaves open."""
    exact = DAY * math.log(max(entry.strength, 0.01)) / math.log(TOPIC_RATE) if entry.strength else None
    if entry.age is None:
        return exact or 0.0
    step = HOUR if entry.age < DAY else DAY
    return entry.age if exact is None else min(max(exact, entry.age), entry.age + step)


def _rebuilt(entry: Entry, touched_at: float) -> Topic:
    # A single directory must be that of every file shown by its base name.
    only = entry.directories[0] if len(entry.directories) == 1 else ""
    files = tuple(name if "/" in name else only + name for name in entry.files)
    count = max(1, entry.sessions or 1)
    topic = Topic(entry.name, touched_at, touched_at, files, entry.directories, touch_count=count, session_count=count)
    return within_limits(topic)
