"""A real OpenAI-compatible server on loopback, as small as can be: it answers each request with a script's bytes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Script = Callable[["Request"], Awaitable[None]]


@dataclass
class Request:
    """One request, and the connection to answer it on."""

    head: str
    body: dict[str, Any]
    writer: asyncio.StreamWriter

    async def send(self, data: str) -> None:
        self.writer.write(data.encode())
        await self.writer.drain()

    async def answer(self, status: int, body: str, *headers: str) -> None:
        """An ordinary response."""
        lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body.encode())}", *headers, "", body]
        await self.send("\r\n".join(lines))

    async def begin(self) -> None:
        """The head of a stream that ends when the connection does."""
        await self.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")

    async def event(self, data: object) -> None:
        await self.send(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")

    async def delta(self, text: str) -> None:
        await self.event({"choices": [{"delta": {"content": text}}]})


@dataclass
class Server:
    """`requests` in the order they came; `left` is set when a client leaves before its answer is complete."""

    url: str
    requests: list[Request] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[Server]:
    """Serve `script` on a free port."""
    server, answering = Server(""), set[asyncio.Task[None] | None]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.current_task())
        try:
            request = await _read(reader, writer)
            server.requests.append(request)
            await script(request)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            server.left.set()
        finally:
            writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in filter(None, answering):  # none outlives its loop
            task.cancel()
        await asyncio.gather(*filter(None, answering), return_exceptions=True)


async def echo(request: Request) -> None:
    """Say words that depend on the messages, as many as are allowed."""
    await request.begin()
    words = request.body["messages"][-1]["content"].split() * 100
    allowed = words[: request.body["max_tokens"]]
    for word in allowed:
        await request.delta(f"{word} ")
        await asyncio.sleep(0)
    await request.event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    prompt = sum(len(message["content"].split()) for message in request.body["messages"])
    await request.event({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": len(allowed)}})
    await request.event("[DONE]")


async def obliging(request: Request) -> None:
    """Follow the schema that is asked for, with the least that it allows; else as `echo`."""
    asked = request.body.get("response_format")
    if asked is None:
        await echo(request)
    else:
        await say(request, json.dumps(_least(asked["json_schema"]["schema"])))


async def say(request: Request, text: str) -> None:
    """Say a text in pieces of four characters, as many as are allowed."""
    await request.begin()
    for start in range(0, 4 * request.body["max_tokens"], 4):
        if text[start : start + 4]:
            await request.delta(text[start : start + 4])
    await request.event("[DONE]")


def _least(schema: dict[str, Any]) -> Any:
    """The first that a schema allows; one item of each list."""
    if schema["type"] == "object":
        return {name: _least(schema["properties"][name]) for name in schema["required"]}
    return [_least(schema["items"])] if schema["type"] == "array" else schema.get("enum", ["said"])[0]


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    lengths = [line.split(":")[1] for line in head.splitlines() if line.lower().startswith("content-length:")]
    return Request(head, json.loads(await reader.readexactly(int(lengths[0])) if lengths else b"{}"), writer)
