"""How well a statement answers a question, by the best of its sentences. Pure.

A question and its answer often share no word ("Where can I shut the water off?" - "The stopcock is under the sink"), so
a person's statements are judged by the vectors of their sentences, by their words, by whether they have what is asked
for, and the best of them by what is read in question and text together. The constants are measured on the people of
`benchmarks/everyday.py`; nearness is a calibrated cosine in [0, 1].
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.recall import excerpts
from pi_memory.text.intent import asks, names_only, says_nothing, without_courtesy
from pi_memory.text.language import pattern, remembered, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import stems
from pi_memory.text.user_text import sentences
from pi_memory.types import Recalled, Vectors

MEANING = 0.8
"""Weight of nearness in the score of a statement; the rest is the weight of words."""
FITS = 0.06
"""Bonus for a sentence that has what the question asks for: a time, a number, a place, a name."""
NAMES = 0.3
"""Penalty for a sentence that only names something: it may have been a question; a word alone says nothing."""
REQUESTS = 0.1
"""The same for one that wants something done or written: what it is about stands behind it, more often than in it."""
BESIDE_QUESTION = 0.7
"""Factor on the score of a message that also asks something: what it states is mostly the reason for the question.
`The dog has to be given his pill. How?`
"""
OF_A_MOMENT = 0.7
"""Factor on the score of a passing remark, on top of full fading. Of 104 questions of two people 2 more have the answer
in the first line.
"""
FADING = 0.3
"""Share of its score that a memory loses as it fades."""
REACH, COMPANY = 2, 0.2
"""A message gains this share of how much nearer the nearest of so many messages on either side of it is."""
REREAD = 6
"""How many of the best texts are read once more, each together with the question; the same one once."""
ANSWERS, SUREST = 0.0375, 8.0
"""What a text gains for each unit of the log-odds that it answers, clipped to `SUREST`. Of 905 questions of thirteen
people the answer comes first for 0.887 instead of 0.859; half as much brings 0.882, twice as much 0.880.
"""
READ, READ_ABOUT = 24, 72
"""Texts whose sentences are judged, and for a broad question: most facts are there twice, as memory and as message."""
LONG, PIECE = 14, 5
"""Words of a sentence from which on its pieces are judged too, and of a piece at least: `Pri's doing a phd on seaweed`
is hardly near to a sentence of forty words that it stands in.
"""
TAKEN_APART = 8
"""Texts, of those that are judged, whose long sentences are: a piece takes the embedder some milliseconds."""
MOST_SENTENCES = 8
"""Most sentences of a statement; a longer text is judged as a whole."""
STATES = 0.85
"""Share of a text that its statements must have for the text's vector to stand for them."""
SHORT = 160
"""Characters up to which a message is shown whole, a memory up to `excerpts.LONG`; of a longer one the sentence that
answers, and those beside it, if all have no more than that."""
KINDS_OF_ANSWERS = (
    ("asks_time", "names_time"),
    ("asks_number", "names_number"),
    ("asks_place", "names_place"),
    ("asks_person", "names_person"),
)
LEAST_OF_COMPOUND = 4
"""Letters of a word that may stand in a compound: `schlüssel` of `Ersatzschlüssel`."""
THE_USER = "the user's"


class Judged(Struct, frozen=True):
    """A text with its sentences and their nearness to the question; `best` is the place of the best one, `score` its
    score, `odds` the log-odds that it answers, if it was read with the question.
    """

    found: Recalled
    sentences: tuple[str, ...]
    nearness: tuple[float, ...]
    best: int = 0
    score: float = 0.0
    odds: float | None = None

    @property
    def near(self) -> float:
        return self.nearness[self.best]

    @property
    def passage(self) -> str:
        """A short text whole, else the sentence that answers and a short one before it."""
        text = together(self.sentences)
        if len(text) <= (excerpts.LONG if self.found.kind == "memory" else SHORT):
            return text
        with_before = self._from_to(max(0, self.best - 1), self.best + 1)
        return with_before if len(with_before) <= excerpts.LONG else self._from_to(self.best, self.best + 1)

    @property
    def shown(self) -> str:
        """What is shown of it: the passage, with a short sentence behind it; what goes on about the question before it
        with that.
        """
        if pattern("follows_on").search(self.sentences[self.best]) and (asked := self.asked):
            return asked
        first = max(0, self.best - 1)
        around = self._from_to(first, self.best + 2)
        return around if len(self.passage) < len(around) <= excerpts.LONG else self.passage

    @property
    def asked(self) -> str:
        """The question that the best sentence of a message stands behind, and that sentence; "" for none, or long."""
        is_message = self.found.kind == "exchange"
        asked = behind_questions(self.found.content).get(self.sentences[self.best], "") if is_message else ""
        return asked if len(asked) <= excerpts.LONG else ""

    def _from_to(self, first: int, end: int) -> str:
        return together(self.sentences[first:end])

    @property
    def states(self) -> bool:
        """Whether its best sentence says something: `my tortoise's name` was a question, `So.` is nothing."""
        said = self.sentences[self.best]
        return len(said.split()) > 1 and not names_only(said)


def together(said: Sequence[str]) -> str:
    """Sentences as one text; what was a part of one ends like one."""
    return " ".join([*map(finished, said[:-1]), *said[-1:]]) if len(said) > 1 else " ".join(said[0].split())


def is_told_by_user(found: Recalled) -> bool:
    """Whether a person stated it to the assistant, rather than to somebody else or as work was done."""
    return found.kind == "memory" or (found.role == "user" and found.source != "import")


def to_read(found: Sequence[Recalled], *, most: int = READ) -> list[Recalled]:
    """The statements whose sentences are worth judging, at `most` so many, by the scores of their whole texts."""
    statements = filter(is_told_by_user, found)
    return sorted(statements, key=lambda each: (names_only(each.content), -_mix(each.cosine, each.words)))[:most]


@remembered(512)
def parts_of(text: str, *, is_memory: bool = False) -> tuple[str, ...]:
    """The sentences of a statement that may answer; the whole text if it has too many, or none. In a memory a question
    says what the sentence behind it is about.
    """
    said = [each.text for each in sentences(text)]
    asked = [f"{before} " if is_memory and asks(before) else "" for before in ["", *said]]
    found = tuple(
        before + without_courtesy(sentence) for before, sentence in zip(asked, said, strict=False) if _states(sentence)
    )
    return found if 0 < len(found) <= MOST_SENTENCES else (text,)


def behind_questions(text: str) -> dict[str, str]:
    """What a message states right behind a question, each with that question, which says what it is about: `How often
    is a clock oiled? Ours goes to Bern.`
    """
    said = [each.text for each in sentences(text)]
    return {
        without_courtesy(sentence): f"{before} {without_courtesy(sentence)}"
        for before, sentence in pairwise(said)
        if (asks(before) or pattern("request").search(before)) and _states(sentence)
    }


def pieces_of(sentence: str) -> tuple[str, ...]:
    """The pieces of a long sentence between its commas and conjunctions; none of a short one."""
    if len(sentence.split()) < LONG:
        return ()
    pieces = [""]
    for piece in pattern("piece_end").split(sentence):
        joined = f"{pieces[-1]} {piece}".strip()
        pieces[-1:] = [joined] if len(pieces[-1].split()) < PIECE else [pieces[-1], piece]
    if len(pieces) > 1 and len(pieces[-1].split()) < PIECE:
        pieces[-2:] = [f"{pieces[-2]} {pieces[-1]}"]
    return tuple(pieces) if len(pieces) > 1 else ()


def _states(sentence: str) -> bool:
    return not asks(sentence) and not says_nothing(sentence) and not pattern("cry").search(sentence)


def judge(question: str, found: Sequence[Recalled], nearness: Mapping[str, float]) -> list[Judged]:
    """Statements by how well one of their sentences answers, best first. `nearness` has that of sentences of texts with
    several.
    """
    fits = [answer for asking, answer in _kinds_of_answers() if asking.search(question)]
    judged = [_judge(each, nearness, fits) for each in found]
    return sorted(_with_company(judged), key=lambda each: -each.score)


def _with_company(judged: Sequence[Judged]) -> Iterator[Judged]:
    """The statements; a message gains from a nearer one beside it: the farrier is told of together with the horse."""
    near = {(each.found.conversation_id, each.found.id): each.near for each in judged if each.found.kind == "exchange"}
    for each in judged:
        place = each.found.conversation_id, each.found.id
        beside = [near.get((place[0], place[1] + step), 0.0) for step in range(-REACH, REACH + 1) if step]
        more = max(0.0, max(beside) - each.near) if place in near and each.found.kind == "exchange" else 0.0
        yield replace(each, score=each.score + COMPANY * more)


def as_said(judged: Judged) -> str:
    """What is read once more of a text: what is shown of it, but a short one as it was said, and with the question it
    stands behind.
    """
    said = judged.found.as_said or judged.asked
    return said if said and len(said) <= excerpts.LONG else judged.passage


def reread(judged: Sequence[Judged], odds: Vectors) -> list[Judged]:
    """The statements, best first. The first `len(odds)` gain by the log-odds that each answers the question; those that
    were not read never come before them.
    """
    gained = ANSWERS * np.clip(odds, -SUREST, SUREST)
    first = [
        replace(each, score=each.score + float(more), odds=float(its))
        for each, more, its in zip(judged, gained, odds, strict=False)
    ]
    least = min((each.score for each in first), default=0.0)
    unread = [replace(each, score=min(each.score, least)) for each in judged[len(first) :]]
    return [*sorted(first, key=lambda each: -each.score), *unread]


def better_of(judged: Sequence[Judged], otherwise: Sequence[Judged]) -> list[Judged]:
    """The texts of two lists, each as it was judged better, best first."""
    best: dict[tuple[str, int, str | None], Judged] = {}
    for each in (*judged, *otherwise):
        key = (each.found.kind, each.found.id, each.found.role)
        if key not in best or each.score > best[key].score:
            best[key] = each
    return sorted(best.values(), key=lambda each: -each.score)


def not_told_by(question: str, judged: Iterable[Judged]) -> list[Judged]:
    """The statements without those that the question makes itself beside what it asks: it was asked before."""
    told = [stems(each.text) for each in sentences(question) if not asks(each.text)]
    own = ((each, stems(each.sentences[each.best]) - stems(THE_USER)) for each in judged)
    return [each for each, its in own if not any(its <= one for one in told)]


def following(question: str, judged: list[Judged]) -> list[Judged]:
    """The statements that have a word of a question that follows up, if any do: `and his wife?` is about her."""
    own = stems(question)
    return [each for each in judged if own & stems(each.found.content)] or judged


def _kinds_of_answers() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """For each kind of answer, the pattern of a question for it and that of a text that has one."""
    return tuple((pattern(asked), pattern(named)) for asked, named in KINDS_OF_ANSWERS)


def _judge(found: Recalled, nearness: Mapping[str, float], fits: Sequence[re.Pattern[str]]) -> Judged:
    parts = parts_of(found.content, is_memory=found.kind == "memory")
    whole = found.cosine if len(" ".join(parts)) >= STATES * len(found.content) else None
    near = tuple(_near(_nearest(part, nearness), whole) for part in parts)
    scores = [
        _mix(its_nearness, found.words)
        + FITS * any(fit.search(part) for fit in fits)
        - NAMES * (" " not in part or names_only(part))
        - REQUESTS * (pattern("request").search(part) is not None)
        for part, its_nearness in zip(parts, near, strict=True)
    ]
    best = max(range(len(parts)), key=scores.__getitem__)
    kept = (1 - FADING + FADING * found.strength) * (1 + FADING * found.boost)
    kept *= BESIDE_QUESTION if found.kind == "exchange" and _asks_besides(found.content) else 1.0
    kept *= OF_A_MOMENT if found.strength == 0 else 1.0
    return Judged(found, parts, near, best, scores[best] * kept)


def _nearest(part: str, nearness: Mapping[str, float]) -> float | None:
    """The nearness of a sentence, or of one of its pieces that is nearer."""
    known = [nearness[text] for text in (part, *pieces_of(part)) if text in nearness]
    return max(known, default=None)


def _asks_besides(text: str) -> bool:
    said = sentences(text)
    return len(said) > 1 and any(asks(each.text) for each in said)


def _near(part: float | None, whole: float | None) -> float:
    """The nearness of a sentence: the mean of its own and its whole text's, or the one that is known."""
    known = [each for each in (part, whole) if each is not None]
    return sum(known) / len(known) if known else 0.0


def _mix(nearness: float, shared: float) -> float:
    return MEANING * nearness + (1 - MEANING) * shared


def is_comparable(question: str, judged: Judged) -> bool:
    """Whether the nearness of a text tells something. To an English embedder all that is German is alike: a text in
    another language needs a word of the question, perhaps in a compound.
    """
    said = judged.found.content
    if not pattern("foreign").search(said):
        return True
    idle = stems(" ".join(words("function_words")))
    wanted, has = (stems(text) - idle for text in (question, said))
    return bool(wanted & has) or any(
        word in other for word in wanted for other in has if len(word) >= LEAST_OF_COMPOUND
    )


def show(judged: Judged) -> Recalled:
    return replace(judged.found, content=judged.shown, score=judged.score)
