"""How likely a newer statement makes one of the older ones untrue: another value for the same thing, in whatever words.

The rules of `comparison` decide what is plain. Here a small learned judge (`heads`) weighs the signs of both
(`pair_signs`), and what the embedder reads in the nearest as one text (`embedding/reading.py`); rules correct what it
finds (`Replacement.tempered`).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from pi_memory.judges.antecedents import is_about_somebody
from pi_memory.judges.heads import Reading, SignsAndVectors, by_odds
from pi_memory.judges.pair_signs import (
    SAME_KIND,
    SAME_PLACE,
    PairSigns,
    Said,
    are_apart,
    beginnings,
    cosines_of,
    have_special_kinds,
    lead,
    pair_vector,
    verb_of,
)
from pi_memory.judges.parsed import TOKEN, Parsed, Parser
from pi_memory.text.contrast import Contrast, contrast, in_cleft, left_behind, swapped, wrong_first
from pi_memory.text.language import pattern, words
from pi_memory.text.sentences import sentences
from pi_memory.text.stems import stem
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
GIVES_UP_ITS_CODE, GIVES_UP_ITS_DAY, TAKES_BACK, PUTS_OFF, TAKES_OVER, SAYS_ANEW = 0.9, 0.5, 0.8, 0.8, 0.7, 0.6
CALLED_OFF, BUMPED, DONE, WAS_LEFT = 0.8, 0.8, 0.8, 0.8
"""At least how likely a statement that says `instead of 9080` ends one that has this code, one of another day that says
`no more Mondays` the nearest one of a Monday, `I told you green, but it is blue` and `Not green but blue` the nearest
one with green, `Bo can't come till Friday` the nearest one with a day to come, `Bo stood down, and Ida was elected
chair` one of another chair, `The fair is off` the nearest one with a day to come that names the fair, `Go is at 1.23
now` one with Go 1.21, `I rang Bo` the nearest that Bo was to be rung, and one that says the same with another value a
near one, where what is read or the kind of the value says so too; and, though it may be a remark, `I parked on level
7 today` one of another level.
"""
NEAR_DAY, NEAR_ANEW = 0.4, 0.6
"""A cosine from which on two statements of a day may be about one thing, and two that differ in a value."""
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
LAST_OF_VERB = 4
"""Tokens of a statement that begins with its subject and its verb."""
SAYS_CHANGE = frozenset({"changes", "has_changed", "corrects"})
"""That something is otherwise now, by its word or as what has happened, or was wrong: `I've hung it in the porch.`"""
WHERE_LEFT = frozenset({"did", "places"})
"""That somebody put something somewhere."""
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
        cosines, others = cosines_of(new, olds), np.array(self._are_told_apart(new, olds), bool)
        others &= ~(self._are_changed(new, olds) & (signs[:, SAME_KIND] > 0) & (signs[:, -1] > 0))
        anew, left = np.zeros(len(olds), bool), _left_by_reading(signs[:, -1], found, cosines)
        if not SAYS_CHANGE & self._parser.parsed(new.text).says:
            anew = self._are_said_anew(new, olds) & ~others
            is_of_it = self._share_matter(new, olds) & have_special_kinds(signs) & (cosines > 0)
            is_of_it &= signs[:, -1] > UNLIKELY_READ
            others |= self._have_other_heads(new, olds) & (cosines < UNLIKE) & (cosines > 0)
            whose = [_owners(self._parser.parsed(old.text)) for old in olds]  # `The home's number`
            is_unnamed = [bool(its) and its.isdisjoint(self._parser.parsed(new.text).content) for its in whose]
            others |= np.array(is_unnamed, bool) & (cosines < UNLIKE) & (cosines > 0)
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
        was_left = anew & (cosines >= NEAR_ANEW) & self._were_left_somewhere(new, olds)
        anew &= (cosines >= NEAR_ANEW) & (have_special_kinds(signs) | (signs[:, -1] > 0))
        somebody_else = np.array(self._somebody_else_does(new, olds), bool)
        found = _at_least(found, somebody_else, IN_DOUBT)
        found = _at_least(_at_least(found, anew, SAYS_ANEW), was_left, WAS_LEFT)
        found = _at_least(found, self._give_up_its_code(new, olds), GIVES_UP_ITS_CODE)
        found = _at_least(found, self._give_up_its_day(new, olds), GIVES_UP_ITS_DAY)
        found = _at_least(found, self._are_taken_back(new, olds) | _are_left_for_another(new, olds), TAKES_BACK)
        found = _at_least(found, self._are_called_off(new, olds), CALLED_OFF)
        found = _at_least(found, self._are_bumped(new, olds), BUMPED)
        found = _at_least(found, _are_put_off(new, olds), PUTS_OFF)
        found = _at_least(found, self._are_taken_over(new, olds), TAKES_OVER)
        found = np.minimum(found, _either(self._are_elsewhere_or_kin(new, olds), IN_DOUBT))
        if not (SAYS_CHANGE | {"denies"}) & self._parser.parsed(new.text).says:
            found = np.minimum(found, _either(somebody_else | self._are_said_again(new, olds), IN_DOUBT))
            found = np.where(self._are_of_another(new, olds, has_its_value), np.float32(0), found)
        found = _at_least(found, self._are_done(new, olds), DONE)
        is_other_number = anew & (signs[:, SAME_KIND] > 0)  # `Bo likes the bath at 38 degrees`
        holds = (self._hold_beside(new, olds) & ~is_other_number) | self._hold_otherwise(new, olds)
        holds |= self._have_no_price(new, olds) | self._are_of_anothers(new, olds)
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
        return bool({"corrects", "changes_surely"} & self._parser.parsed(text).says)

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

    def _hold_otherwise(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them hold on all other days, where `new` says how it is for once: `Yoga is at six today.` None where
        it says what has happened, and not what was for once itself.
        """
        for_once, denies = pattern("for_once"), pattern("negation").search(new.text) is not None
        rest = for_once.sub("", new.text)
        is_so = pattern("says_now").search(rest) and not pattern("happened").search(rest.lower())
        is_so = is_so and "changes_surely" not in self._parser.parsed(rest).says
        if not for_once.search(new.text) or not (is_so or denies or pattern("called_off").match(new.text)):
            return np.zeros(len(olds), bool)
        # `They don't come this week`, of `They come on Tuesday`
        was_for_once = [
            for_once.search(old.text) or (not denies and pattern("day_to_come").search(old.text)) for old in olds
        ]
        was_left = self._were_left_somewhere(new, olds)  # `I parked on level 7 today`
        return np.array([not each for each in was_for_once], bool) & ~was_left

    def _hold_beside(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them hold beside `new`, whatever the judge says, unless it says the same with another number."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        adds_up = "adds_up" in mine.says and not {"starts_over", "corrects"} & mine.says
        happens = not {"on_condition", "whenever", "corrects", "denies"} & mine.says
        warns = "warns" in mine.says and not {"changes_surely", "corrects"} & mine.says
        feels = _feels(mine.tokens) and not (SAYS_CHANGE | {"denies"}) & mine.says
        explains = "explains" in mine.says and not {"corrects", "denies"} & mine.says
        hold = [
            (adds_up and "adds_up" in old.says)  # two allergies
            or (explains and "explains" not in old.says)  # why something failed
            or ("command" in mine.says) != ("command" in old.says)
            or (feels and not _feels(old.tokens))  # what somebody likes, beside what is so
            or (warns and "warns" not in old.says)  # what is to be done lest something happens
            or self._says_who_is_kin(old, mine)
            or self._says_what_it_is_called(old, mine)
            or (happens and bool((old.condition - old.names) & mine.content))  # what is to be done when that happens
            or (bool(mine.purpose) and mine.purpose.isdisjoint(old.content))
            or (bool(mine.files and old.files) and mine.files.isdisjoint(old.files))
            or (not {"changes_surely", "denies"} & mine.says and self._are_numbered_apart(mine, old))  # Box 5, Box 12
            for old in theirs
        ]
        return np.array(hold, bool)

    def _are_elsewhere_or_kin(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them are about the user's own of what `new` says of one elsewhere, about whom it names only by
        somebody of their family, or about another thing than was moved: `Our library shuts at five.`, `The library over
        at Bern shuts at four now.`; `Bo is a vet.`, `Bo's brother is a baker now.`; `Bo has moved his bed.`
        """
        mine = self._parser.parsed(new.text)
        found = pattern("elsewhere").match(new.text), pattern("moved_thing").search(new.text)
        (what, where), (moved,) = self._named(found[0], "what", "where"), self._named(found[1], "what")
        kin = {one for whose, one in pairwise(mine.stems[:3]) if whose in mine.owners}
        kin &= self._parser.stemmed("kin") | set(map(stem, words("of_a_friend")))
        of_another = []
        for old in olds:
            theirs, is_own = self._parser.parsed(old.text), pattern("own").match(old.text) is not None
            has_place = pattern("at_place").search(" ".join(theirs.tokens[: theirs.verb])) is not None
            is_elsewhere = bool(where and what & theirs.subject) and where.isdisjoint(theirs.content)
            is_elsewhere = is_elsewhere and (is_own or has_place)
            is_of_kin = bool(kin and mine.owners & theirs.content) and kin.isdisjoint(theirs.content)
            is_not_moved = bool(moved) and beginnings(moved).isdisjoint(beginnings(theirs.content))
            is_not_moved = is_not_moved and "postpones" not in mine.says  # `Bo has moved our appointment`
            of_another.append(is_elsewhere or is_of_kin or is_not_moved)
        return of_another

    def _are_of_anothers(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them are the user's own of what `new` says of somebody else's, whom they do not name: `My mate Kev's
        rent has gone up`, `The place opposite opens at seven`, `Mum keeps her key in the pot now`.
        """
        mine, nearby = self._parser.parsed(new.text), pattern("nearby").search(new.text)
        if "corrects" in mine.says or pattern("of_speaker").search(new.text):
            return np.zeros(len(olds), bool)
        kin = self._parser.stemmed("kin")
        whose = _owners(mine) | frozenset(map(stem, TOKEN.findall(nearby[0].lower())) if nearby else ())
        theirs_of_it = self._named(pattern("its_own").search(new.text), "what")[0]
        is_somebody = bool(theirs_of_it) and is_about_somebody(new.text)
        anothers = []
        for text in (each.text for each in olds):
            old = self._parser.parsed(text)
            is_own = pattern("of_persons").match(text) is not None
            is_of_it = is_own or bool(((mine.subject - whose) | theirs_of_it) & old.content)
            is_elses = bool(whose) and whose.isdisjoint(old.content) and not _owners(old) and is_of_it
            is_elses = is_elses and not (whose & kin and old.content & kin)  # Dad's, my father's
            has_its_own = (
                is_somebody and is_own and theirs_of_it <= old.content and mine.subject.isdisjoint(old.content)
            )
            anothers.append(is_elses or has_its_own)
        return np.array(anothers, bool)

    def _named(self, found: re.Match[str] | None, *names: str) -> list[frozenset[str]]:
        """The content of what is named in a phrase; of none where it was not found."""
        return [
            self._parser.parsed(found[name]).content - self._parser.stemmed("idle") if found else frozenset()
            for name in names
        ]

    def _says_who_is_kin(self, old: Parsed, mine: Parsed) -> bool:
        """Whether the older statement only says what somebody of the family is called, and the newer one nothing of who
        that is: `My son is Kit.`, `Kit moved out.`
        """
        kin = old.subject & self._parser.stemmed("kin")
        is_named = verb_of(old) in self._parser.stemmed("being") and "places" not in old.says
        return bool(kin) and is_named and bool(old.predicate) and old.predicate <= old.names and not kin & mine.content

    def _says_what_it_is_called(self, old: Parsed, mine: Parsed) -> bool:
        """Whether the older statement only says how something is called, and the newer one has no other name and does
        not say that it left: `Our cat is called Fig.`, `The cat no longer goes out.`
        """
        named = zip(["", *old.stems], old.stems, old.tokens, strict=False)
        # No `I sing in a choir called Fig`.
        is_called = any(
            s in self._parser.stemmed("called") and not (t.endswith("ed") and b in old.content) for b, s, t in named
        )
        is_called = is_called and bool(old.subject) and bool(old.names)
        only_named = is_called and old.content - old.subject <= old.names | self._parser.stemmed("called")
        has_name = bool(mine.names - old.names or self._parser.stemmed("called") & set(mine.stems))
        return only_named and not has_name and pattern("has_left").search(" ".join(mine.tokens)) is None

    def _are_told_apart(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them are about another thing of the same name, or about what belongs to whom `new` is about."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        return [bool(old.owners & (mine.subject - mine.owners)) or are_apart(mine, old) for old in theirs]

    def _have_other_heads(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them are about another thing by the same words before it: `the staging cache`, `the staging
        database`.
        """
        mine = self._parser.parsed(new.text)
        of_other = []
        for old in map(self._parser.parsed, (each.text for each in olds)):
            heads = [[s for s in each.stems[: each.verb] if s in each.content][-1:] for each in (mine, old)]
            is_same_verb = verb_of(mine) == verb_of(old)
            are_other = heads[0] != heads[1] and not {*heads[0]} & old.content and not {*heads[1]} & mine.content
            of_other.append(are_other and all(heads) and is_same_verb and bool(mine.subject & old.subject))
        return np.array(of_other, bool)

    def _are_bumped(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them have another number right behind a name of `new`, which says that it changed: `Tailwind 3`."""
        mine = self._parser.parsed(new.text)
        if not SAYS_CHANGE & mine.says or "number" not in mine.kinds:
            return np.zeros(len(olds), bool)
        bumped = []
        for text in (each.text for each in olds):
            old = self._parser.parsed(text)
            pairs = [*zip(pairwise(old.tokens), old.stems, old.kinds[1:], strict=False)]
            names = [pair for pair, its, kind in pairs if kind == "number" and its in mine.content]
            bumped.append(
                any(
                    name[:1].isupper() and number not in mine.tokens and f"{name} {number}" in text
                    for name, number in names  # no `Bo, 0170 5551`
                )
            )
        return np.array(bumped, bool)

    def _have_no_price(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say no amount of anything, where `new` says what something costs: `The sweep wants 15 now`, of
        `The sweep is Tom, 0170 5551`.
        """
        if not pattern("of_price").search(new.text):
            return np.zeros(len(olds), bool)
        texts = [pattern("grouped_number").sub("", old.text) for old in olds]
        has_price = ["money" in self._parser.parsed(text).says or pattern("of_price").search(text) for text in texts]
        return np.array(
            [
                not (priced or "number" in self._parser.parsed(text).kinds)
                for priced, text in zip(has_price, texts, strict=True)
            ]
        )

    def _are_changed(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them share with `new` what it is about, where it says that something surely has changed."""
        return self._share_matter(new, olds) & self.says_change(new.text)

    def _by_distance(self, found: Vectors, signs: Vectors, new: Said, olds: Sequence[Said]) -> Vectors:
        """Chances that were found, less where a vector is far from `new`, or without any where nothing is shared."""
        cosines, is_sure = cosines_of(new, olds), self.says_change(new.text)
        is_said = bool(SAYS_CHANGE & self._parser.parsed(new.text).says)
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

    def _are_taken_over(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say of somebody else what, as `new` says, another one has taken over: behind why, of any of it;
        else the nearest one that names all of it and who does it.
        """
        behind_why, alone = pattern("takes_over").search(new.text), pattern("takes_over_what").match(new.text)
        theirs = [self._parser.parsed(old.text) for old in olds]
        if behind_why:
            now = self._parser.parsed(new.text[behind_why.start("who") :])
            what = now.content - now.names - self._parser.stemmed("idle")
            has_it = [
                bool(what & old.content and old.names - now.names) and not now.names & old.names for old in theirs
            ]
            return np.array(has_it, bool)
        who, what = self._named(alone, "who", "what")
        has_it = [
            bool(what and old.subject) and what <= old.content and not old.subject & (who | what) for old in theirs
        ]
        near = np.where(has_it, cosines_of(new, olds), -1.0)
        return np.array(has_it & (near == near.max()), bool)

    def _somebody_else_does(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them say of somebody else what `new` says that one does with something that both know: `Ida has the
        solo in the mass`, of `Bo sings the solo in the mass`.
        """
        says = self._parser.parsed(new.text).says
        mine = None if {"adds", "adds_up"} & says else pattern("does_known").match(new.text)
        if mine is None or _feels(TOKEN.findall(new.text)):
            return [False] * len(olds)
        who, what = (self._parser.parsed(mine[name]).content for name in ("who", "what"))
        what -= self._parser.stemmed("idle")
        found = []
        for old in olds:
            theirs, content = pattern("does_known").match(old.text), self._parser.parsed(old.text).content
            other = self._parser.parsed(theirs["who"]).content if theirs else frozenset[str]()
            found.append(bool(other and what) and what <= content and not who & content and not other & (who | what))
        return found

    def _are_said_anew(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say all that `new` says but for one word or name behind its verb: `The code of the gate is 12`
        for `There is a gate at the back. The code is 40.`
        """
        mine = self._parser.parsed(new.text)
        found = []
        for old in map(self._parser.parsed, (each.text for each in olds)):
            came = mine.only(old)
            was_left = mine.says & old.says >= WHERE_LEFT
            verbs = (1, 1) if was_left else (mine.verb, old.verb)
            if was_left:
                came = [place for place in came if not pattern("at_present").fullmatch(mine.tokens[place])]
            is_value = len(came) == 1 or (len(came) == 2 and mine.has("name", came[:1]) and mine.has("name", came[1:]))
            is_behind = is_value and came[0] > verbs[0] and came[-1] - came[0] < len(came)
            shared, is_named = (
                mine.content & old.content - self._parser.stemmed("idle"),
                mine.subject == old.subject and is_value,
            )
            is_named = is_named and not mine.has("word", came)
            is_of_it = bool(mine.subject - self._parser.stemmed("idle")) and mine.subject <= old.content
            is_of_it = is_of_it and (len(shared) > 1 or is_named)
            found.append(is_behind and is_of_it and any(place > verbs[1] for place in old.only(mine)))
        return np.array(found, bool)

    def _were_left_somewhere(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say where something was put, if `new` does: `I parked the van on level 7.`"""
        mine = self._parser.parsed(new.text)
        return np.array([mine.says & self._parser.parsed(old.text).says >= WHERE_LEFT for old in olds], bool)

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

    def _are_said_again(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say nothing that `new` does not say."""
        mine = self._parser.parsed(new.text)
        return np.array([self._parser.parsed(old.text).content <= mine.content for old in olds])

    def _are_of_another(self, new: Said, olds: Sequence[Said], has_its_value: Flags) -> Flags:
        """Which of them are about another one of the family, or have another value than `new` says that used to be."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        kin = self._parser.stemmed("kin")
        found = [bool(kin & mine.subject and kin & old.subject - mine.content) for old in theirs]
        return np.array(found, bool) | (~has_its_value & ("used_to" in mine.says))

    def _times_of_day(self, statement: Parsed) -> set[str]:
        """The stems of `night` and `weekly`: most things that are told apart have them in common."""
        places = zip(statement.stems, statement.tokens, statement.kinds, strict=True)
        dated = ("weekday", "month")
        return {s for s, t, kind in places if kind == "day" and self._parser.kind_of_value(t) not in dated}

    def _give_up_its_code(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them have a code that `new` says something else to be instead of."""
        found = contrast(new.text)
        wrong = " ".join([found.wrong if found else "", *map(left_behind, sentences(new.text))])
        codes = {each for each in TOKEN.findall(wrong) if self._parser.kind_of_value(each) == "code"}
        return [not codes.isdisjoint(self._parser.parsed(old.text).tokens) for old in olds]

    def _are_called_off(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one with a day to come that names what, as `new` says, was called off."""
        (what,) = self._named(pattern("called_off").match(new.text), "what")
        what -= self._parser.stemmed("idle")
        theirs = [self._parser.parsed(old.text) for old in olds]
        is_due = [pattern("day_to_come").search(old.text) is not None for old in olds]
        names_it = [
            bool(what) and what <= old.content - old.owners for old in theirs
        ]  # `Bo is off`: no `Bo's birthday`
        near = np.where(np.array(is_due) & names_it, cosines_of(new, olds), np.float32(-1))
        return np.array((near >= 0) & (near == near.max()), bool)

    def _are_done(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one of something to be done, which `new` says has been: `I picked up the
        parcel`, of `I've got to pick up the parcel on Saturday`.
        """
        mine = self._parser.parsed(new.text)
        done = mine.content - self._parser.stemmed("idle") - {stem("done")}
        is_done = pattern("happened").search(new.text.lower()) and not pattern("has_to").search(new.text)
        theirs = [self._parser.parsed(old.text).content for old in olds]
        are_to_be = [pattern("has_to").search(old.text) is not None for old in olds]
        has_it = [bool(is_done) and len(done) > 1 and "denies" not in mine.says and done <= each for each in theirs]
        near = np.where(np.array(are_to_be) & has_it, cosines_of(new, olds), np.float32(-1))
        return np.array((near >= 0) & (near == near.max()), bool)

    def _are_taken_back(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one with what `new` says to have been told wrongly, to be something else or to
        have been left, or the only one.
        """
        told, denied = pattern("told_wrongly").search(new.text), wrong_first(new.text) or _specific_contrast(new.text)
        told = told or (pattern("why_left").search(new.text) if self.says_change(new.text) else None)
        said = told["wrong"] if told else denied.wrong if denied else ""
        wrong = self._parser.parsed(said).content
        has_it = np.array([bool(wrong) and wrong <= self._parser.parsed(old.text).content for old in olds])
        is_only = has_it & (denied is not None and has_it.sum() == 1)
        near = np.where(has_it, cosines_of(new, olds), -1.0)
        return np.array(is_only | (has_it & (near == near.max()) & ((near >= NEAR_DAY) | (near == 0.0))), bool)

    def _give_up_its_day(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one of a weekday that `new` gives up for another one."""
        mine = self._parser.parsed(new.text)
        days = {s for s, t in zip(mine.stems, mine.tokens, strict=True) if self._parser.kind_of_value(t) == "weekday"}
        over, near = days & mine.given_up, cosines_of(new, olds)
        has_it = np.array([not over.isdisjoint(self._parser.parsed(old.text).content) for old in olds])
        near = np.where(has_it & bool(days - over), near, np.float32(0))
        return np.array((near >= NEAR_DAY) & (near == near.max()), bool)

    def _are_numbered_apart(self, mine: Parsed, theirs: Parsed) -> bool:
        """Whether what two statements are about has the same name and another number."""
        numbers, others = self._numbers(mine), self._numbers(theirs)
        return any(numbers[name].isdisjoint(others[name]) for name in numbers.keys() & others.keys())

    def _numbers(self, statement: Parsed) -> dict[str, set[str]]:
        """The numbers of what a statement is about, by the name before them; a day of a month is none."""
        found: dict[str, set[str]] = {}
        for place, token in enumerate(statement.tokens[1 : statement.verb], 1):
            name, kind = statement.stems[place - 1], self._parser.kind_of_value(statement.tokens[place - 1])
            if token.isdecimal() and name in statement.content and kind not in ("month", "weekday", "number"):
                found.setdefault(name, set()).add(token)
        return found

    @cached_property
    def _head(self) -> SignsAndVectors:
        return SignsAndVectors.load(self._folder / "replacement.json")

    @cached_property
    def _reading(self) -> Reading:
        """For what the embedder reads in two statements."""
        return Reading.load(self._folder / "pairs.json")


def _owners(statement: Parsed) -> frozenset[str]:
    """Whose thing a statement is about: `Kev`, of `Kev's rent is ...`, no `rent`, of `My rent's gone up`."""
    subject = [*zip(statement.tokens, statement.stems, statement.kinds, strict=True)][: statement.verb]
    owned = (
        its
        for (token, its, _), (thing, thing_its, kind) in pairwise(subject)
        if token.endswith(("'s", "’s")) and kind == "word" and not pattern("goes_on_from_is").match(thing)
        if thing_its in statement.content or pattern("owning").match(f"{thing} ")
    )
    return frozenset(owned) & statement.content


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


def _are_left_for_another(new: Said, olds: Sequence[Said]) -> Flags:
    """Which of them is the only one done by means of what, as `new` says, the speaker has left for something else: `We
    moved from Cypress to Playwright`, of `The tests run with Cypress`; no `Grandma lives in Bern`.
    """
    left = swapped(new.text) if pattern("of_persons").match(new.text) else None
    if left is None or not any(c.isupper() or c.isdigit() for c in left.wrong):
        return np.zeros(len(olds), bool)
    by_means = pattern("by_means").pattern
    by_it = re.compile(rf"^(?P<who>.*?){by_means}{re.escape(left.wrong)}(?!\w)", re.IGNORECASE)
    places = [by_it.match(old.text) for old in olds]
    found = np.array([place is not None and not is_about_somebody(place["who"]) for place in places])
    return np.array(found & (found.sum() == 1), bool)


def _are_put_off(new: Said, olds: Sequence[Said]) -> Flags:
    """Which of them is the nearest one with the day of what comes later, as `new` says; no birthday is put off."""
    if not pattern("put_off").search(new.text):
        return np.zeros(len(olds), bool)
    is_due = [pattern("day_to_come").search(o.text) and not pattern("names_birthday").search(o.text) for o in olds]
    near = np.where([bool(each) for each in is_due], cosines_of(new, olds), np.float32(0))
    return np.array((near >= NEAR_DAY) & (near == near.max()), bool)


def _feels(tokens: Sequence[str]) -> bool:
    """Whether a statement begins with what somebody likes or does not: `I hate Mondays.`"""
    text = " ".join(tokens[1:LAST_OF_VERB])
    return any(pattern(name).search(text) for name in ("fond", "averse"))


def _specific_contrast(text: str) -> Contrast | None:
    """What a sentence of a text has in the place of another number or name: `The fair is not 6 May but 7 May.`"""
    return next((found for each in sentences(text) if (found := contrast(each)) and found.is_specific), None)


def _either(where: Sequence[bool] | Flags, value: float, others: float = 1.0) -> Vectors:
    """One value where a mark is set, and the other elsewhere."""
    return np.where(where, np.float32(value), np.float32(others))


def _at_least(found: Vectors, where: Sequence[bool] | Flags, chance: float) -> Vectors:
    """The chances, no less than one of them where a mark is set."""
    return np.maximum(found, _either(where, chance, 0.0))
