"""Session logs in the format of Claude Code, as far as tests need them."""

import json
from typing import Any

SESSION = "5f0c2f9e-6d1e-4c86-9a0b-0a2f4ad0a001"


def entry(role: str, content: object, number: int, **more: Any) -> str:
    """One line; `number` makes its id and its time."""
    value = {
        "parentUuid": f"line-{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/me/garden",
        "sessionId": SESSION,
        "version": "2.0.76",
        "gitBranch": "main",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": f"line-{number}",
        "timestamp": f"2026-02-20T10:{number // 60:02}:{number % 60:02}.000Z",
    }
    return json.dumps(value | more) + "\n"


def said(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def used(name: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}]


def result(text: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}]
