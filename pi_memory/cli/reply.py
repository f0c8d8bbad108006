"""A talk with the daemon, and its replies as they arrive."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.cli.client import checked
from pi_memory.cli.plain import plain
from pi_memory.cli.wrap import Wrapped
from pi_memory.errors import NotFound

if TYPE_CHECKING:
    from pi_memory.cli.client import Client


class Talk(Struct, frozen=True):
    """Who is talked to, about what, in which conversation; None is a new one."""

    agent: str
    project: str | None
    conversation: str | None


def last_conversation(client: Client) -> str:
    """The id of the conversation that somebody talked in last. Raises `NotFound`."""
    for one in checked(client.get("/conversations", params={"limit": "200"}))["conversations"]:
        if one["source"] == "chat":
            return str(one["conversation_id"])
    raise NotFound("There is no conversation to go on with", hint="Leave out --continue.")


def reply_to(client: Client, talk: Talk, message: str) -> Talk:
    """Print the reply as it arrives. Returns the talk with its conversation. Raises `PiMemoryError`."""
    out = _out()
    with client.stream("POST", "/chat", json={**body(talk, message), "stream": True}) as response:
        if not response.is_success:
            response.read()
            checked(response)
        try:
            for text in response.iter_text():
                out.add(plain(text))
        finally:
            out.end()
        return replace(talk, conversation=response.headers["X-Conversation-Id"])


def _out() -> Wrapped:
    """Standard output, which a terminal shows word by word, and a pipe gets as it is."""

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    return Wrapped(write, shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize)


def body(talk: Talk, message: str) -> dict[str, str | None]:
    return {
        "message": message,
        "agent": talk.agent,
        "project": talk.project,
        "conversation_id": talk.conversation,
    }
