"""`pi-memory hook`: reports events of a coding agent to the daemon and prints context for the agent.

The agent waits for this process at every tool call. So it imports next to nothing, limits its wait for the daemon, and
always exits with 0: an agent without its memory is better than one that stops.
"""

import json
import os
import socket
import sys
import time

from pi_memory.agents.claude_log import TEXT, encoded, exchanges, tool_call

SECONDS = 2.0
"""Longest that the agent waits for us."""
INPUT = 32 << 20
"""Most bytes read from the agent."""
TAILS = (1 << 17, 1 << 20, 1 << 23)
"""Bytes at the end of the session's log that are read to find the user's last message; the next size if it is not
there.
"""
CONTEXT = 9_500
"""Most characters that are printed: the agent puts more than 10,000 into a file."""
LOG = 64 << 10
"""Size in bytes at which the log begins anew."""

Json = dict[str, object]


def main() -> None:
    """Handle one event, given as JSON on standard input. Never fails; errors go to the log."""
    event = ""
    try:
        if sys.stdin.isatty():
            sys.stderr.write("An agent runs this, with JSON on standard input: `pi-memory hook --install` has it so.\n")
            os._exit(0)
        data = json.loads(sys.stdin.buffer.read(INPUT))
        event = str(data["hook_event_name"])
        text = handle(event, data, Daemon())
        if text:
            sys.stdout.write(json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}))
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the edge: the agent goes on without us
        _log(f"{event[:40]!r}: {type(error).__name__}: {error}")
    # Not sys.exit: there is nothing to tidy up, and an agent that has gone must not get a traceback.
    os._exit(0)


def handle(event: str, data: Json, daemon: "Daemon") -> str:
    """Handle an event. Returns the context to print, which is empty for most."""
    session = {
        "session_id": data["session_id"],
        "project": os.environ.get("CLAUDE_PROJECT_DIR") or repository(data.get("cwd")),
    }
    if event == "SessionStart":
        return _context(daemon, {**session, "begins": True})
    if event == "UserPromptSubmit":
        return _context(daemon, {**session, "message": data["prompt"]})
    if event == "PostToolUse":
        daemon.ask("POST", "/activity", {**session, "tool_calls": [tool_call(data["tool_name"], data["tool_input"])]})
    elif event == "Stop":
        _record(daemon, session, data)
    elif event == "SessionEnd":
        daemon.ask("DELETE", f"/conversations/{session['session_id']}")
    return ""


def repository(folder: object) -> object:
    """The folder of the repository that a folder is in, so that a session in a part of it is in the same project; the
    folder itself where there is none, or it is the whole home.
    """
    found, home = folder if isinstance(folder, str) else "", os.path.expanduser("~")
    while found and (found == home or not os.path.exists(os.path.join(found, ".git"))):
        above = os.path.dirname(found)
        found = "" if above == found else above
    return found or folder


def _context(daemon: "Daemon", asked: Json) -> str:
    text = str(json.loads(daemon.ask("POST", "/context", asked))["text"])
    return text if len(text) <= CONTEXT else text[:CONTEXT].rpartition("\n")[0]


def _record(daemon: "Daemon", session: Json, data: Json) -> None:
    """Record the exchange since the user's last message, from the log; without a log the reply alone."""
    path, reply = data.get("transcript_path"), data.get("last_assistant_message")
    found = since_the_user(path) if isinstance(path, str) and path else []
    said = [line["text"] for exchange in found for line in _lines(exchange)]
    if isinstance(reply, str) and reply.strip() and reply.strip()[:TEXT] not in said:
        # The log may not have it yet.
        line = {"role": "assistant", "text": reply.strip()[:TEXT]}
        found = [*found[:-1], {**found[-1], "lines": [*_lines(found[-1]), line]}] if found else [{"lines": [line]}]
    if found:
        daemon.ask("POST", "/history", {"exchanges": [{**exchange, **session} for exchange in found]})


def since_the_user(path: str) -> list[Json]:
    """The end of a session's log, from the user's last message on; empty if that is too far back."""
    try:
        with open(os.path.expanduser(path), "rb") as log:
            size = log.seek(0, os.SEEK_END)
            for length in TAILS:
                log.seek(max(0, size - length))
                last = _last(log.read(length).splitlines()[size > length :])
                if last or length >= size:
                    return last
    except OSError as error:
        _log(f"{path}: {error}")
    return []


def _last(lines: list[bytes]) -> list[Json]:
    entries = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # it is being written
        if isinstance(entry, dict):
            entries.append(entry)
    found = list(exchanges(entries))
    asked = [number for number, exchange in enumerate(found) if _lines(exchange)[0]["role"] == "user"]
    return found[asked[-1] :] if asked else []


def _lines(exchange: Json) -> list[Json]:
    lines = exchange["lines"]
    assert isinstance(lines, list)
    return lines


class Daemon:
    """A client of the daemon at the address in the environment, else in the file that `--install` wrote.

    Its HTTP is written by hand: the standard library's takes longer to import than everything else here.
    """

    def __init__(self, *, seconds: float = SECONDS) -> None:
        known = _installed()
        self._host = os.environ.get("PI_MEMORY_HOST") or known.get("host") or "127.0.0.1"
        self._host = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(self._host, self._host)
        self._port = int(os.environ.get("PI_MEMORY_PORT") or known.get("port") or 8765)
        self._token = os.environ.get("PI_MEMORY_TOKEN") or known.get("token") or _made_token(known)
        self._until = time.monotonic() + seconds

    def ask(self, method: str, path: str, body: Json | None = None) -> bytes:
        """The body of the daemon's response. Raises `OSError` when there is none, or it is an error."""
        status, answer = self.send(method, path, encoded(body) if body is not None else b"")
        if status not in (200, 202, 204):
            raise OSError(f"{method} {path}: {status} {answer[:200]!r}")
        return answer

    def send(self, method: str, path: str, content: bytes) -> tuple[int, bytes]:
        """The status and the body of the daemon's answer. Raises `OSError` when there is none."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        head = f"{method} {path} HTTP/1.1\r\nHost: {host}:{self._port}\r\nConnection: close\r\n"
        if self._token:
            head += f"Authorization: Bearer {self._token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        head_of_answer, _, answer = self._exchange(head.encode("ascii") + content).partition(b"\r\n\r\n")
        status = head_of_answer.split(b" ", 2)[1:2]
        if not status or not status[0].isdigit():
            raise OSError(f"{method} {path}: no answer of HTTP")
        return int(status[0]), answer

    def _exchange(self, request: bytes) -> bytes:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as channel:
            self._wait(channel)
            channel.connect((self._host, self._port))
            channel.sendall(request)
            received = b""
            while True:
                self._wait(channel)
                piece = channel.recv(1 << 16)
                if not piece:
                    return received
                received += piece

    def _wait(self, channel: socket.socket) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the daemon is too slow")
        channel.settimeout(left)


def installed_file() -> str:
    """The file in which `--install` keeps the daemon's address, and its token or where that is."""
    return os.path.join(_xdg("XDG_CONFIG_HOME", ".config"), "pi-memory", "hook.json")


def agent_settings_file(*, project: bool) -> str:
    """The agent's settings.json: the user's, or that of this project."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(os.path.abspath(".claude") if project else home, "settings.json")


def _installed() -> dict[str, str]:
    try:
        with open(installed_file(), encoding="utf-8") as file:
            known = json.load(file)
    except FileNotFoundError:
        return {}
    return {key: str(value) for key, value in known.items()} if isinstance(known, dict) else {}


def _made_token(known: dict[str, str]) -> str:
    """The generated token in the daemon's data directory, for systems that do not identify local users."""
    folder = os.environ.get("PI_MEMORY_DATA_DIR") or known.get("data_dir") or _state()
    try:
        with open(os.path.join(folder, "token"), encoding="ascii") as file:
            return file.read(1_000).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _log(line: str) -> None:
    """Append a line to the log, for those who wonder why nothing is remembered."""
    path = os.path.join(_state(), "hook.log")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        long = os.path.exists(path) and os.path.getsize(path) > LOG
        with open(path, "w" if long else "a", encoding="utf-8", errors="replace") as log:
            log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line[:1_000]}\n".replace("\0", ""))
    except OSError:
        pass  # there is nobody to report it to


def _state() -> str:
    return os.path.join(_xdg("XDG_STATE_HOME", ".local/state"), "pi-memory")


def _xdg(key: str, default: str) -> str:
    return os.environ.get(key) or os.path.join(os.path.expanduser("~"), default)
