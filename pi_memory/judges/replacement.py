"""How likely a newer statement makes an older one untrue: another value for the same thing, said in whatever words.

The rules of `comparison` decide what is plain. Here words are aligned: what both have, what only one has, on which side
of the verb, of which kind; a small learned judge weighs it (`heads`). Pure, but for the weights it reads.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from pi_memory.judges.heads import Head
from pi_memory.text.language import words
from pi_memory.text.stems import stem
from pi_memory.types import Vectors

Kind = Literal["day", "number", "name", "word"]

TOKEN = re.compile(r"[\w'’£$€]+(?:[.:/@-]\w+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """A statement with its vector, shape (dimensions,); None without an embedder."""

    text: str
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """Tokens of a statement, with kinds and stems; `verb` is the place of the verb that its subject stands before."""

    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    stems: tuple[str, ...]
    verb: int

    @property
    def content(self) -> frozenset[str]:
        return frozenset(
            s for s, t in zip(self.stems, self.tokens, strict=True) if t.lower() not in words("stop_words")
        )

    @property
    def subject(self) -> frozenset[str]:
        return frozenset(self.stems[: self.verb]) & self.content

    def only(self, others: frozenset[str]) -> list[int]:
        """Places of the content that the other statement lacks."""
        return [place for place, stem in enumerate(self.stems) if stem in self.content - others]

    def has(self, kind: Kind, places: list[int]) -> bool:
        return any(self.kinds[place] == kind for place in places)


LEAST_CHANCE = 0.5
NEAR, ABOUT = 0.5, 0.33
"""The cosine from which on two statements are about the same thing, and from which on they are if they also share
`LEAST_SHARED` content words. On 36 corrections and 63 pairs of facts that are alike, by others than the judge was
fitted on, these rules end 19 of the former and none of the latter."""
LEAST_SHARED = 2


class Replacement:
    """Judges pairs of statements. `folder` has `replacement.toml` and `replacement.npz`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def chance(self, new: Said, old: Said, *, embedder: str = "") -> float:
        """How likely `new` makes `old` untrue, from 0 to 1."""
        vectors = None
        if new.vector is not None and old.vector is not None and self._head.fits(embedder):
            vectors = pair_vector(new.vector, old.vector)[None]
        return float(self._head.chances(self.signs(new, old)[None], vectors)[0])

    def ends(self, new: Said, old: Said, *, embedder: str = "") -> float:
        """The chance that `new` makes `old` untrue, if that is sure enough to end what is stored; else 0."""
        mine, theirs = self._parsed(new.text).content, self._parsed(old.text).content
        cosine = 0.0 if new.vector is None or old.vector is None else float(new.vector @ old.vector)
        is_about = cosine >= NEAR or (cosine >= ABOUT and len(mine & theirs) >= LEAST_SHARED)
        chance = self.chance(new, old, embedder=embedder) if is_about else 0.0
        return chance if chance >= LEAST_CHANCE else 0.0

    def signs(self, new: Said, old: Said) -> Vectors:
        """Signs of a pair, shape (signs,)."""
        mine, theirs = self._parsed(new.text), self._parsed(old.text)
        cosine = 0.0 if new.vector is None or old.vector is None else float(new.vector @ old.vector)
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
        return np.array(found, np.float32)

    def _parsed(self, text: str) -> Parsed:
        tokens = tuple(TOKEN.findall(text))
        kinds = tuple(self._kind(token, first=not place) for place, token in enumerate(tokens))
        places = [p for p, token in enumerate(tokens) if p and token.lower() in self._words["verbs"]]
        verb = places[0] if places else len(tokens) // 2
        return Parsed(
            tokens, kinds, tuple(stem(token.lower().replace("’", "'").removesuffix("'s")) for token in tokens), verb
        )

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
        return self._patterns[name].search(text) is not None

    @cached_property
    def _head(self) -> Head:
        return Head.load(self._folder / "replacement.npz")

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
