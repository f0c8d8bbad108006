"""Signs of a newer statement and older ones, by which the judge of `replacement` decides: words are aligned, what both
have, what only one has, on which side of the verb and of which kind; and each older statement stands beside the others,
as what is corrected is most often the one that is nearest. Pure.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from pi_memory.judges.parsed import Kind, Parsed, Parser
from pi_memory.text.spelling import likeness
from pi_memory.types import Flags, Vectors

BEGINNING = 6
"""Letters that words of one family have in common."""
DIFFER: tuple[Kind, ...] = ("number", "day", "name")

FIRST_SIGNS = ("same_kind", "weekday", "month", "number", "code", "times", "money", "place")
"""The first signs of two statements: whether any values that differ are of one kind, and of which."""
SAME_KIND, SAME_PLACE = FIRST_SIGNS.index("same_kind"), FIRST_SIGNS.index("place")
SPECIAL_KINDS = [FIRST_SIGNS.index(kind) for kind in ("weekday", "code", "times", "money")]
"""The places of the kinds of which a statement seldom has a value by chance."""

Signs = dict[str, float]


class Said(Struct, frozen=True):
    """A statement with its vector, shape (dimensions,); None without an embedder."""

    text: str
    vector: Vectors | None = None


class Company(Struct, frozen=True):
    """Older statements beside each other: how near each is to the newer one, by meaning or else by words, and how much
    of what it shares with it is rare among them; arrays of shape (n,).
    """

    near: Vectors
    weights: Vectors
    """Of the words that are shared, by rarity."""
    share_of_new: Vectors
    share_of_old: Vectors
    given_up: Vectors
    """Of the words that the newer one gives up."""
    holding: Vectors
    """Which of them has a value that the newer one denies, and more in common with it: `Seats at 29, not 26.`"""


class PairSigns:
    """The signs of two statements as a `parser` reads them."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def of(self, new: Said, olds: Sequence[Said]) -> Vectors:
        """The signs of `new` with each older statement, shape (n, signs)."""
        theirs = [self._parser.parsed(old.text) for old in olds]
        mine = self._parser.parsed(self._done_again(new.text, theirs))
        cosines = cosines_of(new, olds)
        beside = _signs_beside(mine, _company(mine, theirs, cosines))
        rows = [
            {**self._of_kinds(mine, other), **_of_words(mine, other, cosine), **self._of_things(mine, other)}
            for other, cosine in zip(theirs, cosines.tolist(), strict=True)
        ]
        signs = [[*row.values(), *_together(mine, row, place)] for row, place in zip(rows, beside, strict=True)]
        return np.array(signs, np.float32)

    def _done_again(self, text: str, before: Sequence[Parsed]) -> str:
        """A statement without when it was done, if it was done before: `I parked on level 7 today.`"""
        done = self._parser.parsed(text).done
        return self._parser.without("passing", text) if done and any(done == each.done for each in before) else text

    def _of_kinds(self, mine: Parsed, theirs: Parsed) -> Signs:
        """Whether the values that differ are of one kind."""
        came, went = mine.only(theirs), theirs.only(mine)
        kinds = [
            {self._parser.kind_of_value(statement.tokens[place]) for place in places}
            for statement, places in ((mine, came), (theirs, went))
        ]
        found = {kind: kind in kinds[0] & kinds[1] for kind in ("weekday", "month", "number", "code")}
        found |= {name: name in mine.says & theirs.says for name in ("times", "money")}
        of_same = [bool(a) and a <= b for a, b in ((theirs.subject, mine.content), (mine.subject, theirs.content))]
        behind = [p for p in came if p > mine.verb], [p for p in went if p > theirs.verb]
        found["place"] = any(of_same) and "places" in mine.says & theirs.says
        found["name"] = (
            any(of_same)
            and verb_of(mine) == verb_of(theirs)
            and mine.has("name", behind[0])
            and theirs.has("name", behind[1])
        )
        frames = mine.frames(came) & theirs.frames(went)
        return {
            "same_kind": any(found.values()),
            **found,
            "same_frame": bool(frames),
            "same_frame_of_content": any(word in mine.content for word, _ in frames),
        }

    def _of_things(self, mine: Parsed, theirs: Parsed) -> Signs:
        """Whether both are about the same thing, or each about one of its own."""
        apart = [self._parser.listed("told_apart") & {t.lower() for t in each.tokens} for each in (mine, theirs)]
        shared, names = mine.content & theirs.content, mine.names | theirs.names
        is_named = theirs.has("name", [p for p, s in enumerate(theirs.stems) if s in mine.content])
        leaves = bool({"changes", "denies"} & mine.says)
        only_first = bool(shared) and shared <= mine.names | set(mine.stems[:1])
        starts_over = "starts_over" in mine.says
        if_so = ["on_condition" in each.says for each in (mine, theirs)]
        holds = bool(mine.values_behind) and mine.values_behind <= theirs.content
        return {
            "told_apart": bool(apart[1] - apart[0]) and bool(apart[0] - apart[1]),
            "not_told_apart": bool(apart[0] & apart[1]),
            "of_other_things": are_apart(mine, theirs),
            "share_names": bool(shared) and shared <= names,
            "share_names_and_stays": bool(shared) and shared <= names and not leaves,
            "share_more": bool(shared - names),
            "share_more_and_leaves": bool(shared - names) and leaves,
            "named_and_leaves": is_named and leaves,
            "share_my_names": only_first and not starts_over,
            "share_my_names_over": only_first and starts_over,
            "adds_up": "adds_up" in mine.says & theirs.says,
            "only_mine_is_conditional": if_so[0] and not if_so[1],
            "only_theirs_is_conditional": if_so[1] and not if_so[0],
            "has_my_values": holds,
            "has_my_values_and_stays": holds and not starts_over,
        }


def _of_words(mine: Parsed, theirs: Parsed, cosine: float) -> Signs:
    """What the statements share, and on which side of their verbs the rest stands."""
    shared, every = mine.content & theirs.content, mine.content | theirs.content
    came, went = mine.only(theirs), theirs.only(mine)
    before = [p for p in came if p < mine.verb], [p for p in went if p < theirs.verb]
    alike = likeness(theirs.stems, mine.stems)
    differ = {kind: mine.has(kind, came) and theirs.has(kind, went) for kind in DIFFER}
    same_subject = bool(theirs.subject) and theirs.subject == mine.subject
    changes, passing = "changes" in mine.says, "passing" in mine.says
    denies = "denies" in mine.says
    return {
        "cosine": cosine, "alike": alike, "shared": len(shared) / max(1, len(every)),
        "shared_of_old": len(shared) / max(1, len(theirs.content)),
        "shared_of_new": len(shared) / max(1, len(mine.content)),
        "other_subjects": bool(mine.subject - theirs.content) and bool(theirs.subject - mine.content),
        "my_subject": bool(mine.subject - theirs.content), "their_subject": bool(theirs.subject - mine.content),
        "passing": passing, "passing_and_changes": passing and changes,
        "passing_and_stays": passing and "postpones" not in mine.says,
        "their_owner": bool(theirs.owners & (mine.content - mine.owners)),
        "my_owner": bool(mine.owners & (theirs.content - theirs.owners)),
        "my_predicate": bool(mine.predicate) and mine.predicate <= theirs.content,
        "of_my_predicate": _share(mine.predicate, theirs.content),
        "their_predicate": bool(theirs.predicate) and theirs.predicate <= mine.content,
        "of_their_predicate": _share(theirs.predicate, mine.content),
        "same_subject": same_subject, "subjects_meet": bool(theirs.subject & mine.subject),
        "their_subject_named": bool(theirs.subject & mine.content),
        "their_subject_whole": bool(theirs.subject) and theirs.subject <= mine.content,
        "my_subject_whole": bool(mine.subject) and mine.subject <= theirs.content,
        **{f"another_{kind}": differs for kind, differs in differ.items()},
        "number_before": mine.has("number", before[0]) and theirs.has("number", before[1]),
        "name_before": mine.has("name", before[0]) and theirs.has("name", before[1]),
        **{f"my_{kind}": mine.has(kind, came) for kind in DIFFER},
        **{f"their_{kind}": theirs.has(kind, went) for kind in DIFFER},
        "shared_value": any(mine.kinds[p] in ("number", "name") for p, s in enumerate(mine.stems) if s in shared),
        "nothing_went": not went, "nothing_came": not came, "went": len(went) / 5, "came": len(came) / 5,
        "changes": changes, "changes_surely": "changes_surely" in mine.says,
        "denies_alone": denies != ("denies" in theirs.says), "denies": denies,
        "corrects": "corrects" in mine.says, "adds": "adds" in mine.says, "short": len(mine.tokens) <= 4,
        "cosine_of_change": cosine * changes,
        **{f"alike_{kind}": alike * differs for kind, differs in differ.items()},
        "cosine_of_values": cosine * any(differ.values()), "cosine_of_subject": cosine * same_subject,
        "alike_with_others": alike > 0.6 and bool(came) and bool(went),
        "subject_changes": bool(theirs.subject & mine.subject) and changes,
    }  # fmt: skip


def _together(mine: Parsed, row: Mapping[str, float], beside: Mapping[str, float]) -> list[float]:
    """The signs of the company, and those that say more with another."""
    same_kind, differs = row["same_kind"], any(row[f"another_{kind}"] for kind in DIFFER)
    changes = bool({"changes", "corrects"} & mine.says)
    return [
        *beside.values(),
        same_kind * beside["nearest"], same_kind * beside["near"],
        changes, changes and same_kind, changes and differs, changes and not differs,
        not changes and same_kind, not changes and not same_kind and differs,
        not changes and not same_kind and not differs, same_kind and differs,
        row["passing_and_stays"] and not changes,
    ]  # fmt: skip


def _signs_beside(mine: Parsed, company: Company) -> list[Signs]:
    """The signs of each older statement among the others."""
    near, leads, given_up = company.near, (lead(company.near), lead(company.weights)), company.given_up
    nearest, ahead, count = leads[0] >= 0, np.maximum(0, leads[0]), len(company.near)
    changes, surely, adds = (float(name in mine.says) for name in ("changes", "changes_surely", "adds"))
    signs = {
        "nearest": nearest, "ahead": ahead, "lead": leads[0], "weights": company.weights,
        "share_of_new": company.share_of_new, "share_of_old": company.share_of_old, "lead_of_weights": leads[1],
        "heaviest": (leads[1] >= 0) & (company.weights > 0), "nearest_changes": changes * nearest,
        "nearest_changes_surely": surely * nearest, "ahead_changes": changes * ahead,
        "weights_change": changes * company.weights, "nearest_adds": adds * nearest, "near_and_nearest": near * nearest,
        "near": near, "very_near": near**2, "given_up": given_up, "gives_up": given_up > 0,
        "gives_up_most": (given_up > 0) & (lead(given_up) >= 0), "near_given_up": given_up * near,
        "nearest_given_up": (given_up > 0) & nearest, "holds_denied": company.holding,
        "many": np.full(count, min(1.0, count / 8)), "nearest_of_many": nearest / count,
    }  # fmt: skip
    return [{name: float(values[place]) for name, values in signs.items()} for place in range(count)]


def _company(mine: Parsed, olds: Sequence[Parsed], cosines: Vectors) -> Company:
    held = Counter(stem for old in olds for stem in old.content)
    many = len(olds) + 1

    def weight(stems: frozenset[str]) -> float:
        return float(sum(np.log(many / (held[stem] + 0.5)) for stem in stems) / np.log(many / 0.5))

    shared = np.array([weight(mine.content & old.content) for old in olds], np.float32)
    of_new = (shared / max(0.5, weight(mine.content))).astype(np.float32)
    of_old: Vectors = (shared / [max(0.5, weight(old.content)) for old in olds]).astype(np.float32)
    over = np.array([weight(mine.content & mine.given_up & old.content) for old in olds], np.float32)
    near = cosines if cosines.any() else of_old
    return Company(near, shared, of_new, of_old, over, _holding(mine, olds))


def _holding(mine: Parsed, olds: Sequence[Parsed]) -> Vectors:
    """Marks the only older statement with a value that the newer one denies, if they share more than that."""
    denied, found = mine.values & mine.given_up, np.zeros(len(olds), np.float32)
    holding = [place for place, old in enumerate(olds) if denied & old.content]
    if len(holding) == 1 and beginnings(mine.content - denied) & beginnings(olds[holding[0]].content - denied):
        found[holding[0]] = 1.0
    return found


def lead(values: Vectors) -> Vectors:
    """By how much each is above the best of the others; below 0 for all but the best."""
    if len(values) < 2:
        return values.copy()
    second, first = np.partition(values, -2)[-2:]
    ahead: Vectors = values - np.where(values == first, second, first)
    return ahead


def beginnings(stems: frozenset[str]) -> frozenset[str]:
    """Of words as they are compared where one belongs to a verb and the other to its noun: `rehearse`, `rehearsal`."""
    return frozenset(each[:BEGINNING] for each in stems)


def are_apart(mine: Parsed, theirs: Parsed) -> bool:
    """Whether both are about a thing of the same name, each with a word that tells it from the other: the key of the
    shed, the key of the loft.
    """
    ours, others = mine.of_what, theirs.of_what
    if any(not ours[head] & others[head] for head in ours.keys() & others.keys()):
        return True
    heads = [[s for s in each.stems[: each.verb] if s in each.content][-1:] for each in (mine, theirs)]
    if not heads[0] or heads[0] != heads[1]:
        return False
    return bool(mine.subject - theirs.content) and bool(theirs.subject - mine.content)


def verb_of(statement: Parsed) -> str:
    return statement.stems[statement.verb] if statement.stems else ""


def have_special_kinds(signs: Vectors) -> Flags:
    return np.array((signs[:, SPECIAL_KINDS] > 0).any(axis=1), bool)


def pair_vector(new: Vectors, old: Vectors) -> Vectors:
    """What the judge reads of two vectors: the newer one, and how it differs; shape (2 x dimensions,)."""
    made: Vectors = (np.concatenate([new, new - old]) / 3).astype(np.float32)
    return made


def cosines_of(new: Said, olds: Sequence[Said]) -> Vectors:
    """Those of vectors, 0 where there are none."""
    vector = new.vector
    found = [0.0 if vector is None or old.vector is None else float(vector @ old.vector) for old in olds]
    return np.array(found, np.float32)


def _share(some: frozenset[str], of: frozenset[str]) -> float:
    return len(some & of) / max(1, len(some))
