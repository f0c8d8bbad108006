"""Authentication: the daemon's own user and root by their sockets, everybody else by the token or a named one."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.types import Scope

from pi_memory.errors import TooMany, Unauthorized
from pi_memory.http.audit import Audit
from pi_memory.http.clients import WITH_TOKEN, Client
from pi_memory.http.named_tokens import TokenFile, cookie_of, digest_of
from pi_memory.http.rate_limit import RateLimit
from pi_memory.parts import Parts
from pi_memory.settings import Settings

WRONG_SECONDS = 1.0
"""Seconds before a wrong token is answered."""
MOST_WAITING, MOST_OF_ONE = 64, 4
"""Most such answers under way, in all and to one address; until one is done, further tokens are not checked."""
LOG_SECONDS = 60.0
"""Seconds of silence after a log line about wrong tokens."""

FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip")
"""Headers of proxies, besides `X-Forwarded-...`: then the socket is the proxy's and does not identify the client."""

logger = logging.getLogger(__name__)


def everyone(scope: Scope) -> bool:
    return True


def nobody(scope: Scope) -> bool:
    return False


def owner(scope: Scope) -> bool:
    """Whether the request comes from this process's own user, or from root, on this machine."""
    names = Headers(scope=scope).keys()
    if any(name in FORWARDED or name.startswith("x-forwarded-") for name in names):
        return False
    peer = scope.get("state", {}).get("peer")
    return peer is not None and bool(peer.is_owner)


class Access:
    """Holds the token and the named ones, and decides who needs none."""

    def __init__(
        self,
        token: str,
        *,
        tokens: TokenFile,
        rate: RateLimit,
        trusts: Callable[[Scope], bool] = nobody,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.trusts = trusts
        self.tokens = tokens
        self.rate = rate
        self.audit = Audit()
        self._digest = digest_of(cookie_of(token)) if token else ""
        self._pause = pause
        self._clock = clock
        self._waiting: Counter[str] = Counter()
        self._logged_at = float("-inf")
        self._unlogged = 0

    @classmethod
    def of(cls, settings: Settings, token: str, *, trusts: Callable[[Scope], bool]) -> "Access":
        """With the named tokens of the data directory, and the limit that is set."""
        rate = RateLimit(settings.server.requests_per_minute)
        return cls(token, tokens=TokenFile(settings.data_dir), rate=rate, trusts=trusts)

    async def close(self, parts: Parts) -> None:
        """Store what the audit log has counted, and when tokens were used. Raises `StoreError`."""
        self.audit.flush(parts)
        await self.tokens.close()

    async def check(self, token: str, address: str) -> Client:
        """Who has this token. Raises as `check_cookie` does."""
        return await self.check_cookie(cookie_of(token), address)

    async def check_cookie(self, cookie: str, address: str) -> Client:
        """Who has the token that this cookie was made of. Raises `Unauthorized`, after a delay, for a wrong one, and
        `TooMany` while too many such answers wait.
        """
        if self._waiting[address] >= MOST_OF_ONE or self._waiting.total() >= MOST_WAITING:
            raise TooMany("Too many wrong tokens", hint="Try again in a second.", retry_after=1)
        digest = digest_of(cookie)
        if digest == self._digest:
            return WITH_TOKEN
        if named := self.tokens.find(digest):
            return Client(f"token {named.name}", named.scope, named.namespace, digest)
        self._log(address)
        self._waiting[address] += 1
        try:
            await self._pause(WRONG_SECONDS)
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # without those who no longer wait
        raise Unauthorized(
            "The token is wrong, or was withdrawn",
            hint="Send the one in the file `token` of the data directory, or one that `pi-memory token add` has made.",
        )

    def is_withdrawn(self, client: Client) -> bool:
        return bool(client.digest) and self.tokens.find(client.digest) is None

    def _log(self, address: str) -> None:
        self._unlogged += 1
        now = self._clock()
        if now - self._logged_at >= LOG_SECONDS:
            logger.warning("Wrong token from %s; %d since the last such line", address, self._unlogged)
            self._logged_at, self._unlogged = now, 0
