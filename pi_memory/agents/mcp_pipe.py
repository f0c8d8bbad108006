"""`pi-memory mcp`: lines of the Model Context Protocol from standard input go to the daemon, and its answers come back.

For programs that start their memory as a command. It imports next to nothing, so that it is there at once.
"""

import json
import sys
from collections.abc import Callable
from typing import BinaryIO

from pi_memory.agents.hook import Daemon

SECONDS = 120.0
"""Longest that an answer may take."""
LONGEST = 1 << 20
"""Bytes of a line."""
SERVER_ERROR = -32000

Connect = Callable[[], Daemon]


def main() -> None:
    """Pass on every line until the input ends."""
    run(sys.stdin.buffer, sys.stdout.buffer, lambda: Daemon(seconds=SECONDS))


def run(lines: BinaryIO, out: BinaryIO, connect: Connect) -> None:
    """Write the answer to each of `lines` that has one to `out`."""
    while line := lines.readline(LONGEST):
        if line.strip() and (answer := answered(line, connect)):
            out.write(answer + b"\n")
            out.flush()


def answered(line: bytes, connect: Connect) -> bytes:
    """The daemon's answer to one message, empty to a notification."""
    try:
        status, answer = connect().send("POST", "/mcp", line.strip())
    except (OSError, ValueError) as error:
        return _failed(line, f"No daemon answers ({error}): start it with `pi-memory serve`")
    if status == 202:
        return b""
    reply = _object(answer)
    if "jsonrpc" in reply:
        return answer.strip()
    return _failed(
        line, f"The daemon refuses this ({status}): {reply.get('message', '')} {reply.get('hint', '')}".strip()
    )


def _failed(line: bytes, why: str) -> bytes:
    """An error in answer to a request; nothing to what is none."""
    message = _object(line)
    if "id" not in message:
        return b""
    error = {"code": SERVER_ERROR, "message": why}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()


def _object(text: bytes) -> dict[str, object]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
