"""The guard in front of every endpoint: authentication, cross-site checks, limits on bodies and requests, audit.

Every web page in the user's browser can reach a daemon on loopback, and the browser's socket is the user's. A page can
send to 127.0.0.1, load from it, and by DNS rebinding even read from it. So a foreign `Origin`, requests caused by
another site, and without a token a foreign `Host` are refused.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pi_memory.errors import Forbidden, PiMemoryError, TooLarge, Unauthorized
from pi_memory.http.access import Access
from pi_memory.http.audit import AuditEntry
from pi_memory.http.clients import OWNER, Client
from pi_memory.http.endpoint import ANSWERS, failure
from pi_memory.http.named_tokens import PREFIX

LOGIN = "/ui/login"
COOKIE = "pi_memory"
OPEN = ("/healthz", "/version", LOGIN)
STATIC = "/ui/static/"
"""Files of the page that everybody has."""
UNBOUNDED = ("/import",)
"""Paths whose bodies are read piece by piece, at any length."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
REFUSED = {401: "no token, or a wrong one", 403: "another site, or by another name", 429: "too many requests"}
"""What the audit log has for the statuses of requests that were refused before their endpoint."""


class Guard:
    def __init__(self, app: ASGIApp, *, access: Access, host: str, max_body_bytes: int) -> None:
        self._app = app
        self._access = access
        self._hosts = {host, *LOOPBACK}
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {}).update(access=self._access, client=None)
        headers, send = Headers(scope=scope), self._guarded(scope, send)
        try:
            await self._admit(scope, headers)
            bounded = scope["path"] not in UNBOUNDED
            await self._app(scope, self._measured(receive, headers) if bounded else receive, send)
        except PiMemoryError as error:
            scope["state"]["refused"] = REFUSED.get(error.status)
            refused = _to_login(headers) if _is_stranger(error, scope) else failure(error, scope["path"])
            await refused(scope, receive, send)

    async def _admit(self, scope: Scope, headers: Headers) -> None:
        """Raises for requests that are refused. In the scope's state is the `client`, None for a stranger, who may know
        that the daemon is there.
        """
        _refuse_other_sites(headers)
        client = scope["state"]["client"] = await self._client(scope, headers)
        if client and client.digest:
            self._access.tokens.used(client.digest, scope["app"].state.parts.clock())
        self._access.rate.count(_who(scope), is_owner=client is OWNER)
        if client is None and scope["path"] not in OPEN and not scope["path"].startswith(STATIC):
            raise Unauthorized(
                "A token is needed",
                hint="Send Authorization: Bearer with what the file `token` of the data directory has, or with "
                "PI_MEMORY_TOKEN's value.",
            )

    async def _client(self, scope: Scope, headers: Headers) -> Client | None:
        """Who is trusted, or has a token. Raises `Forbidden`, and what `Access.check` raises."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        has_token, token = scheme.lower() == "bearer", token.strip()
        # A named token opens what it opens, whoever sends it; what else the owner sends is another service's key.
        if self._access.trusts(scope) and not (has_token and token.startswith(PREFIX)):
            host = headers.get("host", "")
            if _name(f"//{host}") in self._hosts:
                return OWNER
            if not has_token:
                raise Forbidden(
                    f"Host {host!r} is not this daemon", hint="Use http://127.0.0.1, or send the token with it."
                )
        address = _address(scope)
        if has_token:
            return await self._access.check(token, address)
        if cookie := cookie_parser(headers.get("cookie", "")).get(COOKIE):
            return await self._access.check_cookie(cookie, address)
        return None

    def _guarded(self, scope: Scope, send: Send) -> Send:
        """Adds the security headers that the endpoint has not set itself, notes what was done or refused, and ends the
        answer when the client's token is withdrawn.
        """
        ended = False

        async def guarded(message: Message) -> None:
            nonlocal ended
            if ended:
                return
            client = scope["state"]["client"]
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ANSWERS.items():
                    headers.setdefault(name, value)
                self._note(scope, message["status"])
            elif client and self._access.is_withdrawn(client):
                ended, message = True, {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        return guarded

    def _note(self, scope: Scope, status: int) -> None:
        """For the audit log; `allow` has left in the state what the request wanted."""
        state, client, parts = scope["state"], scope["state"]["client"], scope["app"].state.parts
        if refused := state.get("refused"):
            self._access.audit.note(parts, AuditEntry("refused", _who(scope), refused))
        elif client and client.digest and "did" in state and status < 400:
            self._access.audit.note(parts, AuditEntry("changed", _who(scope), state["did"]))

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


def _refuse_other_sites(headers: Headers) -> None:
    """Raises `Forbidden` for a request that another site caused, by the browser's headers."""
    origin = headers.get("origin")
    if origin is not None and (_name(origin) is None or urlsplit(origin).netloc != headers.get("host", "")):
        raise Forbidden(f"Origin {origin!r} may not use this daemon", hint="Only its own pages may.")
    # A page of another port of this machine counts as the same site; it may not send either, as its origin says.
    if headers.get("sec-fetch-site") == "cross-site":
        raise Forbidden("Another site may not use this daemon", hint="Type the address into a tab of its own.")


def _is_stranger(error: PiMemoryError, scope: Scope) -> bool:
    """Whether somebody who has not logged in wants a page."""
    return isinstance(error, Unauthorized) and (scope["path"] == "/" or scope["path"].startswith("/ui/"))


def _to_login(headers: Headers) -> Response:
    """The log-in page; a part of a page is not replaced by it, the whole page is."""
    if "hx-request" in headers:
        return Response(status_code=401, headers={"HX-Redirect": LOGIN})
    return RedirectResponse(LOGIN, 303)


def _who(scope: Scope) -> str:
    """The client's name for the audit log and the limit of requests."""
    client, peer = scope["state"]["client"], scope["state"].get("peer")
    if isinstance(client, Client) and client.name:
        return client.name
    uid = peer and peer.uid
    return _address(scope) if uid is None else f"uid {uid}"


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("", 0))[0])


def _name(url: str) -> str | None:
    """The host of a URL, None for anything else."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
