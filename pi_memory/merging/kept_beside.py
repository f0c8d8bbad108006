"""The clauses and pieces of a memory that a correction is not about, which are kept beside it. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Sequence, Set
from itertools import takewhile

from pi_memory.judges.comparison import stems
from pi_memory.judges.holding import subject_of
from pi_memory.merging.values import day_name, kinds_of_values, names_in, place_of, shape_of, values_in
from pi_memory.text.contrast import (
    contrast,
    leads,
    with_subject,
)
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, has_verb, sentences
from pi_memory.text.sentences import stems as all_stems

LIKELY_TOO = 0.55
"""Share of the chance of the clause that a correction most likely makes untrue from which on another one is too."""
HARDLY = 0.1
"""The same for one that has a value written like the new one."""
LEAST_LIKELY = 0.1
"""A chance below which no clause is the one that was corrected."""
MOST_OF_CHANGE = 5
"""Words of what was said besides another value, up to which it says nothing else of what a memory lists."""
LEAST_PIECES = 2
"""Pieces between commas behind the first one, from which on a memory lists what is so."""
FIRST_WORDS = 3
"""Words of what was said, or of a piece of it, of which one is what it is about."""
MOST_OF_NAME = 2
"""Words of somebody's name, or of a thing's, of several that one sentence is about."""
LEAST_SAID = 2
"""Words with a meaning of their own that a clause has which is kept."""


def with_rest(
    said: str, known: str, likely: Sequence[float] | None = None, alone: Sequence[str] = (), *, context: str = ""
) -> str | None:
    """What was said, and the clauses of a memory that it is not about: `We open at seven. We are on Gerber Lane.`; None
    where there are none, or it is not plain which of them it is about. Not those of its `context`, if it is not about
    that.
    """
    parts = clauses(known)
    is_plain = likely is not None and max(likely, default=0) >= LEAST_LIKELY
    corrected = by_chance(likely) if likely is not None and is_plain else by_words(said, parts)
    if len(parts) == 1 or not corrected or parts[0].istitle():
        return None  # Ada, Bo and Kit are in the choir
    rest = [place for place in _standing_beside(said, parts, corrected) if _says_more(parts[place], said)]
    named = _by_name(said, parts, corrected, alone) if len(alone) == len(parts) else {}
    rest = sorted({*rest, *named})
    own = len(clauses(context)) if context else 0
    rest = [place for place in rest if place >= own or min(corrected) < own]
    shapes = {shape_of(value) for value in values_in(said) if place_of(value, known) is None}
    doubted = by_chance(likely, HARDLY) if likely is not None else range(len(parts))
    # What has another value itself may be what is meant; the only price or time of all that is known is.
    written = Counter(map(shape_of, values_in(known)))
    meant = {shape for shape in shapes if written[shape] == 1 and shape != "#"}
    # The price of another thing, where that of this one is new.
    others = {p for p in rest if any(all_stems(parts[c]) & all_stems(said) - all_stems(parts[p]) for c in corrected)}
    shared = [len(all_stems(part) & all_stems(said)) for part in parts]
    most = max(shared[place] for place in corrected)
    others -= {place for place in rest if shared[place] and most - shared[place] <= LEAST_SAID}
    rest = [
        place
        for place in rest
        if meant.isdisjoint(of_it := [*map(shape_of, values_in(parts[place]))])
        and (place in others or place not in doubted or shapes.isdisjoint(of_it))
    ]
    if pattern("how_often").search(said):
        rest = [place for place in rest if not pattern("how_often").search(parts[place])]
    has_new_value = any(not shapes.isdisjoint(map(shape_of, values_in(parts[place]))) for place in corrected)
    if not has_new_value and any(_is_said_over(said, parts[place]) for place in corrected):
        # The office of who quit, but not what was said of somebody who is named now too.
        defined = [p for p in rest if pattern("definite").match(parts[p]) and not pattern("of_persons").match(parts[p])]
        rest = [p for p in rest if p not in defined or names_in(parts[p]) & names_in(said)]
    if any(pattern(name).search(said) for name in ("takes_over", "takes_over_what")):  # not who did it before
        rest = [p for p in rest if names_in(parts[p]) <= names_in(f". {said}")]
    left = {place: text for place in corrected if (text := untouched(said, parts[place]))}
    kept = [finished({**dict(enumerate(parts)), **named, **left}[place]) for place in sorted({*rest, *left})]
    return " ".join([finished(said), *kept]) if kept else None


def is_about(said: str, piece: str) -> bool:
    """Whether what was said begins with what a piece of a sentence begins with."""
    return bool(first_stem(piece) & all_stems(" ".join(said.split()[:FIRST_WORDS])))


def first_stem(piece: str) -> Set[str]:
    """The stem of the first word of a piece of a sentence, behind an article."""
    article = pattern("article").match(piece)
    return all_stems(piece[article.end() if article else 0 :].strip().partition(" ")[0]) - {"user"}


def _goes_on_from(piece: str) -> bool:
    """Whether a piece of a sentence has no subject of its own: `in the green box`."""
    return not piece or any(
        pattern(name).match(piece) for name in ("lead", "said_of_same", "subjectless", "subordinate")
    )


def with_untouched(said: str, known: str) -> str | None:
    """What was said, and the pieces of a memory of several that have no word of it; None where there are none, or it is
    not plain which it is about.
    """
    left = untouched(said, known)
    return f"{finished(said)} {finished(left)}" if left else None


def is_about_one_piece(said: str, known: str, *, besides: str) -> bool:
    """Whether what was said has words of one piece of a memory alone, of which what was said `besides` has none."""
    pieces = pattern("clause_joint").split(known)
    if len(pieces) == 1:
        return False
    meant, other = _touched(said, pieces), _touched(besides, pieces)
    return meant.count(True) == 1 and not other[meant.index(True)]


def at_joints(text: str) -> tuple[list[re.Match[str]], list[int], list[int]]:
    """The joints between the pieces of a sentence, and where these begin and end."""
    joints = [*pattern("clause_joint").finditer(text)]
    return joints, [0, *(each.end() for each in joints)], [*(each.start() for each in joints), len(text)]


def untouched(said: str, known: str) -> str:
    """The pieces of a sentence that have no word of what was said: `Dad takes a statin at night.`, of `Dad takes iron
    in the morning and a statin at night.`, where he stopped the iron; "" for none. What only goes on from a piece that
    is left out is left out too.
    """
    said = pattern("since_when").sub("", said)  # free all day is not `these days`
    joints, begins, ends = at_joints(known)
    pieces = [known[a:b].rstrip(" .") for a, b in zip(begins, ends, strict=True)]
    if len(pieces) == 1 or any(map(pattern("subordinate").match, pieces)):
        return ""
    if len(pieces) == LEAST_PIECES and pieces[0].istitle() and any(map(str.isalpha, joints[0][0])):
        return ""  # Ada and the user want to go to Ulm
    if len(pieces[0].split()) <= MOST_OF_NAME and not has_verb(pieces[0]) and any(map(has_verb, pieces)):
        doing = next(place for place, piece in enumerate(pieces) if has_verb(piece))
        if doing == len(pieces) - 1:
            return ""  # Ada, Bo and Kit are in the choir
        pieces = [known[: ends[doing]].rstrip(" ."), *pieces[doing + 1 :]]
        joints = joints[doing:]
    touched = _with_what_hangs(said, pieces, _touched(said, pieces), [each[0] for each in joints])
    if all(touched) or not any(touched) or _is_of_another_kind(said, pieces, touched):
        return ""
    if touched[0] and _only_by_subject(said, pieces[0]) and kinds_of_values(pieces[0]) == {"number"}:
        touched[0] = _is_over(said)  # Toby is 15, and a gamer now
    kept = ""
    for place, own in enumerate(pieces):
        is_next = place > 0 and not touched[place - 1]
        kept += "" if touched[place] else f"{joints[place - 1][0] if is_next else ', ' * bool(kept)}{own}"
    if not touched[0]:
        return kept
    if head := pattern("list_head").match(pieces[0]):
        return f"{head[0]}{kept}"
    goes_on = pattern("subjectless").match(kept) is not None
    whole = kept if _is_over(said) and not goes_on else _with_its_subject(kept, pieces[0])
    says = ("at_place", "part_of_day", "does_to_thing")
    is_said = has_verb(kept) or kinds_of_values(kept) or any(pattern(name).search(kept) for name in says)
    return whole if whole != kept or is_said else ""  # a pinch of salt


def _touched(said: str, pieces: Sequence[str]) -> list[bool]:
    """Which pieces of a sentence have a word of what was said; not the first one if that only names what all are about,
    and another one has one too.
    """
    first, *others = [len(matter(piece) & matter(said)) for piece in pieces]
    is_named = max(others) > first or (any(others) and _only_by_subject(said, pieces[0]))
    is_named = is_named and not _is_left_by_its_subject(said, pieces[0])
    return [first > 0 and not is_named, *map(bool, others)]


def _only_by_subject(said: str, piece: str) -> bool:
    """Whether a piece of a sentence has nothing of what was said behind its verb."""
    verb = pattern("does_to_thing").match(piece) or pattern("verb").search(piece) or pattern("says_now").search(piece)
    return verb is not None and not matter(piece[verb.end() :]) & matter(said)


def _with_what_hangs(said: str, pieces: Sequence[str], touched: Sequence[bool], joints: Sequence[str]) -> list[bool]:
    """Which pieces of a sentence are left out with those that are `touched`: what goes on from one, says more of it or
    gives a reason that was said of; all, where what they are about is over.
    """
    found, is_over = [*touched], _is_over(said)
    if is_over and touched[0] and _only_by_subject(said, pieces[0]):
        return [True] * len(pieces)
    places = [each[0] for each in pattern("at_place").finditer(said) if not place_of(each[0], ", ".join(pieces))]
    is_moved = False
    is_list = pattern("list_head").match(pieces[0]) is not None
    is_apposed = len(pieces) == LEAST_PIECES and joints[0].strip() == ","  # in hospital, ward 4
    for place, own in enumerate(pieces[1:], 1):
        has_no_verb = not has_verb(own) and not (any(map(str.isalpha, joints[place - 1])) and _says_where(own))
        names_it = pattern("definite").match(own) is not None and not own.startswith("the user")
        begins_anew = place == 1 and pattern("subjectless").match(own) is not None
        # Who quit the cinema still sings in our choir.
        begins_anew = begins_anew and not (pattern("has_left").search(said) and not pattern("at_place").search(own))
        goes_on = pattern("verb").match(own) is not None and not begins_anew
        is_moved = is_moved or bool(places and found[place - 1] and pattern("at_place").search(pieces[place - 1]))
        refers_back = not words("of_before").isdisjoint(re.findall(r"\w+", own.casefold())[1:])
        says_nothing = not matter(own) or pattern("part_of_day_alone").fullmatch(own) is not None
        hangs = says_nothing or refers_back or goes_on or (_goes_on_from(own) and not begins_anew)
        is_only_more = has_no_verb and (is_apposed or not any(map(has_verb, pieces)))  # a booking, four people
        hangs = hangs or (is_over and is_only_more)
        hangs = hangs or (names_it and (is_over or has_no_verb)) or (is_moved and has_no_verb and not leads(own))
        found[place] = found[place] or gives_reason(own, said) or (found[place - 1] and hangs and not is_list)
        if (found[place] and names_it and has_no_verb) or (goes_on and (found[place] or found[0])):
            found[: place + 1] = [True] * (place + 1)  # our house, the one by the mill, is old
    return found


def gives_reason(known: str, said: str) -> bool:
    """Whether a text gives a reason or a limit that something was said of: `until the plugin is mended`."""
    return any(all_stems(found[0]) & all_stems(said) for found in pattern("reason").finditer(known))


def _says_where(piece: str) -> bool:
    """Whether a piece says where something is that it names itself: `her glasses on the shelf`."""
    place = pattern("at_place").search(piece)
    return place is not None and bool(all_stems(piece[: place.start()]))


def _is_of_another_kind(said: str, pieces: Sequence[str], touched: Sequence[bool]) -> bool:
    """Whether what was said has a value of a kind that only pieces have which have no word of it: `we shut at 5 now`,
    of `we open at 8, shut on Mondays`.
    """
    kinds = [*map(kinds_of_values, pieces)]
    own = set[str]().union(*(each for each, is_touched in zip(kinds, touched, strict=True) if is_touched))
    has_new = any(not place_of(value, ", ".join(pieces)) for value in values_in(said))
    return has_new and bool((kinds_of_values(said) - own) & set[str]().union(*kinds))


def _is_over(said: str) -> bool:
    return any(pattern(name).search(said) for name in ("says_over", "has_left"))


def matter(text: str) -> Set[str]:
    """The stems of a text that are no value and not the user."""
    of_values = all_stems(" ".join(values_in(text))) | all_stems(" ".join(forms("month_name")))
    return {stem for stem in all_stems(text) - of_values - {"user"} if not stem.isdecimal()}


def _with_its_subject(kept: str, first: str) -> str:
    """A piece that has no verb, with the subject and the verb of the first piece, if an object stands behind that: `Dad
    takes`; one that begins with a verb, with the subject.
    """
    verb = pattern("does_to_thing").match(first)
    if pattern("subjectless").match(kept):
        other = pattern("verb").search(first) or pattern("says_now").search(first)
        subject = verb["who"] if verb else first[: other.start()].strip() if other else ""
        return f"{subject} {kept}".strip()
    if (whose := pattern("said_of_its").match(kept)) and (name := re.match(r"[\w ]{2,30}?['’]s (?=\w)", first)):
        return f"{name[0]}{kept[whose.end() :]}"
    has_own = has_verb(kept.partition(",")[0]) or pattern("does_to_thing").match(kept)
    return f"{verb[0]} {kept}" if verb and not has_own else kept


def with_pieces(said: str, known: str) -> str | None:
    """What was said, and a memory without those of its pieces between commas that have a value of the same kind: `the
    cleaner comes on the first Thursday, cash in the tin`, of `..., twelve pounds, cash in the tin`, when they want
    fifteen; None where it has no such piece, or has it in front, or is about something else.
    """
    first, *pieces = known.rstrip(".").split(", ")
    new = kinds_of_values(said)
    also = matter(said) - matter(first)
    rest = [piece for piece in pieces if new.isdisjoint(kinds_of_values(piece)) and not matter(piece) & also]
    is_of_it = bool(all_stems(first) & all_stems(said) - {"user"}) and new.isdisjoint(kinds_of_values(first))
    if len(rest) == len(pieces) or len(pieces) < LEAST_PIECES or not is_of_it or len(sentences(known)) > 1:
        return None
    told = pattern("reason").sub("", said)  # but for `till Easter`
    names = {name for name in names_in(told) if name.isalpha() and day_name(name) not in forms("weekday_name")}
    is_over = any(pattern(name).search(said) for name in ("says_over", "has_left", "takes_over"))
    more = all_stems(said) - all_stems(known) - all_stems(" ".join(values_in(said)))
    if is_over or contrast(said) or not all(place_of(name, known) for name in names) or len(more) > MOST_OF_CHANGE:
        return None
    return f"{finished(said)} {finished(', '.join([first, *rest]))}"


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
    if place.end() <= verb.start() and _is_now_another(said, context, context[verb.end() :]):
        return ""
    if place.end() <= verb.start() or _goes_on_with(named, said, context):
        return " ".join(map(finished, alone))
    if not context[verb.end() : place.start()].strip():
        return ""  # who it was
    subject = context[: verb.start()].strip(" ,")  # not what stands behind: a place
    if not all_stems(subject):
        return ""  # `There is a key with Bo`, `I gave it to Bo`
    return finished(with_subject(own, subject)) if len(alone) == 1 and pattern("said_of_same").match(own) else None


def _is_now_another(said: str, context: str, role: str) -> bool:
    """Whether somebody else is said to be what somebody was: `My tutor is Ada now.`, of `Bo is my tutor.`"""
    who = all_stems(subject_of(said)) - {"user"}
    mine, known = names_in(said), names_in(f". {context}")
    return bool(who) and who <= all_stems(role) and bool(mine - known) and mine.isdisjoint(known)


def _goes_on_with(named: str, said: str, context: str) -> bool:
    """Whether what was said names somebody by one of their names, and not that they are gone."""
    names = re.findall(r"\w+", pattern("title").sub("", named))
    return any(place_of(name, said) for name in names) and not _is_said_over(said, context)


def _without_end(claim: str, own: str) -> str:
    """The words of a clause before those that it has in common with its sentence, and before its verb."""
    theirs = {word.strip(" .,;!") for word in own.split()}
    begin = " ".join(takewhile(lambda word: word.strip(" .,;!") not in theirs, claim.split()))
    return pattern("verb").split(begin)[0].strip().removesuffix("'s")


def by_words(said: str, parts: Sequence[str]) -> set[int]:
    """The place of the clause that shares most words with what was said; none where there are several."""
    shared = [len(all_stems(part) & all_stems(said)) for part in parts]
    most = max(shared, default=0)
    return {shared.index(most)} if most and shared.count(most) == 1 else set()


def by_chance(likely: Sequence[float], share: float = LIKELY_TOO) -> set[int]:
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
    if first and first[0] in names_in(f". {said}"):
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
    names = all_stems(" ".join(names_in(clause)))
    shared = [all_stems(each) & all_stems(clause) for each in about_it]
    is_only_named = any(each <= names for each in shared)
    return is_only_named and any(
        each - names and all_stems(" ".join(names_in(sentence))) - names
        for sentence, each in zip(about_it, shared, strict=True)
    )


def _has_who_left(said: str, clause: str) -> bool:
    """Whether a clause names somebody who is said to be there no more: `Bo retired.`"""
    over = " ".join(each for each in clauses(said) if _says_gone(each))
    names = " ".join(word for text in (over, clause) for word in re.findall(r"\w+", text) if word[:1].isupper())
    return bool(all_stems(names) & all_stems(over) & all_stems(clause))


def _is_left_by_its_subject(said: str, clause: str) -> bool:
    """Whether whom a clause is about is said to have left: `Bo moved out.`"""
    who = [subject_of(each) for each in clauses(said) if pattern("has_left").search(each)]
    return any(all_stems(each) & all_stems(subject_of(clause)) for each in who)


def _stands_alone(clause: str) -> bool:
    """Whether a clause says what holds."""
    return not pattern("subordinate").match(clause) and len(stems(clause)) >= LEAST_SAID
