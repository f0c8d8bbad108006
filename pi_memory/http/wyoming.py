"""Wyoming's `handle`: what somebody said to a voice satellite comes as text, and the reply goes back to be spoken.

The protocol of Home Assistant's voice programs, on a port of its own: a line of JSON, then as many bytes of JSON as
that says. It knows no password, so that it is off unless a port is set.
"""

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any
from uuid import uuid4

from pi_memory import __version__
from pi_memory.errors import PiMemoryError, RequestError, StartError
from pi_memory.http.turns import last, unless_gone
from pi_memory.parts import Parts
from pi_memory.settings import wyoming_projects
from pi_memory.store import exchanges
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.types import Message, Turn

LONGEST = 65_536
"""Bytes of a line, and of what follows it: what somebody says is short."""
MOST = 32
"""Connections at a time."""
IDLE_SECONDS = 60.0
"""Longest that a connection may be silent."""
BEGINS_WITH = 2
"""Exchanges of the last conversation at a satellite that a new one there begins with."""

Said = dict[str, Any]
Received = tuple[str, Said]
"""The type of a message, and its data."""
Coming = asyncio.Task[Received | None]

logger = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def listening(parts: Parts) -> AsyncIterator[None]:
    """Serve on the port that the settings name. Raises `StartError` when it is taken."""
    server, satellites = parts.settings.server, Satellites(parts)
    try:
        listener = await asyncio.start_server(satellites.serve, server.wyoming_host, server.wyoming_port, limit=LONGEST)
    except OSError as error:
        raise StartError(
            f"Cannot listen on {server.wyoming_host}:{server.wyoming_port}: {error.strerror or error}",
            hint="Choose another PI_MEMORY_WYOMING_PORT, or another PI_MEMORY_WYOMING_HOST.",
        ) from error
    logger.info("Listening for Wyoming on %s:%d", server.wyoming_host, server.wyoming_port)
    try:
        yield
    finally:
        listener.close()
        satellites.leave()


class Satellites:
    """The connections of voice satellites; Home Assistant opens one for each thing that is said."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._projects = wyoming_projects(parts.settings.server.wyoming_projects)
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it ends, falls silent, or sends what is no message."""
        if len(self._open) >= MOST:
            writer.close()
            return
        self._open.add(writer)
        coming = asyncio.create_task(_next(reader))
        try:
            while (message := await asyncio.wait_for(coming, IDLE_SECONDS)) is not None:
                # Read while the answer is made: so it is noticed that the connection ends.
                coming = asyncio.create_task(_next(reader))
                if (answer := await self._answer(*message, coming)) is not None:
                    writer.write(pack(*answer))
                    await writer.drain()
        except (OSError, TimeoutError):
            pass  # it left, or is silent
        finally:
            coming.cancel()
            self._open.discard(writer)
            writer.close()

    def leave(self) -> None:
        """Close what is still open."""
        for writer in self._open:
            writer.close()

    async def _answer(self, kind: str, data: Said, coming: Coming) -> Received | None:
        """The type and the data of the answer to a message; None to what needs none."""
        if kind == "describe":
            return "info", info()
        if kind == "ping":
            return "pong", {"text": data.get("text")}
        if kind != "transcript":
            return None
        try:
            turn = await self._turn(str(data.get("text") or ""), data.get("context") or {})
            stream = self._parts.streams.start(turn)
            done = await unless_gone(_left(coming), stream, last(aiter(stream)))
            return "handled", {"text": done.reply}
        except PiMemoryError as error:
            return "not-handled", {"text": f"{error.message}."}

    async def _turn(self, text: str, context: Mapping[str, Any]) -> Turn:
        """What is said at one satellite is one conversation: Home Assistant's own ends after five minutes."""
        if not text.strip():
            raise RequestError("Nothing was said", hint="Say something.")
        ids = [str(context[name]) for name in ("satellite_id", "device_id", "conversation_id") if context.get(name)]
        name = "wyoming-" + re.sub(r"[^A-Za-z0-9._:@-]", "-", ids[0] if ids else uuid4().hex)[:100]
        project = next((self._projects[one] for one in ids if one in self._projects), None)
        return Turn(text, name, project=project, screen=await self._said_there(name))

    async def _said_there(self, name: str) -> tuple[Message, ...]:
        """What was said there last, when that conversation is over."""
        parts = self._parts
        if parts.windows.get(name, parts.clock()) is not None or not parts.settings.memory.enabled:
            return ()
        query = ExchangeQuery(conversation=name)
        found = await parts.db.read(partial(exchanges.listed, query=query, limit=BEGINS_WITH))
        recent = [exchange for _, exchange in reversed(found)]
        return tuple(m for e in recent for m in (Message("user", e.user), Message("assistant", e.reply)))


def pack(kind: str, data: Said) -> bytes:
    """A message on the wire."""
    body = json.dumps(data, ensure_ascii=False).encode(errors="replace")
    return json.dumps({"type": kind, "version": "1.0.0", "data_length": len(body)}).encode() + b"\n" + body


async def unpack(reader: asyncio.StreamReader) -> Received | None:
    """A message from the wire, its type and its data; None at the end. Raises `ValueError` for what is none."""
    line = await reader.readline()
    if not line:
        return None
    head = json.loads(line)
    if not isinstance(head, dict):
        raise ValueError("A message is an object")
    data = head.get("data") or {}
    if length := _length(head, "data_length"):
        data = {**data, **json.loads(await reader.readexactly(length))}
    if length := _length(head, "payload_length"):
        await reader.readexactly(length)
    if not isinstance(data, dict) or not isinstance(data.get("context") or {}, dict):
        raise ValueError("Its data is no object")
    return str(head.get("type")), data


async def _next(reader: asyncio.StreamReader) -> Received | None:
    """The next message; None when the connection ends, or speaks something else."""
    try:
        return await unpack(reader)
    except (OSError, EOFError, ValueError, TypeError, asyncio.LimitOverrunError, RecursionError):
        return None


async def _left(coming: Coming) -> None:
    """Returns when the connection has ended: not if another message comes first."""
    await asyncio.wait({coming})
    if coming.result() is not None:
        await asyncio.Future()


def _length(head: Said, name: str) -> int:
    length = head.get(name) or 0
    if not isinstance(length, int) or not 0 <= length <= LONGEST:
        raise ValueError(f"{name} is out of bounds")
    return length


def info() -> Said:
    """The description of us for Home Assistant; a model without languages takes any."""
    attribution = {"name": "pi-memory", "url": ""}
    about = {"description": "An assistant that remembers", "installed": True, "version": __version__}
    program = {"name": "pi-memory", "attribution": attribution, **about}
    none: Said = {kind: [] for kind in ("asr", "tts", "wake", "intent", "mic", "snd")}
    return {**none, "satellite": None, "handle": [{**program, "models": [{**program, "languages": []}]}]}
