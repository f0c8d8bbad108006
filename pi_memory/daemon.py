"""The parts of the daemon, put together, started, and stopped in the order that loses nothing."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial

from pi_memory import backends
from pi_memory.agents.agent_context import AgentContexts
from pi_memory.agents.import_conversations import ConversationImport
from pi_memory.attention.tracker import Attention
from pi_memory.background.housekeeping import Housekeeping
from pi_memory.background.inbox import Inbox
from pi_memory.background.priority import TurnPriority
from pi_memory.background.reflection import Reflection
from pi_memory.chat.context import MemoryReader, TurnContext
from pi_memory.chat.stream import Streams
from pi_memory.chat.turn import Assistant
from pi_memory.clock import Moved, SteadyClock
from pi_memory.config import Config
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import ConversationWindows
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.worker import Worker
from pi_memory.errors import NotSaved
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus_file.watcher import Watcher
from pi_memory.learning.learner import Learner
from pi_memory.learning.llm_extraction import LlmExtraction
from pi_memory.learning.neighbours import NeighbourSearch
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.memories.redaction import Forgetting, ForgottenTexts
from pi_memory.model import saved_state
from pi_memory.parts import Parts
from pi_memory.protocols import Clock, Embedder, Model, Thinker
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.search import Search
from pi_memory.settings import Settings
from pi_memory.store import conversations, copies, restamp
from pi_memory.store.database import Database
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.tagger import EvidenceTagger
from pi_memory.tagging.topic_patterns import Patterns, load_patterns
from pi_memory.tasks import logged, until_done
from pi_memory.text import language
from pi_memory.types import Message

DRAIN_SECONDS = 5.0
"""Longest that a stop waits for the inbox; what is left is worked off at the next start."""

READ_AGAIN_SECONDS = 30.0
"""After how long the focus file is read again when that failed."""

logger = logging.getLogger(__name__)


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
        better = asyncio.create_task(until_done("Finding the better tagger", lambda: _better_tagger(parts, patterns)))
        ahead = asyncio.create_task(until_done("Evaluating what conversations begin with", parts.assistant.warm))
        async with _watching(parts):
            yield parts
            await parts.streams.stop()
        better.cancel()
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
    forgotten, tagger = ForgottenTexts(), EvidenceTagger(patterns, worker=worker)
    memory = ConversationWindows(
        ttl=kept.ttl_minutes * 60, max_conversations=kept.max_conversations, clean=forgotten.clean
    )
    focus = RecentFocus(db, settings.focus_file, tagger=tagger, clock=clock, clean=forgotten.clean)
    attention = Attention(db, patterns, knows=focus.knows, called=focus.called, clock=clock, worker=worker)
    memories, scale = Memories(db, clock=clock, forgotten=forgotten), Scale(embedder)
    passages = MessageIndex(db, embedder, worker=worker)
    remembered = MemoryIndex(memories, embedder)
    recall = Search(db, remembered=remembered, passages=passages, scale=scale, worker=worker)
    neighbourhood = NeighbourSearch(memories, remembered.shelf, scale, worker=worker)
    learning = Learner(memories, neighbourhood, worker=worker)
    if settings.embedding.extractor == "model":
        learning.interview = LlmExtraction(model)
    precedence = TurnPriority()
    remember = Inbox(db, focus, passages=passages, learning=learning, precedence=precedence)
    compaction = Compaction(db, memory, max_turns=kept.max_turns, max_tokens=max_tokens, worker=worker)
    known = MemoryReader(focus, memories, recall) if kept.enabled else None
    briefing = TurnContext(config.personas(), settings.workspace, known=known, max_tokens=max_tokens, clock=clock)
    assistant = Assistant(
        model=model,
        clock=clock,
        memory=memory,
        briefing=briefing,
        compaction=compaction,
        learning=learning,
        remember=remember if kept.enabled else None,
        worker=worker,
    )
    parts = Parts(
        settings=settings,
        clock=clock,
        db=db,
        windows=memory,
        focus=focus,
        attention=attention,
        memories=memories,
        message_index=passages,
        search=recall,
        learner=learning,
        conversation_import=ConversationImport(db, passages, clock=clock),
        inbox=remember,
        reflection=Reflection(
            db, memory, compaction=compaction, model=model, learn=learning.learn, precedence=precedence
        ),
        housekeeping=Housekeeping(db, memory, focus, memories, settings=kept, clock=clock),
        assistant=assistant,
        agent_contexts=AgentContexts(briefing, focus, recall, clock=clock),
        streams=Streams(
            assistant, most=settings.server.max_waiting, seconds=settings.server.turn_seconds, precedence=precedence
        ),
        model=model,
        embedder=embedder,
        scale=scale,
        worker=worker,
    )
    _connect(parts)
    return parts


def _connect(parts: Parts) -> None:
    """Who tells whom what has happened."""
    reflect = parts.reflection

    def edited(told: str) -> None:
        parts.windows.mention(told)
        reflect.soon(anew=True)

    def unsave() -> None:
        # Also what a model kept that is not there now.
        saved_state.erase(parts.settings.states_dir)
        if isinstance(parts.model.now, Thinker):
            parts.model.now.unsave()

    async def forgotten(done: Forgetting) -> None:
        parts.windows.drop(done.erased)
        parts.windows.rewrite(done.clean)
        parts.attention.forget(done.clean)
        parts.agent_contexts.forget(done.clean)
        await parts.message_index.reread(done.exchange_ids)
        await parts.focus.forget(done.clean)
        await _forget_in_copies(parts, done.clean)
        unsave()

    def moved(by: Moved) -> None:
        for holder in (parts.windows, parts.inbox, parts.focus, parts.attention):
            holder.restamp(by.right)
        parts.housekeeping.put_right(by)

    parts.clock.on_moved = moved
    parts.search.attention = parts.attention.boost
    parts.learner.topics = parts.attention.topics
    parts.inbox.attend = parts.attention.attend
    parts.inbox.on_processed = lambda exchange: reflect.soon(exchange.conversation_id)
    parts.focus.on_edit = edited
    parts.memories.before_forget.append(unsave)
    parts.memories.on_forget.append(forgotten)
    parts.memories.on_change.append(lambda changed: reflect.soon(anew=True))
    parts.housekeeping.on_ended = lambda: reflect.soon(anew=True)
    parts.housekeeping.on_erased = parts.message_index.erased
    reflect.on_compacted, reflect.warm = parts.assistant.look_ahead, parts.assistant.warm


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
        await _forget_in_copies(parts, parts.memories.forgotten.clean)
        with contextlib.suppress(NotSaved):  # it is done once more at the next start
            await parts.memories.finished()
    await parts.focus.start()
    await parts.attention.start()
    await parts.search.start()
    await parts.inbox.start()
    parts.reflection.start()
    parts.housekeeping.start()


async def _forget_in_copies(parts: Parts, clean: Callable[..., str]) -> None:
    """In those that the daemon, or somebody with its help, has made of the database."""
    if not parts.db.in_ram:
        buried = await parts.memories.tombstones()
        await asyncio.to_thread(copies.forget, parts.settings.database, clean, buried)


async def _better_tagger(parts: Parts, patterns: Patterns) -> None:
    """Tag by rules until what the settings ask for is there."""
    wanted = parts.settings.embedding.tagger
    if wanted == "rules":
        return
    embedder = await parts.embedder.ready()
    model = await _thinker(parts) if wanted == "model" else None
    better = partial(backends.tagger, patterns, model=model, said=lambda name: _said(parts, name), worker=parts.worker)
    if model is not None:
        parts.focus.work.tagger = better(None)
    if embedder.dimensions:
        places = await Centroids.load(parts.db, embedder)
        parts.focus.work.tagger = better(await backends.meaning(patterns, parts.scale, places))
        parts.focus.work.places = places


async def _thinker(parts: Parts) -> Thinker | None:
    model = await parts.model.ready()
    if isinstance(model, Thinker):
        return model
    logger.warning("PI_MEMORY_TAGGER=model needs a chat model in this process: tagging without one")
    return None


def _said(parts: Parts, conversation_id: str) -> Sequence[Message]:
    found = parts.windows.last(conversation_id)
    return found.messages if found else ()


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
        "Stopping recall": parts.search.stop,
        "Writing what conversations begin with": partial(_keep_prompted, parts),
        "Writing what sessions attend to": parts.attention.close,
        "Writing the focus file": parts.focus.close,
        "Saving what the model has read": parts.assistant.save,
    }
    for what, step in steps.items():
        with logged(what):
            await step()


async def _keep_prompted(parts: Parts) -> None:
    alive = parts.windows.prompted()
    await parts.db.write(lambda db: conversations.keep(db, alive))
