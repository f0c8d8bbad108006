"""How likely a newer statement makes one of the older ones untrue: another value for the same thing, in whatever words.

The rules of `comparison` decide what is plain. Here words are aligned: what both have, what only one has, on which side
of the verb, of which kind; and each older statement stands beside the others, as what is corrected is most often the
one that is nearest. A small learned judge weighs it (`heads`). Pure, but for the weights it reads.
"""

import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pi_memory.judges.heads import Head
from pi_memory.text.contrast import with_subject
from pi_memory.text.language import pattern, words
from pi_memory.text.sentences import sentences
from pi_memory.text.stems import stem
from pi_memory.types import Vectors

Kind = Literal["day", "number", "name", "word"]

QUANTITY = re.compile(r"[£$€]?\d+(?:[.,]\d+)?[a-z]{1,2}|\d+(?:min|hrs?|st|nd|rd|th)")
"""A number with its unit: 40s, 15kg, £5k."""
GIVEN_UP = 5
"""Tokens after a word that says that something is over, which say what."""
BEGINNING = 6
"""Letters that words of one family have in common."""
TOKEN = re.compile(r"[\w'’£$€]+(?:[.:/@-]\w+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """A statement with its vector, shape (dimensions,); None without an embedder."""

    text: str
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """Tokens of a statement, with kinds and stems; `content` are those that are no stop words, `verb` is the place of
    the verb that its subject stands before. `given_up` are stems of what it says to be over: `not on Tuesdays`, `quit
    the bakery`.
    """

    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    stems: tuple[str, ...]
    content: frozenset[str]
    verb: int
    given_up: frozenset[str]

    @property
    def subject(self) -> frozenset[str]:
        return frozenset(self.stems[: self.verb]) & self.content

    @property
    def predicate(self) -> frozenset[str]:
        return frozenset(self.stems[self.verb + 1 :]) & self.content

    @property
    def owners(self) -> frozenset[str]:
        """Whose things are spoken of: `Anna's son`."""
        owned = (s for s, t in zip(self.stems, self.tokens, strict=True) if t.endswith(("'s", "’s")))
        return frozenset(owned) & self.content

    def only(self, others: frozenset[str]) -> list[int]:
        """Places of the content that the other statement lacks."""
        own = self.content - others
        return [place for place, stem in enumerate(self.stems) if stem in own]

    def values(self, other: "Parsed") -> set[Kind]:
        """The kinds of the values that it has and the other one has not."""
        return {self.kinds[place] for place in self.only(other.content)} - {"word"}

    def of_what(self, of: frozenset[str]) -> dict[str, frozenset[str]]:
        """What a thing is said to be of or for, by its stem: the two words behind `key of`, without articles."""
        found: dict[str, frozenset[str]] = {}
        for place, token in enumerate(self.tokens[1:], 1):
            behind = [s for s in self.stems[place + 1 : place + 4] if s in self.content][:2]
            if token.lower() in of and behind and self.stems[place - 1] in self.content:
                found.setdefault(self.stems[place - 1], frozenset(behind))
        return found

    def has(self, kind: Kind, places: list[int]) -> bool:
        return any(self.kinds[place] == kind for place in places)


LEAST_CHANCE = 0.4
"""From here on the older statement ends."""
KINDS = 8
"""Of values: weekday, month, number, code, time, money, place, name."""
SAME_KIND = 0
"""The sign that says whether any are."""
LEAST_ANEW, MOST_DOUBTFUL, MOST_UNLIKE = 0.7, 0.39, 0.25
"""What ends without a word of change, the most that is left of the chance of another, and of one without any value in
place of another: a number, a day, a name.
"""
SURELY = 0.9
"""The least chance where the newer one denies a value of the older one."""
DOUBTFUL = 0.2
"""From here on somebody should say which of the two holds."""


@dataclass(frozen=True, slots=True)
class Company:
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

    def lead(self, values: Vectors) -> Vectors:
        """By how much each is above the best of the others; below 0 for all but the best."""
        if len(values) < 2:
            return values.copy()
        second, first = np.partition(values, -2)[-2:]
        ahead: Vectors = values - np.where(values == first, second, first)
        return ahead


class Replacement:
    """Judges a statement against older ones. `folder` has `replacement.toml` and `replacement.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def chances(self, new: Said, olds: Sequence[Said], *, embedder: str = "") -> Vectors:
        """How likely `new` makes each of `olds` untrue, from 0 to 1, shape (n,)."""
        if not olds:
            return np.zeros(0, np.float32)
        new, vectors = self._done_again(new, olds), None
        if new.vector is not None and all(old.vector is not None for old in olds) and self._head.fits(embedder):
            vectors = np.array([pair_vector(new.vector, old.vector) for old in olds if old.vector is not None])
        signs = self.signs(new, olds)
        found = self._head.chances(signs, vectors)
        if not (self._finds("changes", new.text) or self._finds("corrects", new.text)):
            # What is only said anew needs another value of the same kind.
            same_kind = signs[:, SAME_KIND] > 0
            most = np.where(self._have_values(new, olds) | same_kind, MOST_DOUBTFUL, MOST_UNLIKE)
            most = np.where(same_kind & (found >= LEAST_ANEW), 1.0, most)
            found = np.minimum(found, most).astype(np.float32)
        if self._finds("passing", new.text) and not self._finds("postpones", new.text):
            found = np.minimum(found, MOST_DOUBTFUL)
        if not self._finds("starts_over", new.text):
            found = np.where(self._share_a_name(new, olds), np.minimum(found, MOST_DOUBTFUL), found)
        found[self._holds_beside(new, olds)] = 0.0
        if (denied := self._denied(new, olds)) is not None:
            found[denied] = max(found[denied], SURELY)
        return found

    def _denied(self, new: Said, olds: Sequence[Said]) -> int | None:
        """The place of the only older statement with a value that the newer one denies, if they share more than that:
        `Seats at 29, not 26.`
        """
        mine = self._parsed(new.text)
        values = {s for s, kind in zip(mine.stems, mine.kinds, strict=True) if kind != "word"} & mine.given_up
        theirs = [self._parsed(old.text).content for old in olds]
        holding = [place for place, content in enumerate(theirs) if values & content]
        if len(holding) != 1 or not _beginnings(mine.content - values) & _beginnings(theirs[holding[0]] - values):
            return None
        return holding[0]

    def _done_again(self, new: Said, olds: Sequence[Said]) -> Said:
        """The newer statement without when it was done, if it was done before: `I parked on level 7 today.`"""
        done, *before = (self._patterns["did"].match(said.text) for said in (new, *olds))
        if done is None or all(each is None or each["what"] != done["what"] for each in before):
            return new
        return replace(new, text=self._patterns["passing"].sub("", new.text))

    def _have_values(self, new: Said, olds: Sequence[Said]) -> npt.NDArray[np.bool_]:
        """Which of the older statements have a number, day or name where the newer one has another."""
        mine, theirs = self._parsed(new.text), [self._parsed(old.text) for old in olds]
        return np.array([bool(mine.values(old) & old.values(mine)) for old in theirs])

    def _share_a_name(self, new: Said, olds: Sequence[Said]) -> npt.NDArray[np.bool_]:
        """Which of the older statements have nothing in common with the newer one but names."""
        mine = self._parsed(new.text)
        names = {s for s, kind in zip(mine.stems, mine.kinds, strict=True) if kind == "name"} | set(mine.stems[:1])
        shared = [mine.content & self._parsed(old.text).content for old in olds]
        return np.array([bool(each) and each <= names for each in shared])

    def _holds_beside(self, new: Said, olds: Sequence[Said]) -> npt.NDArray[np.bool_]:
        """Which of the older statements may hold beside the newer one: they have its values already (Bern, where
        somebody else lives too), are about another thing of its kind (the blue bike), or say what adds up (allergies).
        """
        mine = self._parsed(new.text)
        behind = list(zip(mine.stems, mine.kinds, strict=True))[mine.verb + 1 :]
        values = {s for s, kind in behind if kind != "word" and s in mine.content} - mine.given_up
        adds_up = self._finds("adds_up", new.text) and not self._finds("starts_over", new.text)
        theirs = [self._parsed(self._resolved(old.text)) for old in olds]
        of = self._words["of"]
        return np.array(
            [
                (bool(values) and values <= parsed.content)
                or _are_apart(mine, parsed, of)
                or (adds_up and self._finds("adds_up", old.text))
                for old, parsed in zip(olds, theirs, strict=True)
            ]
        )

    def signs(self, new: Said, olds: Sequence[Said]) -> Vectors:
        """Signs of each pair, shape (n, signs)."""
        olds = [replace(old, text=self._resolved(old.text)) for old in olds]
        mine, theirs = self._parsed(new.text), [self._parsed(old.text) for old in olds]
        company = _company(mine, theirs, _cosines(new, olds))
        leads = company.lead(company.near), company.lead(company.weights)
        rows = [
            [*self._in_company(new, old, (mine, other)), *self._of_pair(new, old, (mine, other))]
            for old, other in zip(olds, theirs, strict=True)
        ]
        changes, surely = (self._finds(name, new.text) for name in ("changes", "changes_surely"))
        adds, same_kind = self._finds("adds", new.text), np.array([row[SAME_KIND] for row in rows], np.float32)
        near, lead, is_nearest = company.near, leads[0], leads[0] >= 0
        beside = [
            is_nearest, np.maximum(0, lead), lead, company.weights, company.share_of_new, company.share_of_old,
            leads[1], (leads[1] >= 0) & (company.weights > 0), changes * is_nearest, surely * is_nearest,
            changes * np.maximum(0, lead), changes * company.weights, adds * is_nearest, near * is_nearest, near**2,
            same_kind * is_nearest, same_kind * near,
            company.given_up, company.given_up > 0, (company.given_up > 0) & (company.lead(company.given_up) >= 0),
            company.given_up * near, (company.given_up > 0) & is_nearest,
            np.full(len(olds), min(1.0, len(olds) / 8)), is_nearest / len(olds),
        ]  # fmt: skip
        return np.hstack([np.array(rows, np.float32), np.array(beside, np.float32).T])

    def _in_company(self, new: Said, old: Said, parsed: tuple[Parsed, Parsed]) -> list[float]:
        """Whether the values that differ are of one kind; first, whether any are."""
        mine, theirs = parsed
        kinds = [
            {self._value(statement.tokens[place]) for place in statement.only(other.content)}
            for statement, other in ((mine, theirs), (theirs, mine))
        ]
        found = [kind in kinds[0] & kinds[1] for kind in ("weekday", "month", "number", "code")]
        found += [self._finds(name, new.text) and self._finds(name, old.text) for name in ("times", "money")]
        is_of_same = [bool(a) and a <= b for a, b in ((theirs.subject, mine.content), (mine.subject, theirs.content))]
        behind = (
            [p for p in mine.only(theirs.content) if p > mine.verb],
            [p for p in theirs.only(mine.content) if p > theirs.verb],
        )
        found.append(any(is_of_same) and self._finds("places", new.text) and self._finds("places", old.text))
        found.append(
            any(is_of_same)
            and _verb(mine) == _verb(theirs)
            and mine.has("name", behind[0])
            and theirs.has("name", behind[1])
        )
        is_named = theirs.has("name", [p for p, s in enumerate(theirs.stems) if s in mine.content])
        leaves = self._finds("changes", new.text) or self._finds("denies", new.text)
        named = {s for p in (mine, theirs) for s, kind in zip(p.stems, p.kinds, strict=True) if kind == "name"}
        shared = mine.content & theirs.content
        only_named = bool(shared) and shared <= named
        found += [only_named, only_named and not leaves, bool(shared - named), bool(shared - named) and leaves]
        return [any(found[:KINDS]), *found, is_named and leaves]

    def _value(self, token: str) -> str:
        plain = token.lower()
        for kind in ("weekday", "month"):
            if {plain, plain.rstrip("s")} & self._words[f"{kind}s"]:
                return kind
        digits = sum(c.isdigit() for c in token)
        is_code = digits > 2 or (digits and any(c.isalpha() for c in token) and not QUANTITY.fullmatch(plain))
        return "code" if is_code else "number" if digits or plain in self._words["numbers"] else ""

    def _of_pair(self, new: Said, old: Said, parsed: tuple[Parsed, Parsed]) -> list[float]:
        mine, theirs = parsed
        cosine = float(_cosines(new, [old])[0])
        shared, every = mine.content & theirs.content, mine.content | theirs.content
        came, went = mine.only(theirs.content), theirs.only(mine.content)
        alike = difflib.SequenceMatcher(None, theirs.stems, mine.stems, autojunk=False).ratio()
        values = [mine.has(kind, came) and theirs.has(kind, went) for kind in ("number", "day", "name")]
        before = [place for place in came if place < mine.verb], [place for place in went if place < theirs.verb]
        changes = self._finds("changes", new.text)
        same_subject = bool(theirs.subject) and theirs.subject == mine.subject
        apart = (
            self._words["told_apart"] & {t.lower() for t in mine.tokens},
            self._words["told_apart"] & {t.lower() for t in theirs.tokens},
        )
        found = [
            cosine, alike, len(shared) / max(1, len(every)),
            len(shared) / max(1, len(theirs.content)), len(shared) / max(1, len(mine.content)),
            bool(mine.subject - theirs.content) and bool(theirs.subject - mine.content),
            bool(mine.subject - theirs.content), bool(theirs.subject - mine.content),
            self._finds("passing", new.text), self._finds("passing", new.text) and changes,
            bool(theirs.owners & (mine.content - mine.owners)), bool(mine.owners & (theirs.content - theirs.owners)),
            bool(mine.predicate) and mine.predicate <= theirs.content, _share(mine.predicate, theirs.content),
            bool(theirs.predicate) and theirs.predicate <= mine.content, _share(theirs.predicate, mine.content),
            same_subject, bool(theirs.subject & mine.subject), bool(theirs.subject & mine.content),
            bool(theirs.subject) and theirs.subject <= mine.content,
            bool(mine.subject) and mine.subject <= theirs.content,
            *values,
            mine.has("number", before[0]) and theirs.has("number", before[1]),
            mine.has("name", before[0]) and theirs.has("name", before[1]),
            *(mine.has(kind, came) for kind in ("number", "day", "name")),
            *(theirs.has(kind, went) for kind in ("number", "day", "name")),
            any(mine.kinds[p] in ("number", "name") for p, stem in enumerate(mine.stems) if stem in shared),
            not went, not came, len(went) / 5, len(came) / 5,
            bool(apart[1] - apart[0]) and bool(apart[0] - apart[1]), bool(apart[0] & apart[1]),
            changes, self._finds("changes_surely", new.text),
            self._finds("denies", new.text) != self._finds("denies", old.text), self._finds("denies", new.text),
            self._finds("corrects", new.text), self._finds("adds", new.text), len(mine.tokens) <= 4,
            cosine * changes, *(alike * value for value in values), cosine * any(values), cosine * same_subject,
            alike > 0.6 and bool(came) and bool(went), bool(theirs.subject & mine.subject) and changes,
        ]  # fmt: skip
        return [float(each) for each in found]

    def _resolved(self, text: str) -> str:
        """The last sentence, if it is about what the one before it names: `My son is called Max. He is six.`"""
        before, last = ["", "", *sentences(text)][-2:]
        pronoun = pattern("said_of_same").match(last)
        if not pronoun or not before:
            return text
        parsed = self._parsed(before)
        names = [t for t, kind in zip(parsed.tokens, parsed.kinds, strict=True) if kind == "name"]
        is_thing = pronoun[0].lower() in words("of_things") or not names
        subject = " ".join(parsed.tokens[: parsed.verb]) if is_thing else names[0]
        return with_subject(last, subject) if is_thing <= bool(parsed.subject) else text

    def _parsed(self, text: str) -> Parsed:
        tokens = tuple(TOKEN.findall(text))
        kinds = tuple(self._kind(token, first=not place) for place, token in enumerate(tokens))
        places = [p for p, token in enumerate(tokens) if p and token.lower() in self._words["verbs"]]
        verb = places[0] if places else len(tokens) // 2
        stems = tuple(stem(token.lower().replace("’", "'").removesuffix("'s")) for token in tokens)
        over = [place for place, token in enumerate(tokens) if self._gives_up(token.lower().replace("’", "'"))]
        if tokens and text.startswith(f"{tokens[0]},"):
            over = [place for place in over if place]  # "No, ..." gives up what was said before
        over += [len(TOKEN.findall(text[: found.start()])) for found in self._patterns["from_to"].finditer(text)]
        given_up = frozenset(each for place in over for each in stems[place + 1 : place + 1 + GIVEN_UP])
        stop_words = words("stop_words")
        content = frozenset(s for s, token in zip(stems, tokens, strict=True) if token.lower() not in stop_words)
        return Parsed(tokens, kinds, stems, content, verb, given_up)

    def _gives_up(self, plain: str) -> bool:
        return plain in self._words["gives_up"] or plain.endswith("n't")

    def _kind(self, token: str, *, first: bool) -> Kind:
        plain = token.lower()
        if {plain, plain.rstrip("s")} & self._words["days"]:
            return "day"
        if any(c.isdigit() for c in token) or plain in self._words["numbers"]:
            return "number"
        return (
            "name"
            if token[0].isupper() and not first and not plain.startswith(("i'", "i’")) and plain != "i"
            else "word"
        )

    def _finds(self, name: str, text: str) -> bool:
        return self._patterns[name].search(self._patterns["on_condition"].sub("", text)) is not None

    @cached_property
    def _head(self) -> Head:
        return Head.load(self._folder / "replacement.json")

    @cached_property
    def _table(self) -> dict[str, dict[str, str]]:
        return tomllib.loads((self._folder / "replacement.toml").read_text(encoding="utf-8"))

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(words.split()) for name, words in self._table["words"].items()}

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in self._table["patterns"].items()}


def pair_vector(new: Vectors, old: Vectors) -> Vectors:
    """What the judge reads of two vectors: the newer one, and how it differs; shape (2 x dimensions,)."""
    made: Vectors = (np.concatenate([new, new - old]) / 3).astype(np.float32)
    return made


def _beginnings(stems: frozenset[str]) -> frozenset[str]:
    """Of words as they are compared where one belongs to a verb and the other to its noun: `rehearse`, `rehearsal`."""
    return frozenset(each[:BEGINNING] for each in stems)


def _are_apart(mine: Parsed, theirs: Parsed, of: frozenset[str]) -> bool:
    """Whether both are about a thing of the same name, each with a word that tells it from the other: the key of the
    shed, the key of the loft.
    """
    ours, others = mine.of_what(of), theirs.of_what(of)
    if any(not ours[head] & others[head] for head in ours.keys() & others.keys()):
        return True
    heads = [[s for s in each.stems[: each.verb] if s in each.content][-1:] for each in (mine, theirs)]
    if not heads[0] or heads[0] != heads[1]:
        return False
    return bool(mine.subject - theirs.content) and bool(theirs.subject - mine.content)


def _verb(statement: Parsed) -> str:
    return statement.stems[statement.verb] if statement.stems else ""


def _share(some: frozenset[str], of: frozenset[str]) -> float:
    return len(some & of) / max(1, len(some))


def _cosines(new: Said, olds: Sequence[Said]) -> Vectors:
    """Those of vectors, 0 where there are none."""
    vector = new.vector
    found = [0.0 if vector is None or old.vector is None else float(vector @ old.vector) for old in olds]
    return np.array(found, np.float32)


def _company(mine: Parsed, olds: Sequence[Parsed], cosines: Vectors) -> Company:
    held = Counter(stem for old in olds for stem in old.content)
    many = len(olds) + 1

    def weight(stems: frozenset[str]) -> float:
        return float(sum(np.log(many / (held[stem] + 0.5)) for stem in stems) / np.log(many / 0.5))

    shared = np.array([weight(mine.content & old.content) for old in olds], np.float32)
    of_new = shared / max(0.5, weight(mine.content))
    of_old: Vectors = (shared / [max(0.5, weight(old.content)) for old in olds]).astype(np.float32)
    over = np.array([weight(mine.content & mine.given_up & old.content) for old in olds], np.float32)
    return Company(cosines if cosines.any() else of_old, shared, of_new.astype(np.float32), of_old, over)
