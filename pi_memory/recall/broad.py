"""What is told about a subject: `what do you know about Pepper?`. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.recall.judging import THE_USER, Judged, is_comparable, show, together
from pi_memory.retrieval import called
from pi_memory.text.intent import only_asks
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import stems
from pi_memory.text.stems import stem
from pi_memory.types import UNKEPT, Recalled

MOST_ABOUT = 12
ABOUT_USER = "my name, my family, my home, my work, what I like and what I have"
"""The query for everything about the user."""
ABOUT = 0.25
"""Nearness to its subject of a hit that does not name it."""
FAINT = 0.15
"""The same for what is the user's own, if anything is nearer."""
COMMON, LEAST_COMMON = 0.15, 4
"""Share of the texts, and how many, above which a word of theirs joins nothing."""
BESIDE, LEAST_BESIDE = 0.2, 0.1
"""Share of the best share of words, and least one, of a hit that goes on about a subject, such as `he`; another one
that was said beside it has twice as much."""
FAR, NOWHERE = 4, 5
"""Ranks of what may have to do with a subject, and of what has not."""


def with_belonging(subject: str) -> str:
    """A broad subject with the words of what belongs to it: `my job`, and shift, boss, office."""
    own = stems(subject)
    belonging = [more for word, more in forms("belonging").items() if stem(word) in own]
    return " ".join([_by_all_names(subject), *dict.fromkeys(belonging)])


def _by_all_names(subject: str) -> str:
    """A subject with what else it is called: `my father dad`."""
    own = stems(subject)
    return " ".join([subject, *(other for word, other in forms("also_called").items() if stem(word) in own)])


def about(subject: str, judged: Sequence[Judged]) -> list[Recalled]:
    """The texts that name a subject, then what belongs to it, what goes on about it, and the nearest; where none names
    it also what is hardly near to what is the user's own, if anything is near. Of the user first what they are, have
    and do.
    """
    known = [each for each in judged if _is_lasting(each) and (subject == ABOUT_USER or is_comparable(subject, each))]
    near = _Nearness.of(subject, known)
    ranked = sorted((near.rank(each), -each.score, place) for place, each in enumerate(known))
    most = NOWHERE if ranked and 0 < ranked[0][0] < FAR else FAR
    wanted = [known[place] for rank, _, place in ranked if rank < most]
    return [replace(show(each), content=together(_told_in(each))) for each in _each_once(wanted)[:MOST_ABOUT]]


def _is_lasting(judged: Judged) -> bool:
    """Whether a text states something that lasts, and does not only bid the assistant to do something."""
    said = judged.found.content.replace(UNKEPT, "")
    states = judged.states and judged.found.strength > 0 and any(map(str.isalpha, said)) and not only_asks(said)
    return states and bool(_told_in(judged))


def _told_in(judged: Judged) -> list[str]:
    """The sentences of a text that bid nobody to do something."""
    return [sentence for sentence in judged.sentences if not pattern("request").search(sentence)]


def _each_once(judged: Iterable[Judged]) -> list[Judged]:
    """Without the texts whose words another one has."""
    kept: list[tuple[frozenset[str], Judged]] = []
    for each in judged:
        said = stems(each.found.content) - stems(THE_USER)
        if not any(said <= others for others, _ in kept):
            place = next((place for place, (others, _) in enumerate(kept) if others < said), len(kept))
            kept[place : place + 1] = [(said, each)]
    return [each for _, each in kept]


class _Nearness(Struct, frozen=True):
    """How near texts are to a subject: `named` are its words, `belonging` those of what belongs to it, `joined` seldom
    ones of the texts that name it; `beside` is the share of the words of a text that was said beside it, `near` the
    nearness of one that has to do with it, `faint` of one that may.
    """

    named: frozenset[str]
    belonging: frozenset[str]
    joined: frozenset[str]
    beside: float
    near: float
    faint: float

    @classmethod
    def of(cls, subject: str, judged: Sequence[Judged]) -> "_Nearness":
        beside = max(BESIDE * max((each.found.words for each in judged), default=0.0), LEAST_BESIDE)
        if subject == ABOUT_USER:  # everything is about the user, and what names their life no more than the rest
            return cls(frozenset(), frozenset(), frozenset(), beside, near=0.0, faint=0.0)
        said = [stems(each.found.content) for each in judged]
        named, belonging = stems(_by_all_names(subject)), stems(with_belonging(subject))
        if not words("of_people").isdisjoint(re.findall(r"\w+", subject.casefold())):
            named, belonging = frozenset(), belonging | _names_in(each.found.content for each in judged)
        for each in called.known(each.found.content for each in judged):
            belonging |= stems(each.name) if stems(each.kind) & (named | belonging) else set()
        often = Counter(word for words in said for word in words)
        joined = {
            word
            for words in said
            if named & words
            for word in words
            if often[word] <= max(LEAST_COMMON, COMMON * len(said))
        }
        faint = FAINT if pattern("own_world").search(subject) else ABOUT
        return cls(named, frozenset(belonging), frozenset(joined), beside, ABOUT, faint)

    def rank(self, judged: Judged) -> int:
        """From 0 for what names the subject to `NOWHERE` for what has nothing to do with it."""
        said, words = stems(judged.found.content), judged.found.words
        if self.named & said or (not self.near and pattern("of_themselves").match(judged.found.content)):
            return 0
        if self.belonging & said:
            return 1
        if words >= self.beside and pattern("follows_on").search(judged.found.content):
            return 2
        is_joined = self.joined & said and judged.near >= FAINT
        if words >= 2 * self.beside or judged.near >= self.near or is_joined:
            return 3
        return FAR if judged.near >= self.faint else NOWHERE


def _names_in(texts: Iterable[str]) -> frozenset[str]:
    """The stems of the names in some texts, of people and of other things, but no days and months."""
    found = {name for text in texts for name in pattern("name_inside").findall(text)}
    dates = forms("weekday_name").keys() | forms("month_name").keys()
    return stems(" ".join(name for name in found if name.casefold().removesuffix("s") not in dates))
