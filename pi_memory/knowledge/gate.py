"""Whether what was found is worth telling: a greeting recalls nothing, a question about a stored fact recalls it. Pure.

Thresholds are shares, of the query's words and of the embedder's own scale (`embedding/calibration.py`), not cosines.
"""

from pi_memory.knowledge.words import SMALL_TALK, terms
from pi_memory.turn import Recalled

MEANS_THE_SAME = 0.62
"""A text this near in meaning needs no word in common with the query."""
SHARES = 0.45
"""A text with this share of the query's words by rarity has to be `RELATED` only."""
RELATED = 0.25
WORDS_ALONE = 0.6
"""The share that is enough where there is no embedder."""


def asks_something(query: str) -> bool:
    """Whether there is anything in a message but courtesy and small words."""
    return any(term not in SMALL_TALK for term in terms(query))


def passes(found: Recalled, *, by_meaning: bool) -> bool:
    """Whether one result may be told to the model. `by_meaning` says that there is an embedder."""
    if not by_meaning:
        return found.words >= WORDS_ALONE
    return found.cosine >= MEANS_THE_SAME or (found.words >= SHARES and found.cosine >= RELATED)
