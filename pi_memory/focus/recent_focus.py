"""Recent Focus as a whole: keeps topics in RAM, database and RECENT_FOCUS.md in step."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import sqlite_utils
from msgspec.structs import replace

from pi_memory.decay import strength
from pi_memory.errors import Conflict, StoreError
from pi_memory.event_bus import Events, FocusEdited, FocusFileRead, TextForgotten
from pi_memory.focus.prompt_block import focus_block
from pi_memory.focus.recorder import Recorder, Tagged
from pi_memory.focus.topic_changes import TopicChanges, undone
from pi_memory.focus_file import merge
from pi_memory.focus_file.document import Clean, Document, Notes, lines, render, same_but_for_time
from pi_memory.focus_file.file import HandEdit
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.recovery import rebuild
from pi_memory.focus_file.stability import SETTLE
from pi_memory.focus_file.sync import AGREED, FileSync
from pi_memory.protocols import Clock
from pi_memory.store import state
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.store.events import Event
from pi_memory.tagging.tagger import TaggerLoader
from pi_memory.topics import names
from pi_memory.topics.index import KnownTopics, Renames
from pi_memory.types import Exchange, Topic

RENAMES = "renamed topics"

logger = logging.getLogger(__name__)


class RecentFocus:
    """The topics by name, in RAM as in the database.

    `events` publishes each edit by hand. `settle` is the seconds without a change after which the file counts as saved.
    `clean` removes forgotten sentences from a text.
    """

    def __init__(
        self,
        db: Database,
        path: Path,
        *,
        tagger: TaggerLoader,
        clock: Clock,
        settle: float = SETTLE,
        clean: Clean = str,
        events: Events | None = None,
    ) -> None:
        self._events = events or Events()
        self._events.subscribe(TextForgotten, lambda forgotten: self.forget(forgotten.clean))
        self._db = db
        self._clock = clock
        self._sync = FileSync(db, path, text=lambda: self.text(self._clock()), take=self._take, settle=settle)
        self._known = KnownTopics()
        self._recorder = Recorder(db, self._known, called=self.called, tagger=tagger, clock=clock)
        self._renames = Renames()
        self._notes = Notes()
        self._clean = clean

    @property
    def problem(self) -> str | None:
        return self._sync.problem

    async def start(self) -> None:
        """Load the topics and apply edits made while the daemon was off."""
        self._known.replace({t.name: names.within_limits(t) for t in await self._db.read(rows.load)})
        self._renames = Renames(await self._db.read(lambda db: state.get(db, RENAMES)))
        agreed = await self._sync.load()
        if agreed is not None:
            self._notes = parse(agreed).notes
        await self._sync.start()

    async def close(self) -> None:
        """Write the file a last time. While the user saves it, the next start does that."""
        await self._sync.close()

    # Reading.

    def active(self, now: float) -> list[Topic]:
        """The topics that have not faded at `now`, strongest first."""
        return self._known.active(now)

    def strengths(self, now: float) -> dict[str, float]:
        """The strengths of the topics that have not faded at `now`, by name."""
        return {topic.name: strength(topic.last_touched_at, now) for topic in self.active(now)}

    def all(self) -> list[Topic]:
        """Every topic, the one touched last first."""
        return self._known.all()

    def get(self, name: str) -> Topic:
        """A topic by name. Raises `NotFound`."""
        return self._known.get(name)

    def knows(self, name: str) -> bool:
        """Whether a topic of this name exists, active or not."""
        return name in self._known.by_name

    def called(self, name: str) -> str:
        """The user's name of a topic: they may have renamed it."""
        return self._renames.topic(name, self._known.by_name)

    def files(self, query: str, now: float) -> list[str]:
        """Known files whose path matches, best first."""
        return self._known.files(query, now)

    def file_text(self, now: float) -> str:
        """RECENT_FOCUS.md as it is; as it would be written now where that is not known, or something else."""
        agreed, text = self._sync.agreed, self.text(now)
        return agreed if agreed is not None and same_but_for_time(agreed, text) else text

    @property
    def rejected(self) -> list[Path]:
        """Copies of what was saved as the focus file and is none."""
        return self._sync.rejected

    def text(self, now: float) -> str:
        """RECENT_FOCUS.md as it would be written now."""
        return render(self.active(now), now=now, notes=self._notes)

    async def block(self, *, count: Callable[[str], int], tokens: int) -> tuple[str, tuple[str, ...]]:
        """The Recent Focus block of a prompt, and its topics. Edits by hand count from now on."""
        await self.read_file()
        now = self._clock()
        text = focus_block(self.active(now), now=now, count=count, budget=tokens)
        return text, tuple(re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE))

    # What happens.

    async def tag(self, exchange: Exchange, *, exchange_id: int) -> Tagged:
        """Find and record the topic of an exchange, in one transaction with the inbox's cursor."""
        before = self._recorder.current(exchange.conversation_id)
        tagged = await self._recorder.tag(exchange, exchange_id=exchange_id)
        if tagged.written and tagged.topic != before:
            await self._sync.write_in_time()
        return tagged

    async def put(
        self, name: str, *, file_paths: Sequence[str] | None = None, directories: Sequence[str] | None = None
    ) -> Topic:
        """Add a topic or touch one; given lists replace its own. Durable."""
        now = self._clock()
        before = self._known.by_name.get(name) or Topic(name, now, now)
        topic = replace(
            before,
            last_touched_at=max(now, before.last_touched_at),
            is_active=True,
            file_paths=before.file_paths if file_paths is None else tuple(file_paths),
            directories=before.directories if directories is None else tuple(directories),
        )
        topic = names.within_limits(topic)
        await self._change({name: topic}, origin="api", at=now)
        await self.write_file()
        return topic

    async def rename(self, old: str, new: str) -> Topic:
        """Rename a topic. Durable. Raises `NotFound` without `old`, `Conflict` when `new` exists."""
        topic = self.get(old)
        if new == old:
            return topic
        if new in self._known.by_name and self._known.by_name[new].is_active:
            raise Conflict(f"There is a topic {new} already", hint="Remove one of the two first.")
        now, step = self._clock(), merge.Renamed(old, new)
        await self._change(merge.apply([step], self._known.by_name, now), origin="api", at=now, renames=[step])
        await self.write_file()
        return self._known.by_name[new]

    async def drop(self, name: str) -> None:
        """Make a topic inactive; its row is kept. Durable. Raises `NotFound`."""
        await self._change({name: replace(self.get(name), is_active=False)}, origin="api", at=self._clock())
        await self.write_file()

    async def fade(self) -> int:
        """Make faded topics inactive. Returns how many."""
        now = self._clock()
        gone = self._known.faded(now)
        if gone:
            changes = self._replace({t.name: replace(t, is_active=False) for t in gone}, origin="time", at=now)
            await self._db.write(changes.save)
        return len(gone)

    async def return_faded(self, names: Sequence[str]) -> None:
        """Undo fades that a wrong clock caused. Raises `StoreError`."""
        gone = [topic for name in names if (topic := self._known.by_name.get(name)) and not topic.is_active]
        here = {topic.name: replace(topic, is_active=True) for topic in gone}
        await self._db.write(self._replace(here, origin="time", at=self._clock()).save)

    def restamp(self, right: Callable[[float], float]) -> None:
        """Apply the correction of times in the database to RAM."""
        self._known.replace(
            {
                name: replace(t, first_seen_at=right(t.first_seen_at), last_touched_at=right(t.last_touched_at))
                for name, t in self._known.by_name.items()
            }
        )
        self._recorder.restamp(right)

    async def end_sessions(self, names: Sequence[str]) -> None:
        """End sessions and bring the file up to date."""
        self._recorder.end(names)
        if names:
            await self.write_file()

    def idle_sessions(self, since: float) -> list[str]:
        """Sessions without an exchange since a Unix time."""
        return self._recorder.idle(since)

    async def undo(self, event: Event, *, dry_run: bool = False) -> None:
        """Take back what an event of a topic did to it; what came after it stays. Durable. Raises `Conflict`."""
        now = self._clock()
        changed, renames = undone(event, self._known.by_name, now)
        if not dry_run:
            await self._change(changed, origin="api", at=now, renames=renames, undoes=event.id)
            await self.write_file()

    # The file.

    async def edit_file(self, text: str, *, base: str | None = None) -> None:
        """Apply a text, edited from `base`, as if the user had saved it as the file. Raises `UnreadableDocument` and
        `StoreError`.
        """
        await self._sync.edit(text, base=base)

    async def read_file(self) -> None:
        """Apply the user's edit of RECENT_FOCUS.md, if there is one. Does nothing before `start`."""
        await self._sync.read()

    async def write_file(self) -> None:
        """Bring RECENT_FOCUS.md up to date unless it is. Does nothing before `start`."""
        await self._sync.write()

    async def _take(self, edit: HandEdit) -> None:
        """Apply an edit of the file to the topics. Raises `StoreError`."""
        now = self._clock()
        found, changed = self._understood(edit, now)
        renames = [step for step in found if isinstance(step, merge.Renamed)]
        base = edit.base.notes if edit.base else Notes()
        notes = merge.merged_notes(base, edit.theirs.notes, self._agreed().notes)
        self._notes = notes.cleaned(self._clean)
        if self._notes != notes:
            self._sync.write_anew()
        if edit.theirs.conflicted:
            logger.warning("RECENT_FOCUS.md holds a merge conflict: the topics of both sides are taken in")
        await self._change(changed, origin="file", at=now, renames=renames, agreed=lines(edit.agreed, self._clean))
        await self._events.publish(FocusFileRead())

    def _understood(self, edit: HandEdit, now: float) -> tuple[list[merge.Edit], dict[str, Topic]]:
        """The edits in a text, and the topics that they change. Without a database the topics are rebuilt from the
        file.
        """
        if edit.base is None and not self._known.by_name:
            return [], {topic.name: topic for topic in rebuild(edit.theirs, now)}
        known = self._known.by_name
        if edit.base is None:
            logger.warning("RECENT_FOCUS.md was saved from an old text: what it lacks is kept")
            found = merge.edits_of_old(self._agreed(), edit.theirs, known)
        else:
            found = merge.edits(edit.base, edit.theirs)
        return found, merge.apply(found, known, now)

    def _agreed(self) -> Document:
        """The agreed text; when it is not known, the text that we would write."""
        agreed = self._sync.agreed
        return parse(self.text(self._clock()) if agreed is None else agreed)

    async def forget(self, clean: Callable[[str], str]) -> None:
        """Redact the user's notes in the file with `clean`."""
        self._notes = self._notes.cleaned(clean)
        await self._sync.forget(clean)

    # Changes.

    def _replace(
        self,
        changed: Mapping[str, Topic],
        *,
        origin: str,
        at: float,
        renames: Sequence[merge.Renamed] = (),
        undoes: int | None = None,
    ) -> TopicChanges:
        """Replace changed topics in RAM. Returns what to store."""
        return TopicChanges(self._known.replace(changed), changed, origin, at, renames, undoes)

    async def _change(
        self,
        changed: Mapping[str, Topic],
        *,
        origin: str,
        at: float,
        renames: Sequence[merge.Renamed] = (),
        agreed: str | None = None,
        undoes: int | None = None,
    ) -> None:
        """Make a change by hand: in RAM at once, durable when this returns.

        Raises `StoreError`: then nothing is changed.
        """
        was_renamed = self._renames.text()
        changes = self._replace(changed, origin=origin, at=at, renames=renames, undoes=undoes)
        for step in renames:
            self._recorder.rename(step.old, step.new)
            self._renames.add(step.old, step.new)
            self._notes = self._notes.moved(step.old, step.new)
        self._renames.forget([name for name, topic in changed.items() if topic.is_active])
        renamed = self._renames.text()

        def record(db: sqlite_utils.Database) -> None:
            changes.save(db)
            state.put(db, RENAMES, renamed)
            if agreed is not None:
                state.put(db, AGREED, agreed)

        try:
            await self._db.write(record, durable=True)
        except StoreError:
            self._take_back(changes, was_renamed)
            raise
        if changed:
            logger.info("The focus was edited (%s): %d topics", origin, len(changed))
            await self._events.publish(FocusEdited(changes.described()))

    def _take_back(self, changes: TopicChanges, was_renamed: str) -> None:
        """Undo in RAM a change that could not be stored."""
        self._known.put_back(changes.before)
        self._renames = Renames(was_renamed)
        for step in reversed(changes.renames):
            self._recorder.rename(step.new, step.old)
            self._notes = self._notes.moved(step.new, step.old)
