"""Leaves out of the results what no longer holds. Pure.

A memory that was replaced takes the sentence it rests on with it.
"""

from collections.abc import Sequence

from pi_memory.text.contrast import asserted
from pi_memory.text.language import pattern
from pi_memory.text.sentences import sentences, stems

SAYS = 0.8
"""Share of the words of a memory with which a sentence says the same."""


def without(text: str, ended: Sequence[str]) -> str:
    """A message without the sentences that no longer hold; "" when nothing is left."""
    for sentence in ended:
        text = text.replace(sentence, " ")
    return " ".join(text.split()).strip(" ,;") if ended else text


def unsaid(text: str, over: Sequence[str]) -> str:
    """A message without its sentences that say what one of the memories said that are over; "" when nothing is left."""
    gone = [content for content in map(stems, over) if content]
    if not gone:
        return text
    kept = [s for s in sentences(text) if not any(len(stems(s) & each) >= SAYS * len(each) for each in gone)]
    return text if len(kept) == len(sentences(text)) else "\n".join(kept)


def standing(text: str, corrected: Sequence[str]) -> str:
    """What a text says that corrected those contents, without what it only says to be over: `I quit the bakery. I work
    at the library.`; all of it where nothing else is left.
    """
    if not corrected:
        return text
    old = frozenset().union(*map(stems, corrected))
    said = sentences(text)
    left = [s for s in said if not (pattern("says_over").search(s) and stems(s) & old)] or said
    return " ".join(pattern("in_place_of").sub("", asserted(sentence)) for sentence in left)
