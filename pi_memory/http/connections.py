"""Connections, bounded in number and in time: silent ones keep nobody out."""

import asyncio
import errno
import logging
import os
import resource
import socket
from typing import Literal, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from pi_memory.errors import Unavailable
from pi_memory.http.endpoint import failure
from pi_memory.http.peer import Peer

MOST = 128
"""Connections at a time."""

OTHER_FILES = 64
"""Files that are left to the rest of the process: the database, models, what is imported."""

BACKLOG = 128
"""Connections that the kernel keeps until they are accepted."""

Phase = Literal["idle", "head", "body", "answer"]
PHASES: dict[object, Phase] = {h11.IDLE: "head", h11.SEND_BODY: "body"}
"""What is awaited of a client, by its state; else it awaits our answer."""

logger = logging.getLogger(__name__)


class Listener(socket.socket):
    """A listening socket that turns connections away when the process has no file left for them.

    asyncio would try again for each place in its backlog, every second, and log each time.
    """

    def __init__(self, family: socket.AddressFamily) -> None:
        # With its protocol named, asyncio switches off the delay that waits 40 ms for the client.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._spare: int | None = _spare()

    def accept(self) -> tuple[socket.socket, object]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
        self._turn_away()
        raise BlockingIOError  # for asyncio: there is none to be had

    def close(self) -> None:
        self._release()
        super().close()

    def _turn_away(self) -> None:
        logger.warning("No file is left for another connection: raise the limit (ulimit -n)")
        self._release()
        try:
            super().accept()[0].close()
        finally:
            self._spare = _spare()

    def _release(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            os.close(spare)


def _spare() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


class BoundedProtocol(H11Protocol):
    """One connection. A request has to arrive in time and its answer has to be taken; how long that takes us is free.

    Of too many connections the one gives way that has been without a request the longest.
    """

    head_seconds = 15.0
    """For the head of a request, from its first byte or from the beginning of the connection."""
    body_seconds = 30.0
    """For each `body_bytes` of its body; while we do not read it, no time passes."""
    body_bytes = 64_000
    write_seconds = 60.0
    """For the client to take something of an answer that has filled its buffers."""

    _phase: Phase = "answer"
    _since = 0.0
    _received = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # The state of each request says who is on the other end.
        self.app_state = {**self.app_state, "peer": Peer(transport.get_extra_info("socket"))}
        self._enter("head")
        if len(self.connections) > most():
            self._make_room()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        self._enter(PHASES.get(self.conn.their_state, "answer"))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        phase = PHASES.get(self.conn.their_state, "answer")
        self._enter("idle" if phase == "head" else phase)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._arm(self.write_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._begin(self._phase)

    def connection_lost(self, exc: Exception | None) -> None:
        self._arm(None)
        super().connection_lost(exc)

    def _enter(self, phase: Phase) -> None:
        if phase != self._phase or (phase == "body" and self._received >= self.body_bytes):
            self._begin(phase)

    def _begin(self, phase: Phase) -> None:
        self._phase, self._since, self._received = phase, self.loop.time(), 0
        # Between two requests uvicorn's own timer runs.
        self._arm({"head": self.head_seconds, "body": self.body_seconds}.get(phase))

    def _arm(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self._phase == "body" and self.flow.read_paused:
            self._begin("body")
        else:
            self._drop()

    def _drop(self) -> None:
        self.connections.discard(self)  # now, not with the next round of the loop
        self.transport.abort()

    def _make_room(self) -> None:
        others = (cast(BoundedProtocol, other) for other in self.connections if other is not self)
        without = [other for other in others if other._phase in ("idle", "head")]
        if without:
            min(without, key=lambda other: other._since)._drop()
            logger.warning("More than %d connections: one without a request gave way", most())
        else:
            self.transport.write(_busy())
            self.transport.close()
            self.connections.discard(self)


def most() -> int:
    """Connections that there may be at a time."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files - OTHER_FILES))


def _busy() -> bytes:
    response = failure(Unavailable(f"{most()} requests are under way", hint="Try again in a few seconds."))
    head = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n" + head + b"\r\n" + bytes(response.body)
