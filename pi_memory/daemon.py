"""The parts of the daemon, put together, started, and stopped in the order that loses nothing."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from pi_memory import backends
from pi_memory.agents.agent_context import AgentContexts
from pi_memory.agents.import_conversations import ConversationImport
from pi_memory.attention.tracker import Attention
from pi_memory.background.backups import Backups, folders
from pi_memory.background.housekeeping import Housekeeping
from pi_memory.background.inbox import Inbox, after_reply, announcing
from pi_memory.background.live_events import LiveEvents
from pi_memory.background.priority import TurnPriority
from pi_memory.background.reflection import Reflection
from pi_memory.chat.context import MemoryReader, TurnContext
from pi_memory.chat.prefill import Prefill
from pi_memory.chat.stream import Streams
from pi_memory.chat.turn import Assistant
from pi_memory.clock import Moved, SteadyClock
from pi_memory.config import Config
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import ConversationWindows
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.worker import Worker
from pi_memory.errors import NotSaved
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus_file.watcher import Watcher
from pi_memory.learning.learner import Learner
from pi_memory.learning.llm_extraction import LlmExtraction
from pi_memory.learning.neighbours import NeighbourSearch
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.memories.redaction import ForgottenTexts
from pi_memory.model import saved_state
from pi_memory.parts import Parts
from pi_memory.protocols import Clock, Embedder, Model
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.search import Search
from pi_memory.settings import Settings
from pi_memory.store import conversations, copies, restamp
from pi_memory.store.database import Database
from pi_memory.tagging.topic_patterns import Patterns, load_patterns
from pi_memory.tasks import logged, until_done
from pi_memory.text import language

DRAIN_SECONDS = 5.0
"""Longest that a stop waits for the inbox; what is left is worked off at the next start."""

READ_AGAIN_SECONDS = 30.0
"""After how long the focus file is read again when that failed."""

logger = logging.getLogger(__name__)


class RestampsTimes(Protocol):
    """Holds times in RAM that a wrong clock may have stamped."""

    def restamp(self, right: Callable[[float], float]) -> None: ...


@contextlib.asynccontextmanager
async def running(
    settings: Settings, *, model: Model | None = None, embedder: Embedder | None = None, clock: Clock | None = None
) -> AsyncIterator[Parts]:
    """Put the parts together and start them; on the way out, stop them in the order that loses nothing."""
    clock = _steady(clock)
    remembers = settings.memory.enabled
    config = Config(settings.paths.config_dir)
    patterns = load_patterns(config.file("topics.toml"))
    language.use(config)
    db = await Database.open(
        settings.database if remembers else None, commit_seconds=settings.memory.commit_seconds, now=clock()
    )
    parts = _put_together(
        settings,
        config,
        patterns,
        db=db,
        model=backends.model(settings, given=model),
        embedder=backends.embedder(settings, given=embedder),
        clock=clock,
    )
    parts.model.start()
    parts.embedder.start()
    compiling = asyncio.create_task(parts.worker.run(language.compile_all))
    try:
        if not remembers:
            yield parts
            await parts.streams.stop()
            return
        await _wake(parts)
        parts.tagger.start()
        ahead = asyncio.create_task(until_done("Evaluating what conversations begin with", parts.prefill.warm))
        async with _watching(parts):
            yield parts
            await parts.streams.stop()
        await parts.tagger.stop()
        ahead.cancel()
        await _rest(parts)
    finally:
        await compiling
        await db.close()
        await parts.worker.close()  # before the model, whose tokeniser it uses
        await parts.model.close()
        await parts.embedder.close()


def _steady(clock: Clock | None) -> SteadyClock:
    """A clock that is given is right; the system's may be wrong."""
    if isinstance(clock, SteadyClock):
        return clock
    return SteadyClock(clock, vouched=lambda now: True) if clock else SteadyClock()


def _put_together(
    settings: Settings,
    config: Config,
    patterns: Patterns,
    *,
    db: Database,
    model: Loader[Model],
    embedder: Loader[Embedder],
    clock: SteadyClock,
) -> Parts:
    """Every part with the parts that it needs; none has been started."""
    kept, max_tokens, worker = settings.memory, settings.chat.max_tokens, Worker("The daemon's computing")
    events, forgotten = Events(), ForgottenTexts()

    # What goes on: conversations, topics, attention.
    windows = ConversationWindows(
        ttl=kept.ttl_minutes * 60, max_conversations=kept.max_conversations, clean=forgotten.clean, events=events
    )
    scale = Scale(embedder)
    tagger = backends.tagger(settings, patterns, db=db, model=model, scale=scale, windows=windows, worker=worker)
    focus = RecentFocus(db, settings.focus_file, tagger=tagger, clock=clock, clean=forgotten.clean, events=events)
    attention = Attention(
        db,
        patterns,
        knows=focus.knows,
        called=focus.called,
        recent=focus.strengths,
        clock=clock,
        worker=worker,
        events=events,
    )

    # Memory: stored, found, learned.
    unsave = partial(_unsave, settings, model)
    memories = Memories(db, clock=clock, forgotten=forgotten, events=events, before_forget=unsave)
    message_index = MessageIndex(db, embedder, worker=worker, events=events)
    memory_index = MemoryIndex(memories, embedder)
    search = Search(
        db, remembered=memory_index, passages=message_index, scale=scale, worker=worker, attention=attention.boost
    )
    neighbours = NeighbourSearch(memories, memory_index.shelf, scale, worker=worker)
    interview = LlmExtraction(model) if settings.embedding.extractor == "model" else None
    learner = Learner(
        memories,
        neighbours,
        heads=config.folder("heads"),
        embedder=embedder,
        worker=worker,
        topics=attention.topics,
        interview=interview,
    )

    # The turn, and what is done while nobody waits.
    known = MemoryReader(focus, memories, search) if kept.enabled else None
    context = TurnContext(config.personas(), settings.workspace, known=known, max_tokens=max_tokens, clock=clock)
    agent_contexts = AgentContexts(context, focus, search, clock=clock, events=events)
    prefill = Prefill(model, windows, context, clock=clock)
    compaction = Compaction(db, windows, max_turns=kept.max_turns, max_tokens=max_tokens, worker=worker)
    priority = TurnPriority()
    reflection = Reflection(
        db,
        windows,
        compaction=compaction,
        model=model,
        learn=learner.learn,
        prefill=prefill,
        precedence=priority,
        events=events,
    )
    housekeeping = Housekeeping(db, windows, focus, memories, message_index, reflection, settings=kept, clock=clock)
    backups = Backups(settings, db, memories, precedence=priority, clock=clock)
    steps = after_reply(learner, message_index, focus, attention, reflection)
    inbox = Inbox(db, (*steps, announcing(events)), precedence=priority)
    assistant = Assistant(
        model=model,
        clock=clock,
        memory=windows,
        briefing=context,
        compaction=compaction,
        learning=learner,
        remember=inbox if kept.enabled else None,
        prefill=prefill,
        worker=worker,
    )
    server = settings.server
    streams = Streams(assistant, most=server.max_waiting, seconds=server.turn_seconds, precedence=priority)
    # Last, when all others have let go of what was forgotten.
    events.subscribe(TextForgotten, partial(_forget_on_disk, settings, db, memories, unsave))
    clock.on_moved = partial(_restamp, (windows, inbox, focus, attention), housekeeping)
    return Parts(
        settings=settings,
        clock=clock,
        db=db,
        windows=windows,
        focus=focus,
        attention=attention,
        memories=memories,
        message_index=message_index,
        search=search,
        learner=learner,
        conversation_import=ConversationImport(db, message_index, clock=clock),
        inbox=inbox,
        reflection=reflection,
        housekeeping=housekeeping,
        backups=backups,
        prefill=prefill,
        assistant=assistant,
        agent_contexts=agent_contexts,
        streams=streams,
        live=LiveEvents(events),
        agents=config.personas(),
        model=model,
        embedder=embedder,
        scale=scale,
        tagger=tagger,
        worker=worker,
    )


def _unsave(settings: Settings, model: Loader[Model]) -> None:
    """Erase what a model has kept for the next start, also what one kept that is not there now."""
    saved_state.erase(settings.states_dir)
    model.now.unsave()


async def _forget_on_disk(
    settings: Settings, db: Database, memories: Memories, unsave: Callable[[], None], forgotten: TextForgotten
) -> None:
    await _forget_in_copies(settings, db, memories, forgotten.clean)
    unsave()  # a save that went on meanwhile has read it before


def _restamp(holders: Sequence[RestampsTimes], housekeeping: Housekeeping, moved: Moved) -> None:
    """Follow that the clock was set: in RAM now, in the database before all that is written later."""
    for holder in holders:
        holder.restamp(moved.right)
    housekeeping.put_right(moved)


async def _wake(parts: Parts) -> None:
    """Go on where the last run ended: conversations that are still alive, the inbox, the focus file."""
    parts.clock.resume(await parts.db.read(restamp.newest))
    limit = 2 * parts.settings.memory.max_turns
    alive = await parts.db.read(lambda db: conversations.alive(db, limit=limit))
    told = {}
    with contextlib.suppress(NotSaved):  # what is prompted is recalled anew, as after a crash
        told = await parts.db.write(conversations.take)
    for name, window in sorted(alive.items(), key=lambda item: item[1].exchanges[-1].at):
        parts.windows.resume(name, window.exchanges, summary=window.summary, prompted=told.get(name))
    if await parts.memories.start():
        saved_state.erase(parts.settings.states_dir)
        await _forget_in_copies(parts.settings, parts.db, parts.memories, parts.memories.forgotten.clean)
        with contextlib.suppress(NotSaved):  # it is done once more at the next start
            await parts.memories.finished()
    await parts.focus.start()
    await parts.attention.start()
    await parts.search.start()
    await parts.inbox.start()
    parts.reflection.start()
    parts.housekeeping.start()
    parts.backups.start()


async def _forget_in_copies(settings: Settings, db: Database, memories: Memories, clean: Callable[..., str]) -> None:
    """In those that the daemon, or somebody with its help, has made of the database."""
    if not db.in_ram:
        buried = await memories.tombstones()
        found = [path for folder in (settings.data_dir, *folders(settings)) for path in copies.databases(folder)]
        await asyncio.to_thread(copies.forget, [path for path in found if path != settings.database], clean, buried)


@contextlib.asynccontextmanager
async def _watching(parts: Parts) -> AsyncIterator[None]:
    """Have hand edits of the focus file noticed as they are saved."""
    changed = asyncio.Event()
    watcher = Watcher(parts.settings.focus_file, changed.set)
    watcher.start()

    async def follow() -> None:
        while True:
            await changed.wait()
            changed.clear()
            again = asyncio.get_running_loop().call_later(READ_AGAIN_SECONDS, changed.set)
            with logged("Reading the focus file"):
                await parts.focus.read_file()
                again.cancel()

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        watcher.stop()
        task.cancel()


async def _rest(parts: Parts) -> None:
    """Work off the inbox as far as there is time, and save what is in RAM only; each step, whatever others raise."""
    try:
        await asyncio.wait_for(parts.inbox.drain(), DRAIN_SECONDS)
    except TimeoutError:
        logger.warning("The inbox is worked off at the next start, as far as it is stored")
    steps: dict[str, Callable[[], Awaitable[None]]] = {
        "Stopping the inbox": parts.inbox.stop,
        "Finishing what is learned": parts.learner.finish,
        "Finishing what is forgotten": parts.memories.finish,
        "Stopping reflection": parts.reflection.stop,
        "Stopping housekeeping": parts.housekeeping.stop,
        "Stopping backups": parts.backups.stop,
        "Stopping recall": parts.search.stop,
        "Writing what conversations begin with": partial(_keep_prompted, parts),
        "Writing what sessions attend to": parts.attention.close,
        "Writing the focus file": parts.focus.close,
        "Saving what the model has read": parts.prefill.save,
    }
    for what, step in steps.items():
        with logged(what):
            await step()


async def _keep_prompted(parts: Parts) -> None:
    alive = parts.windows.prompted()
    await parts.db.write(lambda db: conversations.keep(db, alive))
