"""A memory with other days, another time, price, place or name where it has one: `Choir is in the hall on Mondays.`,
when it is at the school now. Pure.
"""

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.merging.kept_beside import by_chance, gives_reason
from pi_memory.merging.values import day_name, is_by_so_much, months_in, values_in
from pi_memory.text.contrast import asserted
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, has_verb, sentences, stems

KINDS = ("slot_date", "slot_days", "slot_time", "slot_price", "slot_place", "slot_source", "slot_name", "slot_number")
"""Expressions of what fills a slot, with a `value` and perhaps a `lead` before it. What one has found is no other."""
IDLE = ("as_of_now", "since_when", "changes", "slot_word")
"""Expressions of what says no more than that something is so now."""
NOT_SO = ("says_over", "negation", "by_how_much", "for_once")
"""Expressions of what does not say how something is from now on."""
WHEN = ("slot_date", "slot_days", "slot_time")
TWO = 2
"""Clauses of which the first one may say what is over, and words of a piece that says something besides."""


class Slot(Struct, frozen=True):
    """Where a text has a value of a kind, with the word that leads to it; `ends`: that something lasts until then."""

    kind: str
    begin: int
    end: int
    lead: str
    value: str
    ends: bool


def with_slots(said: str, known: str, likely: Sequence[float] | None = None) -> str | None:
    """What a memory says with what was said of the same thing in the slots of it, if nothing else was said, it is plain
    which slots these are, and it says more than that; else None. `likely`, if it is known, is how likely what was said
    makes each of its clauses untrue.
    """
    told = pattern("since_when").sub("", _told(asserted(said)))
    return _with_told(told, known, likely, is_whole=True)


def with_piece(said: str, known: str, likely: Sequence[float] | None = None) -> str | None:
    """The same where one piece of a sentence says it, behind why it is so: `the roof leaks, so choir's at the school`;
    with what was said behind it. None where another piece has a value too, or denies one.
    """
    parts = _parts_of(said)
    denied = [
        part for part in parts if pattern("negation").search(part) and (slots_in(part) or stems(part) & stems(known))
    ]
    if len(parts) == 1 or len(sentences(said)) > 1 or denied or gives_reason(known, said):
        return None
    with_values = [place for place, part in enumerate(parts) if slots_in(part)]
    if len(with_values) != 1:
        return None
    place, part = with_values[0], pattern("since_when").sub("", asserted(parts[with_values[0]]))
    changed = _with_told(part, known, likely, goes_on=place > 0)
    behind = parts[place + 1 :]
    is_all = all(has_verb(each) or _matter(each) <= stems(known) for each in behind)
    is_all = is_all and not any(map(pattern("subordinate").match, behind))
    return " ".join([changed, *_more(behind, known)]) if changed and is_all else None


def _with_told(
    told: str, known: str, likely: Sequence[float] | None, *, is_whole: bool = False, goes_on: bool = False
) -> str | None:
    new = slots_in(told)
    are_several = len({(each.kind, each.ends) for each in new}) < len(new)
    if not new or are_several or len(sentences(told)) > 1 or is_by_so_much(told):
        return None
    about = _about(told, new)
    is_otherwise = any(pattern(name).search(told) for name in NOT_SO)
    is_otherwise = is_otherwise or any(
        each.kind == "slot_place" and _leads_to(each) and not pattern("moves").search(told[: each.begin])
        for each in new
    )  # switched to nights
    is_of_it = bool(about) or (goes_on and pattern("said_of_same").match(told.strip()) is not None)
    has_end = any(each.ends for each in new)
    is_of_it = is_of_it and about <= stems(known) and (has_end or not gives_reason(known, told))
    if not is_of_it or is_otherwise:
        return None
    places = [_place(each, about, known, likely) for each in new]
    if None in places or len({*places}) < len(places) or _may_be_otherwise(new, known):
        return None
    if is_whole and not _says_more(known, [place for place in places if place], told):
        return None  # the user's own words will do
    found, taken = known, zip(filter(None, places), new, strict=True)
    for old, each in sorted(taken, key=lambda pair: -pair[0].begin):
        found = f"{found[: old.begin]}{_filled(old, each)}{_behind(old, each, found)}"
    found = f"{found[:1].upper()}{found[1:]}" if known[:1].isupper() else found
    return found if found.casefold() != known.casefold() else None


def with_denied(said: str, known: str) -> str | None:
    """What a memory says with another value in the slot of one that is said not to be so: `Ada can't do Thursday, it'll
    be Friday now`, and what was said besides; None where it has none such, or nothing of what was said.
    """
    parts = _parts_of(said)
    denies = [pattern("negation").search(part) is not None for part in parts]
    if True not in denies or False not in denies[denies.index(True) :] or not _matter(said) & stems(known):
        return None
    gone = [slot for part, is_gone in zip(parts, denies, strict=True) if is_gone for slot in slots_in(part)]
    held = parts[denies.index(True) + 1 :]
    new = [slot for part in held if not pattern("negation").search(part) for slot in slots_in(part)]
    found, is_found = known, False
    for each in new:
        denied = [slot for slot in gone if slot.kind == each.kind and slot.kind in WHEN]
        alike = [old for old in slots_in(found) if old.kind == each.kind]
        places = [old for old in alike if any(_is_value(old, one) for one in denied)]
        if len(places) == 1:
            found = f"{found[: places[0].begin]}{_filled(places[0], each)}{found[places[0].end :]}"
            is_found = True
    more = [part for part in held if not slots_in(part)]
    return " ".join([found, *_more(more, known)]) if is_found else None


def _parts_of(said: str) -> list[str]:
    """The pieces of what was said; a value with what leads to it is of the one before: `in the school, on Fridays`."""
    parts: list[str] = []
    for part in (part for sentence in sentences(said) for part in pattern("piece_end").split(sentence)):
        goes_on = parts and slots_in(parts[-1]) and slots_in(part) and pattern("lead").match(part)
        parts[-1:] = [f"{parts[-1]}, {part}"] if goes_on else [*parts[-1:], part]
    return parts


def _more(parts: Sequence[str], known: str) -> list[str]:
    """The parts of what was said that say more than is known."""
    return [finished(part) for part in parts if has_verb(part) and len(_matter(part) - stems(known)) >= TWO]


def _is_value(old: Slot, denied: Slot) -> bool:
    """Whether a slot has a value that is denied: 3 March, the 3rd."""
    both = [[day_name(word) for word in values_in(slot.value)] for slot in (old, denied)]
    digits = [re.findall(r"\d+", slot.value) for slot in (old, denied)]
    return both[0] == both[1] or (old.kind == "slot_date" and digits[0][:1] == digits[1][:1] != [])


def slots_in(text: str) -> list[Slot]:
    """The slots of a text, in the order in which they stand there."""
    found: list[Slot] = []
    left = text
    for kind in KINDS:
        for each in pattern(kind).finditer(left):
            lead, value = _apart(each)
            ends = pattern("until_then").search(f"{lead} ") or pattern("ending").search(text[: each.start()])
            end = each.start() + len(each[0].rstrip(".,"))
            found.append(Slot(kind, each.start(), end, lead, value.rstrip(".,"), ends=ends is not None))
            left = f"{left[: each.start()]}{'#' * len(each[0])}{left[each.end() :]}"
    return sorted(found, key=lambda slot: slot.begin)


def _may_be_otherwise(new: Sequence[Slot], known: str) -> bool:
    """Whether the time that is known may be of another part of the day: seven, where it is in the mornings now."""
    kinds = {each.kind for each in new}
    has_part = any(pattern("part_of_day").search(each.value) for each in new)
    known_time = any(each.kind == "slot_time" for each in slots_in(known))
    return has_part and "slot_time" not in kinds and known_time and not pattern("part_of_day").search(known)


def _apart(found: re.Match[str]) -> tuple[str, str]:
    """What leads to a value, and the value."""
    parts = found.groupdict()
    if parts.get("part"):
        return parts["lead_of_part"], parts["part"]
    if "lead" in parts:
        return parts["lead"] or "", parts["value"]
    lead, _, value = parts["value"].partition(" ")
    return (lead, value) if value else ("", lead)


def is_of_another(place: int, said: str, known: str) -> bool:
    """Whether what stands at a place of a memory is said there of another one: year 2, of `Ada is in the nursery and Bo
    is in year 2`, where Ada is in year 1.
    """
    slots = slots_in(known)
    subjects = [(begin, end, _subject(known[begin:end], slots, begin)) for begin, end in _pieces(known, slots)]
    its = ((subject, known[begin:end]) for begin, end, subject in subjects if begin <= place < end)
    own, piece = next(its, (frozenset[str](), ""))
    about = _matter(said)
    is_plain = bool(own) and pattern("says_now").search(piece) is not None
    return is_plain and not own & about and any(subject & about for _, _, subject in subjects)


def _told(said: str) -> str:
    """What was said, without a first clause that only says what is over: `Bo left the mill, he is at the inn now.`"""
    parts = clauses(said)
    is_over = len(parts) == TWO and any(pattern(name).search(parts[0]) for name in ("has_left", "says_over", "stops"))
    goes_on = is_over and pattern("said_of_same").match(parts[1].strip())
    return parts[1].strip() if goes_on else said


def _about(told: str, slots: Sequence[Slot]) -> Set[str]:
    """The stems of what was said of which something is so now."""
    for each in reversed(slots):
        told = f"{told[: each.begin]} {told[each.end :]}"
    return _matter(told)


def _place(new: Slot, about: Set[str], known: str, likely: Sequence[float] | None) -> Slot | None:
    """The slot of a memory in which a new value goes; None where there is none, or it is not plain which."""
    slots = slots_in(known)
    alike = [each for each in slots if _may_take(each, new) and not _is_topic(each, about, known)]
    pieces = _pieces(known, slots)
    inside = {each.begin: next(a for a, b in pieces if a <= each.begin < b) for each in alike}
    subjects = {a: _subject(known[a:b], slots, a) for a, b in pieces}
    for goes_on in (False, True):  # `we rehearse at the mill`, of a band that was named
        shared = {a: len(matter & about) for a, matter in _matters(known, pieces, subjects, goes_on=goes_on).items()}
        meant = [each for each in alike if shared[inside[each.begin]] or not about]
        if meant:
            break
    meant = [each for each in meant if _is_called_alike(each, new, known)] or meant
    if len(meant) > 1:
        named = [each for each in meant if set[str]() < subjects[inside[each.begin]] <= about]
        most = max(shared[inside[each.begin]] for each in meant)
        meant = named or [each for each in meant if shared[inside[each.begin]] == most]
    if len(meant) > 1 and likely is not None:
        untrue = by_chance(likely)
        meant = [each for each in meant if _clause_of(each, known) in untrue]
    return _part(meant[0], new, about, known) if len(meant) == 1 else None


def _matters(
    known: str, pieces: Sequence[tuple[int, int]], subjects: Mapping[int, Set[str]], *, goes_on: bool
) -> dict[int, Set[str]]:
    """What each piece of a text is about, by where it begins; one without a subject has that of the one before it, or,
    if it `goes_on`, all that this is about.
    """
    before = set[str]()
    found: dict[int, Set[str]] = {}
    for begin, end in pieces:
        own = _matter(known[begin:end])
        found[begin] = own | (set[str]() if subjects[begin] else before)
        before = {*found[begin]} if goes_on else {*(subjects[begin] or before)}
    return found


def _says_more(known: str, places: Sequence[Slot], told: str) -> bool:
    """Whether a memory says more than what was told, and what it has in some places."""
    taken = {place.begin for place in places}
    rest = known
    for place in sorted(places, key=lambda place: -place.begin):
        rest = f"{rest[: place.begin]} {rest[place.end :]}"
    has_other = any(slot.begin not in taken for slot in slots_in(known))
    return has_other or bool(_matter(pattern("moving").sub("", rest)) - stems(told))


def _may_take(old: Slot, new: Slot) -> bool:
    """Whether a slot is one of the same kind: `in year 4`, for `in year 3`, not for `in ward 3`."""
    is_same = (old.kind, old.ends) == (new.kind, new.ends)
    return is_same and (new.kind != "slot_number" or old.lead.casefold() == new.lead.casefold())


def _is_called_alike(old: Slot, new: Slot, known: str) -> bool:
    """Whether both are such a place: room 31, and room 12."""
    return new.kind == "slot_place" and any(_head(each.value) == _head(new.value) for each in _parts(old, known))


def _is_topic(slot: Slot, about: Set[str], known: str) -> bool:
    """Whether a slot only says what something is about: `in a choir`."""
    return slot.kind == "slot_place" and all(stems(each.value) & about for each in _parts(slot, known))


def _clause_of(slot: Slot, known: str) -> int:
    """The place of the clause that a slot stands in."""
    begin, begins = 0, list[int]()
    for clause in clauses(known):
        begins.append(begin := max(begin, known.find(clause, begin)))
    return sum(begin <= slot.begin for begin in begins) - 1


def _part(old: Slot, new: Slot, about: Set[str], known: str) -> Slot | None:
    """The part of a place that says the same of it: `on the third floor`, of `by the window on the third floor`; None
    where something was only given to somebody.
    """
    if old.kind != "slot_place":
        return old
    parts = _parts(old, known)
    alike = [each for each in parts if _head(each.value) == _head(new.value)]
    free = [each for each in parts if not stems(each.value) & about]
    if len(alike) != 1 or len(parts) == 1:
        alike = free if len(free) < len(parts) else []
    old = alike[0] if alike else old
    verb = "".join(known[: old.begin].split()[-1:])
    is_given = _leads_to(old) and pattern("moving").search(verb) is None
    return None if is_given else old


def _parts(place: Slot, known: str) -> list[Slot]:
    """A place of several: `in the cupboard`, `under the stairs`."""
    begins = [each.start() for each in pattern("at_place").finditer(known, place.begin, place.end)] or [place.begin]
    spans = [*pairwise([place.begin, *begins[1:], place.end])]
    texts = [known[begin:end].rstrip().partition(" ") for begin, end in spans]
    return [
        replace(place, begin=begin, end=begin + len("".join(text)), lead=text[0], value=text[2])
        for (begin, _), text in zip(spans, texts, strict=True)
    ]


def _head(value: str) -> Set[str]:
    """The stem of what a place is: `floor`, of `the third floor`, `ward`, of `ward 4`."""
    named = [word for word in value.split() if word.isalpha()]
    return stems(named[-1]) if named else frozenset()


def _leads_to(slot: Slot) -> bool:
    return pattern("to_place").match(f"{slot.lead} ") is not None


def _pieces(known: str, slots: Sequence[Slot]) -> list[tuple[int, int]]:
    """Where the pieces of a text begin and end: its sentences, apart at joints that are in no slot."""
    ends, begin = [0], 0
    for sentence in sentences(known):
        begin = known.find(sentence, begin)
        ends.append(begin)
        ends += [begin + joint.end() for joint in pattern("clause_joint").finditer(sentence)]
        begin += len(sentence)
    inside = {place for slot in slots for place in range(slot.begin + 1, slot.end)}
    cuts = [*sorted({*ends} - inside), len(known)]
    return [*pairwise(cuts)]


def _subject(piece: str, slots: Sequence[Slot], begin: int) -> Set[str]:
    """The stems of what a piece is about: what stands before its verb, or its first slot."""
    verb = pattern("verb").search(piece) or pattern("says_now").search(piece)
    first = min((slot.begin - begin for slot in slots if slot.begin >= begin), default=len(piece))
    is_short = verb is not None and "'" in verb[0]  # the Skoda's, on 3 May
    end = verb.start() + verb[0].find("'") * is_short if verb else len(piece)
    return _matter(piece[: min(end, first)])


def _matter(text: str) -> Set[str]:
    """The stems of a text without what only says that something is so now."""
    for name in IDLE:
        text = pattern(name).sub(" ", text)
    return {stem for stem in stems(text) - {"user"} if not stem.isdecimal()}


def _filled(old: Slot, new: Slot) -> str:
    """A new value as it stands in the slot."""
    is_until = new.ends and not pattern("until_then").search(f"{new.lead} ")  # it finishes at 4
    is_led = is_until or (old.kind == "slot_place" and _leads_to(old) != _leads_to(new))
    lead, value = old.lead if is_led else new.lead or old.lead, new.value
    if old.kind == "slot_place" and _leads_to(new) and not _leads_to(old) and lead not in words("wide_lead"):
        lead = forms("lead_of_to").get(new.lead.casefold(), lead)  # moved to the shed, from under the stairs
    if old.kind == "slot_date" and months_in(old.value) and not months_in(value):  # 3 March, the 17th
        day = value.split()[-1] if re.search(r"\d[a-z]", old.value) else re.sub(r"\D", "", value)
        value = re.sub(r"\d+(?:st|nd|rd|th)?", day, old.value, count=1)
    if (nth := pattern("nth_day").search(value)) and pattern("nth_day").search(old.value):  # of the month
        value = pattern("nth_day").sub(nth[0], old.value)
    return f"{lead} {value}".strip()


def _behind(old: Slot, new: Slot, known: str) -> str:
    """What stands behind a slot, without those with whom somebody was who has moved."""
    behind = known[old.end :]
    has_moved = old.kind == "slot_place" and _leads_to(new)
    return pattern("with_whom").sub("", behind, count=1) if has_moved else behind
