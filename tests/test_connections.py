"""Connections that say nothing, too little, or are too many. Real sockets."""

import asyncio
import contextlib
import os
import resource
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.server import ServerState

from pi_memory.http import connections
from pi_memory.http.connections import BACKLOG, BoundedProtocol, Listener
from tests.process import Process, serving

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
PIECES = 5
SHORT = 0.2


class Impatient(BoundedProtocol):
    head_seconds = body_seconds = write_seconds = SHORT


async def answers(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Reads the body; answers slowly, or with more than any buffer takes."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.disconnect":
        return
    much = b"x" * 10_000_000 if scope["type"] == "http" and scope["path"] == "/much" else b"x"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(PIECES):
        await asyncio.sleep(SHORT)
        await send({"type": "http.response.body", "body": much, "more_body": True})
    await send({"type": "http.response.body", "body": b"end", "more_body": False})


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def talking(*talks: Talk) -> None:
    """Have each of `talks` have a connection to a server, one after the other begun, all of them open."""

    async def main() -> None:
        config = uvicorn.Config(answers, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Impatient(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        async with server, asyncio.timeout(30):
            opened = [await asyncio.open_connection(*server.sockets[0].getsockname()) for _ in talks]
            await asyncio.gather(*(talk(*streams) for talk, streams in zip(talks, opened, strict=True)))
            for _, writer in opened:
                writer.close()

    asyncio.run(main())


async def is_closed(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""


def test_a_connection_that_says_nothing_is_closed() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await is_closed(reader)

    talking(silent)


def test_a_head_that_comes_a_letter_at_a_time_is_not_waited_for() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        drip = asyncio.create_task(dripping(writer, b"GET / HTTP/1.1\r\nHost: " + b"x" * 10_000))
        await is_closed(reader)
        drip.cancel()

    talking(slow)


def test_a_body_that_comes_a_letter_at_a_time_is_not_waited_for() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(POST)
        drip = asyncio.create_task(dripping(writer, b"x" * 10_000))
        await is_closed(reader)
        drip.cancel()

    talking(slow)


async def dripping(writer: asyncio.StreamWriter, data: bytes) -> None:
    for letter in data:
        writer.write(bytes([letter]))
        await asyncio.sleep(SHORT / 10)


def test_a_long_body_that_goes_on_arriving_is_read() -> None:
    async def steady(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(POST)
        for _ in range(10):
            writer.write(b"x" * 100_000)
            await asyncio.sleep(SHORT / 2)
        assert (await reader.readuntil(b"end")).startswith(b"HTTP/1.1 200")

    talking(steady)


def test_an_answer_that_takes_its_time_is_not_cut_and_the_connection_is_used_again() -> None:
    async def patient(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            writer.write(GET)
            assert (await reader.readuntil(b"end")).startswith(b"HTTP/1.1 200")
            assert await reader.readuntil(b"0\r\n\r\n")
            await asyncio.sleep(2 * SHORT)

    talking(patient)


def test_a_request_that_there_is_no_memory_for_ends_only_itself(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def too_much(self: Impatient) -> None:
        raise MemoryError

    monkeypatch.setattr(Impatient, "handle_events", too_much)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(POST)
        await is_closed(reader)

    talking(talk)
    assert [(record.name, record.exc_info) for record in caplog.records] == [(connections.__name__, None)]


def test_an_answer_that_nobody_takes_is_not_kept() -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(GET.replace(b"/ ", b"/much "))
        await asyncio.sleep(SHORT * (PIECES + 3))
        with contextlib.suppress(ConnectionError):
            assert len(await reader.read()) < PIECES * 10_000_000

    talking(deaf)


def test_of_too_many_the_one_without_a_request_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 2)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await is_closed(reader)

    async def asking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(GET)
        assert (await reader.readuntil(b"end")).startswith(b"HTTP/1.1 200")

    talking(silent, silent, silent, asking, asking)


def test_when_all_have_requests_another_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 1)

    async def main() -> None:
        config = uvicorn.Config(answers, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Impatient(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        async with server, asyncio.timeout(30):
            address = server.sockets[0].getsockname()
            first, to_first = await asyncio.open_connection(*address)
            to_first.write(GET)
            await first.readuntil(b"200")
            second, to_second = await asyncio.open_connection(*address)
            refused = await second.read()
            assert refused.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert b"retry-after: 5" in refused.lower()
            assert b'"type":"unavailable"' in refused
            await first.readuntil(b"end")
            to_first.close()
            to_second.close()

    asyncio.run(main())


@contextlib.contextmanager
def files(soft: int) -> Iterator[None]:
    """Allow this process, and those that it starts, `soft` open files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextlib.contextmanager
def all_files_open() -> Iterator[None]:
    """Open as many files as the process may."""
    opened = []
    try:
        with contextlib.suppress(OSError):
            while True:
                opened.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)


def test_without_a_file_for_it_a_connection_is_turned_away() -> None:
    with contextlib.closing(Listener(socket.AF_INET)) as listener, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(BACKLOG)
        clients = [stack.enter_context(socket.create_connection(listener.getsockname())) for _ in range(3)]
        with files(256), all_files_open():
            for client in clients:
                with pytest.raises(BlockingIOError):
                    listener.accept()
                assert client.recv(1) == b""
        again = stack.enter_context(socket.create_connection(listener.getsockname()))
        listener.accept()[0].close()
        assert again.recv(1) == b""


def cpu_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.popen.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("limit", [1024, 128])
def test_a_thousand_silent_connections_keep_nobody_out(tmp_path: Path, limit: int) -> None:
    silent = 1_060
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < silent + 200:
        pytest.skip("this system allows too few open files")
    with contextlib.ExitStack() as stack:
        with files(limit):
            process = stack.enter_context(serving(tmp_path))
        stack.enter_context(files(silent + 200))
        host, _, port = process.url.removeprefix("http://").partition(":")
        for _ in range(silent):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=20))
        before, since = cpu_seconds(process), time.monotonic()
        with process.client as client:
            for _ in range(5):
                client.get("/healthz").raise_for_status()
                client.post("/chat", json={"message": "hello"}).raise_for_status()
        time.sleep(max(0.0, 2 - (time.monotonic() - since)))
        busy = (cpu_seconds(process) - before) / (time.monotonic() - since)
        assert busy < 0.5
        assert len(process.log) < 100  # 932 gave way
        assert len("".join(process.log)) < 20_000
        assert process.stop() == 0
