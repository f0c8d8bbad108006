"""OMP_* variables for threads that compute together, set before libgomp is loaded, which reads them only then. Pure."""

from collections.abc import Mapping
from typing import Literal

Wait = Literal["auto", "active", "passive"]

POLICY, SPINS = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"

PAUSED, UNPAUSED = 1_000, 10_000
"""Polls before a waiting thread sleeps: some 20 microseconds, on x86, which pauses between two polls, and elsewhere,
where libgomp does not. llama.cpp's threads wait hundreds of times a token, and mostly for less.
"""


def variables(wait: Wait, machine: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables to add to the environment; none that `environ` has already. `machine` as in `uname -m`."""
    if POLICY in environ or SPINS in environ:
        return {}
    if wait != "auto":
        return {POLICY: wait}
    return {SPINS: str(PAUSED if machine in ("x86_64", "i686", "AMD64") else UNPAUSED)}
