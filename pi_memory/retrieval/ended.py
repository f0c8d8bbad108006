"""Leaves out of the results what no longer holds. Pure.

A memory that was replaced takes the sentence it rests on with it. Of two statements about the same thing that both
answer a question, the newer one counts: the older one is left out of the results, not ended.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pi_memory.text.contrast import asserted
from pi_memory.text.language import pattern
from pi_memory.text.sentences import sentences, stems
from pi_memory.types import Recalled, Vectors

SAME_THING = 0.65
"""Calibrated cosine from which on two memories are about the same thing (MiniLM: a cosine of 0.5). Of 208 questions
about facts that nobody corrected none lost its answer.
"""
SAYS = 0.8
"""Share of the words of a memory with which a sentence says the same."""
ANSWERS_AS_WELL = 0.75
"""Share of the older one's similarity that the newer one needs: what does not answer replaces no answer."""


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


def newest(results: Sequence[Recalled], vectors: Mapping[int, Vectors], *, same: float) -> list[Recalled]:
    """`results`, best first, without the memories that a newer one of them replaces. `vectors` are those of memories,
    by id; `same` is the cosine from which on they are about the same thing.
    """
    memories = [result for result in results if result.kind == "memory" and result.id in vectors]
    gone = set(_replaced(memories, vectors, same)) if memories else set()
    return [result for result in results if result.kind != "memory" or result.id not in gone]


def _replaced(memories: Sequence[Recalled], vectors: Mapping[int, Vectors], same: float) -> list[int]:
    """Ids of the memories that a newer one of the same namespace stands for."""
    of_each = np.stack([vectors[memory.id] for memory in memories])
    ids, similarity = np.array([m.id for m in memories]), np.array([m.similarity for m in memories])
    places = np.array([m.namespace or "" for m in memories])
    stands_for = (of_each @ of_each.T >= same) & (ids[:, None] > ids) & (places[:, None] == places)
    stands_for &= similarity[:, None] >= ANSWERS_AS_WELL * similarity
    replaced: list[int] = ids[stands_for.any(axis=0)].tolist()
    return replaced
