"""Who may ask, and how much: in front of every endpoint.

A daemon on loopback is within reach of every web page in the user's browser. A page may send to 127.0.0.1, and by DNS
rebinding even read from it; so a foreign `Origin` is refused, and without a token a foreign `Host` too.
"""

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pi_memory.errors import Forbidden, PiMemoryError, TooLarge, Unauthorized
from pi_memory.http.endpoint import failure

OPEN = ("/healthz", "/version")
UNBOUNDED = ("/import",)
"""What is read piece by piece, whatever its length."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Guard:
    def __init__(self, app: ASGIApp, *, token: str, host: str, max_body_bytes: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {host, *LOOPBACK}
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._admit(headers, scope["path"])
            bounded = scope["path"] not in UNBOUNDED
            await self._app(scope, self._measured(receive, headers) if bounded else receive, send)
        except PiMemoryError as error:
            await failure(error)(scope, receive, send)

    def _admit(self, headers: Headers, path: str) -> None:
        host = headers.get("host", "")
        if not self._token and _name(f"//{host}") not in self._hosts:
            raise Forbidden(f"Host {host!r} is not this daemon", hint="Use http://127.0.0.1, or set PI_MEMORY_TOKEN.")
        origin = headers.get("origin")
        if origin is not None and (_name(origin) is None or urlsplit(origin).netloc != host):
            raise Forbidden(f"Origin {origin!r} may not use this daemon", hint="Only its own pages may.")
        if self._token and path not in OPEN and not self._right_token(headers.get("authorization", "")):
            raise Unauthorized("A token is needed", hint="Send Authorization: Bearer with PI_MEMORY_TOKEN's value.")

    def _right_token(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token)

    def _measured(self, receive: Receive, headers: Headers) -> Receive:
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._max_body_bytes:
            raise self._too_large()
        size = 0

        async def measured() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._max_body_bytes:
                raise self._too_large()
            return message

        return measured

    def _too_large(self) -> TooLarge:
        return TooLarge(
            f"The request body is larger than {self._max_body_bytes} bytes",
            hint="Send less, or raise PI_MEMORY_MAX_BODY_BYTES.",
        )


def _name(url: str) -> str | None:
    """The host that a URL names, None when it is no URL."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
