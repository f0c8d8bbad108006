"""Whether anything is known that bears on a message, and how much of it is worth telling. Pure.

A greeting recalls nothing, a question about a stored fact recalls it. Thresholds are shares, of the query's words, of
the embedder's own scale (`embedding/calibration.py`) and of the best score, not cosines.
"""

from collections.abc import Sequence

from pi_memory.text.language import words
from pi_memory.text.query_terms import terms
from pi_memory.types import Recalled

MEANS_THE_SAME = 0.62
"""A text this near in meaning needs no word in common with the query."""
SHARES = 0.45
"""A text with this share of the query's words by rarity has to be `RELATED` only."""
RELATED = 0.25
WORDS_ALONE = 0.6
"""The share that is enough where there is no embedder."""

MOST = 15
"""Results that a message is told at most (seed 003)."""
NEAR_BEST = 0.75
"""Share of the best score that the second result needs. Each one after it needs more: the 16th would need all of it."""


def asks_something(query: str) -> bool:
    """Whether there is anything in a message but courtesy and small words."""
    return not words("small_talk").issuperset(terms(query))


def passed(found: Sequence[Recalled], *, by_meaning: bool) -> list[Recalled]:
    """Those of `found`, best first, that are worth telling: all that are nearly as good as the best, if one of them is
    good enough by itself. `by_meaning` says that there is an embedder.
    """
    best = [
        result
        for rank, result in enumerate(found[:MOST])
        if result.score >= (NEAR_BEST + (1 - NEAR_BEST) * rank / MOST) * found[0].score
    ]
    return best if any(_bears(result, by_meaning=by_meaning) for result in best) else []


def _bears(found: Recalled, *, by_meaning: bool) -> bool:
    if not by_meaning:
        return found.words >= WORDS_ALONE
    return found.cosine >= MEANS_THE_SAME or (found.words >= SHARES and found.cosine >= RELATED)
