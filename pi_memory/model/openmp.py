"""How threads that compute together wait for each other: said before libgomp is loaded, which asks only then. Pure."""

from collections.abc import Mapping
from typing import Literal

Wait = Literal["auto", "active", "passive"]

POLICY, SPINS = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"

PAUSED, UNPAUSED = 1_000, 10_000
"""Looks at what is waited for before a thread sleeps: some 20 microseconds on x86, which pauses between two looks, and
elsewhere, where libgomp does not. llama.cpp's threads wait hundreds of times a token, and mostly not as long."""


def variables(wait: Wait, machine: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What to set in the environment; nothing when `environ` says it already. `machine` as in `uname -m`."""
    if POLICY in environ or SPINS in environ:
        return {}
    if wait != "auto":
        return {POLICY: wait}
    return {SPINS: str(PAUSED if machine in ("x86_64", "i686", "AMD64") else UNPAUSED)}
