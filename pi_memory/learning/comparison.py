"""What one sentence is to another about the same: it says as much, more, or something else. Pure.

They are compared word by word in their order: what is said of a brother is nothing to what is said of a sister, however
alike the two sentences are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pi_memory.learning.contrast import asserted
from pi_memory.text.expressions import words

Verdict = Literal["update", "delete", "noop"]
"""The new sentence says all of the old one and more; it cannot hold beside it; it says nothing that the old one does
not.
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """What two sentences begin with, what each has in its place then, and whether they end alike again."""

    before: str
    new: list[str]
    old: list[str]
    at_end: bool


NEGATION = words(
    r"\b(?:not|no longer|never|cannot|without|any\s?more|no more|no(?!\.)|stopped|nicht|keine?[nrms]?|nie|mehr|pas|plus"
    r"|jamais|nunca|ya no)\b|n't\b"
)
AVERSE = words(r"\b(?:hates?|dislikes?|detests?|avoids?|hasse|déteste|odio)\b")
FOND = words(r"\b(?:likes?|loves?|prefers?|enjoys?|mag|bevorzuge|aime|préfère|prefiero|me gusta)\b")
DOES = frozenset(
    {"do", "does", "did", "is", "are", "was", "the", "a", "an", "really", "now", "that", "user", "user's", "s"}
)
UNHEARD = frozenset({"the", "a", "an", "really", "now"})
"""Words that make no difference."""
AUXILIARY = frozenset({"do", "does", "is", "are"})
VERB = words(
    r"\b(?:is|are|has|have|runs?|lives?|listens?|costs?|starts?|needs?|takes?|stands?|lies|called|named|sits?|goes"
    r"|begins|ends|opens|closes|expires|leaves|arrives|ist|sind|heißt|läuft|beginnt|kostet|wohne|est|sont|coûte"
    r"|s'appelle|es|son|está|cuesta|llama|call)\b"
)
COUNTS = words(r"\b(?:has|have|needs?|takes?|costs?|kostet|coûte|cuesta)$")
"""Verbs behind which a number, and nothing else, is the only one of its kind."""
SINGLE = words(
    r"\b(?:(?:favou?rite|preferred|lieblings)\w*|name|birthday|address|port|password|code|version|phone|number|e-?mail"
    r"|age|path|url|host|deadline|lives in|called|size|limit|timeout|branch|default|capital|boss|username|dentist"
    r"|wohne in|heiße|m'appelle|llamo|j'habite|vivo en|call user)\b"
)
"""What has one value at a time."""
PLACING = words(
    r"(?:\s?\b(?:on|in|at|to|by|until|from|every|due|about|around|am|um|auf|à|au|le|la|en|el|a las))*$",
    r"(?: (?:on|in|at|from))+ [a-z]+$",
)
"""What may stand between a verb and its only value."""
VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.~-]*/[\w./~-]*\w|\w+(?:[.:@-]\w+)+|\w*\d[\w.,:%]*(?<![.,:])")
DAY = words(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|noon|midnight|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|januar|februar|märz|mai|juni"
    r"|juli|oktober|dezember|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin"
    r"|juillet|août|septembre|octobre|novembre|décembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero"
    r"|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
UNIT = words(
    r"(?!(?:on|in|at|to|by|of|and|or|for|the|but|not|am|um|im|et|y|en)$)[a-zµ°%€$£]{1,3}|euros?|dollars?|percent"
    r"|seconds?|minutes?|hours?|days?|weeks?|months?|years?|uhr|degrees?"
)
PASSING = words(
    r"(?:an?|the|not|broken|wrong|down|ill|sick|full|empty|missing|ready|slow|gone|new|old|open|late|away|fine|good|bad"
    r"|unknown|great|nice|very|too|\w+ed|\w+ing)$"
)
"""What is said of something at times, and is no value of it."""
ANYTHING = words(r"\b(?:(?:favou?rite|preferred|lieblings)\w*|name|called|call user)\b")
"""What anything may be the value of."""
GOES_ON = words(
    r"(?:called|named|on|in|at|with|for|from|because|since|and|but|which|who|where|when|while|behind|near|under|by|to"
    r"|of|until|if|as|so|every|each|between|namens|mit|auf|im|am|weil|und|bei|avec|et|dans|sur|parce|chez|con|y|en"
    r"|porque|donde)$"
)
"""What a sentence that was finished goes on with."""
AT_TIMES = words(
    r"\b(?:when|if|while|until|unless|every|each|during|except|only|before|after|always|mornings?|afternoons?|evenings?|nights?"
    r"|weekends?|weekdays?|spring|summer|autumn|winter|holidays?|wenn|jeden?|morgens|abends|sommer|winter|quand|si"
    rf"|chaque|été|hiver|cuando|cada|verano|invierno|{DAY.pattern})\b"
)
"""What makes a sentence say less than it did without it: `drinks coffee` is not said by `drinks coffee on Sundays`."""
TOKEN = re.compile(r"`[^`]+`|[^\s,;!?()\"]+")


def compared(new: str, old: str) -> Verdict | None:
    """What one old sentence leads to for a new one, None for nothing."""
    new, old = asserted(new), asserted(old)
    if _negated(new) != _negated(old):
        one, other = (said_in(text, without=UNHEARD | AUXILIARY) for text in (new, old))
        return "delete" if one and one == other else None
    found = _difference(new, old)
    if found is None:
        return None
    if not found.new:
        return "noop" if not found.old or (found.at_end and _goes_on(found.old)) else None
    if not found.old:
        return "update" if found.at_end and _goes_on(found.new) else None
    return "delete" if _is_another_value(found) else None


def _is_another_value(found: Difference) -> bool:
    """Whether the same is said to be something else that it cannot be as well."""
    verb = VERB.search(found.before)
    if verb is None:
        return False
    single = SINGLE.search(found.before) is not None
    if _are_values(found.new) and _are_values(found.old):
        counted = COUNTS.search(found.before) is not None and not DAY.match(found.new[0])
        placed = PLACING.match(found.before, verb.end()) is not None and not COUNTS.match(verb[0])
        return single or counted or placed
    return single and _are_names(found)


def _goes_on(tail: Sequence[str]) -> bool:
    """Whether a sentence with this tail still says what it says without it."""
    return GOES_ON.match(tail[0]) is not None and AT_TIMES.search(" ".join(tail)) is None


def _difference(new: str, old: str) -> Difference | None:
    """None when they differ at their beginnings."""
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


def _tokens(text: str) -> list[str]:
    tokens = (token.rstrip(".:") for token in TOKEN.findall(text))
    return [token for token in tokens if token and token.casefold() not in UNHEARD]


def stems(text: str) -> frozenset[str]:
    """The words that say something, without endings; polarity is looked at apart."""
    return frozenset(said_in(text))


def said_in(text: str, *, without: frozenset[str] = DOES) -> list[str]:
    """The words that say something in their order, without endings and polarity."""
    plain = AVERSE.sub(" ", FOND.sub(" ", NEGATION.sub(" ", text)))
    found = re.findall(r"\w+(?:[.:/@-]\w+)*", plain.casefold())
    return [_stem(word) for word in found if word not in without]


def _stem(word: str) -> str:
    if any(character.isdigit() for character in word):
        return word
    if word == "has":
        return "have"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _negated(text: str) -> bool:
    """Whether a sentence denies: `does not like` and `hates` alike."""
    return (len(NEGATION.findall(text)) + len(AVERSE.findall(text))) % 2 == 1


def _are_values(tokens: Sequence[str]) -> bool:
    """Numbers with their units, paths, days, and nothing else: what a sentence has in one place only once."""
    values = [VALUE.fullmatch(token) or DAY.fullmatch(token) for token in tokens]
    return bool(values[0]) and all(v or UNIT.fullmatch(t) for v, t in zip(values, tokens, strict=True))


def _are_names(found: Difference) -> bool:
    """Whether both are names, or both are plain words for a kind of thing; not how something is."""
    both = (found.new[0], found.old[0])
    if max(len(found.new), len(found.old)) > 4 or both[0][0].isupper() != both[1][0].isupper():
        return False
    return ANYTHING.search(found.before) is not None or not any(map(PASSING.match, both))
