"""Finds the memories that a request to forget means. Pure.

Forgetting cannot be undone: a memory counts as meant only if it contains nearly all that was said.
"""

import re
from collections.abc import Sequence

from pi_memory.learning.comparison import stems
from pi_memory.learning.dedup import Neighbour
from pi_memory.text.fact import facts, states
from pi_memory.text.language import pattern

COVERED = 0.99
"""Share of the request's words that a meant memory contains; so high that a name must be in it."""
NEARLY = 0.6
"""Share from which on a memory may be meant: then the user is asked."""
MOST = 5
IS_IT_THIS = "Is this to be forgotten? Say yes, or"
"""How the question begins that a yes answers."""

IS_IT_ONE = "Is one of these to be forgotten? Say"
"""How the one begins that a yes does not answer."""
WHICH = "?"
"""What such a yes forgets."""
NOTHING_YET = "Nothing was forgotten: say which, as in the list."


def confirmed(message: str, lines: Sequence[str]) -> str:
    """What a yes to the question among `lines` of the reply before forgets, `memory 12`; `WHICH` if it asked which, ""
    for nothing.
    """
    asked = next((line for line in lines if line.startswith((IS_IT_THIS, IS_IT_ONE))), "")
    if not asked or not pattern("agrees").match(message):
        return ""
    found = re.search(r"“forget ([^”]+)”", asked)
    return WHICH if asked.startswith(IS_IT_ONE) or found is None else found[1]


def numbers(what: str) -> list[int]:
    """`memory 12`, `12 and 13`: ids; none when something else is said."""
    return _ids(what, pattern("memory_numbers"))


def exchanges(what: str) -> list[int]:
    """`exchange 12`: ids; none when something else is said."""
    return _ids(what, pattern("exchange_numbers"))


def _ids(what: str, expression: re.Pattern[str]) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", what)] if expression.match(what.strip()) else []


def meant(what: str, neighbours: Sequence[Neighbour], *, same: float) -> tuple[list[Neighbour], bool]:
    """The memories that may be meant, the likeliest first, and whether the first is, with
    what states the same.

    `same` is the embedder's calibrated cosine of two texts that say the same.
    """
    if not stems(what):
        return [], False
    said = _words(what)
    valid = [n for n in neighbours if n.memory.is_valid]
    shares = {n.memory.id: len(said & _words(n.memory.content)) / len(said) for n in valid}
    near = [n for n in valid if shares[n.memory.id] >= NEARLY or (n.cosine or 0.0) >= same]
    near.sort(key=lambda n: (-shares[n.memory.id], -(n.cosine or 0.0), n.memory.id))
    clear = [n for n in near if shares[n.memory.id] >= COVERED]
    return near[:MOST], bool(clear) and _state_the_same([n.memory.content for n in clear])


def _state_the_same(contents: Sequence[str]) -> bool:
    """Whether all of them state one fact."""
    keys = frozenset(fact.key for fact in facts(min(contents, key=lambda content: len(stems(content)))))
    return all(states(content, keys.__contains__) for content in contents)


def _words(text: str) -> frozenset[str]:
    """`my number` is not the number of somebody else."""
    return stems(text) | ({"the user"} if "the user" in text.casefold() else set())
