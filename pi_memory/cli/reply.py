"""A talk with the daemon, and its replies as they arrive."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.cli.client import checked
from pi_memory.cli.plain import plain
from pi_memory.cli.wrap import Wrapped
from pi_memory.errors import NotFound, PiMemoryError

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


def reply_to(client: Client, talk: Talk, message: str, *, tells: bool = False) -> Talk:
    """Print the reply as it arrives, and if it `tells`, on standard error what became a memory. Returns the talk with
    its conversation. Raises `PiMemoryError`.
    """
    out, reply = _out(), ""
    with client.stream("POST", "/chat", json={**body(talk, message), "stream": True}) as response:
        if not response.is_success:
            response.read()
            checked(response)
        try:
            for text in response.iter_text():
                reply += text
                out.add(plain(text))
        finally:
            out.end()
        talk = replace(talk, conversation=response.headers["X-Conversation-Id"])
    if tells:
        with suppress(PiMemoryError):  # it was answered
            for fact in _learned(client, talk):
                if fact["content"] not in reply:  # a reply says itself what was stated
                    click.secho(_kept(fact), err=True, dim=True)
    return talk


def _learned(client: Client, talk: Talk) -> list[dict[str, Any]]:
    """The memories that rest on what was said last."""
    asked = {"conversation_id": talk.conversation or "", "limit": "1", "wait": "1"}
    said = checked(client.get("/exchanges", params=asked))["exchanges"]
    learned = checked(client.get(f"/exchanges/{said[0]['id']}"))["learned"] if said else []
    return [fact for fact in learned if fact["is_valid"]]


def _kept(fact: dict[str, Any]) -> str:
    instead = ", ".join(f"m{number}" for number in fact["instead_of"])
    return f"[m{fact['id']}{f', in place of {instead}' if instead else ''}: {fact['content']}]"


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
