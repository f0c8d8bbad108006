"""Parses session logs of Claude Code, one JSON object a line. Pure.

The hook reads a log while the agent waits, so this imports next to nothing and returns plain dicts in the shape of
`POST /history`. Lines that neither the user nor the agent itself wrote are skipped: those of sub-agents, summaries,
output of tools and of local commands, and text that hooks and reminders put in.
"""

import json
import re
from collections.abc import Iterable, Iterator

Entry = dict[str, object]
Exchange = dict[str, object]

TEXT, ARGUMENT = 16_000, 2_000
"""Most characters of one message, and of one text in a tool's arguments."""
DEPTH, ITEMS = 6, 100
LINES = 100
"""Most lines of one exchange; the rest becomes another exchange without a user message."""

NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
LOCAL = ("<local-command", "<command-", "<bash-", "Caveat: The messages below", "[Request interrupted")
INJECTED = re.compile(r"<(system-reminder|user-prompt-submit-hook|session-start-hook|ide_\w+)>.*?</\1>\s*", re.DOTALL)


def is_entry(value: object) -> bool:
    """Whether a decoded line is an entry of such a log."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and "messages" not in value


def exchanges(entries: Iterable[Entry]) -> Iterator[Exchange]:
    """The exchanges of one log, in its order: `{session_id, project, lines: [{ref, role, at, text, tool_calls}]}`.

    Each user message begins one. Time and session are those of the entries, empty where they have none; the project is
    the folder in which the session began, as an agent goes into others.
    """
    current: Exchange | None = None
    folders: dict[str, str] = {}
    for entry in entries:
        session = _text_of(entry, "sessionId")
        if session not in folders and _text_of(entry, "cwd"):
            folders[session] = _text_of(entry, "cwd")
        line = _line(entry)
        if line is None:
            continue
        lines = current["lines"] if current is not None else []
        assert isinstance(lines, list)
        if current is None or line["role"] == "user" or current["session_id"] != session:
            if current is not None:
                yield current
            current = {"session_id": session, "project": folders.get(session), "lines": [line]}
        elif len(lines) >= LINES:
            yield current
            current = {"session_id": session, "project": folders.get(session), "lines": [line]}
        else:
            lines.append(line)
    if current is not None:
        yield current


def shortened(value: object, *, depth: int = 0) -> object:
    """A tool's argument cut to the limits; values nested too deep become None."""
    if isinstance(value, str):
        return value[:ARGUMENT]
    if depth >= DEPTH:
        return None
    if isinstance(value, dict):
        return {str(key)[:ARGUMENT]: shortened(value[key], depth=depth + 1) for key in list(value)[:ITEMS]}
    if isinstance(value, list):
        return [shortened(item, depth=depth + 1) for item in value[:ITEMS]]
    return value


def tool_call(name: object, arguments: object) -> dict[str, object]:
    """A tool call in the shape of `POST /activity`."""
    cut = shortened(arguments) if isinstance(arguments, dict) else {}
    return {"name": name[:200] if isinstance(name, str) else "", "arguments": cut}


def encoded(body: object) -> bytes:
    """A request's body as JSON, with `?` for unpaired surrogates, which JavaScript leaves where it cuts a text."""
    return json.dumps(body, ensure_ascii=False).encode(errors="replace")


def _line(entry: Entry) -> dict[str, object] | None:
    """The line of an exchange for an entry, None if nothing was said or done."""
    message = entry.get("message")
    role = entry.get("type")
    if role not in ("user", "assistant") or not isinstance(message, dict) or any(entry.get(key) for key in NOT_SAID):
        return None
    blocks = _blocks(message.get("content"))
    text = "\n\n".join(str(b["text"]) for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str))
    calls = [tool_call(b.get("name"), b.get("input")) for b in blocks if b.get("type") == "tool_use"]
    text = _said(text) if role == "user" else text.strip()
    if not text and not calls:
        return None
    ref, at = _text_of(entry, "uuid"), _text_of(entry, "timestamp")
    return {"ref": ref, "role": role, "at": at or None, "text": text[:TEXT], "tool_calls": calls}


def _said(text: str) -> str:
    """The user's own words: the arguments of a slash command, nothing of a local command and its output."""
    text = INJECTED.sub("", text)
    if text.lstrip().startswith(LOCAL):
        text = text.partition("<command-args>")[2].partition("</command-args>")[0]
    return text.strip()


def _blocks(content: object) -> list[dict[str, object]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text_of(entry: Entry, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
