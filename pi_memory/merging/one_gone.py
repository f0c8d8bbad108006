"""A list without the one of its items that is over: `Nora and Kim are in the choir.`, when Ben has left it; or with one
more. Pure.
"""

import re
from collections.abc import Sequence, Set

from pi_memory.merging.kept_beside import at_joints, matter
from pi_memory.merging.values import counts_in, names_in, place_of, values_in
from pi_memory.text.contrast import contrast, swapped
from pi_memory.text.language import forms, pattern
from pi_memory.text.persons import finished, third
from pi_memory.text.sentences import clauses, has_verb, sentences, stems

MOST_OF_ITEM = 4
"""Words of an item of a list."""
OVER = ("says_over", "has_left")
"""Expressions that say of what stands beside them that it is over."""
NAMED = ("stops", "gave_back", "who_left")
"""The same, with what is over in their groups."""


def with_one_gone(said: str, known: str) -> str | None:
    """What was said, and a list that is known without the item that is over, or was got that was to be; of what is "on
    the list", or needed, only what is left. None where it says so of none, of several, or says what is there instead.
    """
    is_to_be = pattern("to_be_got").search(known) is not None
    listed = pattern("on_list").match(known)
    if (listed or pattern("needs_things").match(known)) and pattern("got_all").match(said):
        return finished(said)
    gone = what_is_gone(said, known)
    if not gone or len(sentences(known)) > 1 or len(clauses(said)) > 1 or contrast(said) or swapped(said):
        return None
    is_left = pattern("who_left").match(said) is not None  # whenever that was
    says_more = names_in(said) - names_in(f". {known}") or set(values_in(said)) - set(values_in(known))
    if (says_more and not is_left) or any(pattern(name).search(said) for name in ("for_once", "put_off", "mistaken")):
        return None
    if listed and stems(listed["what"]) <= gone:
        return finished(said)  # it was the last one
    left = without_item(known, gone)
    if is_to_be and left:
        return finished(left)
    return f"{finished(said)} {finished(left)}" if left else None


def with_one_more(said: str, known: str) -> str | None:
    """What is on a list with one thing more: `On the list are eggs and jam.`; None where it is another list."""
    new, old = pattern("on_list").match(said), pattern("on_list").match(known)
    if new is None or old is None:
        return None
    name, other = (each["list"].casefold() for each in (new, old))
    if name != other and not (name.endswith(f" {other}") or other.endswith(f" {name}")):
        return None
    if place_of(new["what"], old["what"]):
        return known
    items = pattern("clause_joint").split(old["what"])
    return finished(f"{known[: old.start('what')]}{_joined([*items, new['what']], known)}")


def what_is_gone(said: str, known: str) -> Set[str]:
    """The stems of what is said to be over, with those of who did it; none where it is said of what is not known."""
    own = stems(known)
    for name in NAMED:
        if found := pattern(name).match(said):
            gone = stems(" ".join(filter(None, found.groupdict().values())))
            return gone if gone <= own else frozenset()
    if (got := pattern("got").match(said)) and pattern("to_be_got").search(known):
        gone = stems(next(filter(None, got.groupdict().values())))
        return gone if gone <= own else frozenset()
    rest = said
    for name in OVER:
        rest = pattern(name).sub(" ", rest)
    gone = stems(rest) if rest != said else frozenset()
    return gone if gone <= own else frozenset()


def without_item(known: str, gone: Set[str]) -> str | None:
    """A sentence without the one item of its list whose stems are all `gone`, or without several that are all of these;
    None where there is no such item.
    """
    known = known.rstrip(".")
    pieces, _, ends = _apart(known)
    if len(pieces) == 1:
        return None
    if _is_item(pieces[0]):
        return _without_doers(known, gone)
    is_list = any(map(str.isalpha, "".join(each[0] for each in pattern("clause_joint").finditer(known))))
    if not is_list and pattern("at_place").search(pieces[0]):
        return None  # in hospital, ward 12
    last = next((place for place, piece in enumerate(pieces) if place and not _is_item(piece)), len(pieces))
    head = _head(pieces[0])
    own, items = pieces[0][len(head) :], pieces[1:last]
    are_gone = [_is_gone(item, gone) for item in (own, *items)]
    kept = [item for item, is_gone in zip((own, *items), are_gone, strict=True) if not is_gone]
    of_gone = [matter(item) for item, is_gone in zip((own, *items), are_gone, strict=True) if is_gone]
    is_one = len(of_gone) == 1 or (bool(of_gone) and gone == frozenset().union(*of_gone))
    if not items or not kept or not is_one or _are_names_of(own, items):
        return None
    return f"{head}{_joined(kept, known)}{known[ends[last - 1] :]}"


def _is_gone(item: str, gone: Set[str]) -> bool:
    """Whether an item is what is over, whatever its dose or number: `75mg aspirin`."""
    of_item = matter(item) if item[:1].isdigit() else stems(item)
    return bool(of_item) and of_item <= gone


def _head(piece: str) -> str:
    """What of a piece stands before the first item of a list: `Kit is allergic to `, of `Kit is allergic to nuts`."""
    does = pattern("does_to_thing").match(piece)
    verbs = [does, *pattern("verb").finditer(piece), *pattern("says_now").finditer(piece)]
    begin = max((each.end() for each in verbs if each), default=0)
    idle = [word.end() for word in re.finditer(r"\S+", piece) if not stems(word[0]) and not _is_article(word[0])]
    end = max([begin, *idle])
    return piece[: end + (piece[end : end + 1] == " ")]


def _is_article(word: str) -> bool:
    return pattern("owning").match(f"{word} ") is not None or pattern("article").match(word) is not None


def _are_names_of(what: str, items: Sequence[str]) -> bool:
    """Whether a list says the names of so many: `two hens, Ada and Bo`."""
    return bool(values_in(what) or counts_in(what)) and all(item[:1].isupper() for item in items)


def _apart(known: str) -> tuple[list[str], list[int], list[int]]:
    """The pieces of a sentence between its joints, with where they begin and end."""
    _, begins, ends = at_joints(known)
    return [known[a:b] for a, b in zip(begins, ends, strict=True)], begins, ends


def _without_doers(known: str, gone: Set[str]) -> str | None:
    """The same where the items do what stands behind the last one of them: `Nora, Ben and Kim are in the choir`."""
    pieces, begins, _ = _apart(known)
    last = next((place for place, piece in enumerate(pieces) if not _is_item(piece)), len(pieces))
    if last in (0, len(pieces)):
        return None
    verb = pattern("says_now").search(pieces[last]) or pattern("happened_once").search(pieces[last])
    if verb is None or not _is_item(pieces[last][: verb.start()]):
        return None
    doers = [*pieces[:last], pieces[last][: verb.start()].strip()]
    kept = [each for each in doers if not stems(each) <= gone]
    does = known[begins[last] + verb.start() :]
    if len(kept) != len(doers) - 1 or (pattern("clause_joint").search(does) and gone & stems(does)):
        return None  # Nora and Ben like tea and jazz, and she no more tea
    is_one = len(kept) == 1 and not re.search(r"(?<!s)s$", kept[0])
    return f"{_joined(kept, known)} {_of_one(does) if is_one else does}"


def with_doer_apart(said: str, known: str) -> str | None:
    """What was said of one of several, and what the others still do: `Tyres come from Bern now. Tubes come from Ulm.`,
    of `Tyres and tubes come from Ulm.`
    """
    verb = pattern("says_now").search(said)
    who = stems(said[: verb.start()]) if verb else frozenset()
    left = _without_doers(known.rstrip("."), who) if set[str]() < who <= stems(known) else None
    return f"{finished(said)} {finished(left)}" if left else None


def _of_one(does: str) -> str:
    """What several do, as one does it: `are in the choir`, `sing`."""
    verb, blank, rest = does.partition(" ")
    does_it = forms("of_one").get(verb) or third(verb)
    return f"{does_it}{blank}{rest}"


def _is_item(piece: str) -> bool:
    """Whether a piece of a sentence is an item of a list, and says nothing."""
    idle = any(pattern(name).match(piece) for name in ("lead", "said_of_same", "subjectless", "subordinate"))
    is_short = 0 < len(piece.split()) <= MOST_OF_ITEM and bool(stems(piece))
    names = "does_to_thing", "at_place", "name_does"
    says = has_verb(piece) or any(pattern(name).search(piece) for name in names)
    return is_short and not idle and not says


def _joined(items: Sequence[str], known: str) -> str:
    """The items with commas, and the word before the last one that the list has."""
    joint = re.search(rf"\s({pattern('and').pattern})\s", known)
    return f" {joint[1] if joint else 'and'} ".join(filter(None, (", ".join(items[:-1]), items[-1])))
