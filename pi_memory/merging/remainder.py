"""What a memory says that a correction leaves standing: a value that was put right goes in its place (`put_right.py`),
and what was said beside it is kept (`kept_beside.py`). Pure.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from pi_memory.judges.comparison import stems
from pi_memory.merging.kept_beside import (
    LEAST_SAID,
    is_about_one_piece,
    matter,
    with_pieces,
    with_rest,
    with_untouched,
)
from pi_memory.merging.one_gone import what_is_gone, with_doer_apart, with_one_gone, with_one_more
from pi_memory.merging.put_right import (
    given_up_in,
    put_right,
    with_age,
    with_amount,
    with_one_less,
    with_only,
    with_values,
)
from pi_memory.merging.slots import slots_in, with_denied, with_piece, with_slots
from pi_memory.merging.swapped_over import with_two_swapped
from pi_memory.merging.values import is_by_so_much, names_in, place_of, values_in
from pi_memory.text.contrast import contrast, swapped
from pi_memory.text.language import pattern
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, has_verb, sentences
from pi_memory.text.sentences import stems as all_stems

Form = Callable[[str, str], str | None]
"""What a memory says with what was said in its place; None where it says no such thing."""


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
    if not context and (both := _one_by_one(said, known)) is not None:
        return both
    return _merged(said, known, likely, alone, context=context)


def _one_by_one(said: str, known: str) -> str | None:
    """What is to be kept when two clauses put right one piece of a memory each: `the rent is 950 and the landlord is
    Ida`; None for others.
    """
    parts = pattern("clause_joint").split(said)
    if len(parts) != LEAST_SAID or any(map(pattern("said_of_same").match, parts)) or contrast(said):
        return None
    is_said = [pattern("verb").search(part) or has_verb(part) or _names_its_value(part) for part in parts]
    if not all(is_said):
        return None  # another supplier, 26 euro
    is_over = any(pattern(name).search(parts[0]) for name in ("has_left", "says_over"))
    if is_over and not values_in(parts[0]):
        return None  # Bo has retired, Ida is the chair now
    found = known
    for part in parts:
        if matter(part) <= all_stems(known) and all(place_of(value, known) for value in values_in(part)):
            continue  # and the other fee stays as it is
        is_of_piece = is_about_one_piece(part, known, besides=next(each for each in parts if each != part))
        changed = _merged(finished(part), found, None, (), context="") if is_of_piece else None
        if changed is None:
            return None
        found = changed
    has_all = all(place_of(value, found) for value in values_in(said) if not place_of(value, known))
    return found if has_all and found != known else None


def _names_its_value(part: str) -> bool:
    """Whether a piece says nothing but a value of what it names: `truing 28 from Monday`."""
    what, _, behind = pattern("since_when").sub("", part).strip(" .").rpartition(" ")
    return bool(matter(what)) and not values_in(what) and values_in(behind) == [behind]


def _merged(said: str, known: str, likely: Sequence[float] | None, alone: Sequence[str], *, context: str) -> str | None:
    if is_by_so_much(said) and matter(said) & matter(known):
        return f"{finished(said)} {finished(known)}"
    if (both := with_two_swapped(said, known)) is not None:
        return both
    if not context and (left := with_one_gone(said, known) or with_one_more(said, known)) is not None:
        return left
    if _gives_up_what_is_known(said, known):
        return (
            with_slots(said, known, likely)
            or with_rest(said, known, likely, alone, context=context)
            or (None if context else with_untouched(said, known))
        )
    is_of_new = _is_of_new_thing(said, known)
    return (
        _changed(said, known, likely, is_of_new=is_of_new)
        or _with_exception(said, known)
        or (None if context else with_doer_apart(said, known))
        or with_rest(said, known, likely, alone, context=context)
        or (None if is_of_new else with_pieces(said, known))
        or (None if context or is_of_new else with_untouched(said, known))
    )


def _changed(said: str, known: str, likely: Sequence[float] | None, *, is_of_new: bool) -> str | None:
    """A memory with what was said in the place of what it puts right, and with the pieces of that which say more; None
    where a number, a day, a time or somebody's name that was said would be lost, or what is over would stay.
    """
    slots, piece = (partial(form, likely=likely) for form in (with_slots, with_piece))
    by_value = () if _happened_again(said, known) else (with_amount, with_values)
    gone = [what_is_gone(clause, known) for clause in clauses(said)]
    by_slot: tuple[Form, ...] = () if is_of_new else (slots, piece, *by_value)
    for form in (put_right, with_denied, with_age, with_only, with_one_less, *by_slot):
        changed = form(said, known)
        if not changed or any(each and each <= all_stems(changed) for each in gone) or _loses_name(changed, said):
            continue
        kept = {*map(_digits, values_in(f"{changed} {known}"))}
        left = [value for value in values_in(said) if _digits(value) not in kept]
        for more in pattern("clause_joint").split(said)[1:]:
            if kept.isdisjoint(map(_digits, values_in(more))) and any(place_of(value, more) for value in left):
                behind = finished(f"{changed.rstrip(' .!')}, {more.rstrip(' .!')}")
                changed = with_values(finished(more), changed) or behind
        if all(place_of(value, changed, as_part=True) for value in left):
            return changed
    return None


def _loses_name(changed: str, said: str) -> bool:
    """Whether somebody who was said to be something now is in no word of a memory that was changed."""
    return any(not place_of(found["who"], changed) for found in pattern("is_who_now").finditer(said))


def _is_of_new_thing(said: str, known: str) -> bool:
    """Whether a number stands behind something that a memory does not know: `the iron made me ill, I'm on zinc now, 5
    mg`, of so much iron.
    """
    pieces = pattern("clause_joint").split(said)
    for before, piece in pairwise(pieces):
        is_bare = bool(values_in(piece)) and not has_verb(piece) and not pattern("lead").match(piece)
        is_new = pattern("as_of_now").search(before) is not None or swapped(before) is not None
        named = " ".join(slot.value for slot in slots_in(before) if slot.kind == "slot_source")  # from Ida, 16 a kilo
        if is_bare and is_new and matter(pattern("since_when").sub("", before)) - stems(known) - stems(named):
            return True
    return False


def _happened_again(said: str, known: str) -> bool:
    """Whether what is known was done once more: `We had the tank filled again, 700 litres.`"""
    found = pattern("once_more").search(said)
    done = said[: found.start()].split()[-1:] if found else []
    return bool(done) and done[0].endswith("ed") and bool(stems(done[0]) & stems(known))


def _digits(value: str) -> str:
    """A value without what may stand beside its digits: `5`, of `5th`; a day without the ending of several."""
    return "".join(c for c in value if c.isdigit()) or value.casefold().removesuffix("s")


def _with_exception(said: str, known: str) -> str | None:
    """What was said of a day on which something is shut, and when it is open."""
    is_shut = pattern("shut_on").search(said) is not None and pattern("open_hours").search(known) is not None
    return f"{finished(said)} {finished(known)}" if is_shut and values_in(known) else None


def _gives_up_what_is_known(said: str, known: str) -> bool:
    """Whether somebody is said to do no more what a memory is about: another day is that of something else then."""
    numbers = stems(" ".join(values_in(known)))
    return any(
        all_stems(found["what"]) & all_stems(known) - numbers and not (swapped(said) or given_up_in(said, known))
        for found in pattern("gives_up").finditer(said)
    )


def loses_one(said: str, known: str) -> bool:
    """Whether somebody is said to be gone, and no more, whom a memory tells of together with others: `Bo died.` of
    `We have two hens, Ada and Bo.`
    """
    names = names_in(f". {said}")
    places = [place for name in names if (place := place_of(name, known))]
    is_joined = any(
        pattern("joining").search(known[: each.start()]) or pattern("begins_joined").match(known[each.end() :].lstrip())
        for each in places
    )
    more = any(names_in(f". {clause}") - names_in(f". {known}") for clause in clauses(said)[1:])  # it's Ida now
    more = more or swapped(said) is not None
    return (
        is_joined
        and not more
        and with_one_gone(said, known) is None
        and bool(names_in(f". {known}") - names)
        and any(pattern(name).search(said) for name in ("says_over", "has_left"))
    )
