"""Authentication: the daemon's own user and root by their sockets, everybody else by the token."""

import asyncio
import hmac
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.types import Scope

from pi_memory.errors import TooMany, Unauthorized

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
    """Holds the token, and decides who needs none."""

    def __init__(
        self,
        token: str,
        *,
        trusts: Callable[[Scope], bool] = nobody,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.trusts = trusts
        self._token = token.encode()
        self.cookie = hmac.new(self._token, b"pi-memory's page", "sha256").hexdigest()
        """What a browser keeps of the token once somebody has logged in: it opens as much, and says nothing of it."""
        self._pause = pause
        self._clock = clock
        self._waiting: Counter[str] = Counter()
        self._logged_at = float("-inf")
        self._unlogged = 0

    async def check(self, token: str, address: str, *, is_cookie: bool = False) -> None:
        """Raises `Unauthorized`, after a delay, for a wrong token, and `TooMany` while too many such answers wait."""
        right = self.cookie.encode() if is_cookie else self._token
        if self._waiting[address] >= MOST_OF_ONE or self._waiting.total() >= MOST_WAITING:
            raise TooMany("Too many wrong tokens", hint="Try again in a second.", retry_after=1)
        if self._token and hmac.compare_digest(token.encode(), right):
            return
        self._log(address)
        self._waiting[address] += 1
        try:
            await self._pause(WRONG_SECONDS)
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # without those who no longer wait
        raise Unauthorized("The token is wrong", hint="Send the one in the file `token` of the data directory.")

    def _log(self, address: str) -> None:
        self._unlogged += 1
        now = self._clock()
        if now - self._logged_at >= LOG_SECONDS:
            logger.warning("Wrong token from %s; %d since the last such line", address, self._unlogged)
            self._logged_at, self._unlogged = now, 0
