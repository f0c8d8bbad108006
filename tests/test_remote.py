import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from pi_memory.errors import ModelError, PiMemoryError, Unprocessable
from pi_memory.model.remote import RemoteModel
from pi_memory.types import Message, ReplyOptions, Usage
from tests.conftest import Daemon
from tests.openai_server import Request, Script, Server, echo, serving

HELLO = (Message("system", "Be brief."), Message("user", "hello there", context="It is Monday."))
USAGE = {"prompt_tokens": 30, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 20}}


def with_server(script: Script, use: Callable[[RemoteModel, Server], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    async def run() -> Any:
        async with serving(script) as server:
            model = RemoteModel(server.url, model="small", **options)
            try:
                return await use(model, server)
            finally:
                await model.close()

    return asyncio.run(run())


async def say_hello(model: RemoteModel, server: Server) -> list[str | Usage]:
    return [item async for item in model.generate(HELLO, max_tokens=20)]


def failure(script: Script, **options: Any) -> PiMemoryError:
    with pytest.raises(PiMemoryError) as caught:
        with_server(script, say_hello, **options)
    assert caught.value.hint
    return caught.value


def test_what_is_asked() -> None:
    async def use(model: RemoteModel, server: Server) -> Request:
        await say_hello(model, server)
        return server.requests[0]

    request = with_server(echo, use, api_key="secret")
    assert request.head.startswith("POST /v1/chat/completions ")
    assert "Bearer secret" in request.head
    assert request.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "It is Monday.\n\nhello there"},
    ]
    assert (request.body["model"], request.body["max_tokens"], request.body["stream"]) == ("small", 20, True)


def test_what_a_client_asks_of_a_reply_is_asked_of_the_server() -> None:
    wanted = ReplyOptions(temperature=0.0, seed=3, stops=("end",), schema={"type": "object"})

    async def use(model: RemoteModel, server: Server) -> Request:
        _ = [piece async for piece in model.generate([Message("user", "hello")], max_tokens=9, options=wanted)]
        return server.requests[0]

    body = with_server(echo, use).body
    assert (body["temperature"], body["seed"], body["stop"]) == (0.0, 3, ["end"])
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_the_temperature_is_asked_for() -> None:
    async def use(model: RemoteModel, server: Server) -> Request:
        await say_hello(model, server)
        return server.requests[0]

    assert with_server(echo, use, temperature=0.2).body["temperature"] == 0.2


def problem(script: Script) -> str | None:
    async def use(model: RemoteModel, server: Server) -> str | None:
        return await model.problem()

    told: str | None = with_server(script, use)
    return told


@pytest.mark.parametrize(
    ("status", "expected"), [(401, "refuses the key"), (503, "answered 503"), (200, None), (404, None)]
)
def test_a_server_that_would_not_answer_is_a_problem(status: int, expected: str | None) -> None:
    told = problem(lambda request: request.answer(status, "{}"))
    assert (told is None) == (expected is None)
    assert (expected or "") in (told or "")


def test_a_server_that_is_not_there_is_told_by_healthz(daemon: Daemon) -> None:
    down = RemoteModel("http://127.0.0.1:9/v1", model="small")
    client = daemon(model=down)
    part = client.get("/healthz").json()
    assert (part["status"], part["parts"]["model"]["status"]) == ("degraded", "degraded")
    assert "cannot be reached" in part["parts"]["model"]["todo"]


def test_usage_is_the_servers_and_what_it_had_cached_was_not_evaluated() -> None:
    async def script(request: Request) -> None:
        await request.begin()
        await request.send(": a comment\r\n\r\nevent: message\r\n")
        await request.delta("Hi")
        await request.event({"choices": [{"delta": {"content": None}, "finish_reason": "stop"}]})
        await request.event({"choices": [], "usage": USAGE})
        await request.event("[DONE]")

    assert with_server(script, say_hello) == ["Hi", Usage(30, 10, 2)]


def test_without_usage_it_is_estimated() -> None:
    async def script(request: Request) -> None:
        await request.begin()
        await request.delta("one ")
        await request.delta("two")
        await request.event("[DONE]")

    *pieces, usage = with_server(script, say_hello)
    assert pieces == ["one ", "two"]
    assert usage.prompt_tokens == usage.evaluated_tokens > 8
    assert usage.completion_tokens == 2


def test_a_character_split_in_two_arrives_whole() -> None:
    async def script(request: Request) -> None:
        await request.begin()
        await request.send('data: {"choices": [{"delta": {"content": "a\\ud83d"}}]}\n\n')
        await request.send('data: {"choices": [{"delta": {"content": "\\udc4b"}}]}\n\n')
        await request.event("[DONE]")

    assert with_server(script, say_hello)[:-1] == ["a", "👋"]


def test_a_server_that_ignores_the_cap_is_cut_off() -> None:
    async def script(request: Request) -> None:
        await request.begin()
        while True:
            await request.delta("more ")

    pieces = with_server(script, say_hello)
    assert len(pieces) == 21


@pytest.mark.parametrize(
    ("status", "message", "hint"),
    [
        (401, "refuses the key", "API_KEY"),
        (404, "does not know the model small", "OPENAI_MODEL"),
        (429, "busy", "later"),
        (500, "answered 500", "log"),
        (302, "answered 302", "log"),
    ],
)
def test_refusals(status: int, message: str, hint: str) -> None:
    async def script(request: Request) -> None:
        await request.answer(status, '{"error": {"message": "the reason"}}')

    error = failure(script)
    assert isinstance(error, ModelError)
    assert message in error.message
    assert "the reason" in error.message
    assert hint in error.hint


def test_a_busy_server_says_when_to_come_back() -> None:
    async def script(request: Request) -> None:
        await request.answer(429, "slow down", "Retry-After: 7")

    error = failure(script)
    assert isinstance(error, ModelError)
    assert error.retry_after == 7


def test_a_prompt_too_long_for_the_server_is_the_requests_fault() -> None:
    async def script(request: Request) -> None:
        await request.answer(400, '{"error": {"message": "exceeds the context size"}}')

    assert isinstance(failure(script), Unprocessable)


async def nothing(request: Request) -> None:
    await request.begin()


async def half(request: Request) -> None:
    await request.begin()
    await request.delta("half a")


async def no_json(request: Request) -> None:
    await request.begin()
    await request.event("<html>")


async def no_object(request: Request) -> None:
    await request.begin()
    await request.event("[1]")


async def endless(request: Request) -> None:
    await request.begin()
    await request.send("x" * 2_000_000)


async def late_error(request: Request) -> None:
    await request.begin()
    await request.event({"error": {"message": "out of memory"}})


async def no_answer(request: Request) -> None:
    pass


async def no_http(request: Request) -> None:
    await request.send("SSH-2.0-OpenSSH_9\r\n")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nothing, "in the middle"),
        (half, "in the middle"),
        (no_json, "no stream"),
        (no_object, "no stream"),
        (endless, "no stream"),
        (late_error, "out of memory"),
        (no_answer, "broke off"),
        (no_http, "broke off"),
    ],
)
def test_broken_streams(script: Script, message: str) -> None:
    error = failure(script)
    assert isinstance(error, ModelError)
    assert message in error.message


def test_a_silent_server_is_given_up() -> None:
    async def script(request: Request) -> None:
        await request.begin()
        await asyncio.Event().wait()

    assert "was silent for 0.1 s" in failure(script, timeout=0.1).message


def test_an_unreachable_server_is_named() -> None:
    async def run() -> None:
        async with serving(echo) as server:
            url = server.url
        await say_hello(RemoteModel(url, model="small"), server)

    with pytest.raises(ModelError, match="cannot be reached") as caught:
        asyncio.run(run())
    assert "BASE_URL" in caught.value.hint


def test_leaving_closes_the_connection() -> None:
    async def endless_words(request: Request) -> None:
        await request.begin()
        while True:
            await request.delta("word ")
            await asyncio.sleep(0)

    async def use(model: RemoteModel, server: Server) -> None:
        async with aclosing(model.generate(HELLO, max_tokens=1000)) as pieces:
            assert await anext(pieces) == "word "
        await asyncio.wait_for(server.left.wait(), 5)

    with_server(endless_words, use)


def test_what_cannot_fit_is_refused_before_it_is_sent() -> None:
    async def use(model: RemoteModel, server: Server) -> None:
        with pytest.raises(Unprocessable, match="do not fit"):
            await anext(model.generate([Message("user", "x" * 1000)], max_tokens=20))
        assert not server.requests

    with_server(echo, use, context_tokens=200)
