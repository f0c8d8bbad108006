"""The parts of the daemon, put together, started, and stopped in the order that loses nothing."""

import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

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
from pi_memory.embedding.recent import RecentEmbedder
from pi_memory.errors import NotSaved
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus_file.watcher import Watcher
from pi_memory.http import usage
from pi_memory.learning.learner import Learner
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.memories.redaction import ForgottenTexts
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.model import saved_state
from pi_memory.parts import Parts
from pi_memory.protocols import Clock, Embedder, Model
from pi_memory.recall.recall import Recall
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
    ground = _ground(settings, config, db, clock, model=model_loader, embedder=embedder_loader)
    parts = _put_together(ground, patterns)
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


class Ground(Struct, frozen=True):
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


class TopicParts(Struct, frozen=True):
    """The parts that know what the user works on."""

    tagger: TaggerLoader
    focus: RecentFocus
    attention: Attention


class MemoryParts(Struct, frozen=True):
    """Memories and messages: stored, found, learned."""

    memories: Memories
    message_index: MessageIndex
    search: Search
    recall: Recall
    learner: Learner


class PromptParts(Struct, frozen=True):
    """What a prompt is made of, evaluated ahead, and kept short."""

    personas: dict[str, str]
    context: TurnContext
    prefill: Prefill
    compaction: Compaction


class BackgroundParts(Struct, frozen=True):
    """What is done while nobody waits, and lets turns pass."""

    priority: TurnPriority
    reflection: Reflection
    housekeeping: Housekeeping
    inbox: Inbox


def _ground(
    settings: Settings,
    config: Config,
    db: Database,
    clock: SteadyClock,
    *,
    model: Loader[Model],
    embedder: Loader[Embedder],
) -> Ground:
    events, forgotten, limits = Events(), ForgottenTexts(), settings.memory
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
            ttl=limits.ttl_minutes * 60,
            max_conversations=limits.max_conversations,
            clean=forgotten.clean,
            events=events,
        ),
        unsave=partial(_unsave, settings, model),
    )


def _put_together(ground: Ground, patterns: Patterns) -> Parts:
    """Every part with the parts that it needs; none has been started."""
    topics = _topics(ground, patterns)
    memory = _memory(ground, topics.attention)
    prompts = _prompts(ground, topics, memory)
    background = _background(ground, topics, memory, prompts)
    assistant, streams = _turns(ground, memory, prompts, background)
    agent_contexts = AgentContexts(
        prompts.context, topics.focus, memory.recall, clock=ground.clock, events=ground.events
    )
    _subscribe(ground, topics, memory, background)
    return Parts(
        settings=ground.settings,
        clock=ground.clock,
        db=ground.db,
        windows=ground.windows,
        focus=topics.focus,
        attention=topics.attention,
        memories=memory.memories,
        message_index=memory.message_index,
        search=memory.search,
        recall=memory.recall,
        learner=memory.learner,
        conversation_import=ConversationImport(ground.db, memory.message_index, clock=ground.clock),
        inbox=background.inbox,
        reflection=background.reflection,
        housekeeping=background.housekeeping,
        backups=Backups(ground.settings, ground.db, memory.memories, priority=background.priority, clock=ground.clock),
        prefill=prompts.prefill,
        assistant=assistant,
        agent_contexts=agent_contexts,
        streams=streams,
        live=LiveEvents(ground.events),
        agents=prompts.personas,
        model=ground.model,
        embedder=ground.embedder,
        scale=ground.scale,
        tagger=topics.tagger,
        worker=ground.worker,
        written_mb=usage.written_mb(),
    )


def _topics(ground: Ground, patterns: Patterns) -> TopicParts:
    tagger = backends.tagger(
        ground.settings,
        patterns,
        db=ground.db,
        model=ground.model,
        scale=ground.scale,
        windows=ground.windows,
        worker=ground.worker,
    )
    focus = RecentFocus(
        ground.db,
        ground.settings.focus_file,
        tagger=tagger,
        clock=ground.clock,
        clean=ground.forgotten.clean,
        events=ground.events,
    )
    attention = Attention(
        ground.db,
        patterns,
        knows=focus.knows,
        called=focus.called,
        recent=focus.strengths,
        clock=ground.clock,
        worker=ground.worker,
        events=ground.events,
    )
    return TopicParts(tagger, focus, attention)


def _memory(ground: Ground, attention: Attention) -> MemoryParts:
    memories = Memories(
        ground.db,
        clock=ground.clock,
        forgotten=ground.forgotten,
        events=ground.events,
        before_forget=ground.unsave,
    )
    message_index = MessageIndex(ground.db, ground.embedder, worker=ground.worker, events=ground.events)
    memory_index = MemoryIndex(memories, ground.embedder)
    search = Search(
        ground.db,
        memory_index=memory_index,
        message_index=message_index,
        scale=ground.scale,
        worker=ground.worker,
        attention=attention.boost,
    )
    heads = ground.config.folder("heads")
    recall = Recall(ground.db, search, scale=ground.scale, worker=ground.worker, heads=heads)
    learner = Learner(
        memories,
        NeighbourSearch(memories, memory_index.ram_index, ground.scale, worker=ground.worker),
        recall=search.search,
        loaded=memory_index.loaded,
        heads=heads,
        embedder=ground.embedder,
        worker=ground.worker,
        topics=attention.topics,
        llm=backends.extractor(ground.settings, ground.model),
    )
    return MemoryParts(memories, message_index, search, recall, learner)


def _prompts(ground: Ground, topics: TopicParts, memory: MemoryParts) -> PromptParts:
    settings, max_tokens = ground.settings, ground.settings.chat.max_tokens
    personas = ground.config.personas()
    reader = MemoryReader(topics.focus, memory.memories, memory.recall) if settings.memory.enabled else None
    context = TurnContext(
        personas,
        settings.workspace,
        memory=reader,
        max_tokens=max_tokens,
        clock=ground.clock,
        worker=ground.worker,
    )
    prefill = Prefill(ground.model, ground.windows, context, clock=ground.clock)
    compaction = Compaction(
        ground.db,
        ground.windows,
        max_turns=settings.memory.max_turns,
        max_tokens=max_tokens,
        worker=ground.worker,
    )
    return PromptParts(personas, context, prefill, compaction)


def _background(ground: Ground, topics: TopicParts, memory: MemoryParts, prompts: PromptParts) -> BackgroundParts:
    priority = TurnPriority()
    reflection = Reflection(
        ground.db,
        ground.windows,
        compaction=prompts.compaction,
        model=ground.model,
        learn=memory.learner.learn,
        prefill=prompts.prefill,
        priority=priority,
        events=ground.events,
    )
    housekeeping = Housekeeping(
        ground.db,
        ground.windows,
        topics.focus,
        memory.memories,
        memory.message_index,
        reflection,
        settings=ground.settings.memory,
        clock=ground.clock,
    )
    steps = after_reply(memory.learner, memory.message_index, topics.focus, topics.attention, reflection)
    inbox = Inbox(ground.db, (*steps, announcing(ground.events)), priority=priority)
    return BackgroundParts(priority, reflection, housekeeping, inbox)


def _turns(
    ground: Ground, memory: MemoryParts, prompts: PromptParts, background: BackgroundParts
) -> tuple[Assistant, Streams]:
    assistant = Assistant(
        model=ground.model,
        clock=ground.clock,
        windows=ground.windows,
        context=prompts.context,
        compaction=prompts.compaction,
        learner=memory.learner,
        inbox=background.inbox if ground.settings.memory.enabled else None,
        prefill=prompts.prefill,
        worker=ground.worker,
    )
    server = ground.settings.server
    streams = Streams(assistant, most=server.max_waiting, seconds=server.turn_seconds, priority=background.priority)
    return assistant, streams


def _subscribe(ground: Ground, topics: TopicParts, memory: MemoryParts, background: BackgroundParts) -> None:
    """What concerns the daemon as a whole: a text was forgotten, the clock was set."""
    # Last, when all that holds texts in RAM has let go of what was forgotten.
    forget = partial(_forget_on_disk, ground.settings, ground.db, memory.memories, ground.unsave)
    ground.events.subscribe(TextForgotten, lambda forgotten: background.inbox.reread(forgotten.exchange_ids))
    ground.events.subscribe(TextForgotten, forget)
    ground.events.subscribe(TextForgotten, lambda _: _let_go(ground.embedder.now, memory.search, memory.recall))
    stamped = (ground.windows, background.inbox, topics.focus, topics.attention)
    ground.clock.follow(partial(_restamp, stamped, background.housekeeping))


def _unsave(settings: Settings, model: Loader[Model]) -> None:
    """Erase what a model has kept for the next start, also what one kept that is not there now."""
    saved_state.erase(settings.states_dir)
    model.now.unsave()


async def _forget_on_disk(
    settings: Settings, db: Database, memories: Memories, unsave: Callable[[], None], forgotten: TextForgotten
) -> None:
    await _forget_in_copies(settings, db, memories, forgotten.clean)
    unsave()  # a save that went on meanwhile has read it before


def _let_go(embedder: Embedder, search: Search, recall: Recall) -> None:
    """Keep no text, and no word of one, that is held only to save time."""
    search.let_go()
    recall.let_go()
    language.let_go()
    re.purge()  # some expressions have a word of a text
    if isinstance(embedder, RecentEmbedder):
        embedder.let_go()


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
    """Work off the inbox as far as there is time, and save what is in RAM only; each step, whatever others raise.

    A machine that is switched off stops its daemons first: what was said goes to the card before all else.
    """
    with logged("Writing what was said"):
        await parts.db.checkpoint()
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
        "Stopping search": parts.search.stop,
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
