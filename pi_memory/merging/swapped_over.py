"""Two that took each other's place: `Kit cooks on Mondays and Bo on Fridays.`, when they have swapped days. Pure."""

import re

from pi_memory.merging.values import place_of
from pi_memory.text.language import pattern
from pi_memory.text.persons import finished
from pi_memory.text.sentences import sentences, stems


def with_two_swapped(said: str, known: str) -> str | None:
    """What a memory says with each of two in the other's place, if it names both once and says of each what it is; None
    for others.
    """
    found = pattern("two_swapped").match(said)
    if found is None or len(sentences(known)) > 1:
        return None
    one, other = (place_of(re.sub(r"['’]s$", "", found[name]), known) for name in ("one", "other"))
    if one is None or other is None:
        return None
    first, second = sorted((one, other), key=lambda place: place.start())
    between, behind = known[first.end() : second.start()], known[second.end() :]
    joints = [*pattern("clause_joint").finditer(between)]
    if not joints or not stems(between[: joints[-1].start()]) or not stems(behind):
        return None  # Ada, Bo and Kit cook
    if any(place_of(each[0], f"{known[: first.start()]}{between}{behind}") for each in (first, second)):
        return None  # Bo cooks on Mondays, and Kit cleans for Bo
    swapped = f"{known[: first.start()]}{second[0]}{between}{_written_like(first[0], second[0])}{behind}"
    return finished(swapped)


def _written_like(name: str, other: str) -> str:
    """A name as it stands within a sentence: not `The bins`, if the other one is `the paper`."""
    return name if name.split()[0][:1].isupper() == other[:1].isupper() else f"{name[:1].lower()}{name[1:]}"
