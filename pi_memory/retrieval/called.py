"""The names of the things and people in a question: `the dog` is Bosun, and Bracken is a horse. Pure.

Who asks says `the dog`, who tells says Bosun, and their meanings are not near. What was found for a question says what
is called what; then it is asked once more with the other word.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pi_memory.text.language import pattern, remembered, words

MOST = 3
"""Most words of a question that another stands for."""


class Called(NamedTuple):
    """`kind` is what something is: `dog`; `name` what it is called: `Bosun`."""

    kind: str
    name: str


def known(texts: Iterable[str]) -> list[Called]:
    """What is called what, by some texts."""
    return list(dict.fromkeys(each for text in texts for each in _known_by(text)))


@remembered(256)
def _known_by(text: str) -> list[Called]:
    forms = "is_called", "name_first", "titled_kin"
    found = (each for name in forms for each in pattern(name).finditer(text))
    return [Called(_kind(each["owned"]), each["name"]) for each in found]


def with_names(question: str, called: Sequence[Called]) -> str:
    """The question with the name in place of each kind, and the kind in place of each name."""
    replaced = 0
    for each in called:
        kind, name = _found(each.kind, question), _found(each.name, question)
        if bool(kind) == bool(name) or replaced == MOST:
            continue
        place, other = (kind, each.name) if kind else (name, each.kind)
        assert place is not None
        question = f"{question[: place.start()]}{other}{question[place.end() :]}"
        replaced += 1
    return question


def introduced(said: str, before: str) -> str:
    """What was said, with what somebody is to the user whom an earlier text introduced, unless it says so itself, or
    that something is over: `My sister Maeve moved to Limerick.` for `Maeve moved to Limerick.` A thing that is only
    told apart is named too: `the Wednesday class` for `the Wednesday one`.
    """
    said = with_thing(said, before)
    if pattern("says_over").search(said):
        return said
    for found in pattern("is_called").finditer(before):
        name = _found(found["name"], said)
        if name and not _found(_kind(found["owned"]), said) and _stands_alone(name):
            owned = found["owned"]
            owned = owned[:1].lower() + owned[1:] if said[: name.start()].strip() else owned
            said = f"{said[: name.start()]}{owned} {said[name.start() :]}"
    return said


def with_thing(said: str, before: str) -> str:
    """What was said, with the thing that it only tells apart as an earlier text names it."""
    one = pattern("one_of_these").search(said)
    thing = re.search(rf"\b{re.escape(one['which'])}\s+([^\W\d_]+)", before, re.IGNORECASE) if one else None
    if not one or not thing or thing[1].casefold() in words("stop_words"):
        return said
    return f"{said[: one.start('one')]}{thing[1]}{said[one.end('one') :]}"


def _stands_alone(name: re.Match[str]) -> bool:
    """Whether nothing before a name goes with it: `the old Maeve`."""
    before = name.string[: name.start()].split()[-1:]
    return not any(each.islower() and each not in words("stop_words") for each in before)


def _found(said: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text, re.IGNORECASE)


def _kind(owned: str) -> str:
    """`dog` of `our dog`."""
    return pattern("owning").sub("", owned, count=1).strip()
