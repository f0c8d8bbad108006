"""Wait for what happens in another thread or process, however slow the computer is."""

import time
from collections.abc import Callable

SECONDS = 60
"""After this long it is taken not to happen."""


def eventually(holds: Callable[[], object], problem: Callable[[], str] = str) -> None:
    """Return once `holds()` is true; else fail with `problem()`."""
    ends = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < ends, problem()
        time.sleep(0.005)
