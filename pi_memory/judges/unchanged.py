"""The older statements that hold beside a newer one, whatever a judge says: those of something or somebody else."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pi_memory.judges.antecedents import is_about_somebody
from pi_memory.judges.pair_signs import Said, are_apart, beginnings, verb_of
from pi_memory.judges.parsed import SAYS_CHANGE, TOKEN, Parsed, Parser, owners_of, were_left
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import stems
from pi_memory.text.stems import stem
from pi_memory.types import Flags

SAYS_OTHERWISE = SAYS_CHANGE | {"denies", "corrects", "changes_surely"}
LAST_OF_VERB = 4
"""Tokens of a statement that begins with its subject and its verb."""


class Unchanged:
    """Finds which of some older statements a newer one leaves as they are, by the words that a `parser` knows."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def hold(self, new: Said, olds: Sequence[Said], *, has_other_number: Flags) -> Flags:
        """Which of `olds` hold whatever `new` says, shape (n,), but for those that it says with another number."""
        beside = self._hold_beside(new, olds) & ~has_other_number  # `Bo likes the bath at 38 degrees`
        beside |= self._hold_otherwise(new, olds) | self._have_no_price(new, olds)
        if any(pattern(name).search(new.text) for name in ("swaps_over", "ran_out", "not_yet")):
            return np.ones(len(olds), bool)  # `Bo and Kit swapped days` says not which
        rate, owed = pattern("rate").search(new.text), pattern("so_much_more").search(new.text)
        beside |= np.array([_counts_otherwise(rate, old.text) for old in olds])
        beside |= np.array([owed is not None and pattern("is_lent").search(old.text) is not None for old in olds])
        return beside | self._are_of_anothers(new, olds)

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
        was_for_once = [bool(for_once.search(old.text) or (not denies and _is_due(old.text))) for old in olds]
        mine = self._parser.parsed(new.text)
        was_left = [were_left(mine, self._parser.parsed(old.text)) for old in olds]  # `I parked on level 7 today`
        return np.array(~np.array(was_for_once, bool) & ~np.array(was_left, bool))

    def _hold_beside(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them hold beside `new`, whatever the judge says, unless it says the same with another number."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        adds_up = "adds_up" in mine.says and not {"starts_over", "corrects"} & mine.says
        happens = not {"on_condition", "whenever", "corrects", "denies"} & mine.says
        warns = "warns" in mine.says and not {"changes_surely", "corrects"} & mine.says
        feels = _feels(mine.tokens) and not (SAYS_CHANGE | {"denies"}) & mine.says
        is_again = pattern("once_more").search(new.text) is not None
        days = stems(" ".join(forms("weekday_name")))
        gives_up_day = pattern("says_over").search(new.text) and not pattern("put_off").search(new.text)
        has_left = any(pattern(name).search(new.text) for name in ("has_left", "who_left"))
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
            or _is_of_another_doer(mine, old)
            or (is_again and mine.stems[:2] == old.stems[:2])  # Dad fell again on Saturday
            or (has_left and bool(old.predicate & self._parser.stemmed("kin")))  # whose daughter is Ida
            or (gives_up_day and mine.content & days != frozenset() == old.content & days)
            or (bool(mine.files and old.files) and mine.files.isdisjoint(old.files))
            or (not {"changes_surely", "denies"} & mine.says and self._are_numbered_apart(mine, old))  # Box 5, Box 12
            for old in theirs
        ]
        return np.array(hold, bool)

    def are_elsewhere_or_kin(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them are about the user's own of what `new` says of one elsewhere, about whom it names only by
        somebody of their family, or about another thing than was moved: `Our library shuts at five.`, `The library over
        at Bern shuts at four now.`; `Bo is a vet.`, `Bo's brother is a baker now.`; `Bo has moved his bed.`
        """
        mine = self._parser.parsed(new.text)
        found = pattern("elsewhere").match(new.text), pattern("moved_thing").search(new.text)
        (what, where), (moved,) = self._parser.named(found[0], "what", "where"), self._parser.named(found[1], "what")
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
        whose = owners_of(mine) | frozenset(map(stem, TOKEN.findall(nearby[0].lower())) if nearby else ())
        theirs_of_it = self._parser.named(pattern("its_own").search(new.text), "what")[0]
        is_somebody = bool(theirs_of_it) and is_about_somebody(new.text)
        anothers = []
        for text in (each.text for each in olds):
            old = self._parser.parsed(text)
            is_own = pattern("of_persons").match(text) is not None
            is_of_it = is_own or bool(((mine.subject - whose) | theirs_of_it) & old.content)
            is_elses = bool(whose) and whose.isdisjoint(old.content) and not owners_of(old) and is_of_it
            is_elses = is_elses and not (whose & kin and old.content & kin)  # Dad's, my father's
            has_its_own = (
                is_somebody and is_own and theirs_of_it <= old.content and mine.subject.isdisjoint(old.content)
            )
            anothers.append(is_elses or has_its_own)
        return np.array(anothers, bool)

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

    def are_told_apart(self, new: Said, olds: Sequence[Said]) -> list[bool]:
        """Which of them are about another thing of the same name, or about what belongs to whom `new` is about."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        return [bool(old.owners & (mine.subject - mine.owners)) or are_apart(mine, old) for old in theirs]

    def are_somebodys(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them are about what is somebody's whom `new` does not name: `The home's number is ...`"""
        mine = self._parser.parsed(new.text)
        whose = [owners_of(self._parser.parsed(old.text)) for old in olds]
        return np.array([bool(its) and its.isdisjoint(mine.content) for its in whose], bool)

    def have_other_heads(self, new: Said, olds: Sequence[Said]) -> Flags:
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

    def somebody_else_does(self, new: Said, olds: Sequence[Said]) -> list[bool]:
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

    def are_said_again(self, new: Said, olds: Sequence[Said]) -> Flags:
        """Which of them say nothing that `new` does not say."""
        mine = self._parser.parsed(new.text)
        return np.array([self._parser.parsed(old.text).content <= mine.content for old in olds])

    def are_of_another(self, new: Said, olds: Sequence[Said], has_its_value: Flags) -> Flags:
        """Which of them are about another one of the family, or have another value than `new` says that used to be."""
        mine, theirs = self._parser.parsed(new.text), [self._parser.parsed(old.text) for old in olds]
        kin = self._parser.stemmed("kin")
        found = [bool(kin & mine.subject and kin & old.subject - mine.content) for old in theirs]
        return np.array(found, bool) | (~has_its_value & ("used_to" in mine.says))

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


def _counts_otherwise(rate: re.Match[str] | None, old: str) -> bool:
    """Whether one says how much by the hour, or how many hours, and the other the other: `Bo gets 16 an hour`, `Bo does
    30 hours`.
    """
    was = pattern("rate").search(old)
    return rate is not None and was is not None and (rate["per"] is None) != (was["per"] is None)


def _is_of_another_doer(mine: Parsed, old: Parsed) -> bool:
    """Whether somebody does what another one does, each called by one word, and nothing is said to have changed: `Ida
    comes at 12`, `Bo comes at 9`.
    """
    if not (mine.verb == old.verb == 1 and len(mine.stems) > 1 and len(old.stems) > 1):
        return False
    has_it = mine.tokens[1].casefold() in forms("of_one").values()  # Bo has the key, Ida is the boss: one may
    is_same = mine.stems[1] == old.stems[1] and mine.stems[0] != old.stems[0]
    return is_same and not has_it and not SAYS_OTHERWISE & mine.says


def _feels(tokens: Sequence[str]) -> bool:
    """Whether a statement begins with what somebody likes or does not: `I hate Mondays.`"""
    text = " ".join(tokens[1:LAST_OF_VERB])
    return any(pattern(name).search(text) for name in ("fond", "averse"))


def _is_due(text: str) -> bool:
    """Whether something is to be on a date; on a weekday it may be again and again."""
    dated = re.sub(rf"\b(?:{'|'.join(forms('weekday_name'))})\b", "", text, flags=re.IGNORECASE)
    return pattern("day_to_come").search(dated) is not None and pattern("is_habit").search(text) is None
