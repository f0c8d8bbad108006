"""Wyoming: what is said to a voice satellite, and what is spoken back."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_memory.daemon import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import SettingsError, StartError
from pi_memory.http import wyoming
from pi_memory.parts import Parts
from pi_memory.types import Candidate
from tests.conftest import settings_for
from tests.fakes import FakeClock, FakeModel
from tests.test_http_chat import BrokenModel
from tests.waiting import eventually

KITCHEN = {"conversation_id": "01A", "satellite_id": "assist_satellite.kitchen", "device_id": "d1"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class House:
    """A daemon with a Wyoming port, and a satellite that talks to it."""

    def __init__(self, parts: Parts, clock: FakeClock) -> None:
        self.parts = parts
        self.clock = clock

    async def call(self, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection and send something."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.parts.settings.server.wyoming_port)
        writer.write(data)
        return reader, writer

    async def send(self, data: bytes) -> bytes:
        """All that comes back on a connection of its own."""
        reader, writer = await self.call(data)
        writer.write_eof()
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer

    async def ask(self, kind: str, data: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        reader, writer = await self.call(wyoming.pack(kind, data or {}))
        answer = await wyoming.unpack(reader)
        writer.close()
        await writer.wait_closed()
        assert answer is not None
        return answer

    async def say(self, text: str, context: dict[str, str] | None = None) -> str:
        kind, data = await self.ask("transcript", {"text": text, "language": "en", "context": context or KITCHEN})
        assert kind == "handled"
        return str(data["text"])


def visit(folder: Path, use: Callable[[House], Awaitable[None]], *, model: Any = None, **values: object) -> None:
    settings = settings_for(folder, PI_MEMORY_WYOMING_PORT=free_port(), **values)

    async def run() -> None:
        clock = FakeClock()
        started = running(settings, model=model or FakeModel(), embedder=NoEmbedder(), clock=clock)
        async with started as parts, wyoming.listening(parts):
            await use(House(parts, clock))

    asyncio.run(run())


def test_it_says_what_it_is(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        kind, data = await house.ask("describe")
        (program,) = data["handle"]
        assert (kind, program["name"], program["installed"]) == ("info", "pi-memory", True)
        assert program["models"][0]["languages"] == []
        assert await house.ask("ping", {"text": "x"}) == ("pong", {"text": "x"})

    visit(tmp_path, use)


def test_a_satellite_is_one_conversation_whatever_home_assistant_calls_it(tmp_path: Path) -> None:
    model = FakeModel("Noted.")

    async def use(house: House) -> None:
        assert await house.say("I am Ada") == "Noted. "
        await house.say("Who am I?", {**KITCHEN, "conversation_id": "02B"})
        await house.say("And I?", {**KITCHEN, "satellite_id": "assist_satellite.cellar"})
        assert [m.content for m in model.prompts[1] if m.role == "user"] == ["I am Ada", "Who am I?"]
        assert [m.content for m in model.prompts[2] if m.role == "user"] == ["And I?"]

    visit(tmp_path, use, model=model)


def test_a_new_conversation_begins_with_what_was_said_there_last(tmp_path: Path) -> None:
    model = FakeModel("Noted.")

    async def use(house: House) -> None:
        await house.say("The soup is on the stove")
        house.clock.pass_time(minutes=90)
        await house.parts.housekeeping.end("wyoming-assist_satellite.kitchen")
        await house.say("What is on the stove?")
        assert [m.content for m in model.prompts[1]][1:3] == ["The soup is on the stove", "Noted. "]

    visit(tmp_path, use, model=model)


def test_a_satellite_may_stand_in_a_project(tmp_path: Path) -> None:
    model = FakeModel()
    lathe = Candidate("The lathe is a Myford", namespace="project/workshop", priority="highest")

    async def use(house: House) -> None:
        await house.parts.memories.add(lathe, origin="api")
        await house.say("Which lathe is it?")
        await house.say("Which lathe is it?", {"satellite_id": "assist_satellite.cellar"})
        assert ["Myford" in "".join(m.text for m in prompt) for prompt in model.prompts] == [True, False]

    visit(tmp_path, use, model=model, PI_MEMORY_WYOMING_PROJECTS="assist_satellite.kitchen = workshop, d2=house")


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SATELLITE=PROJECT"):
        settings_for(tmp_path, PI_MEMORY_WYOMING_PROJECTS="kitchen")


def said(text: str) -> bytes:
    return wyoming.pack("transcript", {"text": text, "context": KITCHEN})


async def until(holds: Callable[[], bool]) -> None:
    await asyncio.to_thread(eventually, holds)


def test_a_satellite_that_hangs_up_stops_the_reply_and_what_came_of_it_is_kept(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        _, writer = await house.call(said("count"))
        await until(lambda: model.words_said == 1)
        writer.close()
        await until(lambda: not house.parts.streams.under_way)
        conversation = house.parts.windows.get("wyoming-assist_satellite.kitchen", house.clock())
        assert conversation is not None
        assert [(e.reply, e.partial) for e in conversation.exchanges] == [("one ", True)]

    model = FakeModel("one two three", gate=asyncio.Event())
    visit(tmp_path, use, model=model)


def test_what_is_said_while_a_reply_is_made_is_answered_after_it(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        reader, writer = await house.call(said("count"))
        await until(lambda: model.words_said == 1)
        writer.write(wyoming.pack("ping", {"text": "x"}))
        assert await house.ask("ping") == ("pong", {"text": None})
        gate.set()
        assert await wyoming.unpack(reader) == ("handled", {"text": "one two three "})
        assert await wyoming.unpack(reader) == ("pong", {"text": "x"})
        writer.close()

    gate = asyncio.Event()
    model = FakeModel("one two three", gate=gate)
    visit(tmp_path, use, model=model)


def test_a_failure_is_said(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        kind, data = await house.ask("transcript", {"text": "hello"})
        assert (kind, data["text"]) == ("not-handled", "The model failed.")

    visit(tmp_path, use, model=BrokenModel(0))


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b'{"type": "transcript", "data_length": 99999999}\n',
        b'{"type": "transcript", "data_length": -1}\n',
        b'{"type": "transcript", "data_length": 5}\n{"a',
        b'{"type": "' + b"x" * 70_000,
        b'{"type": "transcript", "data": [1]}\n',
        b'{"type": "transcript", "data_length": 3}\n[1]',
        b'{"type": "transcript", "data": {"text": "x", "context": [1]}}\n',
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_message_ends_its_connection_alone(tmp_path: Path, data: bytes) -> None:
    async def use(house: House) -> None:
        assert await house.send(data) == b""
        assert await house.say("hello")

    visit(tmp_path, use)


def test_silence_is_not_answered(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        assert await house.ask("transcript", {"text": " "}) == ("not-handled", {"text": "Nothing was said."})

    visit(tmp_path, use)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    async def use(house: House) -> None:
        with pytest.raises(StartError, match="Cannot listen"):
            async with wyoming.listening(house.parts):
                pass

    visit(tmp_path, use)


def test_without_a_port_nothing_listens(tmp_path: Path) -> None:
    async def run() -> None:
        started = running(settings_for(tmp_path), model=FakeModel(), embedder=NoEmbedder())
        async with started as parts, wyoming.listening(parts):
            await asyncio.sleep(0)

    asyncio.run(run())
