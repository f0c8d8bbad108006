"""A small model hub on loopback: the headers and ranges of the real one, and its ways to fail."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """`files` are keyed by `owner/name/file`. `etag` is what the hub claims to be the hash, if not the truth."""

    files: dict[str, bytes] = field(default_factory=dict)
    etag: str = ""
    cut_after: list[int] = field(default_factory=list)
    """Bytes after which the next downloads break off, one each."""
    refuse: int = 0
    """Status that further downloads are answered with, 0 for none."""
    whole_only: bool = False
    """Whether ranges are ignored."""
    url: str = ""
    ranges: list[str] = field(default_factory=list)
    """What each download asked for."""
    tokens: list[str] = field(default_factory=list)

    def find(self, path: str) -> bytes | None:
        """The file at `/owner/name/resolve/revision/file`."""
        repo, resolve, file = path.strip("/").partition("/resolve/")
        revision, _, name = file.partition("/")
        return self.files.get(f"{repo}/{name}") if resolve and revision in ("main", COMMIT) else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_HEAD(self) -> None:
        found = self._found()
        if found is not None:
            self._head(200, {"X-Linked-Size": str(len(found)), "Content-Length": str(len(found))})

    def do_GET(self) -> None:
        found = self._found()
        if found is None:
            return
        self.hub.ranges.append(self.headers.get("Range", ""))
        if self.hub.refuse and not self.hub.cut_after:
            self._head(self.hub.refuse, {"Content-Length": "0"})
            return
        wanted = "" if self.hub.whole_only else self.headers.get("Range", "")
        self._send(found, int(wanted.removeprefix("bytes=").partition("-")[0] or 0), ranged=bool(wanted))

    def _send(self, found: bytes, start: int, *, ranged: bool) -> None:
        rest = found[start:]
        part = {"Content-Range": f"bytes {start}-{len(found) - 1}/{len(found)}"} if ranged else {}
        self._head(206 if ranged else 200, {"Content-Length": str(len(rest)), **part})
        cut = self.hub.cut_after.pop(0) if self.hub.cut_after else None
        self.wfile.write(rest[:cut])
        if cut is not None:
            self.close_connection = True

    def _found(self) -> bytes | None:
        self.hub.tokens.append(self.headers.get("Authorization", ""))
        found = self.hub.find(self.path)
        if found is None:
            self._head(404, {"X-Error-Code": "EntryNotFound", "Content-Length": "0"})
            return None
        self._etag = self.hub.etag or hashlib.sha256(found).hexdigest()
        return found

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status < 400:
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("X-Linked-Etag", f'"{self._etag}"')
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@contextlib.contextmanager
def hub_server(hub: Hub) -> Iterator[Hub]:
    handler = type("HubHandler", (Handler,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
