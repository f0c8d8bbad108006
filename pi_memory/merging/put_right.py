"""Another value in the place of the one in a memory that was put right: `the exam is on the 26th`. Pure."""

import math
import re
from collections.abc import Sequence, Set

from msgspec.structs import replace

from pi_memory.judges.comparison import stems
from pi_memory.judges.holding import subject_of
from pi_memory.merging.kept_beside import LEAST_SAID, by_words, first_stem, gives_reason, is_about, matter
from pi_memory.merging.slots import is_of_another
from pi_memory.merging.values import (
    WHOLES,
    amounts_in,
    counts_in,
    day_name,
    first_value,
    is_alike,
    is_counted,
    is_in_date,
    is_time_of_day,
    is_weekly,
    kinds_of_values,
    months_in,
    names_in,
    place_of,
    shape_of,
    stands_in,
    values_in,
    written_like,
)
from pi_memory.text.contrast import (
    Contrast,
    bare,
    contrast,
    given_up_for,
    in_cleft,
    left_behind,
    swapped,
    without_left_behind,
    wrong_first,
)
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, has_verb, sentences
from pi_memory.text.sentences import stems as all_stems

MOST_ELSE = 7
"""Words that a memory does not know, up to which what was said may be another value of it."""
NEAR, NEARER = math.log(2), 3.0
"""Log-ratio up to which a number is near to another one, and how many times as far the next one is."""
SHORTEST_PIN = 4
"""Digits of a number from which on another one with as many is one of the same kind."""


def put_right(said: str, known: str) -> str | None:
    """What a memory says with X in the place of Z, where `X, not Z` was said and it says more than that; else None.

    What follows a name after a comma is of it: the number of the one who is the plumber no more. It is left out, if
    what was said does not say itself what it is about.
    """
    found = wrong_first(said) or contrast(said) or next(filter(None, map(contrast, sentences(said))), None)
    found = found or _denied(said, known) or _value_instead(said) or swapped(said) or _titled_instead(said, known)
    found = found or given_up_in(said, known)
    is_thing = found is not None and not "".join(found.right.split()[:1]).endswith("ing")  # not: started crying
    if found and is_thing and not place_of(found.wrong, known) and place_of(bare(found.wrong), known):  # the iron
        found = replace(found, wrong=bare(found.wrong))
    wrong, right = (found.wrong.strip(" .,`\"'"), found.right) if found else ("", "")
    if found and not place_of(wrong, known):  # not nuts with Bo, sesame
        wrong = pattern("of_what").split(wrong)[0]
    if found and (not place_of(wrong, known) or pattern("name_at_end").fullmatch(wrong)):
        found, wrong = _named_alone(found, pattern("since_when").sub("", wrong).strip())
    if found and (dated := _as_date(found, wrong, known)):
        found, wrong, right = dated, dated.wrong, dated.right
    stands = place_of(wrong, known, as_part=bool(_alike(right, wrong)))  # `v2, not v1`, of `ada.org/v1`
    if found is None or not stands or not stems(known) - stems(said):
        return None
    is_whole = found.right == found.subject and not values_in(wrong)
    if is_whole and place_of(wrong, subject_of(known)):
        return _by_another(found.right, known)
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
        return _if_whole(right, _replaced(known, stands, written_like(first, stands[0])), known)
    if found.right == found.subject and not pattern("verb").search(found.right) and not in_cleft(found.right):
        return None  # where its subject ends is not known
    if day_name(wrong) in forms("weekday_name") and not any(
        shape_of(value) == "weekday" for value in values_in(found.right)
    ):
        return None
    tail = pattern("since_when").sub("", _tail(found.right)).strip()
    if is_whole and all_stems(tail) <= all_stems(known):  # Ada has the key, not Bo: of `The key is with Bo.`
        tail = subject_of(found.right)
    return _if_whole(right, finished(_replaced(known, stands, tail)), known)


def _by_another(said: str, known: str) -> str | None:
    """What a memory says of somebody, of whom it was said instead: `Ada has the key, not Bo`; None if it says more."""
    other, who = subject_of(said), subject_of(known)
    return f"{other}{known[len(who) :]}" if other and known.startswith(who) and len(clauses(known)) == 1 else None


def _denied(said: str, known: str) -> Contrast | None:
    """What is said not to be so, and further on what is: `It isn't mango, they pricked my arm, and it's papaya`, `not
    half five for Bo, they changed his shift, it's six he comes`.
    """
    found = pattern("not_but_is").match(said) or pattern("isnt_it_is").search(said)
    if found:
        return Contrast("", found["right"].strip(), found["wrong"].strip())
    first, _, rest = said.partition(", ")
    denied, left = pattern("negation").match(first), [each for each in values_in(first) if place_of(each, known)]
    right = [value for value in values_in(rest) if len(left) == 1 and shape_of(value) == shape_of(left[0])]
    return Contrast("", right[0], left[0]) if denied and len(right) == 1 else None


def given_up_in(said: str, known: str) -> Contrast | None:
    """What was given up, as a memory names it, and what there is in its place; None for what the memory does not know,
    or where something is said besides, `it's bread on Mondays`, that it would have to say too.
    """
    found = given_up_for(said, known)
    place = place_of(found.wrong, known) if found else None
    if found is None or place is None or {*values_in(found.more)} - {*values_in(known)}:
        return None
    before, right = known[: place.start()].split(), found.right.split()
    for count in range(len(right) - 1, 0, -1):  # the Hotel Astra, of the Hotel Rex
        if _plain(before[-count:]) == _plain(right[:count]):
            return replace(found, subject="", wrong=" ".join([*before[-count:], found.wrong]))
    has_article = bool(before) and bare(before[-1]) == ""
    if has_article and bare(found.right) != found.right:
        return replace(found, subject="", wrong=f"{before[-1]} {found.wrong}")
    return replace(found, subject="", right=bare(found.right) if has_article else found.right)


def _as_date(found: Contrast, wrong: str, known: str) -> Contrast | None:
    """A contrast of two days of a month as a memory writes them, `4 May`, if it does: `the 5th, not the 4th`."""
    days = [[value for value in values_in(side) if shape_of(value) == "#th"] for side in (found.right, wrong)]
    if not all(len(each) == 1 for each in days):
        return None
    right, left = (re.sub(r"\D", "", each[0]) for each in days)
    return Contrast("", right, left) if is_in_date(left, known) else None


def _titled_instead(said: str, known: str) -> Contrast | None:
    """Who with a title is there instead of another one that left: `Dr Ode has moved away, we see Dr Reed now`."""
    names = [found[0].removesuffix("'s") for found in pattern("titled").finditer(said)]
    wrong = [name for name in names if place_of(name, known)]
    right = [name for name in names if name not in wrong]
    if not len(wrong) == len(right) == 1:
        return None
    over = [part for part in clauses(said) if pattern("has_left").search(part) or pattern("says_over").search(part)]
    left = any(place_of(wrong[0], part) for part in over)
    return (
        Contrast("", right[0], wrong[0])
        if left or (over and not any(place_of(right[0], part) for part in over))
        else None
    )


def _is_of_place(value: re.Match[str], known: str) -> bool:
    """Whether a value says where the place is that stands before it: `over the desk` of `in the pump over the desk`."""
    return any(place.start() < value.start() <= place.end() + 1 for place in pattern("at_place").finditer(known))


def with_amount(said: str, known: str) -> str | None:
    """What a memory says with another number of the same things, if it says more than that, and nothing else is named
    instead: `two hives` for `three hives`; else None.
    """
    mine, theirs = amounts_in(said), amounts_in(known)
    shared = mine.keys() & theirs.keys()
    if len(shared) != 1:
        return None
    new, old = mine[what := shared.pop()], theirs[what]
    if pattern("by_how_much").search(said):
        return None  # lost two hives
    if any(part.startswith(value) for part in pattern("clause_joint").split(known)[1:] for value in values_in(known)):
        return None  # 40 grams in the morning and 30 in the evening: not plain which
    if new["many"] == old["many"] or not stems(known) - stems(said) - stems(old["many"]):
        return None
    if any(is_counted(text[each.end("what") :]) for text, each in ((said, new), (known, old))):
        return None  # seven pounds fifty
    places = [
        pattern("at_place").match(text[each.end("what") :].lstrip()) for text, each in ((said, new), (known, old))
    ]
    if all(places) and len({all_stems(each[0]) for each in places if each}) > 1:
        return None  # eight nights in Ulm, of two in Bern and six in Ulm
    many = new["many"] if old["many"][:1].isupper() else f"{new['many'][:1].lower()}{new['many'][1:]}"
    put = f"{known[: old.start('many')]}{many} {new['what']}{known[old.end('what') :]}"
    return _if_all_is_kept(said, put, known, gone=old["many"])


def with_only(said: str, known: str) -> str | None:
    """What a memory says with one of the days that it lists, if it is so on that alone now: `it's Thursdays only now`;
    else None.
    """
    only = pattern("only_on").search(said)
    day = day_name(only["day"] or only["day_behind"]) if only else ""
    named = "|".join(re.escape(value) for value in values_in(known) if shape_of(value) == "weekday")
    joint = rf"(?:,|,? {pattern('and').pattern}) (?:on )?"
    listed = re.search(rf"(?:{named})(?:{joint}(?:{named}))+", known) if day and named else None
    kept = [value for value in values_in(listed[0]) if day_name(value) == day] if listed else []
    return f"{known[: listed.start()]}{kept[0]}{known[listed.end() :]}" if listed and kept else None


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
    days = [value for value in values_in(said) if shape_of(value) == "weekday"]
    if len(days) != 1 or not pattern("says_over").search(said) or not pattern("negation").search(said):
        return None
    day, joint = rf"{re.escape(day_name(days[0]))}s?(?!\w)", rf"(?:,|,? {pattern('and').pattern})"
    for listed in (rf"{joint} {day}", rf"(?<!\w){day}{joint} "):
        if (left := re.sub(listed, "", known, count=1, flags=re.IGNORECASE)) != known:
            return left if any(shape_of(value) == "weekday" for value in values_in(left)) else None
    return None


def with_value_alone(said: str, known: str) -> str | None:
    """The same as `with_values` where nothing else is said than how something is now: `Tea is at half 5 now`."""
    is_alone = pattern("as_of_now").search(said) and set[str]() < matter(said) <= matter(known)
    return with_values(said, known) if is_alone else None


def with_values(said: str, known: str) -> str | None:
    """What a memory says with other days, times, prices or codes in the places of those that are written like them, one
    of each kind, if nothing else is named instead: `the exam is on the 26th` for `the exam is on January 19th at nine`;
    else None.
    """
    wholes = [name for name in WHOLES if all(pattern(name).search(text) for text in (said, known))]
    new = [value for value in values_in(said, wholes) if place_of(value, known) is None]
    if not new or len({*map(shape_of, new)}) != len(new) or counts_in(said) - counts_in(known):
        return None
    if pattern("by_how_much").search(said):
        return None  # 90 less
    found, told = known, pattern("since_when").sub("", said)
    if months_in(told) - months_in(" ".join(new)) - months_in(known) or gives_reason(known, said):
        return None  # in April, the 14th
    gone: list[str] = []
    for value in new:
        old, written = _value_like(value, said, known, wholes), place_of(value, said)
        place = place_of(old, found) if old else None
        named = names_in(said) - {*" ".join(new).split()}
        if place is None or any(first_value(name, known) not in ("", old) for name in named):
            return None  # it is the value of another one
        is_beside = _is_beside_it(old, known, said) and _nearest(value, values_in(known)) != [old]
        is_beside = is_beside or is_of_another(known.find(place[0]), said, known)
        if is_beside or _is_another_time(value, written, place, found):
            return None
        half = pattern("half_before").search(found[: place.start()])  # half 6, and 9 now
        begin = half.start() if half else place.start()
        if value.isdigit() and (again := place_of(value, told)):  # 40mg
            told = f"{told[: again.start()]}{written_like(value, old)}{told[again.end() :]}"
        found = f"{found[:begin]}{written_like(value, old)}{_with_unit(value, written, found[place.end() :])}"
        gone.append(old)
    if not stems(known) - stems(said) - stems(" ".join(gone)):
        return None
    return _if_all_is_kept(told, found, known, gone=" ".join(gone))


def _value_like(value: str, said: str, known: str, wholes: Sequence[str]) -> str:
    """The value of a memory in whose place another one goes that was said; "" where it is not plain which."""
    alike = [each for each in values_in(known, wholes) if is_alike(value, said, each, known)]
    if is_time_of_day(value, said):  # `at 11`, of `at 2.15`: no `he was 29`
        alike = [each for each in alike if is_time_of_day(each, known)] or alike
    old = [each for each in alike if place_of(each, said) is None] or alike  # `118 is broken, I have 64 now`
    if alike != old and (len(alike) > 1 or shape_of(value) == "weekday"):
        return ""  # `guests are 50 as 30 was taken`, `Mondays and Fridays`
    if len(old) > 1:  # a code of four digits for one of four; when we open, not when we close
        written = place_of(value, said)
        led = [each for each in old if written and _is_led_alike(each, known, written, said)]
        as_long = [each for each in old if len(each) == len(value)]
        is_code = len(as_long) == 1 and len(value) >= SHORTEST_PIN and value.isdigit()
        nearest = [] if len(led) == 1 else _nearest(value, old)
        old = as_long if is_code else _of_same_thing(old, known, said) or nearest or led or as_long
    if len(alike) == LEAST_SAID and all(is_time_of_day(each, known) for each in alike):  # at 8 and at 6
        early, late = (pattern(name).search(said) for name in ("early_part", "late_part"))
        old = [alike[0] if early else alike[1]] if bool(early) != bool(late) else old
    return old[0] if len(old) == 1 and not _is_in_list(old[0], alike, known) else ""


def _is_another_time(value: str, written: re.Match[str] | None, place: re.Match[str], known: str) -> bool:
    """Whether a time that was said is beside the one in a `place` of a memory, and not instead of it."""
    if is_weekly(value) and stands_in(place, "nth_day", known):
        return True  # every other Friday, and on Mondays now
    if written is None:
        return False
    ends = [
        (pattern("until_then").search(before) is not None, pattern("from_then").search(before) is not None)
        for before in (written.string[: written.start()], known[: place.start()])
    ]
    if ends[0] != ends[1] and all(map(any, ends)):
        return True  # on days from Monday, and on nights till Friday
    is_inside = stands_in(place, "part_of_day", known)
    if is_inside and pattern("when_behind").match(written.string, written.end()):
        return True  # Sunday mornings, and Fridays after school now
    return pattern("half_before").search(written.string[: written.start()]) is not None  # at half 6


def _with_unit(value: str, written: re.Match[str] | None, behind: str) -> str:
    """What stands `behind` a value in a memory, with what was said right behind the one that goes in its place: `and a
    half`, `o'clock`.
    """
    told = written.string[written.end() :] if written else ""
    more, of_clock = pattern("and_a_half").match(told), pattern("of_clock").match(told)
    left = pattern("of_clock").sub("", behind) if of_clock or shape_of(value) == "clock_words" else behind
    return "".join(each[0] for each in (more, of_clock) if each) + left


def _nearest(value: str, values: Sequence[str]) -> list[str]:
    """The one of some numbers that another one is near to, if it is far from the others: 60, of `9 seats, costs 60`,
    for `The van is 75 now.`
    """
    if len(values) < LEAST_SAID or not all(each.isdigit() and int(each) for each in (value, *values)):
        return []
    far = sorted((abs(math.log(int(value) / int(each))), each) for each in values)
    return [far[0][1]] if far[0][0] <= NEAR < far[1][0] and NEARER * far[0][0] <= far[1][0] else []


def _of_same_thing(values: Sequence[str], known: str, said: str) -> list[str]:
    """The one of some values that a memory says of what was said: `1337`, of `the shop is on port 8443 and the blog on
    port 1337`, where the blog moved; none where that is not plain.
    """
    places = sorted((place.start(), place.end(), each) for each in values if (place := place_of(each, known)))
    own: dict[str, Set[str]] = {}
    about: dict[str, Set[str]] = {}
    before, goes_on = 0, False
    for number, (begin, end, each) in enumerate(places, 1):
        until = places[number][0] if number < len(places) else len(known)
        joint = pattern("clause_joint").search(known, end, until)
        behind = known[end : joint.start() if joint else end if number < len(places) else until].split(". ")[0]
        clause = pattern("clause_joint").split(known[before:begin])[-1]
        goes_on = goes_on or (number > 1 and pattern("subjectless").match(clause) is not None)
        own[each] = all_stems(f"{clause} {behind}")
        about[each] = all_stems(f"{known[before:begin]} {behind}")
        before = end
    for stems_of, asked in ((about, first_stem(said)), (own, all_stems(said)), (about, all_stems(said))):
        shared = set.intersection(*map(set, stems_of.values())) if stems_of else set()
        meant = [each for each, words_of_it in stems_of.items() if (words_of_it - shared) & asked]
        by_topic = asked == first_stem(said) or (goes_on and stems_of[places[0][2]] & asked <= first_stem(said))
        is_topic = by_topic and meant[:1] == [places[0][2]]
        if len(meant) == 1 and not is_topic:  # what all of it is about: the van seats 9 and costs 60
            return meant
    return []


def _is_in_list(value: str, alike: Sequence[str], known: str) -> bool:
    """Whether a day stands in a list of days: `Mondays and Thursdays`, of which it is not plain which is over."""
    if shape_of(value) != "weekday":
        return False
    joint = rf"\s*(?:,|{pattern('and').pattern}|,\s*{pattern('and').pattern})\s*"
    others = "|".join(re.escape(each) for each in alike if each != value)
    own = re.escape(value)
    return bool(others) and re.search(rf"(?:{others}){joint}{own}|{own}{joint}(?:{others})", known) is not None


def denies(said: str, known: str) -> bool:
    """Whether what was said names a value of a memory as the wrong one: `in the hall, not next to the door`."""
    found = contrast(said)
    return found is not None and place_of(found.wrong.strip(" .,`\"'"), known) is not None


def _value_instead(said: str) -> Contrast | None:
    """A contrast of two values that are written alike: `on port 9443 instead of 9080`."""
    for sentence in sentences(said):
        wrong, right = left_behind(sentence), without_left_behind(sentence)
        values = [value for value in values_in(wrong) if not all_stems(wrong) - all_stems(value)]
        if len(values) == 1 and _alike(right, values[0]):
            return Contrast("", right, values[0])
    return None


def _goes_on_about(value: re.Match[str], known: str) -> bool:
    """Whether what follows a value is of it, as that is a name and no number or day."""
    is_value = any(c.isdigit() for c in value[0]) or values_in(value[0])
    is_name = not is_value and day_name(value[0]) not in forms("weekday_name")
    behind = known[value.end() :]
    rest = behind.lstrip(", ")
    if any(pattern(name).match(rest) for name in ("of_persons", "subjectless", "therefore")):
        return False  # in the boot room, we found it there; in Leeds, works for the council; so we bake
    if pattern("definite").match(pattern("begins_joined").sub("", rest)) and has_verb(clauses(rest)[0]):
        return False  # the chair is Bo, and the cook is Kit
    return is_name and (behind.startswith((",", " (")) or _is_person_next(behind))


def _is_person_next(behind: str) -> bool:
    """Whether a sentence is over and the next one goes on about somebody: `. She is in Ash Lane.`"""
    first = re.match(r"[.!]\s+(\w+)", behind)
    return first is not None and first[1].casefold() in words("of_a_person")


def _alike(right: str, wrong: str) -> str:
    """The only value of what is right that is written like the wrong one, if that is a value; "" if there is none."""
    if values_in(wrong) != [wrong]:
        return ""
    alike = [value for value in values_in(right) if shape_of(value) == shape_of(wrong)]
    is_more = len(alike) == 1 and pattern("and_a_half").search(right) is not None
    return alike[0] if len(alike) == 1 and not is_more else ""


def _named_alone(found: Contrast, wrong: str) -> tuple[Contrast, str]:
    """A contrast of two names, each without the words before it: `at the Grand` as `Grand`."""
    right, other = pattern("name_at_end").search(found.right), pattern("name_at_end").search(wrong)
    return (replace(found, right=right[0]), other[0]) if right and other else (found, wrong)


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
    meant = [pieces[place] for place in by_words(said, pieces) if is_about(said, pieces[place])]
    return any(not place_of(value, each) and kinds_of_values(value) & kinds_of_values(each) for each in meant)


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


def _if_whole(said: str, found: str, known: str) -> str | None:
    """What was found, if it has each value of several words that was said and is new."""
    values = [whole[0].rstrip(".s") for name in WHOLES for whole in pattern(name).finditer(said)]
    kept, before = (text.replace("s ", " ") for text in (found, known))
    return found if all(place_of(value, f"{kept} ") or place_of(value, f"{before} ") for value in values) else None


def _if_all_is_kept(said: str, found: str, known: str, gone: str = "") -> str | None:
    """What was found, if it has all that is named in what was said, but for what is `gone`, which says little more than
    another value; None where nothing differs from what was known.
    """
    new, old, kept = ({name.removesuffix("s") for name in names_in(text)} for text in (said, f". {gone}", f". {found}"))
    says_more = len(all_stems(said) - all_stems(known) - all_stems(found)) > MOST_ELSE
    if new - old - kept or says_more or found.casefold() == known.casefold():
        return None
    return _if_whole(said, found, known)
