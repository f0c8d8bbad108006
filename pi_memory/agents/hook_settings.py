"""Adds and removes our hooks in Claude Code's settings.json. Pure.

{"hooks": {EVENT: [{"matcher": TOOLS, "hooks": [{"type": "command", "command": COMMAND, "timeout": SECONDS}]}]}}
"""

import json
import re
import shlex
from contextlib import suppress
from typing import Any

from pi_memory.errors import RequestError

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
TIMEOUT = 10
"""Seconds after which the agent abandons a hook; ours has given up long before."""


def with_hooks(text: str, command: str) -> str:
    """The settings with our hooks, which run `command`, and nothing else changed. Raises `RequestError`."""
    before = _parsed(text)
    settings = _without(before)
    hooks = settings.setdefault("hooks", {})
    for event in EVENTS:
        entry: dict[str, Any] = {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}
        hooks.setdefault(event, []).append({"matcher": "*", **entry} if event == "PostToolUse" else entry)
    return text if settings == before else _written(settings, text)


def without_hooks(text: str) -> str:
    """The settings without our hooks; `text` itself if there are none. Raises `RequestError`."""
    settings = _parsed(text)
    groups = [group for groups in settings.get("hooks", {}).values() for group in groups]
    there = any(is_ours(hook.get("command")) for group in groups for hook in group["hooks"])
    return _written(_without(settings), text) if there else text


def undone(text: str, command: str, before: str) -> str:
    """`before`, unchanged, if the settings are what `with_hooks` makes of it; else the settings without our hooks.

    Raises `RequestError`.
    """
    with suppress(RequestError):
        if before and with_hooks(before, command) == text and without_hooks(before) == before:
            return before
    return without_hooks(text)


def is_ours(command: object) -> bool:
    """Whether a command is one that we wrote: `pi-memory hook`, at any path."""
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    program = words[0].rpartition("/")[2] if words else ""
    return (program == "pi-memory" and words[1:] == ["hook"]) or words[1:] == ["-P", "-m", "pi_memory", "hook"]


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    """The hooks without our commands, and without groups that are then empty."""
    hooks = {event: _others(groups) for event, groups in settings.get("hooks", {}).items()}
    kept = {event: groups for event, groups in hooks.items() if groups}
    if kept:
        return {**settings, "hooks": kept}
    return {key: value for key, value in settings.items() if key != "hooks"}


def _others(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    others = [{**g, "hooks": [hook for hook in g["hooks"] if not is_ours(hook.get("command"))]} for g in groups]
    return [group for group in others if group["hooks"]]


def _parsed(text: str) -> dict[str, Any]:
    """The decoded settings, with the shape of their hooks checked. Raises `RequestError`."""
    try:
        settings = json.loads(text, object_pairs_hook=_once) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise _malformed(f"not JSON: {error}") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("hooks", {}), dict):
        raise _malformed("no JSON object, or its hooks are none")
    for event, groups in settings.get("hooks", {}).items():
        if not isinstance(groups, list) or not all(map(_is_group, groups)):
            raise _malformed(f"the hooks of {event} are not as the agent has them")
    return settings


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key that is there twice")
    return dict(pairs)


def _is_group(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and all(isinstance(hook, dict) for hook in hooks)


def _written(settings: dict[str, Any], before: str) -> str:
    found = re.search(r"^([ \t]+)\S", before, re.MULTILINE)
    return json.dumps(settings, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _malformed(why: str) -> RequestError:
    return RequestError(f"The agent's settings are malformed, and were left alone: {why}", hint="Mend the file first.")
