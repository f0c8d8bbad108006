"""The relevance gate: decides whether any hits go into the prompt, and how many, and which are sure. Pure.

A greeting recalls nothing, a question about a stored fact recalls it. Thresholds are shares, of the query's words, of
the embedder's own scale (`embedding/calibration.py`) and of the best score, not cosines. A person's statements come
judged by their sentences (`judging.py`), longer texts by their words. The constants are measured on the people of
`benchmarks/everyday.py`.
"""

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pi_memory.judges.holding import subject_of
from pi_memory.recall import excerpts
from pi_memory.recall.judging import REACH, SUREST, THE_USER, Judged, is_comparable, show
from pi_memory.retrieval.search import MOST
from pi_memory.text.intent import Intent, asks, supposes
from pi_memory.text.language import pattern
from pi_memory.text.secrets import secret_in
from pi_memory.text.sentences import best, stems, with_apostrophes
from pi_memory.text.user_text import sentences
from pi_memory.types import Recalled

MEANS_THE_SAME = 0.62
"""From this calibrated cosine on a text needs no word in common with the query."""
SHARES = 0.45
"""A text with this share of the query's words by rarity has only to be `RELATED`."""
RELATED = 0.25
WORDS_ALONE, OWN_BY_WORDS = 0.6, 0.3
"""Without an embedder: the share that is enough, and how likely a question is about the user's own world when a smaller
share is enough too.
"""
NEAR_BEST = 0.75
"""Share of the best score that the second hit needs. Each one after it needs more: the 16th would need all of it."""
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
MOST_ANSWERS = 8
NEAR_BEST_ANSWER = 0.4
"""Share of the best score that another answer needs."""
NAMES_IT, ALSO_NAMES_IT = 0.6, 0.4
"""Share of the question's words in the best answer, if that means nearly the same, from which on another one needs this
share of those.
"""
ONLY_ANSWERED_BY = {"asks_birthday": "names_birthday", "asks_phone": "names_phone"}


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
    others = [each for each in others if is_comparable(question, each)]
    certain = CERTAIN if shared else CERTAIN_WORDLESS
    is_sure = certainty >= certain and is_comparable(question, best) and _has_what_is_asked(question, best, judged)
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
    shown = _with_more([show(each) for each in (best, *near_best)], [each.found for each in judged])
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
        answer = replace(show(said[quote.text]), score=quote.score, is_sure=quote.score >= WORDS_ALONE)
        shown.setdefault(answer.content, answer)
    return [*shown.values()]


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
