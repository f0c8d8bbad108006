"""Compares two sentences about the same: the new one says as much, more, or something else. Pure.

They are compared word by word in order: a statement about a brother does not touch one about a sister, however similar
the two sentences are.
"""

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from pi_memory.text.contrast import asserted
from pi_memory.text.language import pattern, remembered, words
from pi_memory.text.stems import stem

Verdict = Literal["replace", "end", "noop"]
"""The new sentence says all of the old one and more; it cannot hold beside it; it says nothing that the old one does
not.
"""


class Difference(Struct, frozen=True):
    """The common beginning of two sentences, what follows in each, and whether they end alike."""

    before: str
    new: Sequence[str]
    old: Sequence[str]
    at_end: bool


FEWEST_DENIED = 2
"""Words of a denial from which on it denies what says more, too."""
VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.~-]*/[\w./~-]*\w|\w+(?:[.:@-]\w+)+|\w*\d[\w.,:%]*(?<![.,:])")
TOKEN = re.compile(r"`[^`]+`|[^\s,;!?()\"]+")


def compared(new: str, old: str) -> Verdict | None:
    """What a new sentence means for an old one; None for nothing."""
    new, old = asserted(new), asserted(old)
    if _negated(new) != _negated(old):
        denied, said = (new, old) if _negated(new) else (old, new)
        return "end" if _denies(denied, said) else None
    found = _difference(new, old)
    if found is None:
        return None
    if not found.new:
        return "noop" if not found.old or (found.at_end and _goes_on(found.old)) else None
    if not found.old:
        return "replace" if found.at_end and _goes_on(found.new) else None
    return "end" if _is_another_value(found) else None


def _denies(denied: str, said: str) -> bool:
    """Whether a sentence says with a *not* what another one says, or what that begins with: `We aren't going to the
    wedding after all`, of `We're going to Bo's wedding in June`. Whose it is, and who Clara is, may be left out.
    """
    without = words("unheard_words") | words("auxiliary_words")
    mine = said_in(pattern("at_all").sub("", denied.rstrip(" .!")), without=without)
    theirs = said_in(said, without=without)
    if len(mine) < FEWEST_DENIED:
        return bool(mine) and mine == theirs
    begin = theirs.index(mine[0]) if mine[0] in theirs else len(theirs)
    place, may_skip = begin, True
    skipped = theirs[:begin]
    for word in mine:
        while place < len(theirs) and theirs[place] != word and may_skip:
            skipped.append(theirs[place])
            place += 1
        if place == len(theirs) or theirs[place] != word:
            return False
        place, may_skip = place + 1, _joins(word)
    rest = " ".join(theirs[place:])
    goes_on = any(pattern(name).match(word) for word in theirs[place : place + 1] for name in ("tail", "day"))
    return not any(map(_joins, skipped)) and (not rest or goes_on) and not pattern("reported").match(rest)


def _joins(word: str) -> bool:
    """Whether a word joins what stands behind it to what stands before: `to`, `with`, `and`."""
    return any(pattern(name).match(f"{word} ") for name in ("lead", "begins_joined"))


def _is_another_value(found: Difference) -> bool:
    """Whether the same is said to be something else that it cannot be as well."""
    verb = pattern("verb").search(found.before)
    if verb is None:
        return False
    single = pattern("single").search(found.before) is not None
    if _are_values(found.new) and _are_values(found.old):
        counted = pattern("counts").search(found.before) is not None and not pattern("day").match(found.new[0])
        placed = pattern("placing").match(found.before, verb.end()) is not None and not pattern("counts").match(verb[0])
        return single or counted or placed
    return single and _are_names(found)


def _goes_on(tail: Sequence[str]) -> bool:
    """Whether a sentence with this tail still says what it says without it."""
    return pattern("tail").match(tail[0]) is not None and pattern("at_times").search(" ".join(tail)) is None


def _difference(new: str, old: str) -> Difference | None:
    """The difference; None when the beginnings differ."""
    one, other = _tokens(new), _tokens(old)
    mine, theirs = ([_stem(token.casefold()) for token in tokens] for tokens in (one, other))
    begin = end = 0
    while begin < min(len(one), len(other)) and mine[begin] == theirs[begin]:
        begin += 1
    while end < min(len(one), len(other)) - begin and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    if begin < 2:
        return None
    return Difference(
        " ".join(one[:begin]), one[begin : len(one) - end], other[begin : len(other) - end], at_end=end == 0
    )


@remembered(256)
def _tokens(text: str) -> tuple[str, ...]:
    tokens = (token.rstrip(".:") for token in TOKEN.findall(text))
    return tuple(token for token in tokens if token and token.casefold() not in words("unheard_words"))


@remembered(512)
def stems(text: str) -> frozenset[str]:
    """The words that say something, without endings; polarity is looked at apart."""
    return frozenset(said_in(text))


def said_in(text: str, *, without: frozenset[str] | None = None) -> list[str]:
    """The words that say something in their order, without endings and polarity; `without` those given."""
    plain = pattern("averse").sub(" ", pattern("fond").sub(" ", pattern("negation").sub(" ", text)))
    found = re.findall(r"\w+(?:[.:/@-]\w+)*", plain.casefold())
    left_out = words("polarity_words") if without is None else without
    return [_stem(word) for word in found if word not in left_out]


def _stem(word: str) -> str:
    return stem("have" if word == "has" else word)


@remembered(256)
def _negated(text: str) -> bool:
    """Whether a sentence denies: `does not like` and `hates` alike."""
    return (len(pattern("negation").findall(text)) + len(pattern("averse").findall(text))) % 2 == 1


def _are_values(tokens: Sequence[str]) -> bool:
    """Numbers with their units, paths, days, and nothing else: what a sentence has in one place only once."""
    values = [VALUE.fullmatch(token) or pattern("day").fullmatch(token) for token in tokens]
    return bool(values[0]) and all(v or pattern("unit").fullmatch(t) for v, t in zip(values, tokens, strict=True))


def _are_names(found: Difference) -> bool:
    """Whether both are names, or both are plain words for a kind of thing; not how something is, nor with more said."""
    both = (found.new[0], found.old[0])
    if any(map(pattern("tail").match, (*found.new, *found.old))):
        return False
    if max(len(found.new), len(found.old)) > 4 or both[0][0].isupper() != both[1][0].isupper():
        return False
    return pattern("single_of_anything").search(found.before) is not None or not any(
        map(pattern("passing_state").match, both)
    )
