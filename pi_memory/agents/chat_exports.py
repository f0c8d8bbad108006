"""Parses exports of conversations to exchanges: ChatGPT's, Claude's, and lists of messages. Pure."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pi_memory.agents.claude_log import TEXT
from pi_memory.agents.history import Exchange, unix
from pi_memory.types import CLIENT_ID

USERS = ("user", "human")
ASSISTANTS = ("assistant", "ai", "model", "bot")


def exchanges(conversation: dict[str, Any]) -> Iterator[Exchange]:
    """The exchanges of one conversation in any of these shapes; none for any other value.

    `{conversation_id, project?, messages: [{role, content, at?, ref?}]}`, as `POST /import` takes it; `{uuid,
    chat_messages: [{sender, text, created_at, uuid}]}`, as Claude exports it; `{id, mapping, current_node}`, as ChatGPT
    exports it: a tree of messages, of which the branch that was shown last counts.
    """
    messages: Iterable[dict[str, Any]]
    if isinstance(conversation.get("mapping"), dict):
        messages = _branch(conversation["mapping"], conversation.get("current_node"))
    else:
        messages = _listed(conversation.get("messages") or conversation.get("chat_messages"))
    name = next((str(conversation[key]) for key in ("conversation_id", "id", "uuid") if conversation.get(key)), "")
    project = conversation.get("project")
    return grouped(session_id(name), messages, project=project if isinstance(project, str) else None)


def grouped(session: str, messages: Iterable[dict[str, Any]], *, project: str | None = None) -> Iterator[Exchange]:
    """Exchanges from messages `{role, text, at, ref}`: each user message begins one."""
    lines: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        role = str(message["role"]).lower()
        text = message["text"].strip()[:TEXT] if isinstance(message["text"], str) else ""
        if not text or role not in USERS + ASSISTANTS:
            continue
        if lines and role in USERS:
            yield {"session_id": session, "project": project, "lines": lines}
            lines = []
        ref = str(message["ref"] or f"{session} {number} {role} {text}")
        name = "user" if role in USERS else "assistant"
        lines.append({"ref": ref, "role": name, "at": unix(message["at"]), "text": text, "tool_calls": []})
    if lines:
        yield {"session_id": session, "project": project, "lines": lines}


def session_id(name: str) -> str:
    """A valid session name for a conversation's foreign name."""
    if re.fullmatch(CLIENT_ID, name):
        return name
    return f"import-{hashlib.blake2b(name.encode(errors='replace'), digest_size=8).hexdigest()}"


def _listed(messages: object) -> Iterator[dict[str, Any]]:
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            yield {
                "role": message.get("role") or message.get("sender") or "",
                "text": message.get("content") if isinstance(message.get("content"), str) else message.get("text"),
                "at": message.get("at") or message.get("created_at"),
                "ref": message.get("ref") or message.get("uuid"),
            }


def _branch(nodes: dict[str, Any], leaf: object) -> list[dict[str, Any]]:
    """The messages from the root to `leaf`, else to the last node."""
    found, seen = [], set()
    name = leaf if leaf in nodes else next(reversed(nodes), None)
    while isinstance(name, str) and name in nodes and name not in seen:
        seen.add(name)
        node = nodes[name] if isinstance(nodes[name], dict) else {}
        message = node.get("message")
        if isinstance(message, dict):
            found.append(_of_tree(message))
        name = node.get("parent")
    return found[::-1]


def _of_tree(message: dict[str, Any]) -> dict[str, Any]:
    author, content, about = (message.get(key) or {} for key in ("author", "content", "metadata"))
    hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation")
    parts = content.get("parts") if isinstance(content, dict) else None
    said = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    return {
        "role": author.get("role", "") if isinstance(author, dict) and not hidden else "",
        "text": "\n".join(said),
        "at": message.get("create_time"),
        "ref": message.get("id"),
    }
