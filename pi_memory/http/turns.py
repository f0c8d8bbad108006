"""How a turn is answered, whatever protocol it came by: at once or piece by piece, until the client leaves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from pi_memory.chat.stream import Stream, TurnEvent
from pi_memory.errors import PiMemoryError
from pi_memory.types import Done

T = TypeVar("T")


class TurnResponse(StreamingResponse):
    """Streams a turn; when the client leaves, at any moment, the turn is stopped."""

    def __init__(self, stream: Stream, content: AsyncIterator[str], media_type: str) -> None:
        headers = {"X-Conversation-Id": stream.conversation_id, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(content, headers=headers, media_type=media_type)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.leave()


async def last(events: AsyncIterator[TurnEvent]) -> Done:
    async for event in events:
        if isinstance(event, Done):
            return event
    raise PiMemoryError("The turn ended without a reply", hint="The daemon's log says why.")


async def unless_gone(left: Awaitable[object], stream: Stream, result: Awaitable[T]) -> T:
    """What `result` returns; if `left` returns first, as the client has left, the turn is stopped, and `result` reports
    that.
    """
    task = asyncio.ensure_future(result)
    gone = asyncio.ensure_future(left)
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            stream.leave()
        return await task
    finally:
        gone.cancel()
        if not task.done():  # the request itself was cancelled
            stream.leave()


async def chain(first: TurnEvent, rest: AsyncIterator[TurnEvent]) -> AsyncIterator[TurnEvent]:
    yield first
    async for event in rest:
        yield event
