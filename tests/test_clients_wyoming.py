"""Wyoming's official client against a daemon. Skipped where it is not installed (`scripts/setup --clients`)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.process import serving
from tests.test_wyoming import free_port


def test_home_assistants_calls(tmp_path: Path) -> None:
    client = pytest.importorskip("wyoming.client")
    asr, handle, info = (pytest.importorskip(f"wyoming.{name}") for name in ("asr", "handle", "info"))

    async def ask(port: int, event: Any) -> Any:
        async with client.AsyncTcpClient("127.0.0.1", port) as home_assistant:
            await home_assistant.write_event(event.event())
            return await asyncio.wait_for(home_assistant.read_event(), 30)

    async def say(port: int, text: str, conversation: str) -> str:
        context = {"conversation_id": conversation, "satellite_id": "assist_satellite.kitchen"}
        result = await ask(port, asr.Transcript(text=text, language="en", context=context))
        return str(handle.Handled.from_event(result).text)

    async def use(port: int) -> None:
        (program,) = info.Info.from_event(await ask(port, info.Describe())).handle
        assert program.name == "pi-memory"
        await say(port, "I drink oolong tea in the morning", "01A")
        assert "oolong" in await say(port, "Which tea do I drink in the morning?", "02B")

    port = free_port()
    with serving(tmp_path, PI_MEMORY_WYOMING_PORT=port):
        asyncio.run(use(port))
