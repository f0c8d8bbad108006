"""Whether a candidate is new, known, another wording of a memory, or the end of one. Rules, no model. Pure.

In doubt it is added beside what is like it: two memories that say nearly the same cost little, a lost one much. So
sentences are compared word by word in their order: what is said of a brother ends nothing that is said of a sister,
however alike the two sentences are and their vectors.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from pi_memory.knowledge import phrases
from pi_memory.knowledge.contrast import contrast
from pi_memory.turn import Candidate, Memory

Action = Literal["add", "update", "delete", "noop"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory that is like the candidate. `cosine` is that of their contents, None without an embedder."""

    memory: Memory
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`add`; `update` the memory `id`, which the candidate says better; `delete` it, which it contradicts; or `noop`,
    as `id` says it already. `update` and `delete` close its interval in favour of the candidate.

    `content`, if any, is what is to be kept instead of the candidate's. `linked` are those that are about the same.
    """

    action: Action
    id: int | None = None
    content: str | None = None
    linked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """What two sentences begin with, what each has in its place then, and whether they end alike again."""

    before: str
    new: list[str]
    old: list[str]
    at_end: bool


LIKE = 80.0
"""rapidfuzz's `token_sort_ratio` of contents from which on they are about the same, where no embedder says so."""
SAME_SUBJECT = 0.8

NEGATION = phrases.words(
    r"\b(?:not|no longer|never|cannot|without|any\s?more|no more|no(?!\.)|stopped|nicht|keine?[nrms]?|nie|mehr|pas|plus"
    r"|jamais|nunca|ya no)\b|n't\b"
)
AVERSE = phrases.words(r"\b(?:hates?|dislikes?|detests?|avoids?|hasse|déteste|odio)\b")
FOND = phrases.words(r"\b(?:likes?|loves?|prefers?|enjoys?|mag|bevorzuge|aime|préfère|prefiero|me gusta)\b")
DOES = frozenset(
    {"do", "does", "did", "is", "are", "was", "the", "a", "an", "really", "now", "that", "user", "user's", "s"}
)
UNHEARD = frozenset({"the", "a", "an", "really", "now"})
"""Words that make no difference."""
AUXILIARY = frozenset({"do", "does", "is", "are"})
VERB = phrases.words(
    r"\b(?:is|are|has|have|runs?|lives?|listens?|costs?|starts?|needs?|takes?|stands?|lies|called|named|sits?|goes"
    r"|begins|ends|opens|closes|expires|leaves|arrives|ist|sind|heißt|läuft|beginnt|kostet|wohne|est|sont|coûte"
    r"|s'appelle|es|son|está|cuesta|llama|call)\b"
)
COUNTS = phrases.words(r"\b(?:has|have|needs?|takes?|costs?|kostet|coûte|cuesta)$")
"""Verbs behind which a number, and nothing else, is the only one of its kind."""
SINGLE = phrases.words(
    r"\b(?:(?:favou?rite|preferred|lieblings)\w*|name|birthday|address|port|password|code|version|phone|number|e-?mail"
    r"|age|path|url|host|deadline|lives in|called|size|limit|timeout|branch|default|capital|boss|username|dentist"
    r"|wohne in|heiße|m'appelle|llamo|j'habite|vivo en|call user)\b"
)
"""What has one value at a time."""
PLACING = phrases.words(
    r"(?:\s?\b(?:on|in|at|to|by|until|from|every|due|about|around|am|um|auf|à|au|le|la|en|el|a las))*$",
    r"(?: (?:on|in|at|from))+ [a-z]+$",
)
"""What may stand between a verb and its only value."""
VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.~-]*/[\w./~-]*\w|\w+(?:[.:@-]\w+)+|\w*\d[\w.,:%]*(?<![.,:])")
DAY = phrases.words(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|noon|midnight|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|januar|februar|märz|mai|juni"
    r"|juli|oktober|dezember|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin"
    r"|juillet|août|septembre|octobre|novembre|décembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero"
    r"|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
UNIT = phrases.words(
    r"(?!(?:on|in|at|to|by|of|and|or|for|the|but|not|am|um|im|et|y|en)$)[a-zµ°%€$£]{1,3}|euros?|dollars?|percent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|uhr|degrees?"
)
PASSING = phrases.words(
    r"(?:an?|the|not|broken|wrong|down|ill|sick|full|empty|missing|ready|slow|gone|new|old|open|late|away|fine|good|bad"
    r"|unknown|great|nice|very|too|\w+ed|\w+ing)$"
)
"""What is said of something at times, and is no value of it."""
GOES_ON = phrases.words(
    r"(?:called|named|on|in|at|with|for|from|because|since|and|but|which|who|where|when|while|behind|near|under|by|to"
    r"|of|until|if|as|so|every|each|between|namens|mit|auf|im|am|weil|und|bei|avec|et|dans|sur|parce|chez|con|y|en"
    r"|porque|donde)$"
)
"""What a sentence that was finished goes on with."""
TOKEN = re.compile(r"`[^`]+`|[^\s,;!?()\"]+")
VAGUE = phrases.words(r"(?:it|that|this|he|she|they|es|das|er|sie|c'|ce|il|elle|eso|esto)\b")


def decide(candidate: Candidate, neighbours: Sequence[Neighbour], *, related: float) -> Decision:
    """What to do with a candidate. `related` is the embedder's calibrated cosine of texts about the same.

    Only memories of the same place count: what holds for one project says nothing about another.
    """
    near = [n for n in neighbours if n.memory.is_valid and _place(n.memory.namespace) == _place(candidate.namespace)]
    for neighbour in near:
        if _plain(neighbour.memory.content) == _plain(candidate.content):
            return Decision("noop", neighbour.memory.id)
    if (corrected := _corrected(candidate, near)) is not None:
        return corrected
    for neighbour in sorted(near, key=lambda n: -_likeness(candidate, n)):
        if (action := compared(candidate.content, neighbour.memory.content)) is not None:
            return Decision(action, neighbour.memory.id)
    about = [n.memory.id for n in near if _is_like(candidate, n, related)]
    return Decision("add", linked=tuple(about))


def compared(new: str, old: str) -> Action | None:
    """What one old sentence leads to for a new one, None for nothing."""
    if _negated(new) != _negated(old):
        return (
            "delete" if (said := _said(new, UNHEARD | AUXILIARY)) and said == _said(old, UNHEARD | AUXILIARY) else None
        )
    found = _difference(new, old)
    if found is None:
        return None
    if not found.new:
        return "noop" if not found.old or (found.at_end and GOES_ON.match(found.old[0])) else None
    if not found.old:
        return "update" if found.at_end and GOES_ON.match(found.new[0]) else None
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
    return single and _are_names(found.new, found.old)


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


def _corrected(candidate: Candidate, near: Sequence[Neighbour]) -> Decision | None:
    """`it is X, not Z`: ends the one memory that says Z of it; a vague subject is that memory's.

    What the memory says besides is kept, with X in the place of Z.
    """
    said = candidate.content.rstrip(" .!")
    found = contrast(said)
    if found is None or candidate.priority != "highest":
        return None
    wrong, vague = found.wrong.strip(" .,`\"'"), VAGUE.match(said) is not None
    subject = _subject(found.subject)
    hit = [n for n in near if _has(n.memory.content, wrong) and (vague or subject <= {*_said(n.memory.content, ())})]
    if len(hit) != 1:
        return None
    old = hit[0].memory
    more = stems(old.content) - stems(said)
    return Decision("delete", old.id, content=_replaced(old.content, wrong, _tail(found.right)) if more else None)


def _subject(text: str) -> set[str]:
    """The words before the verb; that too when it is only the user."""
    verb = VERB.search(text)
    named = {*_said(text[: verb.start()], DOES)} if verb else set()
    return named or {*_said(text[: verb.end()] if verb else text, DOES - {"user"})}


def _tail(right: str) -> str:
    """What is said of a subject: `it is port 8081` -> `port 8081`."""
    verb = VERB.search(right)
    return right[verb.end() :].strip(" .,;") if verb else right.strip(" .,;")


def _replaced(old: str, wrong: str, right: str) -> str:
    """The old content with the right value in the place of the wrong one; a word that both have is there once."""
    start = re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", old, re.IGNORECASE)
    if start is None:
        return old
    words = right.split()
    before = old[: start.start()].split()
    if len(words) > 1 and before and before[-1].casefold() == words[0].casefold():
        words = words[1:]
    return old[: start.start()] + " ".join(words) + old[start.end() :]


def _is_like(candidate: Candidate, neighbour: Neighbour, related: float) -> bool:
    if neighbour.cosine is not None and neighbour.cosine >= related:
        return True
    mine, theirs = stems(candidate.content), stems(neighbour.memory.content)
    shared = len(mine & theirs)
    return (shared >= 2 and shared >= SAME_SUBJECT * min(len(mine), len(theirs))) or _likeness(
        candidate, neighbour
    ) >= LIKE


def _likeness(candidate: Candidate, neighbour: Neighbour) -> float:
    return float(fuzz.token_sort_ratio(_plain(candidate.content), _plain(neighbour.memory.content)))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _tokens(text: str) -> list[str]:
    tokens = (token.rstrip(".:") for token in TOKEN.findall(text))
    return [token for token in tokens if token and token.casefold() not in UNHEARD]


def stems(text: str) -> frozenset[str]:
    """The words that say something, without endings; polarity is looked at apart."""
    return frozenset(_said(text))


def _said(text: str, left_out: frozenset[str] | tuple[()] = DOES) -> list[str]:
    """The words that say something in their order, without endings and polarity."""
    plain = AVERSE.sub(" ", FOND.sub(" ", NEGATION.sub(" ", text)))
    words = re.findall(r"\w+(?:[.:/@-]\w+)*", plain.casefold())
    return [_stem(word) for word in words if word not in left_out]


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


def _are_names(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether both are names, or both are plain words for a kind of thing; not how something is."""
    if max(len(new), len(old)) > 4 or PASSING.match(new[0]) or PASSING.match(old[0]):
        return False
    return new[0][0].isupper() == old[0][0].isupper()


def _has(content: str, wrong: str) -> bool:
    return bool(wrong) and re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", content, re.IGNORECASE) is not None


def _place(namespace: str) -> tuple[str, ...]:
    """`user`, `global`, or `project` with its name."""
    parts = namespace.split("/")
    return tuple(parts[:2]) if parts[0] == "project" else (parts[0],)
