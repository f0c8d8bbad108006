"""How well each text answers a query: its words, its vector, and those of its neighbours. Pure.

An answer often stands beside the message that shares words with the question: "Did you go?" - "Yes, on Friday". So a
term counts for the message that has it, and by `NEAR` less for each message away from it in the same conversation; and
a text's meaning is half its own cosine and half its neighbours'. Two people who chat write alike; an assistant replies
at length. The same constants do not suit both, so each conversation has those of its kind, and a word's rarity is
counted among conversations of that kind. Every constant is from docs/authors/recall.md, where each was left out or
changed in turn.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from pi_memory.retrieval.time_window import TimeWindow
from pi_memory.types import Flags, Vectors

Rows = npt.NDArray[np.intp] | npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int32]

NEAR = 0.7
"""Factor on a term's weight for each message away from it."""
REACH = 5
"""Messages that a term reaches."""
SATURATION, LENGTH = 0.4, 0.3
"""BM25's k1 and b. Small: a message is short, and each term counts once."""
MEANING, MEANING_AT_LENGTH, MEANING_ALONE = 0.3, 0.5, 0.65
"""Weight of cosine in similarity, the rest is that of words: between people; with an assistant that replies at length;
for a statement that stands alone.
"""
TOKENS = 0.25
"""The share of what single words mean where they stand, of the similarity of a message whose tokens are known."""
TIMELY = 0.1
"""Bonus in similarity for a message of the time that is asked about."""
AT_LENGTH = 2.0
"""Ratio of a reply's length to its message's from which on an assistant replies at length."""
FEW = 20
"""Conversations with an assistant below which words are counted by message, not by conversation."""


class Field(Struct, frozen=True):
    """The texts to search, by thread and in the order of each thread; arrays of shape (n,).

    A thread is a conversation; a text that stands alone is a thread of its own. `presence` is the weight of a term in
    each text, `times` are Unix times, and `at_length` are the texts of conversations with an assistant that replies at
    length. `places` are positions with gaps of `REACH` between threads, None where every text stands alone.
    """

    threads: Numbers
    presence: Vectors
    at_length: Flags
    times: Vectors
    places: Numbers | None

    def __len__(self) -> int:
        return len(self.threads)


def field(threads: Numbers, lengths: Numbers, replies: Flags, times: Vectors) -> Field:
    """The field of texts of these `lengths` in characters, of which some are replies."""
    kinds = at_length(threads, lengths, replies)
    return Field(threads, _presence(lengths, kinds), kinds, times, _places(threads))


def _places(threads: Numbers) -> Numbers | None:
    begins = threads[1:] != threads[:-1]
    if begins.all():
        return None
    places = np.arange(len(threads), dtype=np.int32)
    places[1:] += REACH * np.cumsum(begins, dtype=np.int32)
    return places + np.int32(REACH)


class Evidence(Struct, frozen=True):
    """For each text of a field `words` and `meaning` in [0, 1], and `similarity`, their weighted sum."""

    similarity: Vectors
    words: Vectors
    meaning: Vectors


class Emphasis(Struct, frozen=True):
    """Weights: `meaning` is the weight of cosine in similarity, one for all texts or one for each; `bearing` a factor
    for each term besides its rarity, shape (terms,); `period` the time that is asked about.
    """

    meaning: Vectors | float = MEANING
    bearing: Vectors | None = None
    period: TimeWindow | None = None


PLAIN = Emphasis()


def weigh(field: Field, hits: Sequence[Rows], meaning: Vectors | None, emphasis: Emphasis = PLAIN) -> Evidence:
    """Score each text of `field`. `hits` are the rows that have a term, for each term of the query.

    `meaning` is the calibrated cosine in [0, 1], shape (n,); None without an embedder.
    """
    words, share, period = _words(field, hits, emphasis.bearing), emphasis.meaning, emphasis.period
    if meaning is None:
        similarity, meaning = words.copy(), np.zeros_like(words)
    else:
        meant = (meaning + _around(meaning[None], field.threads)[0]) / 2
        similarity = ((1 - share) * words + share * meant).astype(np.float32) if hits else meant
    if period is not None:
        similarity[(field.times >= period.begin) & (field.times <= period.end)] += TIMELY
    return Evidence(similarity, words, meaning)


def weights(field: Field, hits: Sequence[Rows], bearing: Vectors | None) -> Vectors:
    """What each term counts by itself, by its rarity among all texts, shape (terms,)."""
    rarities = np.array([rarity(len(rows), len(field)) for rows in hits], np.float32)
    return rarities if bearing is None else rarities * bearing


def by_tokens(field: Field, rows: Rows, similarity: Vectors, nearness: Vectors) -> Vectors:
    """The similarity of the texts in ascending `rows`, with the `nearness` of their tokens: half its own, half the most
    of what is around it, among these rows. Where that is not a number, a text is as near as it is similar.
    """
    near = np.where(np.isnan(nearness), similarity, nearness)
    meant = (near + _spread(field, rows, near)[rows]) / 2
    mixed: Vectors = (similarity + TOKENS * (meant - similarity)).astype(np.float32)
    return mixed


def share_of_meaning(field: Field) -> Vectors:
    """The weight of cosine for each message of conversations."""
    return np.where(field.at_length, np.float32(MEANING_AT_LENGTH), np.float32(MEANING))


def at_length(threads: Numbers, lengths: Numbers, replies: Flags) -> Flags:
    """Which texts, given by thread, are of a conversation whose replies are much longer than what they reply to.

    The ratio of all conversations counts as half an exchange of each, and decides where there is none.
    """
    if not replies.any() or replies.all():
        return np.zeros(len(threads), np.bool_)
    starts = np.flatnonzero(np.r_[True, threads[1:] != threads[:-1]])
    answers, others = np.add.reduceat(replies.astype(np.float64), starts), np.add.reduceat(~replies * 1.0, starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        answered = np.add.reduceat(lengths * replies, starts) / answers
        said = np.add.reduceat(lengths * ~replies, starts) / others
        ratios = np.log((answered + 1) / (said + 1))
    exchanges = np.minimum(answers, others)
    overall = np.log((lengths[replies].mean() + 1) / (lengths[~replies].mean() + 1))
    means = (np.where(exchanges > 0, ratios, 0.0) * exchanges + overall / 2) / (exchanges + 0.5)
    of_each: Flags = means > np.log(AT_LENGTH)
    return np.repeat(of_each, np.diff(np.r_[starts, len(threads)]))


def rarity(matching: int, size: int) -> float:
    """The weight of a term that `matching` of `size` texts have: the inverse document frequency of BM25."""
    return float(np.log1p((size - matching + 0.5) / (matching + 0.5)))


def _words(field: Field, hits: Sequence[Rows], bearing: Vectors | None) -> Vectors:
    """The share of the query's terms, weighted by rarity, that a text and its neighbours have."""
    found = np.zeros(len(field), np.float32)
    if not hits or not len(field):
        return found
    mixed = field.at_length.any() and not field.at_length.all()
    kinds = [field.at_length, ~field.at_length] if mixed else [None]
    weights = np.stack([_rarities(field, hits, kind) for kind in kinds])
    if bearing is not None:
        weights *= bearing
    weights /= weights.sum(axis=1, keepdims=True)
    for rows, of_kinds in zip(hits, weights.T, strict=True):
        if field.places is None and not mixed:
            found[rows] += of_kinds[0] * field.presence[rows]
            continue
        present = _spread(field, rows, field.presence[rows])
        found += (np.where(field.at_length, *of_kinds) if mixed else of_kinds[0]) * present
    return found


def _spread(field: Field, rows: Rows, values: Vectors) -> Vectors:
    """What the `values` of `rows` count for each text: its own, or the most that is left of a neighbour's."""
    if field.places is None:
        alone = np.zeros(len(field), np.float32)
        alone[rows] = values
        return alone
    spread = np.zeros(field.places[-1] + REACH + 1, np.float32)
    places = field.places[rows].astype(np.intp)
    spread[places] = values
    for step in range(1, REACH + 1):
        left = np.float32(NEAR**step) * values
        for beside in (places - step, places + step):
            spread[beside] = np.maximum(spread[beside], left)
    return spread[field.places]


def _rarities(field: Field, hits: Sequence[Rows], kind: Flags | None) -> Vectors:
    """The rarity of each term among the texts of one `kind`, or of the only one. Where an assistant replies at length,
    conversations are counted: one about weddings does not make `wedding` common.
    """
    among = hits if kind is None else [rows[kind[rows]] for rows in hits]
    threads = field.threads if kind is None else field.threads[kind]
    replies_at_length = field.at_length[0 if kind is None else np.argmax(kind)]
    if replies_at_length and (conversations := 1 + int(np.count_nonzero(np.diff(threads)))) >= FEW:
        weights = [rarity(len(np.unique(field.threads[rows])), conversations) for rows in among]
    else:
        weights = [rarity(len(rows), len(threads)) for rows in among]
    return np.array(weights, np.float32)


def _presence(lengths: Numbers, at_length: Flags) -> Vectors:
    """The weight of a term in each text, in [0, 1]: BM25 for one occurrence, less for a text that is long for
    its kind.
    """
    relative = np.empty(len(lengths), np.float32)
    for kind in (at_length, ~at_length):
        if kind.any():
            relative[kind] = lengths[kind] / max(1.0, float(lengths[kind].mean()))
    counted: Vectors = (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH + LENGTH * relative))
    return np.minimum(counted, 1.0)


def _around(values: Vectors, threads: Numbers) -> Vectors:
    """For each text the largest of its own values and its neighbours', decayed by distance.

    `values` has a row for each term and a column for each text.
    """
    along = np.float32(NEAR) * (threads[1:] == threads[:-1])
    if not along.any():
        return values
    before, after = values.copy(), values.copy()
    for _ in range(REACH):
        np.maximum(before[:, 1:], along * before[:, :-1], out=before[:, 1:])
        np.maximum(after[:, :-1], along * after[:, 1:], out=after[:, :-1])
    return np.maximum(before, after)
