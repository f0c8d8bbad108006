"""Decides by rules whether a candidate is new, known, a rewording of a memory, or its end. No model. Pure.

In doubt it is added beside similar memories: two memories that say nearly the same cost little, a lost one much. So
nothing ends because its vector is near.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from msgspec import Struct

from pi_memory.judges.comparison import compared, said_in, stems
from pi_memory.memories.namespaces import root
from pi_memory.merging.remainder import merged
from pi_memory.merging.values import place_of
from pi_memory.text.contrast import contrast, left_behind
from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.spelling import likeness
from pi_memory.text.stems import stem
from pi_memory.types import Candidate, Memory, Vectors

Action = Literal["add", "replace", "end", "noop"]


class Neighbour(Struct, frozen=True):
    """A memory similar to the candidate. `cosine` is that of their contents, `vector` the memory's, shape
    (dimensions,); None without an embedder.
    """

    memory: Memory
    cosine: float | None = None
    vector: Vectors | None = None


class Decision(Struct, frozen=True):
    """`add`; `replace` the memory `id`, which the candidate says better; `end` it, which it contradicts; or `noop`,
    as `id` says it already. `replace` and `end` close its interval in favour of the candidate.

    `content`, if any, is what is to be kept instead of the candidate's. `also` are others that end with it; `restated`
    those that hold, but say themselves what the ended one said for them; `linked` those that are about the same;
    `doubts` those that the candidate may make untrue, each with how likely, the
    likeliest first.
    """

    action: Action
    id: int | None = None
    content: str | None = None
    also: tuple[int, ...] = ()
    restated: tuple[tuple[int, str], ...] = ()
    linked: tuple[int, ...] = ()
    doubts: tuple[tuple[int, float], ...] = ()


LIKE = 0.8
"""Likeness of contents, words in alphabetical order, from which on they are about the same, if no embedder says so."""
SAME_SUBJECT = 0.8


def decide(candidate: Candidate, neighbours: Sequence[Neighbour], *, related: float) -> Decision:
    """The decision about a candidate. `related` is the embedder's calibrated cosine of texts about the same.

    Only memories of the same place count: what holds for one project says nothing about another.
    """
    near = _near(candidate, neighbours)
    for neighbour in near:
        if _plain(neighbour.memory.content) == _plain(candidate.content):
            return Decision("noop", neighbour.memory.id)
    if (corrected := _corrected(candidate, near)) is not None:
        return corrected
    if (ended := _left_behind(candidate, near)) is not None:
        return ended
    if (given_up := _given_up(candidate, near)) is not None:
        return given_up
    in_order = _sorted(candidate.content)
    for neighbour in sorted(near, key=lambda n: -likeness(in_order, _sorted(n.memory.content))):
        if (action := compared(candidate.content, neighbour.memory.content)) is not None:
            return Decision(action, neighbour.memory.id)
    return Decision("add", linked=about(candidate, near, related=related))


def as_written(decision: Decision, candidate: Candidate, neighbours: Sequence[Neighbour]) -> Decision:
    """The decision about what a program writes: as it is written, unless the very same is there."""
    if decision.action != "noop":
        return decision
    known = next(n.memory for n in neighbours if n.memory.id == decision.id)
    return decision if _written(known) == _written(candidate) else Decision("add")


def about(said: Candidate | Memory, neighbours: Sequence[Neighbour], *, related: float) -> tuple[int, ...]:
    """The ids of those that are about the same, in the same place."""
    mine, in_order = stems(said.content), _sorted(said.content)
    return tuple(
        n.memory.id
        for n in _near(said, neighbours)
        if (n.cosine is not None and n.cosine >= related) or _is_like(mine, in_order, n.memory.content)
    )


def _written(memory: Candidate | Memory) -> tuple[str, ...]:
    return _plain(memory.content), memory.namespace, memory.type


def _near(said: Candidate | Memory, neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    return [n for n in neighbours if n.memory.is_valid and root(n.memory.namespace) == root(said.namespace)]


def _corrected(candidate: Candidate, near: Sequence[Neighbour]) -> Decision | None:
    """`it is X, not Z`: ends the one memory that says Z of it; a vague subject is that memory's. Where Z is a number, a
    day or a name, also the only one that says it and has another word of the sentence: `The garlic went in on the 5th,
    not the 2nd.`

    What the memory says besides is kept, with X in the place of Z.
    """
    found = contrast(candidate.content)
    if found is None or candidate.priority != "highest":
        return None
    wrong, subject = found.wrong.strip(" .,`\"'"), _subject(found.subject)
    wrongly = [n.memory for n in near if place_of(wrong, n.memory.content)]
    hit = [memory for memory in wrongly if subject <= _all_of(memory.content)]
    if wrongly and not hit and found.is_specific:
        named = _named_in(found.subject)
        hit = [memory for memory in wrongly if named & _named_in(memory.content)]
    if (longest := _one_said(hit)) is None:
        return None
    also = tuple(memory.id for memory in hit if memory is not longest)
    content = merged(candidate.content, longest.content)
    return Decision("end", longest.id, content=content, also=also)


def _left_behind(candidate: Candidate, near: Sequence[Neighbour]) -> Decision | None:
    """`runs on X instead of Z`, `moved from Z to X`: ends the one memory that says Z of the same subject."""
    wrong = left_behind(candidate.content)
    if not wrong:
        return None
    known = _all_of(candidate.content)
    hit = [n.memory for n in near if place_of(wrong, n.memory.content) and _subject(n.memory.content) <= known]
    if (longest := _one_said(hit)) is None:
        return None
    return Decision("end", longest.id, also=tuple(memory.id for memory in hit if memory is not longest))


def _given_up(candidate: Candidate, near: Sequence[Neighbour]) -> Decision | None:
    """`no more Z, I take X`: ends the one memory that says Z; where Z is no name or number, of something else that was
    said too.
    """
    found = pattern("no_more").match(candidate.content)
    if found is None or not stems(found["instead"]):
        return None
    said, is_specific = stems(found["instead"]) - _idle(), pattern("specific").search(f" {found['wrong']}")
    hit = [n.memory for n in near if place_of(found["wrong"], n.memory.content)]
    if (longest := _one_said(hit)) is None or not (is_specific or said & stems(longest.content)):
        return None
    return Decision("end", longest.id, also=tuple(memory.id for memory in hit if memory is not longest))


def _one_said(hit: Sequence[Memory]) -> Memory | None:
    """The longest of memories if it has what all of them say: a statement, and the same with its context."""
    longest = max(hit, key=lambda memory: len(memory.content), default=None)
    if longest is None or not all(_plain(memory.content) in _plain(longest.content) for memory in hit):
        return None
    return longest


def _subject(text: str) -> set[str]:
    """The words before the verb, or before where it is if there is none; none for a vague subject; when it is only the
    user, the verb too.
    """
    if pattern("vague_subject").match(text):
        return set()
    verb = pattern("verb").search(text)
    named = stems(text[: verb.start()] if verb else " ".join(takewhile(_names, text.split())))
    return {*named} or {*said_in(text[: verb.end()] if verb else text, without=words("polarity_words") - {"user"})}


def _named_in(text: str) -> frozenset[str]:
    """The words of a text that may say what it is about: no day, no date, none that only joins others."""
    return stems(pattern("on_date").sub("", text)) - _idle()


@remembered(1)
def _idle() -> frozenset[str]:
    return frozenset(map(stem, [*forms("weekday_name"), *words("function_words")]))


def _names(word: str) -> bool:
    return pattern("placing").fullmatch(word) is None


def _all_of(text: str) -> set[str]:
    return {*said_in(text, without=frozenset())}


def _is_like(mine: frozenset[str], in_order: str, other: str) -> bool:
    """Whether another text has most of the stems of one, or is written like it, which is given `in_order`."""
    theirs = stems(other)
    shared = len(mine & theirs)
    overlaps = shared >= 2 and shared >= SAME_SUBJECT * min(len(mine), len(theirs))
    return overlaps or likeness(in_order, _sorted(other)) >= LIKE


@remembered(512)
def _sorted(text: str) -> str:
    return " ".join(sorted(_plain(text).split()))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
