"""Whether a candidate is new, known, another wording of a memory, or the end of one. Rules, no model. Pure.

In doubt it is added beside what is like it: two memories that say nearly the same cost little, a lost one much.
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


LIKE = 80.0
"""rapidfuzz's `token_sort_ratio` of contents from which on they are about the same, where no embedder says so."""
SAME_SUBJECT = 0.8

NEGATION = phrases.words(
    r"\b(?:not|no longer|never|cannot|without|any ?more|no more|stopped|nicht|keine?[nrms]?|nie|mehr|pas|plus|jamais"
    r"|nunca|ya no)\b|n't\b"
)
AVERSE = phrases.words(r"\b(?:hates?|dislikes?|detests?|avoids?|hasse|déteste|odio)\b")
FOND = phrases.words(
    r"\b(?:likes?|loves?|prefers?|enjoys?|uses?|wants?|mag|bevorzuge|aime|préfère|prefiero|me gusta)\b"
)
DOES = frozenset(
    {"do", "does", "did", "is", "are", "was", "the", "a", "an", "really", "now", "that", "user", "user's", "s"}
)
VERB = phrases.words(
    r"\b(?:is|are|was|were|has|have|runs?|lives?|works?|listens?|uses?|costs?|starts?|needs?|takes?|stands?|lies|moved|called"
    r"|named|sits?|goes|begins|ends|ist|sind|heißt|läuft|wohne|est|sont|s'appelle|es|son|está|llama|call)\b"
)
SINGLE = phrases.words(
    r"\b(?:(?:favou?rite|preferred|lieblings)\w*|name|birthday|address|port|password|code|version|phone|number|e-?mail|age"
    r"|password|path|url|host|deadline|lives in|called|size|limit|timeout|branch|default|capital|boss|username|wohne in"
    r"|heiße|m'appelle|llamo|j'habite|vivo en|call the user)\b"
)
"""What has one value at a time."""
VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.~-]*/[\w./~-]*\w|\w+(?:[.:@-]\w+)+|\w*\d[\w.,:%]*(?<![.,:])")
DAY = phrases.words(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|morning|noon|afternoon|evening|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
)
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
        if (decision := _against(candidate, neighbour, related)) is not None:
            return decision
    about = [n.memory.id for n in near if _is_like(candidate, n, related)]
    return Decision("add", linked=tuple(about))


def _against(candidate: Candidate, neighbour: Neighbour, related: float) -> Decision | None:
    """What one neighbour alone leads to, None for nothing."""
    new, old = candidate.content, neighbour.memory.content
    if _contradicts(new, old):
        return Decision("delete", neighbour.memory.id)
    mine, theirs = stems(new), stems(old)
    if _negated(new) != _negated(old) or not mine or not theirs or not _is_like(candidate, neighbour, related):
        return None
    if mine <= theirs:
        return Decision("noop", neighbour.memory.id)
    return Decision("update", neighbour.memory.id) if theirs < mine and len(theirs) >= 2 else None


def _contradicts(new: str, old: str) -> bool:
    """The same subject with another value; or the same said and denied."""
    mine, theirs = stems(new), stems(old)
    if _negated(new) != _negated(old) and mine and theirs:
        return len(mine & theirs) >= SAME_SUBJECT * min(len(mine), len(theirs)) and abs(len(mine) - len(theirs)) <= 1
    found = _difference(new, old)
    if found is None:
        return False
    before, one, other = found
    if not VERB.search(before):
        return False
    single = SINGLE.search(before) is not None and len(one) <= 4 and len(other) <= 4
    return single or (_are_values(one) and _are_values(other) and bool(one) and bool(other))


def _difference(new: str, old: str) -> tuple[str, list[str], list[str]] | None:
    """What two sentences begin with, and where they then differ; None when they differ at their beginnings."""
    one, other = _tokens(new), _tokens(old)
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < min(len(one), len(other)) - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    if begin < 2:
        return None
    return " ".join(one[:begin]), one[begin : len(one) - end], other[begin : len(other) - end]


def _corrected(candidate: Candidate, near: Sequence[Neighbour]) -> Decision | None:
    """`it is X, not Z`: ends the one memory that says Z of it; a vague subject is that memory's."""
    said = candidate.content.rstrip(" .!")
    found = contrast(said)
    if found is None or candidate.priority != "highest":
        return None
    wrong, vague = found.wrong.strip(" .,`\"'"), VAGUE.match(said) is not None
    subject = stems(found.subject)
    hit = [n for n in near if _has(n.memory.content, wrong) and (vague or subject & stems(n.memory.content))]
    if len(hit) != 1:
        return None
    old = hit[0].memory
    right = _tail(found.right) if vague else None
    return Decision("delete", old.id, content=_replaced(old.content, wrong, right) if right else None)


def _tail(right: str) -> str:
    """What is said of a vague subject: `it is port 8081` -> `port 8081`."""
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
    return [token.casefold().rstrip(".:") for token in TOKEN.findall(text)]


def stems(text: str) -> frozenset[str]:
    """The words that say something, without endings; polarity is looked at apart."""
    plain = AVERSE.sub(" ", FOND.sub(" ", NEGATION.sub(" ", text)))
    words = re.findall(r"\w+(?:[.:/@-]\w+)*", plain.casefold())
    return frozenset(word if any(c.isdigit() for c in word) else _stem(word) for word in words if word not in DOES)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _negated(text: str) -> bool:
    """Whether a sentence denies: `does not like` and `hates` alike."""
    return (len(NEGATION.findall(text)) + len(AVERSE.findall(text))) % 2 == 1


def _are_values(tokens: Sequence[str]) -> bool:
    """Numbers, paths, days: what a sentence has in one place only once. Words around them do not matter."""
    return 0 < len(tokens) <= 4 and any(VALUE.fullmatch(token) or DAY.fullmatch(token) for token in tokens)


def _has(content: str, wrong: str) -> bool:
    return bool(wrong) and re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", content, re.IGNORECASE) is not None


def _place(namespace: str) -> tuple[str, ...]:
    """`user`, `global`, or `project` with its name."""
    parts = namespace.split("/")
    return tuple(parts[:2]) if parts[0] == "project" else (parts[0],)
