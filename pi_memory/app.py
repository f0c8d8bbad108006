"""The only place where the parts meet."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pi_memory import backends
from pi_memory.assistant import Assistant
from pi_memory.briefing import Briefing
from pi_memory.config import Config
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.short_memory import ShortMemory
from pi_memory.errors import Conflict, NotFound, PiMemoryError, RequestError
from pi_memory.focus.centroids import Centroids
from pi_memory.focus.recent import RecentFocus
from pi_memory.focus.watch import Watcher
from pi_memory.housekeeping import Housekeeping
from pi_memory.http import (
    activity,
    chat,
    context,
    conversations,
    events,
    focus,
    health,
    history,
    memories,
    metrics,
    openapi,
    search,
    session,
    transfer,
)
from pi_memory.http.endpoint import Endpoint, answer, failure
from pi_memory.http.guard import Guard
from pi_memory.http.parts import Parts
from pi_memory.knowledge.conversations import Conversations
from pi_memory.knowledge.forgetting import Forgetting
from pi_memory.knowledge.interview import Interview
from pi_memory.knowledge.learning import Learning
from pi_memory.knowledge.memories import Memories
from pi_memory.knowledge.neighbourhood import Neighbourhood
from pi_memory.knowledge.passages import Passages
from pi_memory.knowledge.recall import Recall
from pi_memory.knowledge.remembered import Remembered
from pi_memory.outside import Outside
from pi_memory.reflect import Reflect
from pi_memory.remember import Remember
from pi_memory.settings import Settings
from pi_memory.store import prompted, windows
from pi_memory.store.database import Database
from pi_memory.turn import Clock, Embedder, Message, Model, Thinker
from pi_memory.turns import Turns

ENDPOINTS: list[Endpoint] = [
    *chat.ENDPOINTS,
    *conversations.ENDPOINTS,
    *activity.ENDPOINTS,
    *context.ENDPOINTS,
    *history.ENDPOINTS,
    *focus.ENDPOINTS,
    *session.ENDPOINTS,
    *search.ENDPOINTS,
    *memories.ENDPOINTS,
    *events.ENDPOINTS,
    *transfer.ENDPOINTS,
    *health.ENDPOINTS,
    *metrics.ENDPOINTS,
]

DRAIN_SECONDS = 5.0
"""Longest that a stop waits for the inbox; what is left is worked off at the next start."""

logger = logging.getLogger(__name__)


def create_app(
    settings: Settings,
    *,
    model: Model | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    parts: Parts | None = None,
) -> Starlette:
    """The daemon as an ASGI application. What is not given is made as the settings say.

    `parts` are those of a daemon that is `running` already; otherwise the application's lifespan runs one, and
    `app.state.parts` holds its parts.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(settings, model=model, embedder=embedder, clock=clock) as app.state.parts:
            yield

    server = settings.server
    guard = Middleware(Guard, token=server.token, host=server.host, max_body_bytes=server.max_body_bytes)
    handlers: dict[Any, Any] = {PiMemoryError: _failed, HTTPException: _not_served, Exception: _broken}
    app = Starlette(
        routes=_routes(), middleware=[guard], exception_handlers=handlers, lifespan=None if parts else lifespan
    )
    app.state.parts = parts
    return app


@contextlib.asynccontextmanager
async def running(
    settings: Settings, *, model: Model | None = None, embedder: Embedder | None = None, clock: Clock | None = None
) -> AsyncIterator[Parts]:
    """Put the parts together and start them; on the way out, stop them in the order that loses nothing."""
    clock = clock or time.time
    remembers = settings.memory.enabled
    config = Config(settings.paths.config_dir)
    db = await Database.open(
        settings.database if remembers else None, commit_seconds=settings.memory.commit_seconds, now=clock()
    )
    parts = _put_together(settings, config, db=db, model=model, embedder=embedder, clock=clock)
    parts.model.start()
    parts.embedder.start()
    try:
        if not remembers:
            yield parts
            await parts.turns.stop()
            return
        await _wake(parts)
        better = asyncio.create_task(_better_tagger(parts, config))
        ahead = asyncio.create_task(parts.assistant.warm())
        async with _watching(parts):
            yield parts
            await parts.turns.stop()
        better.cancel()
        ahead.cancel()
        await _rest(parts)
        with _logged("Saving what the model has read"):
            await parts.assistant.save()
    finally:
        await db.close()
        await parts.model.close()
        await parts.embedder.close()


def _put_together(
    settings: Settings,
    config: Config,
    *,
    db: Database,
    model: Model | None,
    embedder: Embedder | None,
    clock: Clock,
) -> Parts:
    """Every part with the parts that it needs; none has been started."""
    memory = ShortMemory(
        ttl=settings.memory.ttl_minutes * 60,
        max_conversations=settings.memory.max_conversations,
    )
    recent = RecentFocus(db, settings.focus_file, tagger=backends.rules(config), clock=clock)
    attention = backends.attention(config, db, recent, clock)
    talker = backends.model(settings, given=model)
    vectors = backends.embedder(settings, given=embedder)
    learned = Memories(db, clock=clock)
    passages = Passages(db, vectors)
    recall = Recall(db, learned, remembered=Remembered(learned, vectors), passages=passages, embedder=vectors)
    recall.attention = attention.boost
    learning = Learning(learned, Neighbourhood(learned, vectors))
    learning.topics = attention.topics
    if settings.embedding.extractor == "model":
        learning.interview = Interview(talker)
    remember = Remember(db, recent, passages=passages, learning=learning)
    remember.attend = attention.attend
    compaction = Compaction(db, memory, max_turns=settings.memory.max_turns, max_tokens=settings.chat.max_tokens)
    housekeeping = Housekeeping(db, memory, recent, learned, settings=settings.memory, clock=clock)
    reflect = Reflect(db, memory, compaction=compaction, model=talker, learn=learning.learn)
    briefing = Briefing(
        personas=config.personas(),
        folder=settings.workspace,
        max_tokens=settings.chat.max_tokens,
        clock=clock,
        focus=recent if settings.memory.enabled else None,
        memories=learned if settings.memory.enabled else None,
        recall=recall if settings.memory.enabled else None,
    )
    assistant = Assistant(
        model=talker,
        clock=clock,
        memory=memory,
        briefing=briefing,
        compaction=compaction,
        learning=learning,
        remember=remember if settings.memory.enabled else None,
    )

    def edited(told: str) -> None:
        memory.mention(told)
        reflect.soon(anew=True)

    async def forgotten(done: Forgetting) -> None:
        memory.rewrite(done.clean)
        await db.write(lambda opened: windows.rewrite(opened, done.clean))
        await attention.forget(done.clean)
        await passages.reread(done.exchange_ids)
        if isinstance(talker.now, Thinker):
            talker.now.unsave()

    recent.on_edit = edited
    learned.on_forget.append(forgotten)
    learned.on_change.append(lambda changed: reflect.soon(anew=True))
    remember.on_processed = lambda exchange: reflect.soon(exchange.conversation_id)
    reflect.on_compacted, reflect.warm = assistant.look_ahead, assistant.warm
    housekeeping.on_ended = lambda: reflect.soon(anew=True)
    housekeeping.on_erased = passages.erased
    return Parts(
        settings=settings,
        clock=clock,
        db=db,
        memory=memory,
        focus=recent,
        attention=attention,
        memories=learned,
        recall=recall,
        conversations=Conversations(db, passages, clock=clock),
        remember=remember,
        reflect=reflect,
        housekeeping=housekeeping,
        assistant=assistant,
        outside=Outside(briefing, recent, recall, clock=clock, most=settings.memory.max_conversations),
        turns=Turns(assistant, most=settings.server.max_waiting),
        model=talker,
        embedder=vectors,
        started_at=clock(),
    )


async def _wake(parts: Parts) -> None:
    """Go on where the last run ended: conversations that are still alive, the inbox, the focus file."""
    limit = 2 * parts.settings.memory.max_turns
    alive = await parts.db.read(lambda db: windows.alive(db, limit=limit))
    told = await parts.db.write(prompted.take)
    for name, window in sorted(alive.items(), key=lambda item: item[1].exchanges[-1].at):
        parts.memory.resume(name, window.exchanges, summary=window.summary, prompted=told.get(name))
    await parts.focus.start()
    await parts.attention.start()
    await parts.recall.start()
    await parts.remember.start()
    parts.reflect.start()
    parts.housekeeping.start()


async def _better_tagger(parts: Parts, config: Config) -> None:
    """Tag by rules until what the settings ask for is there."""
    wanted, meaning = parts.settings.embedding.tagger, None
    if wanted == "rules":
        return
    with _logged("Tagging by meaning"):
        embedder = await parts.embedder.ready()
        if embedder.dimensions:
            parts.focus.places = await Centroids.load(parts.db, embedder)
            meaning = await backends.meaning(config, embedder, parts.focus.places)
    model = await _thinker(parts) if wanted == "model" else None
    parts.focus.tagger = backends.tagger(config, meaning, model=model, said=lambda name: _said(parts, name))


async def _thinker(parts: Parts) -> Thinker | None:
    model = await parts.model.ready()
    if isinstance(model, Thinker):
        return model
    logger.warning("PI_MEMORY_TAGGER=model needs a chat model in this process: tagging without one")
    return None


def _said(parts: Parts, conversation_id: str) -> Sequence[Message]:
    found = parts.memory.last(conversation_id)
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
            with _logged("Reading the focus file"):
                await parts.focus.read_file()

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        watcher.stop()
        task.cancel()


async def _rest(parts: Parts) -> None:
    """Work off the inbox as far as there is time, and write the focus file."""
    try:
        await asyncio.wait_for(parts.remember.drain(), DRAIN_SECONDS)
    except TimeoutError:
        logger.warning("The inbox is worked off at the next start")
    await parts.remember.stop()
    await parts.reflect.stop()
    await parts.housekeeping.stop()
    await parts.recall.stop()
    alive = parts.memory.prompted()
    await parts.db.write(lambda db: prompted.keep(db, alive))
    with _logged("Writing what sessions attend to"):
        await parts.attention.close()
    with _logged("Writing the focus file"):
        await parts.focus.close()


@contextlib.contextmanager
def _logged(what: str) -> Iterator[None]:
    """At the edge of a background job: it is told, and the daemon goes on."""
    try:
        yield
    except PiMemoryError as error:
        logger.error("%s failed: %s", what, error)


def _routes() -> list[Route]:
    routes = [Route(e.path, _handler(e), methods=[e.method]) for e in ENDPOINTS]
    description = openapi.document(ENDPOINTS)
    return [*routes, Route("/openapi.json", lambda request: answer(description))]


def _handler(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        parts: Parts = request.app.state.parts
        if endpoint.needs_memory and not parts.settings.memory.enabled:
            raise Conflict("Memory is switched off", hint="Set ENABLE_MEMORY=true and restart.")
        return await endpoint.handle(request, parts)

    return handle


async def _failed(request: Request, error: PiMemoryError) -> Response:
    return failure(error)


async def _not_served(request: Request, error: HTTPException) -> Response:
    """Starlette's own 404 and 405, as one of ours."""
    if error.status_code == 404:
        return failure(NotFound(f"There is nothing at {request.url.path}", hint="/openapi.json lists what there is."))
    response = failure(RequestError(f"{request.method} {request.url.path}: {error.detail}", hint="See /openapi.json."))
    response.status_code = error.status_code
    response.headers.update(error.headers or {})
    return response


async def _broken(request: Request, error: Exception) -> Response:
    return failure(PiMemoryError("The daemon failed to answer", hint="Its log says why; please report it."))
