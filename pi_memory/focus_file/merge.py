"""Three-way merge of RECENT_FOCUS.md with the topics. Pure.

An edit is a difference between the text last written (`base`) and the file as it is now (`theirs`), never between the
file and the topics, which may have changed since. Then the edits are applied to the topics as they are.

Where both sides changed:
- removed by the user, touched since: removed. The removal is the newer wish; the next touch brings it back.
- added by the user, tagged since: one topic with the files of both.
- files edited by the user, files tagged since: only files that the user removed go, new ones stay.
- renamed by the user, the new name tagged since: one topic of both.
- figures, section and order are ours; changing them is not an edit.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.focus_file.document import Document, Entry, Notes
from pi_memory.text.spelling import likeness
from pi_memory.topics.display import clean, short_names
from pi_memory.topics.names import MAX_DIRECTORIES, MAX_FILES, merge
from pi_memory.types import Topic


class Removed(Struct, frozen=True):
    name: str


class Added(Struct, frozen=True):
    entry: Entry


class Renamed(Struct, frozen=True):
    old: str
    new: str


class Edited(Struct, frozen=True):
    """The edits of a file. Names are as the file shows them."""

    name: str
    files_added: tuple[str, ...] = ()
    files_removed: tuple[str, ...] = ()
    directories_added: tuple[str, ...] = ()
    directories_removed: tuple[str, ...] = ()


class NotesChanged(Struct, frozen=True):
    notes: Notes


Edit = Renamed | Removed | Added | Edited | NotesChanged


def edits(base: Document, theirs: Document, *, removals: bool = True) -> list[Edit]:
    """The edits that turned `base` into `theirs`: renames first, then removals, additions and changed lists.

    In a document with a merge conflict a missing topic was not removed; nor without `removals`, where only its files
    identify a renamed topic.
    """
    removals = removals and not theirs.conflicted
    old, new = {e.name: e for e in base.entries}, {e.name: e for e in theirs.entries}
    renamed = {} if theirs.conflicted else _renames(base.entries, theirs.entries, by_place=removals)
    found: list[Edit] = [Renamed(before, after) for before, after in renamed.items()]
    found += [Removed(name) for name in old if removals and name not in new and name not in renamed]
    found += [Added(new[name]) for name in new if name not in old and name not in renamed.values()]
    kept = [(name, name) for name in new if name in old]
    changes = (_edited(old[before], new[after], removals=removals) for before, after in [*renamed.items(), *kept])
    found += [change for change in changes if change is not None]
    return [*found, NotesChanged(theirs.notes)] if theirs.notes != base.notes else found


def edits_of_old(ours: Document, theirs: Document, topics: Mapping[str, Topic]) -> list[Edit]:
    """The edits of a text whose base is unknown; `ours` is the newest text. They only add and rename.

    A topic missing from it may have come since. One missing from `ours` that has its figures in the file may have gone
    since.
    """
    since = {entry.name for entry in theirs.entries if entry.stats and entry.name in topics}
    since -= {entry.name for entry in ours.entries}
    entries = tuple(entry for entry in theirs.entries if entry.name not in since)
    return edits(ours, replace(theirs, entries=entries), removals=False)


def merged_notes(base: Notes, theirs: Notes, ours: Notes) -> Notes:
    """The notes after changes of both sides; where both changed the same notes, both texts."""
    names = dict.fromkeys((*ours.topics, *theirs.topics))
    topics = {n: _merged(base.topics.get(n, ()), theirs.topics.get(n, ()), ours.topics.get(n, ())) for n in names}
    return Notes(
        _merged(base.before, theirs.before, ours.before),
        {name: lines for name, lines in topics.items() if lines},
        _merged(base.sections, theirs.sections, ours.sections),
        _merged(base.top, theirs.top, ours.top),
    )


def _merged(base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> tuple[str, ...]:
    if theirs == base or ours == base:
        return tuple(ours if theirs == base else theirs)
    if _holds(ours, theirs):
        return tuple(ours)
    return tuple(theirs) if _holds(theirs, ours) else (*ours, "", *theirs)


def _holds(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the wanted lines are among the others, in sequence."""
    return not wanted or "\n".join(["", *wanted, ""]) in "\n".join(["", *lines, ""])


def _edited(before: Entry, after: Entry, *, removals: bool) -> Edited | None:
    change = Edited(
        after.name,
        files_added=_without(after.files, before.files),
        files_removed=_without(before.files, after.files) if removals else (),
        directories_added=_without(after.directories, before.directories),
        directories_removed=_without(before.directories, after.directories) if removals else (),
    )
    return None if change == Edited(after.name) else change


def _without(names: Iterable[str], others: Sequence[str]) -> tuple[str, ...]:
    """The names that are not among the others, in any Unicode composition."""
    same = {unicodedata.normalize("NFC", name) for name in others}
    return tuple(name for name in names if unicodedata.normalize("NFC", name) not in same)


def _renames(old: Sequence[Entry], new: Sequence[Entry], *, by_place: bool) -> dict[str, str]:
    """Old to new name, where one topic is gone and a similar one has come; the most similar pairs first. Topics without
    files are similar when their figures are equal and, with `by_place`, the topics above them.
    """
    before, after = {e.name: e for e in old}, {e.name: e for e in new}
    above_old, above_new = _predecessors(old, after), _predecessors(new, before)
    gone = [entry for entry in old if entry.name not in after]
    came = [entry for entry in new if entry.name not in before]
    pairs = [(o, n, above_old[o.name] == above_new[n.name]) for o in gone for n in came]
    able = [(o, n) for o, n, here in pairs if (_same(o, n, same_place=here) if by_place else _same_files(o, n))]
    found: dict[str, str] = {}
    for one, other in sorted(able, key=lambda pair: _likeness(*pair), reverse=True):
        if one.name not in found and other.name not in found.values():
            found[one.name] = other.name
    return {entry.name: found[entry.name] for entry in gone if entry.name in found}


def _predecessors(entries: Sequence[Entry], common: Mapping[str, Entry]) -> dict[str, str]:
    """For each topic in both texts the last such topic above it, which is its place whatever came or went around it."""
    above, found = "", {}
    for entry in entries:
        found[entry.name] = above
        above = entry.name if entry.name in common else above
    return found


def _same(old: Entry, new: Entry, *, same_place: bool) -> bool:
    """Whether `new` may be `old` renamed: people change the name and leave the rest of the line."""
    if new.stats:
        return new.stats == old.stats and (same_place or _same_files(old, new))
    return _same_files(old, new)


def _same_files(old: Entry, new: Entry) -> bool:
    return (old.files, old.directories) == (new.files, new.directories) and bool(old.files)


def _likeness(old: Entry, new: Entry) -> tuple[bool, float]:
    return _same_files(old, new), likeness(old.name, new.name)


def apply(found: Iterable[Edit], topics: Mapping[str, Topic], now: float) -> dict[str, Topic]:
    """The changed topics by name, for edits made at about `now`; `topics` are all topics, also inactive ones.

    A removed or renamed topic is among them under its old name, inactive.
    """
    known, holders = dict(topics), _Holders(topics)
    changed: dict[str, Topic] = {}
    for edit in found:
        new = _applied(edit, known, now, holders)
        known |= new
        changed |= new
    return changed


class _Holders:
    """The topics that have a file of a base name, the one touched last first. Looked up once, at first use."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self._topics = topics
        self._found: dict[str, list[Topic]] | None = None

    def of(self, name: str) -> Sequence[Topic]:
        if self._found is None:
            self._found = {}
            for topic in sorted(self._topics.values(), key=lambda t: -t.last_touched_at):
                for base_name in {path.rpartition("/")[2] for path in topic.file_paths}:
                    self._found.setdefault(base_name, []).append(topic)
        return self._found.get(name, ())


def _applied(edit: Edit, topics: Mapping[str, Topic], now: float, holders: _Holders) -> dict[str, Topic]:
    match edit:
        case Removed(name) if name in topics:
            return {name: replace(topics[name], is_active=False)}
        case Added(entry):
            return {entry.name: _add(entry, topics.get(entry.name), now, holders)}
        case Renamed(old, new) if old in topics:
            return {old: replace(topics[old], is_active=False), new: _rename(topics[old], new, topics.get(new))}
        case Renamed(_, new):
            return {new: _add(Entry(new), topics.get(new), now, holders)}
        case Edited(name):
            return {name: _edit(topics.get(name) or Topic(name, now, now), edit, holders)}
        case _:
            return {}


def _add(entry: Entry, known: Topic | None, now: float, holders: _Holders) -> Topic:
    """Bring a topic to full strength; a known one keeps its counts and first touch."""
    topic = known or Topic(entry.name, now, now)
    topic = replace(topic, last_touched_at=max(now, topic.last_touched_at), is_active=True)
    return _edit(topic, Edited(entry.name, files_added=entry.files, directories_added=entry.directories), holders)


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


def _edit(topic: Topic, edit: Edited, holders: _Holders) -> Topic:
    added = [path for name in edit.files_added[-MAX_FILES:] for path in _full_paths(name, topic, holders)]
    removed = {path for name in edit.files_removed for path in _paths_of(name, topic)} - set(added)
    files = [path for path in topic.file_paths if path not in removed]
    directories = [path for path in topic.directories if clean(path) not in edit.directories_removed]
    new_directories = [f"{path.rstrip('/')}/" for path in edit.directories_added]
    return replace(
        topic,
        file_paths=merge(files, added, most=MAX_FILES),
        directories=merge(directories, new_directories, most=MAX_DIRECTORIES),
    )


def _full_paths(name: str, topic: Topic, holders: _Holders) -> tuple[str, ...]:
    """The paths for a name that the user wrote: a file of the topic, else a file of the latest topic that has one of
    this base name, else the name itself.
    """
    if known := _paths_of(name, topic):
        return known
    return next((paths for other in holders.of(name) if (paths := _paths_of(name, other))), (name,))


def _paths_of(name: str, topic: Topic) -> tuple[str, ...]:
    """The topic's paths that end in `name`. Among files of one name the oldest, as the name was unique when it was
    written.
    """
    end = "/" + name.strip("/")
    groups = short_names(topic.file_paths).values()
    return next((group for group in groups if any(f"/{clean(path)}".endswith(end) for path in group)), ())
