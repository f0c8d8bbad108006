"""Limits on connections, in number and in time: silent clients keep nobody out."""

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
"""Most connections at a time."""

OTHER_FILES = 64
"""File descriptors reserved for the rest of the process: the database, models, imports."""

BACKLOG = 128
"""Connections that the kernel queues until they are accepted."""

Phase = Literal["idle", "head", "body", "answer"]
PHASES: dict[object, Phase] = {h11.IDLE: "head", h11.SEND_BODY: "body"}
"""The phase of a request by the client's state in h11; in any other state the client waits for us."""

logger = logging.getLogger(__name__)


class Listener(socket.socket):
    """A listening socket that rejects connections when the process is out of file descriptors.

    asyncio would retry for each connection in its backlog, every second, and log each time.
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
    """One connection with timeouts. The client has to send its request and take its response in time; our own time is
    not limited.

    Above the limit the connection that has been without a request the longest is closed.
    """

    head_seconds = 15.0
    """Seconds for the head of a request, from its first byte or from the beginning of the connection."""
    body_seconds = 30.0
    """Seconds for each `body_bytes` of a body; the clock stands still while we do not read."""
    body_bytes = 64_000
    write_seconds = 60.0
    """Seconds for the client to take something of a response that has filled its buffers."""

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
        try:
            super().data_received(data)
        except MemoryError:
            logger.error("A request was dropped: there is too little memory for it")
            self._drop()
            return
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
    """The limit of connections."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files - OTHER_FILES))


def _busy() -> bytes:
    response = failure(Unavailable(f"{most()} requests are under way", hint="Try again in a few seconds."))
    head = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n" + head + b"\r\n" + bytes(response.body)
