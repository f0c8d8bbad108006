"""The relevance gate: decides whether any hits go into the prompt, and how many. Pure.

A greeting recalls nothing, a question about a stored fact recalls it. Thresholds are shares, of the query's words, of
the embedder's own scale (`embedding/calibration.py`) and of the best score, not cosines.

A question and its answer often share no word ("Where can I shut the water off?" - "The stopcock is under the sink"), so
a person's statements are judged by the vectors of their sentences, longer texts by their words. The constants are
measured on the people of `benchmarks/everyday.py`; nearness is a calibrated cosine in [0, 1].
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.judges.holding import subject_of
from pi_memory.retrieval import called, excerpts
from pi_memory.text.intent import (
    Intent,
    asks,
    follows_up,
    names_only,
    only_asks,
    says_nothing,
    supposes,
    without_courtesy,
)
from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.persons import finished
from pi_memory.text.query_terms import terms
from pi_memory.text.secrets import secret_in
from pi_memory.text.sentences import best, stems, with_apostrophes
from pi_memory.text.stems import stem
from pi_memory.text.user_text import sentences
from pi_memory.types import UNKEPT, Recalled, Vectors

MEANS_THE_SAME = 0.62
"""From this calibrated cosine on a text needs no word in common with the query."""
SHARES = 0.45
"""A text with this share of the query's words by rarity has only to be `RELATED`."""
RELATED = 0.25
WORDS_ALONE, OWN_BY_WORDS = 0.6, 0.3
"""Without an embedder: the share that is enough, and how likely a question is about the user's own world when a smaller
share is enough too.
"""

MOST = 15
"""Most hits for a message."""
NEAR_BEST = 0.75
"""Share of the best score that the second hit needs. Each one after it needs more: the 16th would need all of it."""

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

NEAR, KNOWN = 0.4, 0.37
"""Nearness that an answer needs, with `KNOWN` of the share of the question's words, by rarity, that any text has."""
OWN, LEAST_ODDS, MOST_ODDS = 0.1, -4.0, 2.5
"""How much less nearness an answer needs for each unit of the log-odds that only the user can have told it, which are
clipped to these limits. Of 950 questions with an answer 5 get none; of 76 messages that need none 1 gets one.
"""
MAY_NOT_ASK = 0.1
"""How much more nearness an answer needs when the message may be no question: `red sky tonight`."""
LEAST_CERTAIN, CERTAIN, CERTAIN_WORDLESS = 0.2, 0.46, 0.52
"""Thresholds on nearness plus `SHARE_COUNTS` times the share of words: what any answer needs, and from where on it is
sure, when it has a word of the question and when it has none. What was never said has something near to it too.
"""
SHARE_COUNTS = 0.2
READ_COUNTS, SURELY_READ = 0.08, 0.9
"""What the best text's nearness and this share of the log-odds that it answers make together, from where on it is sure.
Of 214 first lines that answer 63 % are sure (71 % without this), of 46 that do not 20 (39), of what 130 questions of
somebody else find 15 (25), and of 40 questions for something of the same kind that was never told 33 (58).
"""
LEAST = 1e-6
"""A chance that is as good as none."""

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
MOST_ANSWERS = 8
MOST_ABOUT = 12
NEAR_BEST_ANSWER = 0.4
"""Share of the best score that another answer needs."""
NAMES_IT, ALSO_NAMES_IT = 0.6, 0.4
"""Share of the question's words in the best answer, if that means nearly the same, from which on another one needs this
share of those.
"""
KINDS_OF_ANSWERS = (
    ("asks_time", "names_time"),
    ("asks_number", "names_number"),
    ("asks_place", "names_place"),
    ("asks_person", "names_person"),
)
ONLY_ANSWERED_BY = {"asks_birthday": "names_birthday", "asks_phone": "names_phone"}
LEAST_OF_COMPOUND = 4
"""Letters of a word that may stand in a compound: `schlüssel` of `Ersatzschlüssel`."""
LONGEST_WHERE = 4
"""Words of a question that only asks where something is."""
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
THE_USER = "the user's"


def asks_something(query: str, intent: Intent) -> bool:
    """Whether a message has more than courtesy and stop words, or asks something of the user's own life: `What do I
    have to do tomorrow?`, `When do I get up?`
    """
    is_sure = intent.asks and intent.is_sure and pattern("own_world").search(query) is not None
    asks_for = ("at_present", *(asked for asked, _ in KINDS_OF_ANSWERS))
    has_kind = is_sure and any(pattern(name).search(query) for name in asks_for)
    return has_kind or not words("small_talk").issuperset(terms(query))


def let_through(found: Sequence[Recalled], *, by_meaning: bool) -> list[Recalled]:
    """The hits of `found`, best first, that pass: all that are nearly as good as the best, if one of them is good
    enough by itself; no remark in passing. `by_meaning` says that there is an embedder.
    """
    stating = [each for each in found if each.strength > 0][:MOST]
    best = [
        result
        for rank, result in enumerate(stating)
        if result.score >= (NEAR_BEST + (1 - NEAR_BEST) * rank / MOST) * stating[0].score
    ]
    return best if any(_bears(result, by_meaning=by_meaning) for result in best) else []


def _bears(found: Recalled, *, by_meaning: bool) -> bool:
    if not by_meaning:
        return found.words >= WORDS_ALONE
    return found.cosine >= MEANS_THE_SAME or (found.words >= SHARES and found.cosine >= RELATED)


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
        text = _together(self.sentences)
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
        return _together(self.sentences[first:end])

    @property
    def states(self) -> bool:
        """Whether its best sentence says something: `my tortoise's name` was a question, `So.` is nothing."""
        said = self.sentences[self.best]
        return len(said.split()) > 1 and not names_only(said)


def _together(said: Sequence[str]) -> str:
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


def answers(
    question: str, intent: Intent, judged: Sequence[Judged], *, own: float, scale: float = 1.0
) -> list[Recalled]:
    """The answers, best first, each as the sentences to show, and whether they are sure; none if no sentence is near
    enough. `own` is how likely the question asks for what only the user can have told; nearness counts by `scale`
    (`Calibration.answer_scale`).
    """
    # A word alone says nothing; a remark in passing answers no more than a question that surely is one.
    said = [each for each in judged if " " in each.sentences[each.best]]
    found = [each for each in said if intent.is_sure or each.found.strength > 0][:MOST_ANSWERS]
    if not found:
        return []
    near, shared = scale * max(each.near for each in found), max(each.found.words for each in found)
    certainty = near + SHARE_COUNTS * shared
    if near < _needed(own, intent, judged) or certainty < LEAST_CERTAIN:
        return []
    best, *others = found
    others = [each for each in others if _is_comparable(question, each)]
    certain = CERTAIN if shared else CERTAIN_WORDLESS
    is_sure = certainty >= certain and _is_comparable(question, best) and _has_what_is_asked(question, best, judged)
    is_sure = is_sure and not _is_of_another(question, best.sentences[best.best]) and _is_read_so(best, scale)
    is_sure = is_sure and not supposes(best.sentences[best.best])
    is_sure = is_sure and not _is_told_apart(question, best.sentences[best.best])
    says_it = scale * best.near >= MEANS_THE_SAME and best.found.words >= NAMES_IT
    least_shared = ALSO_NAMES_IT * best.found.words if says_it else 0.0
    near_best = [
        each
        for each in others
        if each.score >= NEAR_BEST_ANSWER * best.score and each.states and each.found.words >= least_shared
    ]
    shown = _with_more([_show(each) for each in (best, *near_best)], [each.found for each in judged])
    return [replace(each, is_sure=is_sure) for each in shown]


def answers_by_words(question: str, judged: Sequence[Judged], *, own: float) -> list[Recalled]:
    """The answers where no embedder says how near a text is: those with the best sentences by their words, sure if they
    have most words of the question by rarity. What is hardly about the user's `own` world needs as many.
    """
    said: dict[str, Judged] = {}
    for each in reversed(judged):  # of equals the later one counts
        said |= {part: replace(each, best=place) for place, part in enumerate(each.sentences) if " " in part}
    least = 0.0 if own >= OWN_BY_WORDS else WORDS_ALONE
    quotes = [quote for quote in best(question, [*said]) if quote.score >= least]
    shown: dict[str, Recalled] = {}
    for quote in quotes:
        answer = replace(_show(said[quote.text]), score=quote.score, is_sure=quote.score >= WORDS_ALONE)
        shown.setdefault(answer.content, answer)
    return [*shown.values()]


def _is_comparable(question: str, judged: Judged) -> bool:
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


def _has_what_is_asked(question: str, best: Judged, judged: Sequence[Judged]) -> bool:
    """Whether the best text, or one said beside it, has a name that is asked about, and what only one kind of words can
    answer: a birthday, a phone number.
    """
    near = [best.found.content, *(each.found.content for each in judged if _is_beside(each.found, best.found))]
    asked = " ".join(each.text for each in sentences(question) if asks(each.text)) or question
    names = {stem for name in pattern("name_inside").findall(asked) for stem in stems(name)}
    has_name = not names or pattern("foreign").search(question) or any(names & stems(text) for text in near)
    return bool(has_name) and all(
        pattern(answer).search(best.found.content)
        for asks_it, answer in ONLY_ANSWERED_BY.items()
        if pattern(asks_it).search(question)
    )


def _is_read_so(best: Judged, scale: float) -> bool:
    """Whether what was read in a question and the best text says as well that this answers. What is read in another
    language says nothing.
    """
    if best.odds is None or pattern("foreign").search(best.found.content):
        return True
    return scale * best.near + READ_COUNTS * max(-SUREST, min(SUREST, best.odds)) >= SURELY_READ


def _is_of_another(question: str, sentence: str) -> bool:
    """Whether a sentence says what is asked, but of something that the question does not name: `The depot opens at
    eight.` for `When does the library open?`
    """
    subject, asked, said = stems(_subject(sentence)) - {"user"}, stems(question), stems(sentence)
    return bool(subject and asked & said and asked - said) and subject.isdisjoint(asked)


def _is_told_apart(question: str, sentence: str) -> bool:
    """Whether a sentence is of a thing that the same word as in the question names, and another one tells apart: `Kit's
    dentist` for `When's Ada's dentist?`, `the mast shed` for the paint shed.
    """
    asked, said = _told_by(question), _told_by(sentence)
    known, wanted = stems(sentence), stems(question)
    if any(asked[thing].isdisjoint(known) and said[thing].isdisjoint(wanted) for thing in asked.keys() & said.keys()):
        return True
    subject = stems(_subject(sentence)) - {"user"}
    owners = [stems(found[1]) for found in re.finditer(r"(\w+)['’]s \w", question) if stems(found[1])]
    return bool(subject) and subject.isdisjoint(wanted) and any(each.isdisjoint(known) for each in owners)


def _subject(sentence: str) -> str:
    """What a sentence is about, however that is written."""
    return subject_of(sentence[:1].upper() + sentence[1:])


def _told_by(text: str) -> dict[str, set[str]]:
    """The words that stand right before another one that they tell apart, by that one; each by its stem."""
    found: dict[str, set[str]] = {}
    for before, thing in pairwise(re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.casefold())):
        own, head = stems(before.removesuffix("'s").removesuffix("’s")), stems(thing)
        if own and head and not pattern("verb").fullmatch(before):
            found.setdefault(next(iter(head)), set()).update(own)
    return found


def _is_beside(one: Recalled, other: Recalled) -> bool:
    is_same_talk = one.kind == other.kind == "exchange" and one.conversation_id == other.conversation_id
    return is_same_talk and abs(one.id - other.id) <= REACH


def _with_more(shown: Sequence[Recalled], judged: Sequence[Recalled]) -> list[Recalled]:
    """The answers without duplicates. A later one that contains an answer replaces it, `Our son is three. He is
    allergic to kiwi.`, and so does a longer memory of the same message: `He has put up his fee. It is 31 pounds.`
    """
    found: list[Recalled] = []
    for place, each in enumerate(shown):
        own, memories = stems(each.content), [other for other in judged if _are_of_one_message(each, other)]
        others = [other for other in [*shown[place + 1 :], *memories] if own < stems(other.content)]
        longer = next((other for other in others if not (each.kind == "memory" and _bids(other))), each)
        if longer.content not in [known.content for known in found] and not _is_told(longer, found):
            found.append(longer)
    return found


def _is_told(one: Recalled, others: Sequence[Recalled]) -> bool:
    """Whether others say all that one says; a message that asks for something does not, nor one with a secret, which is
    masked in it.
    """
    return not secret_in(one.content) and any(_says(each.content, one.content) for each in others if not _bids(each))


def _says(text: str, other: str) -> bool:
    """Whether a text has all that another one says, and denies it if that does."""
    said, others = (with_apostrophes(each) for each in (text, other))
    denies = [pattern("negation").search(each) is not None for each in (said, others)]
    return denies[0] == denies[1] and _told(others) <= _told(said)


def _told(text: str) -> frozenset[str]:
    return stems(re.sub(r"n't\b", " not", text)) - stems(THE_USER)


def _bids(found: Recalled) -> bool:
    """Whether it is a request, which says less than the memory that was learned from it."""
    return found.kind == "exchange" and pattern("request").search(found.content) is not None


def _are_of_one_message(one: Recalled, other: Recalled) -> bool:
    return one.kind == other.kind == "memory" and one.at == other.at and len(other.content) <= excerpts.LONG


def _needed(own: float, intent: Intent, judged: Sequence[Judged]) -> float:
    """The nearness that the best answer needs."""
    odds = max(LEAST_ODDS, min(MOST_ODDS, math.log(max(own, LEAST) / max(1 - own, LEAST))))
    return NEAR - OWN * odds - KNOWN * max(each.found.words for each in judged) + MAY_NOT_ASK * (not intent.is_sure)


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
    known = [each for each in judged if _is_lasting(each) and (subject == ABOUT_USER or _is_comparable(subject, each))]
    near = _Nearness.of(subject, known)
    ranked = sorted((near.rank(each), -each.score, place) for place, each in enumerate(known))
    most = NOWHERE if ranked and 0 < ranked[0][0] < FAR else FAR
    wanted = [known[place] for rank, _, place in ranked if rank < most]
    return [replace(_show(each), content=_together(_told_in(each))) for each in _each_once(wanted)[:MOST_ABOUT]]


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


def _show(judged: Judged) -> Recalled:
    return replace(judged.found, content=judged.shown, score=judged.score)


def not_told_by(question: str, judged: Iterable[Judged]) -> list[Judged]:
    """The statements without those that the question makes itself beside what it asks: it was asked before."""
    told = [stems(each.text) for each in sentences(question) if not asks(each.text)]
    own = ((each, stems(each.sentences[each.best]) - stems(THE_USER)) for each in judged)
    return [each for each, its in own if not any(its <= one for one in told)]


def following(question: str, judged: list[Judged]) -> list[Judged]:
    """The statements that have a word of a question that follows up, if any do: `and his wife?` is about her."""
    own = stems(question)
    return [each for each in judged if own & stems(each.found.content)] or judged


def otherwise(question: str) -> str:
    """The question as somebody would ask it who knows what became of its subject: `where did I park the car` for
    `where's the car`. "" for none.
    """
    said = re.findall(r"[\w'’]+", question)
    if not 2 <= len(said) <= LONGEST_WHERE or not pattern("asks_place").search(question):
        return ""
    return forms("parked").get(said[-1].lower(), "")


def with_subject(question: str, before: str) -> str:
    """A follow-up question such as `and his brother?`, with the message before it, which has its subject."""
    return f"{before} {question}" if before and follows_up(question) else question
