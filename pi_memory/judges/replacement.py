"""How likely a newer statement makes one of the older ones untrue: another value for the same thing, in whatever words.

The rules of `comparison` decide what is plain. Here a small learned judge (`heads`) weighs the signs of both
(`pair_signs`), and what the embedder reads in the nearest as one text (`embedding/reading.py`); rules correct what it
finds (`Replacement.tempered`): what plainly ends (`plain_changes`), and what holds beside anything (`unchanged`).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from pi_memory.judges.heads import Reading, SignsAndVectors, by_odds
from pi_memory.judges.pair_signs import (
    SAME_KIND,
    SAME_PLACE,
    PairSigns,
    Said,
    beginnings,
    cosines_of,
    have_special_kinds,
    lead,
    pair_vector,
)
from pi_memory.judges.parsed import Parsed, Parser
from pi_memory.judges.plain_changes import PlainChanges
from pi_memory.judges.unchanged import Unchanged
from pi_memory.text.contrast import in_cleft
from pi_memory.types import Flags, Vectors

LEAST_CHANCE = 0.42
"""From here on the older statement ends. Of 490 memories of what eighteen people told one after another, 8 ended though
they held; from 0.5 on half of what is lost of corrections by voices that the judge does not know would be lost besides.
"""
ODDS_UNSAID, ODDS_OF_ANOTHER_KIND = 0.5, 0.15
"""Factors on the odds of a statement that does not say that something changed, with a value of the same kind as the
older one's and without: most say something else about what was spoken of before. Not where both have another day, time,
price or code of what both name, and vectors say how near they are, nor where the newer one only has another value.
"""
ODDS_WITH_ITS_VALUE = 0.2
"""The same if the older one has the newer one's value already: what is said of another one, most often."""
ODDS_APART = 0.12
"""The same if both are about things of one name that are told apart, as the key of the shed and that of the loft, or
the newer one about somebody and the older one about what is theirs.
"""
FAR, ODDS_FAR, ODDS_FAR_BY_NAME = 0.48, 0.5, 0.2
"""A cosine below which two statements are hardly about one thing, and how much less likely the newer one then ends the
older; and if they share but a name, and the newer one does not surely say that something is otherwise now.
"""
FAR_APART, FAR_UNSURE, ODDS_FAR_APART = 0.56, 0.65, 0.05
"""The same if they share no word but numbers, days and idle ones, and no kind of value but plain numbers and months;
farther yet where nothing says surely that something is otherwise now, and however near where nothing says so at all.
"""
LEAST_UNSAID = 0.7
"""A cosine from which on another day, time, price or code may be one of the same thing though no word in common and
none of change says so: `We set off on 3 July.`, `The hut was let twice, so we go on 10 July.`
"""
NEARLY_ENDS = LEAST_CHANCE - 0.01
"""What is left at least of a chance that is less for the distance alone: whether the older one holds may be asked."""
SAYS_ANEW, WAS_LEFT, DONE = 0.6, 0.8, 0.8
"""At least how likely a statement that says the same with another value ends a near one, where what is read or the kind
of the value says so too; `I parked on level 7 today`, though it may be a remark, one of another level; and `I rang Bo`
the nearest one that Bo was to be rung. See `PlainChanges` for other forms.
"""
NEAR_ANEW = 0.6
"""A cosine from which on two statements that differ in a value may be about one thing."""
ODDS_BY_WORDS, ODDS_UNREAD = 0.7, 0.55
"""Factors on the odds of every chance where nothing was read, as the judge knows less: without vectors, and with those
of another embedder: of 353 corrections by 28 people 239 are right by words and 219 with such vectors, and 11 and 3 of
524 plain facts end another.
"""
IN_DOUBT = 0.33
"""Just below `conflicts.LIKELY`: somebody is asked which of the two holds, but no remark is kept for it."""
SHARE_READ = 0.3
"""Share of what the embedder reads in the log-odds of a chance that rules have corrected, less where both are told
apart, and no less where they have another value of one kind; by .2 fewer of the right ones end, by .4 more of others.
"""
READ_AHEAD = 2.0
"""By how much the log-odds that the embedder reads in two statements are above those of all others for the older one to
be meant, if any is.
"""
SURELY_READ = 1.0
"""Log-odds from which on the judge's own chance then stands up to `IN_DOUBT`, though nothing says that something
changed or both are far apart. From 0 on 6 more of 598 corrections by authors would be right, and 3 of 1,402 others
wrong.
"""
UNLIKELY_READ = -2.0
"""Log-odds below which another number of what both name is one of something else, where nothing says change."""
UNLIKE = 0.75
"""A cosine below which two things of one kind of name are two: the cache and the database of staging have .7, the
rehearsal and the practice of a choir .93.
"""
HARDLY_READ, NEAR_READ, FIRST_READ = -3.0, 0.5, 0.15
"""Log-odds from which on the chance is then the last of these at least, if the cosine is the second one at least: a
question about both is answered by the newer one.
"""
READ = 8
"""How many older statements are read together with the newer one, the nearest ones: each costs an embedding."""
UNREAD = -6.0
"""Log-odds of the others."""
LEAST_ODD = 1e-4
"""A chance is no nearer to 0 or 1, as its log-odds are asked for."""


class Replacement:
    """Judges a statement against older ones. `folder` has `replacement.toml` and `replacement.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parser = Parser(folder / "replacement.toml")
        self._signs = PairSigns(self._parser)
        self._plain = PlainChanges(self._parser)
        self._unchanged = Unchanged(self._parser)

    def chances(
        self, new: Said, olds: Sequence[Said], *, embedder: str = "", read: Mapping[str, Vectors] | None = None
    ) -> Vectors:
        """How likely `new` makes each of `olds` untrue, from 0 to 1, shape (n,). `read` is what the embedder reads in
        `new` and the nearest `READ` of them, shape (dimensions,), by their texts.
        """
        if not olds:
            return np.zeros(0, np.float32)
        vectors, read = None, read if read and self._head.fits(embedder) else {}
        if read and new.vector is not None and all(old.vector is not None for old in olds):
            vectors = np.array([pair_vector(new.vector, old.vector) for old in olds if old.vector is not None])
        signs = self.signs(new, olds, read)
        if vectors is not None:
            found = self._head.chances(signs, vectors)
        else:  # weights that were fitted without vectors: other embedders have cosines of their own
            by_words = self.signs(Said(new.text), [Said(old.text) for old in olds], {})
            odds = ODDS_BY_WORDS if new.vector is None else ODDS_UNREAD
            found = by_odds(self._head.chances(by_words, None), odds)
        return self.tempered(found, signs, new, olds)

    def tempered(self, found: Vectors, signs: Vectors, new: Said, olds: Sequence[Said]) -> Vectors:
        """The judge's chances as rules correct them: lower where nothing says that something changed, where the newer
        value is known already or where both are far apart; with a share of what was read; at least a given chance for
        plain forms of correction; 0 for what holds beside anything.
        """
        mine, cosines = self._parser.parsed(new.text), cosines_of(new, olds)
        others = np.array(self._unchanged.are_told_apart(new, olds), bool)
        others &= ~(self._are_changed(new, olds) & (signs[:, SAME_KIND] > 0) & (signs[:, -1] > 0))
        anew, left = np.zeros(len(olds), bool), _left_by_reading(signs[:, -1], found, cosines)
        if not mine.says_change:
            anew = self._plain.are_said_anew(new, olds) & ~others
            is_of_it = self._share_matter(new, olds) & have_special_kinds(signs) & (cosines > 0)
            is_of_it &= signs[:, -1] > UNLIKELY_READ
            are_other = self._unchanged.have_other_heads(new, olds) | self._unchanged.are_somebodys(new, olds)
            others |= are_other & (cosines < UNLIKE) & (cosines > 0)
            unsaid = _either(signs[:, SAME_KIND] > 0, ODDS_UNSAID, ODDS_OF_ANOTHER_KIND)
            found = by_odds(found, np.where(is_of_it | anew, np.float32(1), unsaid))
            is_hardly = (signs[:, -1] < SURELY_READ) & (cosines < LEAST_UNSAID) & (cosines > 0)
            found = np.minimum(found, _either(is_hardly & ~is_of_it & ~anew, NEARLY_ENDS))
        has_its_value = np.array(self._have_its_value(new, olds), bool)
        found = by_odds(found, _either(has_its_value, ODDS_WITH_ITS_VALUE))
        found = by_odds(found, _either(others, ODDS_APART))
        found = np.maximum(left, self._by_distance(found, signs, new, olds))
        read = _with_reading(found, signs[:, -1])
        read = np.where(others, np.minimum(found, read), read)
        has_value = anew | (have_special_kinds(signs) & (signs[:, -1] > HARDLY_READ)) | (signs[:, SAME_PLACE] > 0)
        found = np.where(has_value, np.maximum(found, read), read)
        was_left = anew & (cosines >= NEAR_ANEW) & self._plain.were_left(new, olds)
        anew &= (cosines >= NEAR_ANEW) & (have_special_kinds(signs) | (signs[:, -1] > 0))
        somebody_else = np.array(self._unchanged.somebody_else_does(new, olds), bool)
        found = _at_least(found, somebody_else, IN_DOUBT)
        found = _at_least(_at_least(found, anew, SAYS_ANEW), was_left, WAS_LEFT)
        found = np.maximum(found, self._plain.chances(new, olds))
        found = np.minimum(found, _either(self._unchanged.are_elsewhere_or_kin(new, olds), IN_DOUBT))
        if not (mine.says_change or "denies" in mine.says):
            found = np.minimum(found, _either(somebody_else | self._unchanged.are_said_again(new, olds), IN_DOUBT))
            found = np.where(self._unchanged.are_of_another(new, olds, has_its_value), np.float32(0), found)
        found = _at_least(found, self._plain.are_done(new, olds), DONE)
        holds = self._unchanged.hold(new, olds, has_other_number=anew & (signs[:, SAME_KIND] > 0))
        return np.where(holds, np.float32(0), found)

    def claims(self, text: str, *, own: str = "") -> tuple[str, ...]:
        """What a text says, one by one: a correction is about one of it. Of a text that ends with what is its `own`,
        as what stands before only names the subject, that alone.
        """
        return self._parser.claims(text, own)

    def clauses(self, text: str) -> list[str]:
        """The clauses of a text, one by one, each with what a pronoun at its begin stands for."""
        return self._parser.clauses(text)

    def says_change(self, text: str) -> bool:
        """Whether a statement says that something was wrong, or surely has changed."""
        return self._parser.parsed(text).says_change_surely

    def let_go(self) -> None:
        """Remember no statement that was judged."""
        self._parser.let_go()

    def signs(self, new: Said, olds: Sequence[Said], read: Mapping[str, Vectors]) -> Vectors:
        """Signs of each pair, shape (n, signs), the last of them the log-odds of what the embedder `read`."""
        return np.hstack([self._signs.of(new, olds), self._read(olds, read)])

    def _read(self, olds: Sequence[Said], read: Mapping[str, Vectors]) -> Vectors:
        """Log-odds by what was read, shape (n, 1); 0 if nothing was."""
        odds = [float(self._reading.odds(read[old.text])) if old.text in read else UNREAD for old in olds]
        return np.array(odds if read else [0.0] * len(olds), np.float32)[:, None]

    def _are_changed(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them share with `new` what it is about, where it says that something surely has changed."""
        return self._share_matter(new, olds) & self._parser.parsed(new.text).says_change_surely

    def _by_distance(self, found: Vectors, signs: Vectors, new: Said, olds: Sequence[Said]) -> Vectors:
        """Chances that were found, less where a vector is far from `new`, or without any where nothing is shared."""
        cosines, is_sure = cosines_of(new, olds), self._parser.parsed(new.text).says_change_surely
        is_said = bool(self._parser.parsed(new.text).says_change)
        has_no_vector = cosines <= 0
        least = FAR_APART if is_said else LEAST_UNSAID
        is_special = have_special_kinds(signs) & (is_sure | has_no_vector | (cosines >= least))
        is_special |= self._are_dated(new, olds) & (cosines >= least)
        may_be_of_it = self._share_matter(new, olds) | is_special
        odds = _either(self._share_names_alone(new, olds) & ~np.array(is_sure), ODDS_FAR_BY_NAME, ODDS_FAR)
        doubted = np.maximum(by_odds(found, odds), np.minimum(found, NEARLY_ENDS))
        less = np.where(may_be_of_it, doubted, by_odds(found, ODDS_FAR_APART))
        far = np.where(may_be_of_it, FAR, FAR_APART if is_sure else FAR_UNSURE if is_said else np.inf)
        return np.where(np.where(has_no_vector, ~may_be_of_it, cosines < far), less, found)

    def _share_matter(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them share a word with `new` that says what it is about."""
        mine = beginnings(self._parser.parsed(new.text).matter - self._parser.stemmed("idle"))
        theirs = [beginnings(self._parser.parsed(old.text).matter - self._parser.stemmed("idle")) for old in olds]
        return np.array([bool(mine & each) for each in theirs])

    def _are_dated(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them have a month, if `new` has one."""
        both = [self._parser.parsed(each.text).tokens for each in (new, *olds)]
        dated = np.array([any(self._parser.kind_of_value(token) == "month" for token in tokens) for tokens in both])
        return np.array(dated[1:] & dated[0], bool)

    def _share_names_alone(self, new: Said, olds: Sequence[Said]) -> Flags:
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        shared = [mine.matter & old.matter - self._parser.stemmed("idle") for old in theirs]
        return np.array([each <= mine.names | old.names for each, old in zip(shared, theirs, strict=True)])

    def _have_its_value(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them have what `new` says behind its verb, where it denies nothing."""
        mine = self._parser.parsed(new.text)
        first = self._parser.parsed(in_cleft(new.text)).content
        value = (first or mine.values_behind) - self._times_of_day(mine) if "denies" not in mine.says else frozenset()
        return [bool(value) and value <= self._parser.parsed(old.text).content for old in olds]

    def _times_of_day(self, statement: Parsed) -> set[str]:
        """The stems of `night` and `weekly`: most things that are told apart have them in common."""
        places = zip(statement.stems, statement.tokens, statement.kinds, strict=True)
        dated = ("weekday", "month")
        return {s for s, t, kind in places if kind == "day" and self._parser.kind_of_value(t) not in dated}

    @cached_property
    def _head(self) -> SignsAndVectors:
        return SignsAndVectors.load(self._folder / "replacement.json")

    @cached_property
    def _reading(self) -> Reading:
        """For what the embedder reads in two statements."""
        return Reading.load(self._folder / "pairs.json")


def _with_reading(found: Vectors, odds: Vectors) -> Vectors:
    """Chances with a share of what the embedder reads in the pairs, where it did."""
    known = np.clip(found, LEAST_ODD, 1 - LEAST_ODD)
    both = (1 - SHARE_READ) * np.log(known / (1 - known)) + SHARE_READ * odds
    is_read = (odds != 0) & (odds > UNREAD)
    return np.where(is_read, 1 / (1 + np.exp(-both)), found).astype(np.float32)


def _left_by_reading(odds: Vectors, judged: Vectors, cosines: Vectors) -> Vectors:
    """The chance that is left at least of the `judged` one where the embedder reads one older statement as made untrue
    far ahead of all others, whatever else they share.
    """
    is_ahead = (lead(odds) >= READ_AHEAD) & (len(odds) > 1)
    sure = np.where(is_ahead & (odds >= SURELY_READ), np.minimum(judged, np.float32(IN_DOUBT)), np.float32(0))
    return np.maximum(sure, _either(is_ahead & (odds >= HARDLY_READ) & (cosines >= NEAR_READ), FIRST_READ, 0.0))


def _either(where: Sequence[bool] | Flags, value: float, others: float = 1.0) -> Vectors:
    """One value where a mark is set, and the other elsewhere."""
    return np.where(where, np.float32(value), np.float32(others))


def _at_least(found: Vectors, where: Sequence[bool] | Flags, chance: float) -> Vectors:
    """The chances, no less than one of them where a mark is set."""
    return np.maximum(found, _either(where, chance, 0.0))
