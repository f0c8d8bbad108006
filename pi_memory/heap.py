"""The C library's heap. Only glibc's can be asked for what these do; with another they do nothing."""

import ctypes
from contextlib import suppress

M_ARENA_MAX = -8
"""mallopt(3): the most heaps that threads are spread over."""


def share() -> None:
    """Have the threads that begin from now on share one heap.

    By default each gets its own, and what one has freed is of no use to the others. They seldom wait for each other:
    what Python allocates is allocated under its lock.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def trim() -> None:
    """Give memory that peaks of work have left free back to the system."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
