"""A clock that survives a wrong system time.

A Pi's clock has no battery: it may say 1970, or be 20 years ahead, until the network has set it. A system time that is
more than a day off the expected one is accepted when the system vouches for it, or when it has stood for hours. Until
then this clock continues from its last time. Timestamps made meanwhile are corrected when it is set.
"""

import ctypes
import logging
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from pi_memory.decay import DAY
from pi_memory.protocols import Clock

NEVER_BEFORE = 1_767_225_600.0
"""2026: an earlier system time has not been set."""

STOOD_SECONDS = 2 * 3600.0
"""Seconds after which a system time is accepted that the system does not vouch for."""

ASK_SECONDS = 10.0
"""Seconds between two questions to the system whether its clock is right."""

TIME_ERROR = 5
"""The return value of adjtimex(2) while the clock is not synchronised."""

TIMESYNC = Path("/run/systemd/timesync/synchronized")
"""A file that systemd-timesyncd touches whenever its server has answered, at least every 34 minutes."""

logger = logging.getLogger(__name__)


class Moved(Struct, frozen=True):
    """The clock was set to `now`. Timestamps since `since` are `by` seconds early. `since` is None when there
    are none.
    """

    since: float | None
    by: float
    now: float

    def right(self, at: float) -> float:
        """Correct the timestamp `at`. The result is never in the future."""
        if self.since is not None and at >= self.since:
            at += self.by
        return self.now if at > self.now + DAY else at


def synchronised(now: float) -> bool:
    """Whether the system says that its clock is right. Where it cannot say, as on macOS, it counts as right."""
    return _kernel_is_synchronised() or _timesyncd_says(now)


def _kernel_is_synchronised() -> bool:
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None:
        return True
    # With no mode set it changes nothing; 512 bytes are more than any `struct timex` has.
    return bool(0 <= adjtimex(ctypes.create_string_buffer(512)) < TIME_ERROR)


def _timesyncd_says(now: float) -> bool:
    try:
        return abs(now - TIMESYNC.stat().st_mtime) < DAY
    except OSError:
        return False


def since_boot() -> float:
    """Seconds on a clock that is never set. It includes the time of suspend where the system counts it."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class SteadyClock:
    """Returns Unix seconds. After `resume` it no longer follows jumps blindly.

    `clock` is the system's time, `elapsed` a clock that is never set, `vouched` whether the system is sure of its time.
    `started_at` is the time of construction.
    """

    def __init__(
        self,
        clock: Clock = time.time,
        *,
        elapsed: Callable[[], float] = since_boot,
        vouched: Callable[[float], bool] = synchronised,
    ) -> None:
        self._followers: list[Callable[[Moved], None]] = []
        self.problem: str | None = None
        self._clock = clock
        self._elapsed = elapsed
        self._vouched = vouched
        self.started_at = clock()
        self._anchor: tuple[float, float] | None = None
        self._strange: tuple[float, float] | None = None
        self._unsure_since: float | None = None
        self._asked, self._said = (-math.inf, -math.inf), False

    def follow(self, follower: Callable[[Moved], None]) -> None:
        """Have `follower` called after the clock was set by more than a day."""
        self._followers.append(follower)

    def __call__(self) -> float:
        now, ran = self._clock(), self._elapsed()
        if self._anchor is None:
            return now
        expected = self._anchor[0] + ran - self._anchor[1]
        jumps = abs(now - expected) > DAY
        vouched = (jumps or not self.is_sure) and self._is_vouched(now, ran)
        if jumps and not vouched and not self._has_stood(now, ran, expected):
            return expected
        self._set(now, ran, expected, sure=vouched or (self.is_sure and not jumps))
        return now

    def _is_vouched(self, now: float, ran: float) -> bool:
        """What the system says; for the same time on the clock it is asked once in ASK_SECONDS."""
        if ran - self._asked[1] >= ASK_SECONDS or abs(now - self._asked[0]) > DAY:
            self._asked, self._said = (now, ran), self._vouched(now)
        return self._said

    @property
    def is_sure(self) -> bool:
        """Whether the system has vouched for the time since it was last set; otherwise the time is only plausible."""
        return self._unsure_since is None

    def resume(self, newest: float | None) -> None:
        """Continue from the last known moment, at most a day before the end of the last run."""
        now, ran = self._clock(), self._elapsed()
        last = NEVER_BEFORE if newest is None else newest
        plausible = now >= NEVER_BEFORE if newest is None else -DAY <= now - last <= 2 * DAY
        vouched = self._vouched(now)
        if vouched and now < last - DAY:
            self._set(now, ran, last, sure=True)
            self.started_at = now
            return
        start = now if vouched or plausible else float(int(last) + 1)
        self._anchor, self.started_at = (start, ran), start
        # Whole seconds are stored of some times.
        self._unsure_since = None if vouched else float(int(start))
        self()

    def _has_stood(self, now: float, ran: float, expected: float) -> bool:
        """Whether the system time has been this far off for hours."""
        if self._strange is None or abs((now - ran) - (self._strange[0] - self._strange[1])) > DAY:
            self._strange = now, ran
            self.problem = (
                f"the clock says {_date(now)}, but it should be {_date(expected)}: going on from there. "
                "Let the network set it (timedatectl set-ntp true), or set it by hand: "
                f"it counts when it has stood for {STOOD_SECONDS / 3600:.0f} hours"
            )
            logger.warning("%s", self.problem)
        return ran - self._strange[1] >= STOOD_SECONDS

    def _set(self, now: float, ran: float, expected: float, *, sure: bool) -> None:
        since, jumped = self._unsure_since, abs(now - expected) > DAY
        if self._strange and not jumped:
            logger.warning("The clock is right again: it says %s", _date(now))
        self._anchor, self._strange, self.problem = (now, ran), None, None
        if sure:
            self._unsure_since = None
        elif jumped:
            self._unsure_since = float(int(now))
        if jumped:
            self.started_at += now - expected
            logger.warning("The clock was set from %s to %s", _date(expected), _date(now))
            for follower in self._followers:
                follower(Moved(since, now - expected, now))


LAST = 253_402_300_799.0
"""The end of the year 9999."""


def iso(at: float) -> str:
    """A Unix time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix(value: object) -> float | None:
    """Unix seconds from a number or from ISO 8601, which is UTC unless it says otherwise; None for what is no time."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            value = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        return float(value) if isinstance(value, int | float) and 0 <= value <= LAST else None
    except (ValueError, OverflowError):
        return None


def _date(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return f"{at:.0f} s"
