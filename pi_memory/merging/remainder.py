"""What a memory says that a correction leaves standing: a value that was put right goes in its place, and what was said
beside it is kept. Pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence, Set
from itertools import pairwise, takewhile

from msgspec.structs import replace

from pi_memory.judges.comparison import stems
from pi_memory.text.contrast import (
    Contrast,
    contrast,
    in_cleft,
    is_number_word,
    leads,
    left_behind,
    swapped,
    with_subject,
    without_left_behind,
    wrong_first,
)
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, has_verb, sentences
from pi_memory.text.sentences import stems as all_stems
from pi_memory.text.stems import stem

AMOUNT = re.compile(r"(?<![\w.,:-])(?=(?P<many>\w+) (?P<what>[^\W\d_]{3,}))")
"""Two words, the first of which may be a number."""
LIKELY_TOO = 0.55
"""Share of the chance of the clause that a correction most likely makes untrue from which on another one is too."""
HARDLY = 0.1
"""The same for one that has a value written like the new one."""
WHOLES = ("on_date", "nth_day", "part_of_day")
"""Expressions of several words that are one value: `the 3rd of May`, `first Friday`, `Friday evenings`."""
CURRENCIES = "£$€"
VERBS = ("says_now", "happened_once", "finite")
MOST_ELSE = 7
"""Words that a memory does not know, up to which what was said may be another value of it."""
LEAST_LIKELY = 0.1
"""A chance below which no clause is the one that was corrected."""
SHORTEST_CODE = 6
"""Characters of a word of letters and digits from which on it is a code or a password, whatever its letters."""
SHORTEST_PIN = 4
"""Digits of a number from which on another one with as many is one of the same kind."""
MOST_OF_CHANGE = 5
"""Words of what was said besides another value, up to which it says nothing else of what a memory lists."""
LEAST_PIECES = 2
"""Pieces between commas behind the first one, from which on a memory lists what is so."""
FIRST_WORDS = 3
"""Words of what was said, or of a piece of it, of which one is what it is about."""
LEAST_SAID = 2
"""Words with a meaning of their own that a clause has which is kept."""


def merged(
    said: str, known: str, likely: Sequence[float] | None = None, alone: Sequence[str] = (), *, context: str = ""
) -> str | None:
    """What is to be kept when `said` puts right what a memory says; None for `said` as it is. `likely`, if it is known,
    is how likely that makes each of the memory's clauses untrue; `alone` are these with what their pronouns stand for.
    The memory begins with the `context` that it refers back to: if that is a fact, another memory says it.
    """
    said = pattern("also_mistaken").sub("", said)
    told = [sentence for sentence in sentences(said) if not pattern("mistaken").search(sentence)]
    said = " ".join(told) or pattern("first_mistaken").sub("", said)
    if _gives_up_what_is_known(said, known):
        return with_rest(said, known, likely, alone, context=context)
    return (
        put_right(said, known)
        or with_age(said, known)
        or with_one_less(said, known)
        or with_amount(said, known)
        or with_values(said, known)
        or with_place(said, known, likely)
        or with_rest(said, known, likely, alone, context=context)
        or with_pieces(said, known)
        or with_other_pieces(said, known)
    )


def put_right(said: str, known: str) -> str | None:
    """What a memory says with X in the place of Z, where `X, not Z` was said and it says more than that; else None.

    What follows a name after a comma is of it: the number of the one who is the plumber no more. It is left out, if
    what was said does not say itself what it is about.
    """
    found = wrong_first(said) or contrast(said) or next(filter(None, map(contrast, sentences(said))), None)
    found = found or _value_instead(said) or swapped(said) or _titled_instead(said, known)
    wrong, right = (found.wrong.strip(" .,`\"'"), found.right) if found else ("", "")
    if found and not place_of(wrong, known):  # not nuts with Bo, sesame
        wrong = pattern("of_what").split(wrong)[0]
    if found and (not place_of(wrong, known) or pattern("name_at_end").fullmatch(wrong)):
        found, wrong = _named_alone(found, pattern("since_when").sub("", wrong).strip())
    stands = place_of(wrong, known, as_part=bool(_alike(right, wrong)))  # `v2, not v1`, of `ada.org/v1`
    if found is None or not stands or not stems(known) - stems(said):
        return None
    is_place = all(pattern("placed").match(value) for value in (stands[0], right))
    if is_place and _is_of_place(stands, known) and right.split()[0] != wrong.split()[0]:
        return None  # in the can, for what was in the pump over the desk
    if _goes_on_about(stands, known):
        if found.subject and not pattern("vague_subject").match(found.subject):
            return None
        known = finished(known[: stands.end()])
    first = _alike(found.right, wrong)
    if first and place_of(first, known):
        return None  # Monday and Friday, not Tuesday
    if first:  # Fridays are my day off, not Wednesdays
        return _if_whole(right, _replaced(known, stands, _written_like(first, stands[0])), known)
    if found.right == found.subject and not pattern("verb").search(found.right) and not in_cleft(found.right):
        return None  # where its subject ends is not known
    if _day(wrong) in forms("weekday_name") and not any(_shape(value) == "weekday" for value in _values(found.right)):
        return None
    return _if_whole(right, finished(_replaced(known, stands, _tail(found.right))), known)


def _titled_instead(said: str, known: str) -> Contrast | None:
    """Who with a title is there instead of another one that left: `Dr Ode has moved away, we see Dr Reed now`."""
    names = [found[0].removesuffix("'s") for found in pattern("titled").finditer(said)]
    wrong = [name for name in names if place_of(name, known)]
    right = [name for name in names if name not in wrong]
    is_over = pattern("has_left").search(said) or pattern("says_over").search(said)
    return Contrast("", right[0], wrong[0]) if len(wrong) == len(right) == 1 and is_over else None


def _is_of_place(value: re.Match[str], known: str) -> bool:
    """Whether a value says where the place is that stands before it: `over the desk` of `in the pump over the desk`."""
    return any(place.start() < value.start() <= place.end() + 1 for place in pattern("at_place").finditer(known))


def with_amount(said: str, known: str) -> str | None:
    """What a memory says with another number of the same things, if it says more than that, and nothing else is named
    instead: `two hives` for `three hives`; else None.
    """
    mine, theirs = _amounts(said), _amounts(known)
    shared = mine.keys() & theirs.keys()
    if len(shared) != 1:
        return None
    new, old = mine[what := shared.pop()]["many"], theirs[what]
    if pattern("by_how_much").search(said):
        return None  # lost two hives
    if any(part.startswith(value) for part in pattern("clause_joint").split(known)[1:] for value in _values(known)):
        return None  # 40 grams in the morning and 30 in the evening: not plain which
    if new == old["many"] or not stems(known) - stems(said) - stems(old["many"]):
        return None
    if any(_is_counted(text[each.end("what") :]) for text, each in ((said, mine[what]), (known, old))):
        return None  # seven pounds fifty
    return _if_all_is_kept(said, known[: old.start("many")] + new + known[old.end("many") :], known, gone=old["many"])


def with_age(said: str, known: str) -> str | None:
    """What a memory says with how old somebody is now: `Ada turned nine`; else None."""
    now = pattern("now_aged").search(said)
    who = place_of(now["who"].removesuffix("'s"), known) if now else None
    was = pattern("aged").match(known[who.end() :]) if who else None
    begin = who.end() if who else 0
    if was is None and who is not None and len([*pattern("one_aged").finditer(known)]) == 1:
        was, begin = pattern("one_aged").search(known), 0
    if now is None or was is None:
        return None
    return f"{known[: begin + was.start('age')]}{now['age']}{known[begin + was.end('age') :]}"


def with_one_less(said: str, known: str) -> str | None:
    """What a memory says without one of several days, `Mondays and Fridays`, on which it is so no more; else None."""
    days = [value for value in _values(said) if _shape(value) == "weekday"]
    if len(days) != 1 or not pattern("says_over").search(said) or not pattern("negation").search(said):
        return None
    day, joint = rf"{re.escape(_day(days[0]))}s?(?!\w)", rf"(?:,|,? {pattern('and').pattern})"
    for listed in (rf"{joint} {day}", rf"(?<!\w){day}{joint} "):
        if (left := re.sub(listed, "", known, count=1, flags=re.IGNORECASE)) != known:
            return left if any(_shape(value) == "weekday" for value in _values(left)) else None
    return None


def _gives_up_what_is_known(said: str, known: str) -> bool:
    """Whether somebody is said to do no more what a memory is about: another day is that of something else then."""
    numbers = stems(" ".join(_values(known)))
    return any(
        all_stems(found["what"]) & all_stems(known) - numbers and not swapped(said)
        for found in pattern("gives_up").finditer(said)
    )


def with_values(said: str, known: str) -> str | None:
    """What a memory says with other days, times, prices or codes in the places of those that are written like them, one
    of each kind, if nothing else is named instead: `the exam is on the 26th` for `the exam is on January 19th at nine`;
    else None.
    """
    wholes = [name for name in WHOLES if all(pattern(name).search(text) for text in (said, known))]
    new = [value for value in _values(said, wholes) if place_of(value, known) is None]
    if not new or len({*map(_shape, new)}) != len(new) or _counts(said) - _counts(known):
        return None
    if pattern("by_how_much").search(said):
        return None  # 90 less
    if _months(said) - _months(" ".join(new)) - _months(known) or _gives_reason(known, said):
        return None  # in April, the 14th
    found = known
    gone: list[str] = []
    for value in new:
        old, written = _value_like(value, said, known, wholes), place_of(value, said)
        place = place_of(old, found) if old else None
        if place is None or any(_first_value(name, known) not in ("", old) for name in _named(said) - {*new}):
            return None  # it is the value of another one
        if _is_beside_it(old, known, said) or _is_another_time(value, written, place, found):
            return None
        half = pattern("half_before").search(found[: place.start()])  # half 6, and 9 now
        begin = half.start() if half else place.start()
        found = f"{found[:begin]}{_written_like(value, old)}{_with_unit(value, written, found[place.end() :])}"
        gone.append(old)
    if not stems(known) - stems(said) - stems(" ".join(gone)):
        return None
    return _if_all_is_kept(pattern("since_when").sub("", said), found, known, gone=" ".join(gone))


def _value_like(value: str, said: str, known: str, wholes: Sequence[str]) -> str:
    """The value of a memory in whose place another one goes that was said; "" where it is not plain which."""
    alike = [each for each in _values(known, wholes) if _is_alike(value, said, each, known)]
    if _is_time(value, said):  # `at 11`, of `at 2.15`: no `he was 29`
        alike = [each for each in alike if _is_time(each, known)] or alike
    old = [each for each in alike if place_of(each, said) is None] or alike  # `118 is broken, I have 64 now`
    if alike != old and (len(alike) > 1 or _shape(value) == "weekday"):
        return ""  # `guests are 50 as 30 was taken`, `Mondays and Fridays`
    if len(old) > 1:  # a code of four digits for one of four; when we open, not when we close
        written = place_of(value, said)
        led = [each for each in old if written and _is_led_alike(each, known, written, said)]
        as_long = [each for each in old if len(each) == len(value)]
        is_code = len(as_long) == 1 and len(value) >= SHORTEST_PIN and value.isdigit()
        old = as_long if is_code else _of_same_thing(old, known, said) or led or as_long
    return old[0] if len(old) == 1 and not _is_in_list(old[0], alike, known) else ""


def _is_another_time(value: str, written: re.Match[str] | None, place: re.Match[str], known: str) -> bool:
    """Whether a time that was said is beside the one in a `place` of a memory, and not instead of it."""
    if _is_weekly(value) and _is_inside(place, "nth_day", known):
        return True  # every other Friday, and on Mondays now
    if written is None:
        return False
    is_inside = _is_inside(place, "part_of_day", known)
    if is_inside and pattern("when_behind").match(written.string, written.end()):
        return True  # Sunday mornings, and Fridays after school now
    return pattern("half_before").search(written.string[: written.start()]) is not None  # at half 6


def _with_unit(value: str, written: re.Match[str] | None, behind: str) -> str:
    """What stands `behind` a value in a memory, with what was said right behind the one that goes in its place: `and a
    half`, `o'clock`.
    """
    told = written.string[written.end() :] if written else ""
    more, of_clock = pattern("and_a_half").match(told), pattern("of_clock").match(told)
    left = pattern("of_clock").sub("", behind) if of_clock or _shape(value) == "clock_words" else behind
    return "".join(each[0] for each in (more, of_clock) if each) + left


def _of_same_thing(values: Sequence[str], known: str, said: str) -> list[str]:
    """The one of some values that a memory says of what was said: `1337`, of `the shop is on port 8443 and the blog on
    port 1337`, where the blog moved; none where that is not plain.
    """
    places = sorted((place.start(), place.end(), each) for each in values if (place := place_of(each, known)))
    about: dict[str, Set[str]] = {}
    before = 0
    for number, (begin, end, each) in enumerate(places, 1):
        until = places[number][0] if number < len(places) else len(known)
        joint = pattern("clause_joint").search(known, end, until)
        behind = known[end : joint.start() if joint else end if number < len(places) else until]
        about[each] = all_stems(f"{known[before:begin]} {behind}")
        before = end
    shared = set.intersection(*map(set, about.values())) if about else set()
    meant = [each for each, words_of_it in about.items() if (words_of_it - shared) & all_stems(said)]
    return meant if len(meant) == 1 else []


def _is_in_list(value: str, alike: Sequence[str], known: str) -> bool:
    """Whether a day stands in a list of days: `Mondays and Thursdays`, of which it is not plain which is over."""
    if _shape(value) != "weekday":
        return False
    joint = rf"\s*(?:,|{pattern('and').pattern}|,\s*{pattern('and').pattern})\s*"
    others = "|".join(re.escape(each) for each in alike if each != value)
    own = re.escape(value)
    return bool(others) and re.search(rf"(?:{others}){joint}{own}|{own}{joint}(?:{others})", known) is not None


def loses_one(said: str, known: str) -> bool:
    """Whether somebody is said to be gone, and no more, whom a memory tells of together with others: `Bo died.` of
    `We have two hens, Ada and Bo.`
    """
    names = _named(f". {said}")
    places = [place for name in names if (place := place_of(name, known))]
    is_joined = any(
        pattern("joining").search(known[: each.start()]) or pattern("begins_joined").match(known[each.end() :].lstrip())
        for each in places
    )
    more = any(_named(f". {clause}") - _named(f". {known}") for clause in clauses(said)[1:])  # Bo left, it's Ida now
    return is_joined and not more and bool(_named(f". {known}") - names) and bool(pattern("says_over").search(said))


def denies(said: str, known: str) -> bool:
    """Whether what was said names a value of a memory as the wrong one: `in the hall, not next to the door`."""
    found = contrast(said)
    return found is not None and place_of(found.wrong.strip(" .,`\"'"), known) is not None


def with_place(said: str, known: str, likely: Sequence[float] | None = None) -> str | None:
    """What a memory says with another place in that of its only one, if nothing else is said: `lives in Hythe with two
    cats`, for `Maeve's in Hythe now`; else None. With whom somebody was there is left out.
    """
    now = pattern("since_when").sub("", said)
    new = [*pattern("at_place").finditer(now)]
    if len(new) != 1 or _values(said) or contrast(said) or pattern("says_over").search(now):
        return None
    parts, named = clauses(known), all_stems(now[: new[0].start()])
    meant = _about(named, parts) if likely is None else _by_chance(likely)
    old = [found for place in meant for found in pattern("at_place").finditer(parts[place])]
    old = [found for found in old if not all_stems(found[0]) & named]  # `in a choir`, of which it is said
    where = place_of(old[0][0], known) if len(old) == 1 else None
    more = all_stems(pattern("moving").sub("", now)) - all_stems(known) - all_stems(new[0][0])
    if where is None or more or _gives_reason(known, said):
        return None
    moved = any(pattern("to_place").match(each[0]) for each in (old[0], new[0]))
    if moved and not (pattern("moving").search(said) and pattern("moving").search(known[: where.start()])):
        return None  # lent to Bo
    lead = (old[0] if moved else new[0])[0].split()[0]
    behind = pattern("with_whom").sub("", known[where.end() :], count=1)
    found = f"{known[: where.start()]}{lead} {new[0][0].partition(' ')[2]}{behind}"
    beside = all_stems(pattern("moving").sub("", known)) - all_stems(said) - all_stems(old[0][0]) - {"user"}
    return _if_all_is_kept(said, found, known) if beside else None


def with_rest(
    said: str, known: str, likely: Sequence[float] | None = None, alone: Sequence[str] = (), *, context: str = ""
) -> str | None:
    """What was said, and the clauses of a memory that it is not about: `We open at seven. We are on Gerber Lane.`; None
    where there are none, or it is not plain which of them it is about. Not those of its `context`, if it is not about
    that.
    """
    parts = clauses(known)
    is_plain = likely is not None and max(likely, default=0) >= LEAST_LIKELY
    corrected = _by_chance(likely) if likely is not None and is_plain else _by_words(said, parts)
    if len(parts) == 1 or not corrected:
        return None
    rest = [place for place in _standing_beside(said, parts, corrected) if _says_more(parts[place], said)]
    named = _by_name(said, parts, corrected, alone) if len(alone) == len(parts) else {}
    rest = sorted({*rest, *named})
    own = len(clauses(context)) if context else 0
    rest = [place for place in rest if place >= own or min(corrected) < own]
    shapes = {_shape(value) for value in _values(said) if place_of(value, known) is None}
    doubted = _by_chance(likely, HARDLY) if likely is not None else range(len(parts))
    # What has another value itself may be what is meant; the only price or time of all that is known is.
    written = Counter(map(_shape, _values(known)))
    meant = {shape for shape in shapes if written[shape] == 1 and shape != "#"}
    # The price of another thing, where that of this one is new.
    others = {p for p in rest if any(all_stems(parts[c]) & all_stems(said) - all_stems(parts[p]) for c in corrected)}
    shared = [len(all_stems(part) & all_stems(said)) for part in parts]
    most = max(shared[place] for place in corrected)
    others -= {place for place in rest if shared[place] and most - shared[place] <= LEAST_SAID}
    rest = [
        place
        for place in rest
        if meant.isdisjoint(of_it := [*map(_shape, _values(parts[place]))])
        and (place in others or place not in doubted or shapes.isdisjoint(of_it))
    ]
    has_new_value = any(not shapes.isdisjoint(map(_shape, _values(parts[place]))) for place in corrected)
    if not has_new_value and any(_is_said_over(said, parts[place]) for place in corrected):
        # The office of who quit, but not what was said of somebody who is named now too.
        defined = [p for p in rest if pattern("definite").match(parts[p]) and not pattern("of_persons").match(parts[p])]
        rest = [p for p in rest if p not in defined or _named(parts[p]) & _named(said)]
    if any(pattern(name).search(said) for name in ("takes_over", "takes_over_what")):  # not who did it before
        rest = [p for p in rest if _named(parts[p]) <= _named(f". {said}")]
    kept = [finished(named.get(place, parts[place])) for place in rest]
    return " ".join([finished(said), *kept]) if kept else None


def with_other_pieces(said: str, known: str) -> str | None:
    """What was said, and a memory without the piece of it that begins with what that is about: `The bins go out on
    Tuesday.`, of `..., recycling every other week, in the box`, when that is weekly now; None where it has no such
    piece. Behind the first one, only what is told alike of something else is kept: `..., the shed key in the tin`.
    """
    joints = [*pattern("clause_joint").finditer(known)]
    begins = [0, *(joint.end() for joint in joints), len(known)]
    pieces = [known[a:b] for a, b in pairwise(begins)]
    about = _by_words(said, pieces)
    if len(clauses(known)) > 1 or not about:
        return None
    place = about.pop()
    kinds = [*map(_kinds_of_values, pieces)]
    others = set[str]().union(*kinds[:place], *kinds[place + 1 :])
    is_another = bool((_kinds_of_values(said) - kinds[place]) & others) or len(_new_days(said, known)) > 1
    if is_another or not _is_about(said, pieces[place]) or len(all_stems(pieces[place])) < LEAST_SAID:
        return None  # at 5, for `on Mondays`
    if place:
        behind = known[begins[place + 1] :]
        if pattern("verb").match(behind):
            return None  # the vet, Bo, is in Bern
        rest = known[: joints[place - 1].start()]
        rest += "" if _goes_on_from(behind) else f"{joints[place - 1][0]}{behind}"
        is_whole = len(all_stems(rest)) >= LEAST_SAID and (has_verb(rest) or not has_verb(known))
        return f"{finished(said)} {finished(rest)}" if is_whole else None
    shared = kinds[0] - {"number"}
    alike = [piece for piece, its in zip(pieces, kinds, strict=True) if its & shared or _is_alike_told(piece, said)]
    kept = ", ".join(piece.strip(" ,.") for piece in alike if piece != pieces[0] and _is_of_another(piece, said))
    return f"{finished(said)} {finished(kept)}" if kept else None


def _is_about(said: str, piece: str) -> bool:
    """Whether what was said begins with what a piece of a sentence begins with."""
    return bool(_begin(piece) & all_stems(" ".join(said.split()[:FIRST_WORDS])))


def _new_days(said: str, known: str) -> set[str]:
    """The days of the week that were said and that a memory does not have."""
    return {value for value in _values(said) if _shape(value) == "weekday" and place_of(value, known) is None}


def _begin(piece: str) -> Set[str]:
    """The stem of the first word of a piece of a sentence, behind an article."""
    article = pattern("article").match(piece)
    return all_stems(piece[article.end() if article else 0 :].strip().partition(" ")[0]) - {"user"}


def _is_of_another(piece: str, said: str) -> bool:
    """Whether a piece of a sentence begins with something else than what was said, and goes on about it."""
    first = piece.strip().partition(" ")[0].strip(".,").casefold()
    is_idle = first in words("stop_words") and not pattern("article").match(piece)
    begins_with_it = first.isalpha() and not (is_idle or is_number_word(first) or _values(first))
    if has_verb(piece) or pattern("object_pronoun").search(piece) or _goes_on_from(piece):
        return False
    return begins_with_it and not _begin(piece) & all_stems(said) and len(all_stems(piece)) >= LEAST_SAID


def _is_alike_told(piece: str, said: str) -> bool:
    """Whether a piece of a sentence says where another thing of the same name is: `the shed key in the tin`."""
    named = all_stems(" ".join(piece.split()[:FIRST_WORDS])) - {"user"}
    return bool(leads(piece) and leads(said) and named & all_stems(said))


def _goes_on_from(piece: str) -> bool:
    """Whether a piece of a sentence has no subject of its own: `in the green box`."""
    return not piece or any(
        pattern(name).match(piece) for name in ("lead", "said_of_same", "subjectless", "subordinate")
    )


def with_pieces(said: str, known: str) -> str | None:
    """What was said, and a memory without those of its pieces between commas that have a value of the same kind: `the
    cleaner comes on the first Thursday, cash in the tin`, of `..., twelve pounds, cash in the tin`, when they want
    fifteen; None where it has no such piece, or has it in front, or is about something else.
    """
    first, *pieces = known.rstrip(".").split(", ")
    new = _kinds_of_values(said)
    rest = [piece for piece in pieces if new.isdisjoint(_kinds_of_values(piece))]
    is_of_it = bool(all_stems(first) & all_stems(said) - {"user"}) and new.isdisjoint(_kinds_of_values(first))
    if len(rest) == len(pieces) or len(pieces) < LEAST_PIECES or not is_of_it or len(sentences(known)) > 1:
        return None
    told = pattern("reason").sub("", said)  # but for `till Easter`
    names = {name for name in _named(told) if name.isalpha() and _day(name) not in forms("weekday_name")}
    is_over = any(pattern(name).search(said) for name in ("says_over", "has_left", "takes_over"))
    more = all_stems(said) - all_stems(known) - all_stems(" ".join(_values(said)))
    if is_over or contrast(said) or not all(place_of(name, known) for name in names) or len(more) > MOST_OF_CHANGE:
        return None
    return f"{finished(said)} {finished(', '.join([first, *rest]))}"


def _kinds_of_values(text: str) -> set[str]:
    """The kinds of the values of a text: days, dates, times of day, and any other numbers."""
    dates = pattern("on_date")
    left = dates.sub("", text)
    kinds = {"date"} if dates.search(text) or _months(text) else set()
    for value in _values(left):
        is_time = _shape(value) == "clock_words" or _is_time(value, left)
        is_date = _shape(value) == "#th"
        kinds.add("weekday" if _shape(value) == "weekday" else "date" if is_date else "time" if is_time else "number")
    is_counted = _counts(left) or any(map(pattern("teens_and_tens").fullmatch, left.casefold().split()))
    return kinds | ({"number"} if is_counted else set())


def _says_more(part: str, said: str) -> bool:
    """Whether a clause has a word that was not said, but for a number where others were said of the same words."""
    more = all_stems(part) - all_stems(said)
    return any(not word.isdecimal() for word in more) or (bool(more) and not re.search(r"\d", said))


def in_context(clauses: Sequence[str]) -> list[str]:
    """Each clause, behind the one before it where something of that is meant by `it` or `them`, or one of several: `I
    had a ladder. I lent it to Bo.`
    """
    meant = [
        pattern("one_of_several").match(clause) is not None
        or not words("of_before").isdisjoint(re.findall(r"\w+", clause.casefold())[1:])
        for clause in clauses
    ]
    pairs = zip(["", *clauses], clauses, meant, strict=False)
    return [
        f"{finished(before)} {finished(clause)}" if before and is_meant else clause
        for before, clause, is_meant in pairs
    ]


def by_itself(said: str, known: str, context: str, claims: Sequence[str]) -> str | None:
    """What a memory says without the `context` in it that `said` puts right, `claims` being what it says one by one,
    with what a pronoun stands for: `Rosa takes 5 mg` of `My mother, Rosa, lives in Ash Lane. She takes 5 mg`, when she
    has moved. "" where who is meant was put right: `My dentist is Ann. She is in Ash Lane`, when it is Bo; None where
    that is not plain.
    """
    own = known.partition(context.rstrip("."))[2].strip(" .,;")
    alone = [claim for claim in claims if claim.rstrip(" .,;") not in context]
    named = _without_end(alone[0], own) if own and alone else ""
    place, verb = place_of(named, context), pattern("verb").search(context)
    if place is None or verb is None:
        return None
    if place.end() <= verb.start() or _goes_on_with(named, said, context):
        return " ".join(map(finished, alone))
    if not context[verb.end() : place.start()].strip():
        return ""  # who it was
    subject = context[: verb.start()].strip(" ,")  # not what stands behind: a place
    if not all_stems(subject):
        return ""  # `There is a key with Bo`, `I gave it to Bo`
    return finished(with_subject(own, subject)) if len(alone) == 1 and pattern("said_of_same").match(own) else None


def _goes_on_with(named: str, said: str, context: str) -> bool:
    """Whether what was said names somebody by one of their names, and not that they are gone."""
    names = re.findall(r"\w+", pattern("title").sub("", named))
    return any(place_of(name, said) for name in names) and not _is_said_over(said, context)


def _without_end(claim: str, own: str) -> str:
    """The words of a clause before those that it has in common with its sentence, and before its verb."""
    theirs = {word.strip(" .,;!") for word in own.split()}
    begin = " ".join(takewhile(lambda word: word.strip(" .,;!") not in theirs, claim.split()))
    return pattern("verb").split(begin)[0].strip().removesuffix("'s")


def _about(named: Set[str], parts: Sequence[str]) -> set[int]:
    """The places of the clauses that have one of the words, and of those that go on from one with `we` or `it`."""
    found: set[int] = set()
    for place, part in enumerate(parts):
        goes_on = pattern("of_persons").match(part.strip()) or pattern("said_of_same").match(part.strip())
        if all_stems(part) & named or (goes_on and place - 1 in found):
            found.add(place)
    return found


def _by_words(said: str, parts: Sequence[str]) -> set[int]:
    """The place of the clause that shares most words with what was said; none where there are several."""
    shared = [len(all_stems(part) & all_stems(said)) for part in parts]
    most = max(shared, default=0)
    return {shared.index(most)} if most and shared.count(most) == 1 else set()


def _by_chance(likely: Sequence[float], share: float = LIKELY_TOO) -> set[int]:
    """The places of the clauses that are made untrue, by the share of the greatest chance."""
    return {place for place, chance in enumerate(likely) if chance >= share * max(likely)}


def _standing_beside(said: str, parts: Sequence[str], corrected: Collection[int]) -> list[int]:
    """The places of the clauses that stand without the corrected ones: what a pronoun stands for is kept too, or named
    in what was said.
    """
    rest: list[int] = []
    named = -1
    for place, part in enumerate(parts):
        own = part.strip(" ,;")
        goes_on = any(pattern(name).match(own) for name in ("said_of_same", "subjectless"))
        goes_on = goes_on or pattern("object_pronoun").search(own) is not None or not any(map(str.isalpha, own))
        named = named if goes_on else place
        is_named = named in rest or named == place or _is_named_too(said, parts[named])
        if place not in corrected and _stands_alone(part) and is_named and not _has_who_left(said, part):
            rest.append(place)
    return rest


def _by_name(said: str, parts: Sequence[str], corrected: Collection[int], alone: Sequence[str]) -> dict[int, str]:
    """The clauses, by their places, that go on from a corrected one about what holds beside it, with its name."""
    found: dict[int, str] = {}
    for place in range(1, len(parts)):
        own, before = parts[place].strip(" ,;"), parts[place - 1].strip(" ,;")
        goes_on = alone[place] != own and _stands_alone(own) and not pattern("subordinate").match(before)
        if place not in corrected and place - 1 in corrected and goes_on and not _has_who_left(said, own):
            text = by_itself(said, f"{before}. {own}", before, [alone[place]])
            found |= {place: text} if text else {}
    return found


def _is_named_too(said: str, clause: str) -> bool:
    """Whether a name of a clause is in what was said, and nothing of it is said to be over."""
    if _is_said_over(said, clause):
        return False
    names = {found.casefold() for found in pattern("name_inside").findall(clause)}
    first = re.match(r"\w+", clause.strip())
    if first and first[0] in _named(f". {said}"):
        return True
    return not names.isdisjoint(re.findall(r"\w+", said.casefold()))


def _is_said_over(said: str, clause: str) -> bool:
    """Whether something of a clause is said to be over."""
    about_it = [each for each in sentences(said) if all_stems(each) & all_stems(clause)]
    return any(map(_says_gone, about_it)) or _is_succeeded(about_it, clause)


def _says_gone(text: str) -> bool:
    """Whether somebody or something is there no more; not `Bo no longer has the flat, he's in Bern`."""
    going_on = filter(None, (pattern("said_of_same").match(each.strip()) for each in clauses(text)[1:]))
    goes_on = not words("of_a_person").isdisjoint(found[0].casefold() for found in going_on)
    is_put_off = pattern("put_off").search(text) is not None  # `Ada isn't coming till the 28th`
    is_over = pattern("says_over").search(text) is not None and not goes_on and not is_put_off
    return is_over or pattern("has_left").search(text) is not None


def _is_succeeded(about_it: Sequence[str], clause: str) -> bool:
    """Whether of two sentences about a clause one is only about whom it names, and the other says the rest of somebody
    else: `Mrs. Ode has moved to Bern. I gave the key to Bo.`
    """
    names = all_stems(" ".join(_named(clause)))
    shared = [all_stems(each) & all_stems(clause) for each in about_it]
    is_only_named = any(each <= names for each in shared)
    return is_only_named and any(
        each - names and all_stems(" ".join(_named(sentence))) - names
        for sentence, each in zip(about_it, shared, strict=True)
    )


def _has_who_left(said: str, clause: str) -> bool:
    """Whether a clause names somebody who is said to be there no more: `Bo retired.`"""
    over = " ".join(each for each in clauses(said) if _says_gone(each))
    names = " ".join(word for text in (over, clause) for word in re.findall(r"\w+", text) if word[:1].isupper())
    return bool(all_stems(names) & all_stems(over) & all_stems(clause))


def _stands_alone(clause: str) -> bool:
    """Whether a clause says what holds."""
    return not pattern("subordinate").match(clause) and len(stems(clause)) >= LEAST_SAID


def place_of(value: str, text: str, *, as_part: bool = False) -> re.Match[str] | None:
    """The place of a value in a text, as whole words; `as_part`: also in an address: `v1`, of `ada.org/v1`."""
    begin, end = (r"(?<!\w)", r"(?!\w)") if as_part else (r"(?<!\w)(?<!\w[.:/@])", r"(?!\w|[.:/@]\w)")
    return re.search(f"{begin}{re.escape(value)}{end}", text, re.IGNORECASE) if value else None


def _value_instead(said: str) -> Contrast | None:
    """A contrast of two values that are written alike: `on port 9443 instead of 9080`."""
    for sentence in sentences(said):
        wrong, right = left_behind(sentence), without_left_behind(sentence)
        values = [value for value in _values(wrong) if not all_stems(wrong) - all_stems(value)]
        if len(values) == 1 and _alike(right, values[0]):
            return Contrast("", right, values[0])
    return None


def _goes_on_about(value: re.Match[str], known: str) -> bool:
    """Whether what follows a value is of it, as that is a name and no number or day."""
    is_name = not any(c.isdigit() for c in value[0]) and _day(value[0]) not in forms("weekday_name")
    behind = known[value.end() :]
    if any(pattern(name).match(behind.lstrip(", ")) for name in ("of_persons", "subjectless")):
        return False  # in the boot room, we found it there; in Leeds, works for the council
    return is_name and (behind.startswith((",", " (")) or _is_person_next(behind))


def _is_person_next(behind: str) -> bool:
    """Whether a sentence is over and the next one goes on about somebody: `. She is in Ash Lane.`"""
    first = re.match(r"[.!]\s+(\w+)", behind)
    return first is not None and first[1].casefold() in words("of_a_person")


def _alike(right: str, wrong: str) -> str:
    """The only value of what is right that is written like the wrong one, if that is a value; "" if there is none."""
    if _values(wrong) != [wrong]:
        return ""
    alike = [value for value in _values(right) if _shape(value) == _shape(wrong)]
    is_more = len(alike) == 1 and pattern("and_a_half").search(right) is not None
    return alike[0] if len(alike) == 1 and not is_more else ""


def _named_alone(found: Contrast, wrong: str) -> tuple[Contrast, str]:
    """A contrast of two names, each without the words before it: `at the Grand` as `Grand`."""
    right, other = pattern("name_at_end").search(found.right), pattern("name_at_end").search(wrong)
    return (replace(found, right=right[0]), other[0]) if right and other else (found, wrong)


def _written_like(value: str, old: str) -> str:
    """A day as the one is written in whose place it goes: `every second Monday`, for `it comes on Mondays`; and a price
    with its currency.
    """
    if _shape(value) == "weekday":
        return value.removesuffix("s") + ("s" if old.endswith("s") else "")
    return f"{old[0]}{value}" if _is_price_without_currency(value, old) else value


def _is_price_without_currency(value: str, price: str) -> bool:
    """Whether a number has as many digits as a price, and no currency: `815`, for `£780`."""
    return price[0] in CURRENCIES and value.isdigit() and len(value) == len(price[1:].partition(".")[0])


def _gives_reason(known: str, said: str) -> bool:
    """Whether a memory gives a reason or a limit that something was said of: `until the plugin is mended`."""
    return any(all_stems(found[0]) & all_stems(said) for found in pattern("reason").finditer(known))


def _months(text: str) -> set[str]:
    return {number for name, number in forms("month_name").items() if place_of(name, text)}


def _replaced(known: str, wrong: re.Match[str], right: str) -> str:
    """The memory with the right value in the place of the wrong one; words that both have are there once."""
    words, before, behind = right.split(), known[: wrong.start()].split(), known[wrong.end() :].split()
    if len(words) > 1 and before and before[-1].casefold() == words[0].casefold():
        words = words[1:]
    for count in range(len(words) - 1, 0, -1):  # the 5th of May, for the 3rd | of May
        if _plain(words[-count:]) == _plain(behind[:count]):
            words = words[:-count]
            break
    return known[: wrong.start()] + " ".join(words) + known[wrong.end() :]


def _plain(words: list[str]) -> list[str]:
    return [word.casefold().strip(".,;:!?") for word in words]


def _tail(right: str) -> str:
    """What is said of a subject: `it is port 8081` -> `port 8081`."""
    if said_first := in_cleft(right):
        return said_first
    verb = pattern("verb").search(right)
    return right[verb.end() :].strip(" .,;") if verb else right.strip(" .,;")


def _amounts(text: str) -> dict[str, re.Match[str]]:
    """Where a number of things is said, by the stems of the things: `three hives`; not where it is denied."""
    found = (each for each in AMOUNT.finditer(text) if each["many"].isdigit() or is_number_word(each["many"]))
    denied = {each.end() for each in pattern("contrast_not").finditer(text)}
    return {stem(each["what"].casefold()): each for each in found if each.start() not in denied}


def _values(text: str, wholes: Sequence[str] = ()) -> list[str]:
    """The numbers of a text, its days of the week and times of day in words, as they are written; what one of `wholes`
    matches is one, such as a day with its month.
    """
    if wholes:
        whole = pattern(wholes[0])
        return [found[0].rstrip(".") for found in whole.finditer(text)] + _values(whole.sub("", text), wholes[1:])
    grouped = [found[0] for found in pattern("grouped_number").finditer(text)]
    left = pattern("grouped_number").sub("", text) if grouped else text
    words = [word.strip(".,;:!?()\"'").removesuffix("'s") for word in left.split()]
    found = grouped + [word for word in words if any(c.isdigit() for c in word) or _day(word) in forms("weekday_name")]
    return found + [time[0] for time in pattern("clock_words").finditer(text)]


def _is_weekly(value: str) -> bool:
    return value.endswith("s") and _day(value) in forms("weekday_name")


def _is_inside(place: re.Match[str], name: str, text: str) -> bool:
    """Whether a value is a part of an expression of several words."""
    return any(found.start() <= place.start() < found.end() for found in pattern(name).finditer(text))


def _counts(text: str) -> set[str]:
    """The number words of a text that are no time of day."""
    other = pattern("one_of_them").sub("", pattern("clock_words").sub("", text))
    return {word.strip(".,;:!?") for word in other.casefold().split()} & forms("small_numbers").keys()


def _day(word: str) -> str:
    return word.casefold().removesuffix("s")


def _shape(value: str) -> str:
    """How a value is written: `19th` and `2nd`, `15:40` and `8:05`, `7.20` and `14.50` are written alike."""
    for name in ("clock_words", *WHOLES):
        if pattern(name).fullmatch(value):
            return name
    if not any(c.isdigit() for c in value):
        return "weekday" if _day(value) in forms("weekday_name") else "clock_words"
    if len(value) >= SHORTEST_CODE and value.isalnum() and not value[0].isdigit():
        return "code"
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", value.casefold())  # 1,020
    return re.sub(r"(?<=#)(?:st|nd|rd|th)$", "th", re.sub(r"\d+", "#", plain))


def _is_alike(new: str, said: str, old: str, known: str) -> bool:
    """Whether a value is written like another one, and may stand in its place: no `4.2 kW` for `8.5 kWp`, no price for
    a year.
    """
    are_times = _shape(new) != _shape(old) and _is_time(new, said) and _is_time(old, known)
    unit = _thing_behind(new, said)
    have_unit = all(map(_is_amount, (new, old))) and unit != "" and unit == _thing_behind(old, known)
    are_paid = all(map(_is_amount, (new, old))) and all(pattern("paid").search(text) for text in (said, known))
    is_other_shape = not (_is_price_without_currency(new, old) or are_times or have_unit or are_paid)
    if _shape(new) != _shape(old) and is_other_shape:
        return False
    if _is_year(old) and not _is_year(new):
        return False
    behind = {_thing_behind(new, said), _thing_behind(old, known)} - {""}
    before = {_thing_before(new, said), _thing_before(old, known)} - {""}
    return len(behind) < 2 and len(before) < 2


def _is_amount(value: str) -> bool:
    """Whether a value is a number: `2.5`, `20`."""
    return value.replace(",", ".").replace(".", "", 1).isdigit()


def _is_beside_it(value: str, known: str, said: str) -> bool:
    """Whether another sentence than that of a value has several more words of what was said, or another piece of it is
    about that, and has such a value: `Piotr gets 17`, of `Nadia gets 14.20, Piotr 17`, where Nadia has 15 now.
    """
    parts = sentences(known)
    own = [each for each in parts if place_of(value, each)]
    shared = {each: len(stems(each) & stems(said)) for each in parts}
    if any(pattern("verb").search(each) and max(shared.values()) - shared[each] >= LEAST_SAID for each in own):
        return True
    pieces = pattern("clause_joint").split(known)
    meant = [pieces[place] for place in _by_words(said, pieces) if _is_about(said, pieces[place])]
    return any(not place_of(value, each) and _kinds_of_values(value) & _kinds_of_values(each) for each in meant)


def _is_time(value: str, text: str) -> bool:
    """Whether a value of a text is a time of day: `half past two`, `14:30`, `2 o'clock`, `at 2`."""
    place = place_of(value, text)
    if place is None or _shape(value) == "clock_words" or ":" in value:
        return place is not None
    is_at = value[-1].isdigit() and pattern("at_time").search(text[: place.start()]) is not None
    return is_at or pattern("of_clock").match(text[place.end() :]) is not None


def _is_year(value: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", value) is not None


def _thing_behind(value: str, text: str) -> str:
    """The stem of the unit or thing right behind a value: `hive` of `3 hives`; "" for none."""
    place = place_of(value, text)
    behind = re.match(r" ?([^\W\d_]+)", text[place.end() :]) if place and any(c.isdigit() for c in value) else None
    return next(iter(all_stems(behind[1])), "") if behind else ""


def _thing_before(value: str, text: str) -> str:
    """The stem of what a number belongs to, if it stands right before it: `bus` of `bus 37`; "" for none."""
    place = place_of(value, text) if any(c.isdigit() for c in value) else None
    before = re.search(r"([^\W\d_]+) $", text[: place.start()]) if place else None
    word = before[1].casefold() if before else ""
    if not word or word in words("of_any_number") or any(pattern(name).fullmatch(word) for name in VERBS):
        return ""
    return next(iter(all_stems(word)), "")


def _is_led_alike(old: str, known: str, new: re.Match[str], said: str) -> bool:
    """Whether the same word stands before a value and another one, and nothing that is known behind the new one: `we
    open at six` for `we open at seven and close at two`, not `she takes 5 mg at noon` for `10 mg at breakfast`.
    """
    place = place_of(old, known)
    before = [
        re.search(r"([^\W\d_]{3,})(?: [^\W\d_]{1,4})? $", text)
        for text in (said[: new.start()], known[: place.start()] if place else "")
    ]
    led = [all_stems(each[1]) for each in before if each]
    return len(led) == 2 and led[0] == led[1] != set() and not all_stems(said[new.end() :]) & all_stems(known)


def _first_value(name: str, text: str) -> str:
    """The first value after a name in a text; "" if it is not there, or has none."""
    place = place_of(name, text)
    return next(iter(_values(text[place.end() :])), "") if place else ""


def _named(text: str) -> set[str]:
    """The names within a text, and its numbers; no `It` that begins a sentence."""
    found = set[str]()
    for before, after in pairwise(text.split()):
        word = after.strip(f".,;:!?{CURRENCIES}").split("'")[0]
        begins = before.endswith((".", "!", "?")) and word.casefold() in words("stop_words")
        if (word[:1].isupper() and word != "I" and not begins) or any(c.isdigit() for c in word):
            found.add(word)
    return found


def _if_whole(said: str, found: str, known: str) -> str | None:
    """What was found, if it has each value of several words that was said and is new."""
    values = [whole[0].rstrip(".s") for name in WHOLES for whole in pattern(name).finditer(said)]
    kept, before = (text.replace("s ", " ") for text in (found, known))
    return found if all(place_of(value, f"{kept} ") or place_of(value, f"{before} ") for value in values) else None


def _if_all_is_kept(said: str, found: str, known: str, gone: str = "") -> str | None:
    """What was found, if it has all that is named in what was said, but for what is `gone`, which says little more than
    another value; None where nothing differs from what was known.
    """
    new, old, kept = ({name.removesuffix("s") for name in _named(text)} for text in (said, f". {gone}", f". {found}"))
    says_more = len(all_stems(said) - all_stems(known) - all_stems(found)) > MOST_ELSE
    if new - old - kept or says_more or found.casefold() == known.casefold():
        return None
    return _if_whole(said, found, known)


def _is_counted(text: str) -> bool:
    """Whether a number follows."""
    word = next(iter(text.split()), "").strip(".,;:!?").casefold()
    return word.isdigit() or is_number_word(word)
