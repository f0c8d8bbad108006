"""The limit on requests of one client, counted by the minute."""

import time
from collections import Counter
from collections.abc import Callable

from pi_memory.errors import TooMany

MINUTE = 60.0
FOR_OTHERS = 600
"""Requests a minute of everybody but the owner, where no limit is set."""
MOST_CLIENTS = 1024
"""Clients that are counted apart; further ones share a count."""


class RateLimit:
    """`most` requests a minute of each client; 0: `FOR_OTHERS`, and any number of the owner's."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._began = float("-inf")
        self._counts: Counter[str] = Counter()

    def count(self, client: str, *, is_owner: bool) -> None:
        """Raises `TooMany` for a request beyond the limit."""
        if is_owner and not self._most:
            return
        left = self._began + MINUTE - self._clock()
        if left <= 0:
            self._began, left = self._clock(), MINUTE
            self._counts.clear()
        if client not in self._counts and len(self._counts) >= MOST_CLIENTS:
            client = "others"
        self._counts[client] += 1
        if self._counts[client] > (most := self._most or FOR_OTHERS):
            raise TooMany(
                f"More than {most} requests in a minute",
                hint="Come back later, or raise PI_MEMORY_REQUESTS_PER_MINUTE.",
                retry_after=max(1, round(left)),
            )
