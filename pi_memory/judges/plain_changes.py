"""The older statements that a newer one makes untrue by its plain form, whatever a judge says: `The fair is off.`"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pi_memory.judges.antecedents import is_about_somebody
from pi_memory.judges.pair_signs import Said, cosines_of
from pi_memory.judges.parsed import TOKEN, Parser, owners_of, were_left
from pi_memory.text.contrast import Contrast, contrast, left_behind, swapped, wrong_first
from pi_memory.text.language import pattern
from pi_memory.text.sentences import sentences, stems
from pi_memory.text.stems import stem
from pi_memory.types import Flags, Vectors

NEAR_DAY = 0.4
"""A cosine from which on two statements of a day may be about one thing."""
FEWEST_SHARED = 2
"""Stems that two statements of how often something is done share, but for that, if they are about the same."""
FORMS = (
    ("called_off", "day_to_come"),  # the fair is off
    ("moved_to_day", "day_to_come"),  # the dentist is pushed to Friday
    ("has_moved", "lives_at"),  # Ada has moved to Bern
    ("paid_up", "is_lent"),  # Bo has paid
    ("new_number", "grouped_number"),  # Bo has a new number
    ("cannot_come", "day_to_come"),  # Bo can't make Sunday
    ("gave_back", "is_lent"),  # Ada brought the drill back
    ("stops", ""),  # Ada's off the iron
)
"""Expressions that name, in their groups, what is so no more, each with what an older statement has to say of it."""


class PlainChanges:
    """Finds which of some older statements a newer one plainly changes, by the words that a `parser` knows."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def chances(self, new: Said, olds: Sequence[Said]) -> Vectors:
        """At least how likely `new` makes each of `olds` untrue by its form, shape (n,); 0 where it has none."""
        forms = (
            (self._give_up_its_code, 0.9),  # on 9443 instead of 9080
            (self._give_up_its_day, 0.5),  # no more Mondays, it's Fridays
            (self._are_taken_back, 0.8),  # I told you green, but it is blue
            (_are_left_for_another, 0.8),  # we moved from Cypress to Playwright
            (self._are_ended_by_name, 0.8),  # the fair is off
            (self._are_as_often, 0.7),  # I send them once a month
            (self._are_bumped, 0.8),  # Go is at 1.23 now
            (_are_put_off, 0.8),  # Bo can't come till Friday
            (self._are_taken_over, 0.7),  # Bo stood down, and Ida was elected chair
        )
        found = [np.where(ends(new, olds), np.float32(chance), np.float32(0)) for ends, chance in forms]
        return np.array(np.max(found, axis=0), np.float32)

    def are_said_anew(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say all that `new` says but for one word or name behind its verb: `The code of the gate is 12`
        for `There is a gate at the back. The code is 40.`
        """
        mine = self._parser.parsed(new.text)
        found = []
        for old in map(self._parser.parsed, (each.text for each in olds)):
            came = mine.only(old)
            was_left = were_left(mine, old)
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

    def were_left(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say where something was put, if `new` does: `I parked on level 7 today.`"""
        mine = self._parser.parsed(new.text)
        return np.array([were_left(mine, self._parser.parsed(old.text)) for old in olds], bool)

    def _give_up_its_code(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them have a code that `new` says something else to be instead of."""
        found = contrast(new.text)
        wrong = " ".join([found.wrong if found else "", *map(left_behind, sentences(new.text))])
        codes = {each for each in TOKEN.findall(wrong) if self._parser.kind_of_value(each) == "code"}
        return [not codes.isdisjoint(self._parser.parsed(old.text).tokens) for old in olds]

    def _give_up_its_day(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one of a weekday that `new` gives up for another one."""
        mine = self._parser.parsed(new.text)
        days = {s for s, t in zip(mine.stems, mine.tokens, strict=True) if self._parser.kind_of_value(t) == "weekday"}
        over, near = days & mine.given_up, cosines_of(new, olds)
        has_it = np.array([not over.isdisjoint(self._parser.parsed(old.text).content) for old in olds])
        near = np.where(has_it & bool(days - over), near, np.float32(0))
        return np.array((near >= NEAR_DAY) & (near == near.max()), bool)

    def _are_taken_back(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one with what `new` says to have been told wrongly, to be something else or to
        have been left, or the only one.
        """
        told, denied = pattern("told_wrongly").search(new.text), wrong_first(new.text) or _specific_contrast(new.text)
        told = told or (
            pattern("why_left").search(new.text) if self._parser.parsed(new.text).says_change_surely else None
        )
        said = told["wrong"] if told else denied.wrong if denied else ""
        wrong = self._parser.parsed(said).content
        has_it = np.array([bool(wrong) and wrong <= self._parser.parsed(old.text).content for old in olds])
        is_only = has_it & (denied is not None and has_it.sum() == 1)
        near = np.where(has_it, cosines_of(new, olds), -1.0)
        return np.array(is_only | (has_it & (near == near.max()) & ((near >= NEAR_DAY) | (near == 0.0))), bool)

    def _are_ended_by_name(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one that names what `new`, by one of `FORMS`, says to be off or moved, and of
        whom, and says of it what can end so; `Bo is off` says nothing of `Bo's birthday`.
        """
        found = np.zeros(len(olds), bool)
        for form, of in FORMS:
            if not (said := pattern(form).match(new.text)):
                continue
            what = frozenset[str]().union(*self._parser.named(said, *said.groupdict()))
            theirs = [self._parser.parsed(old.text) for old in olds]
            may_end = [not of or pattern(of).search(old.text) is not None for old in olds]
            names_it = [bool(what) and what <= old.content - owners_of(old) for old in theirs]
            near = np.where(np.array(names_it) & may_end, cosines_of(new, olds), np.float32(-1))
            found |= (near >= 0) & (near == near.max())
        return found

    def _are_as_often(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them is the nearest one of the same things that are done, as `new` says, more or less often."""
        often, mine = pattern("how_often").search(new.text), self._parser.parsed(new.text)
        if often is None or "adds_up" in mine.says:
            return np.zeros(len(olds), bool)
        before = [pattern("how_often").search(old.text) for old in olds]
        idle = self._parser.stemmed("idle") | stems(often[0])
        shared = [len((mine.content & self._parser.parsed(old.text).content) - idle) for old in olds]
        differs = [was is not None and was[0].lower() != often[0].lower() for was in before]
        near = np.where(np.array(differs) & (np.array(shared) >= FEWEST_SHARED), cosines_of(new, olds), np.float32(0))
        return np.array((near >= NEAR_DAY) & (near == near.max()), bool)

    def _are_bumped(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them have another number right behind a name of `new`, which says that it changed: `Tailwind 3`."""
        mine = self._parser.parsed(new.text)
        if not mine.says_change or "number" not in mine.kinds:
            return np.zeros(len(olds), bool)
        bumped, upgrades = [], pattern("upgrades").search(new.text) is not None
        for text in (each.text for each in olds):
            old = self._parser.parsed(text)
            pairs = [*zip(pairwise(old.tokens), old.stems, old.kinds[1:], strict=False)]
            names = [pair for pair, its, kind in pairs if kind == "number" and its in mine.content]
            bumped.append(
                any(
                    (name[:1].isupper() or upgrades) and number not in mine.tokens and f"{name} {number}" in text
                    for name, number in names  # no `Bo, 0170 5551`
                )
            )
        return np.array(bumped, bool)

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
        who, what = self._parser.named(alone, "who", "what")
        has_it = [
            bool(what and old.subject) and what <= old.content and not old.subject & (who | what) for old in theirs
        ]
        near = np.where(has_it, cosines_of(new, olds), -1.0)
        return np.array(has_it & (near == near.max()), bool)

    def are_done(self, new: Said, olds: Sequence[Said]) -> Flags:
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


def _specific_contrast(text: str) -> Contrast | None:
    """What a sentence of a text has in the place of another number or name: `The fair is not 6 May but 7 May.`"""
    return next((found for each in sentences(text) if (found := contrast(each)) and found.is_specific), None)
