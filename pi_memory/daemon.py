"""The parts of the daemon, put together, started, and stopped in the order that loses nothing."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
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
from pi_memory.errors import NotSaved
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus_file.watcher import Watcher
from pi_memory.http import usage
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
from pi_memory.tagging.tagger import TaggerLoader
from pi_memory.tagging.topic_patterns import Patterns, load_patterns
from pi_memory.tasks import logged, until_done
from pi_memory.text import language
from pi_memory.worker import Worker

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
    clock, config = _steady(clock), Config(settings.paths.config_dir)
    remembers, patterns = settings.memory.enabled, load_patterns(config.file("topics.toml"))
    language.use(config)
    db = await Database.open(
        settings.database if remembers else None, commit_seconds=settings.memory.commit_seconds, now=clock()
    )
    model_loader = backends.model(settings, given=model)
    embedder_loader = backends.embedder(settings, given=embedder)
    parts = _put_together(_ground(settings, config, db, clock, model=model_loader, embedder=embedder_loader), patterns)
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


@dataclass(frozen=True, slots=True)
class Ground:
    """What the rooms are built on. `unsave` erases what a model has kept for the next start."""

    settings: Settings
    config: Config
    db: Database
    clock: SteadyClock
    model: Loader[Model]
    embedder: Loader[Embedder]
    scale: Scale
    worker: Worker
    events: Events
    forgotten: ForgottenTexts
    windows: ConversationWindows
    unsave: Callable[[], None]


def _ground(
    settings: Settings,
    config: Config,
    db: Database,
    clock: SteadyClock,
    *,
    model: Loader[Model],
    embedder: Loader[Embedder],
) -> Ground:
    events, forgotten, kept = Events(), ForgottenTexts(), settings.memory
    return Ground(
        settings=settings,
        config=config,
        db=db,
        clock=clock,
        model=model,
        embedder=embedder,
        scale=Scale(embedder),
        worker=Worker("The daemon's computing"),
        events=events,
        forgotten=forgotten,
        windows=ConversationWindows(
            ttl=kept.ttl_minutes * 60, max_conversations=kept.max_conversations, clean=forgotten.clean, events=events
        ),
        unsave=partial(_unsave, settings, model),
    )


def _topics(on: Ground, patterns: Patterns) -> tuple[TaggerLoader, RecentFocus, Attention]:
    """The parts that know what the user works on."""
    tagger = backends.tagger(
        on.settings, patterns, db=on.db, model=on.model, scale=on.scale, windows=on.windows, worker=on.worker
    )
    focus = RecentFocus(
        on.db, on.settings.focus_file, tagger=tagger, clock=on.clock, clean=on.forgotten.clean, events=on.events
    )
    attention = Attention(
        on.db,
        patterns,
        knows=focus.knows,
        called=focus.called,
        recent=focus.strengths,
        clock=on.clock,
        worker=on.worker,
        events=on.events,
    )
    return tagger, focus, attention


def _memory(on: Ground, attention: Attention) -> tuple[Memories, MessageIndex, Search, Learner]:
    """Memories and messages: stored, found, learned."""
    memories = Memories(on.db, clock=on.clock, forgotten=on.forgotten, events=on.events, before_forget=on.unsave)
    messages = MessageIndex(on.db, on.embedder, worker=on.worker, events=on.events)
    index = MemoryIndex(memories, on.embedder)
    heads = on.config.folder("heads")
    search = Search(
        on.db,
        memory_index=index,
        message_index=messages,
        heads=heads,
        scale=on.scale,
        worker=on.worker,
        attention=attention.boost,
    )
    learner = Learner(
        memories,
        NeighbourSearch(memories, index.ram_index, on.scale, worker=on.worker),
        heads=heads,
        embedder=on.embedder,
        worker=on.worker,
        topics=attention.topics,
        llm=LlmExtraction(on.model) if on.settings.embedding.extractor == "model" else None,
    )
    return memories, messages, search, learner


def _put_together(on: Ground, patterns: Patterns) -> Parts:
    """Every part with the parts that it needs; none has been started."""
    settings, kept, max_tokens = on.settings, on.settings.memory, on.settings.chat.max_tokens
    tagger, focus, attention = _topics(on, patterns)
    memories, messages, search, learner = _memory(on, attention)

    # What a prompt is made of.
    personas = on.config.personas()
    memory = MemoryReader(focus, memories, search) if kept.enabled else None
    context = TurnContext(personas, settings.workspace, memory=memory, max_tokens=max_tokens, clock=on.clock)
    prefill = Prefill(on.model, on.windows, context, clock=on.clock)
    compaction = Compaction(on.db, on.windows, max_turns=kept.max_turns, max_tokens=max_tokens, worker=on.worker)

    # What is done while nobody waits.
    priority = TurnPriority()
    reflection = Reflection(
        on.db,
        on.windows,
        compaction=compaction,
        model=on.model,
        learn=learner.learn,
        prefill=prefill,
        priority=priority,
        events=on.events,
    )
    housekeeping = Housekeeping(on.db, on.windows, focus, memories, messages, reflection, settings=kept, clock=on.clock)
    steps = after_reply(learner, messages, focus, attention, reflection)
    inbox = Inbox(on.db, (*steps, announcing(on.events)), priority=priority)

    # The turn.
    assistant = Assistant(
        model=on.model,
        clock=on.clock,
        windows=on.windows,
        context=context,
        compaction=compaction,
        learner=learner,
        inbox=inbox if kept.enabled else None,
        prefill=prefill,
        worker=on.worker,
    )
    server = settings.server
    streams = Streams(assistant, most=server.max_waiting, seconds=server.turn_seconds, priority=priority)

    # Last, when all others have let go of what was forgotten.
    on.events.subscribe(TextForgotten, partial(_forget_on_disk, settings, on.db, memories, on.unsave))
    on.clock.follow(partial(_restamp, (on.windows, inbox, focus, attention), housekeeping))
    return Parts(
        settings=settings,
        clock=on.clock,
        db=on.db,
        windows=on.windows,
        focus=focus,
        attention=attention,
        memories=memories,
        message_index=messages,
        search=search,
        learner=learner,
        conversation_import=ConversationImport(on.db, messages, clock=on.clock),
        inbox=inbox,
        reflection=reflection,
        housekeeping=housekeeping,
        backups=Backups(settings, on.db, memories, priority=priority, clock=on.clock),
        prefill=prefill,
        assistant=assistant,
        agent_contexts=AgentContexts(context, focus, search, clock=on.clock, events=on.events),
        streams=streams,
        live=LiveEvents(on.events),
        agents=personas,
        model=on.model,
        embedder=on.embedder,
        scale=on.scale,
        tagger=tagger,
        worker=on.worker,
        written_mb=usage.written_mb(),
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
    prompted = {}
    with contextlib.suppress(NotSaved):  # what is prompted is recalled anew, as after a crash
        prompted = await parts.db.write(conversations.take)
    for name, window in sorted(alive.items(), key=lambda item: item[1].exchanges[-1].at):
        parts.windows.resume(name, window.exchanges, summary=window.summary, prompted=prompted.get(name))
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
    """Notice hand edits of the focus file as they are saved."""
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
