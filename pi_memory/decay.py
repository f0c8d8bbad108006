"""Strength: what is left of a weight after the time since its last touch. Computed on every read and never stored, so
that it cannot compound.
"""

import math

TOPIC_RATE = 0.9
"""Share of a topic's strength that is left after a day."""

MEMORY_RATE = 0.95
"""Share of a memory's strength that is left after a day without use."""

GONE = 0.05
"""Below this a topic is inactive, after 29 days, and a memory no longer holds, after 59."""

DAY = 86_400.0


def strength(last_touched_at: float, now: float, *, rate: float = TOPIC_RATE) -> float:
    """`rate ** days` in (0, 1] for two Unix times in seconds; a touch in the future counts as now."""
    return float(rate ** (max(0.0, now - last_touched_at) / DAY))


def gone_at(last_touched_at: float, *, rate: float = TOPIC_RATE) -> float:
    """The Unix time at which the strength falls below `GONE`."""
    return last_touched_at + math.log(GONE, rate) * DAY


LONGEST = gone_at(0.0, rate=MEMORY_RATE) - DAY
"""Seconds without use after which a memory that ends has faded; what ended sooner was ended by somebody."""


def status(value: float) -> str:
    """The word for a strength: fresh, strong, fading, weak or almost gone."""
    for least, word in ((0.9, "fresh"), (0.6, "strong"), (0.3, "fading"), (0.15, "weak")):
        if value >= least:
            return word
    return "almost gone"
