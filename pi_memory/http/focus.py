"""`/focus`: shows the topics, and changes them by hand."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory import decay
from pi_memory.clock import iso
from pi_memory.errors import NotFound, RequestError, Unprocessable
from pi_memory.focus_file.validate import UnreadableDocument
from pi_memory.http.endpoint import Endpoint, answer, body, flag
from pi_memory.http.times import shown
from pi_memory.parts import Parts
from pi_memory.store import events
from pi_memory.topics.names import normalise
from pi_memory.types import Topic

MARKDOWN = "text/markdown; charset=utf-8"
LONGEST_SHOWN = 20_000
"""Bytes of a rejected text that are shown."""


class ShownTopic(msgspec.Struct):
    topic: str
    parent_topic: str | None
    status: str
    strength: float
    session_count: int
    touch_count: int
    file_paths: tuple[str, ...]
    directories: tuple[str, ...]
    first_seen_at: str
    last_touched_at: str
    is_active: bool
    fades_at: str


class ShownFocus(msgspec.Struct):
    topics: list[ShownTopic]


class ShownTopicChange(msgspec.Struct):
    id: int
    at: str
    kind: str
    origin: str
    before: Any
    after: Any


class ShownTopicHistory(msgspec.Struct):
    topic: ShownTopic
    history: list[ShownTopicChange]


class TopicChange(msgspec.Struct, forbid_unknown_fields=True):
    """A field that is not given stays as it is."""

    file_paths: list[str] | None = None
    directories: list[str] | None = None
    rename_to: str | None = None


class FocusText(msgspec.Struct, forbid_unknown_fields=True):
    """RECENT_FOCUS.md as somebody has edited it, and what it was before they did; without `base` its line
    `Last updated` says that.
    """

    text: str
    base: str | None = None


class ShownRejected(msgspec.Struct):
    """A text that was saved as the focus file and is none; the beginning of a long one."""

    name: str
    path: str
    at: str
    text: str


class ShownRejections(msgspec.Struct):
    rejected: list[ShownRejected]


class ShownFiles(msgspec.Struct):
    files: list[str]


async def show(request: Request, parts: Parts) -> Response:
    now = parts.clock()
    topics = parts.focus.all() if flag(request, "all") else parts.focus.active(now)
    return answer(ShownFocus([_shown(topic, now) for topic in topics]))


async def show_one(request: Request, parts: Parts) -> Response:
    return await _with_history(_name(request), parts)


async def _with_history(name: str, parts: Parts) -> Response:
    topic = parts.focus.get(name)
    history = await parts.db.read(lambda db: events.of(db, topic.name))
    changes = [shown(ShownTopicChange, event) for event in history]
    return answer(ShownTopicHistory(_shown(topic, parts.clock()), changes))


async def put(request: Request, parts: Parts) -> Response:
    change = await body(request, TopicChange)
    name = _name(request)
    if change.rename_to is not None:
        name = (await parts.focus.rename(name, _normal(change.rename_to, "rename_to"))).name
    topic = await parts.focus.put(name, file_paths=change.file_paths, directories=change.directories)
    return answer(_shown(topic, parts.clock()))


async def drop(request: Request, parts: Parts) -> Response:
    await parts.focus.drop(_name(request))
    return Response(status_code=204)


async def files(request: Request, parts: Parts) -> Response:
    """The files that match a query; without one the topic named `files`, if it exists."""
    query = request.query_params.get("q", "").strip()
    if "q" not in request.query_params and parts.focus.knows("files"):
        return await _with_history("files", parts)
    if not query:
        raise RequestError("q: empty", hint="For example /focus/files?q=extraction.")
    return answer(ShownFiles(parts.focus.files(query, parts.clock())))


async def document(request: Request, parts: Parts) -> Response:
    return Response(parts.focus.file_text(parts.clock()), media_type=MARKDOWN)


async def edit(request: Request, parts: Parts) -> Response:
    edited = await body(request, FocusText)
    try:
        await parts.focus.edit_file(edited.text, base=edited.base)
    except UnreadableDocument as error:
        hint = "Keep its title, `# Recent Focus`; nothing has been changed."
        raise Unprocessable(f"text: {error.message}", hint=hint) from error
    return await document(request, parts)


async def rejected(request: Request, parts: Parts) -> Response:
    copies = await asyncio.to_thread(lambda: [_rejected(path) for path in parts.focus.rejected])
    return answer(ShownRejections([copy for copy in copies if copy is not None]))


async def drop_rejected(request: Request, parts: Parts) -> Response:
    name = request.path_params["name"]
    copy = next((path for path in parts.focus.rejected if path.name == name), None)
    if copy is None:
        raise NotFound(f"There is no rejected text {name}", hint="GET /focus.rejected lists them.")
    await asyncio.to_thread(copy.unlink, missing_ok=True)
    return Response(status_code=204)


def _rejected(path: Path) -> ShownRejected | None:
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_SHOWN).decode(errors="replace")
        return ShownRejected(path.name, str(path), iso(path.stat().st_mtime), text)
    except OSError:  # the user has removed it meanwhile
        return None


def _shown(topic: Topic, now: float) -> ShownTopic:
    strength = decay.strength(topic.last_touched_at, now)
    return shown(
        ShownTopic,
        topic,
        topic=topic.name,
        parent_topic=topic.parent,
        status=decay.status(strength),
        strength=round(strength, 4),
        is_active=topic.is_active and strength >= decay.GONE,
        fades_at=iso(decay.gone_at(topic.last_touched_at)),
    )


def _name(request: Request) -> str:
    return _normal(request.path_params["topic"], "topic")


def _normal(name: str, field: str) -> str:
    normal = normalise(name)
    if normal is None:
        raise RequestError(f"{field}: no topic can be called that", hint="For example memory/extraction.")
    return normal


TOPIC = "/focus/{topic:path}"

ENDPOINTS = [
    Endpoint(
        "GET",
        "/focus",
        show,
        "What the user is working on, strongest first.",
        answer=ShownFocus,
        query={"all": "1: also topics that have faded or were removed"},
    ),
    Endpoint("GET", "/focus.md", document, "The same as the Markdown file.", media_type="text/markdown"),
    Endpoint(
        "PUT",
        "/focus.md",
        edit,
        "Edit the file, by the rules by which an edit of it on disk is merged.",
        body=FocusText,
        media_type="text/markdown",
    ),
    Endpoint(
        "GET", "/focus.rejected", rejected, "What was saved as the file and is no focus file.", answer=ShownRejections
    ),
    Endpoint("DELETE", "/focus.rejected/{name}", drop_rejected, "Remove such a text.", status=204),
    Endpoint("GET", "/focus/files", files, "Known files that match.", answer=ShownFiles, query={"q": "part of a path"}),
    Endpoint("GET", TOPIC, show_one, "A topic and how it came to be what it is.", answer=ShownTopicHistory),
    Endpoint("PUT", TOPIC, put, "Add, touch, change or rename a topic.", body=TopicChange, answer=ShownTopic),
    Endpoint("DELETE", TOPIC, drop, "Remove a topic from the focus; its row is kept.", status=204),
]
