"""What is forgotten, as those see it who hold texts of their own: which facts, and texts without them. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from pi_memory.text.fact import Fact, IsGone, facts, is_plain, states, without, without_words

Place = Literal["memory", "quote", "exchange", "summary", "session", "event", "focus file"]


@dataclass(frozen=True, slots=True)
class Gone:
    """A text that goes, or went: where it stands, and the id there, if there is one."""

    place: Place
    text: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What was forgotten: the memories' ids, their facts by key, the exchanges that were rewritten, and what went.

    `erased` are the conversations, times and messages of exchanges that went whole. `words` are those of each fact
    that every text has that states it.
    """

    memory_ids: tuple[int, ...] = ()
    keys: frozenset[int] = frozenset()
    exchange_ids: tuple[int, ...] = ()
    gone: tuple[Gone, ...] = ()
    erased: tuple[tuple[str, float, str], ...] = ()

    words: tuple[frozenset[str], ...] = ()

    def clean(self, text: str, question: str = "") -> str:
        """`text`, which answers `question`, without the sentences that state what was forgotten."""
        if not _may_hold(f"{text} {question}", self.words):
            return text
        return without(text, self.keys.__contains__, question=question)


def _may_hold(text: str, words: Iterable[frozenset[str]]) -> bool:
    """Whether a text has all words of a fact, as parts of words: most texts need not be read."""
    folded = text.casefold()
    return any(all(word in folded for word in found) for found in words)


@dataclass(slots=True)
class Redaction:
    """Facts that are to be forgotten, and what has gone because of them so far.

    `evidence` are the exchanges that the memories rest on: from them goes also what has a word of a fact that is
    `alone`, as it may stand in many a sentence elsewhere.
    """

    facts: tuple[Fact, ...]
    evidence: frozenset[int] = frozenset()
    gone: list[Gone] = field(default_factory=list)

    @property
    def words(self) -> tuple[frozenset[str], ...]:
        """Of each fact what stands in every text that states it."""
        return tuple(frozenset(filter(is_plain, fact.stems)) for fact in self.facts)

    @property
    def keys(self) -> frozenset[int]:
        return frozenset(fact.key for fact in self.facts)

    def cleaner(self, place: Place, number: int | None = None) -> Callable[..., str]:
        """Takes a text, and the question that it answers; what goes is noted with its place."""
        plain = self.words
        alone = [fact.stems for fact in self.facts if fact.alone] if number in self.evidence else []
        keys = self.keys

        def clean(text: str, question: str = "") -> str:
            removed: list[str] = []
            if not _may_hold(f"{text} {question}", plain):
                return text
            left = without(text, keys.__contains__, question=question, removed=removed)
            if alone and place == "exchange":
                left = without_words(left, alone, removed)
            self.gone += [Gone(place, sentence, number) for sentence in removed]
            return left

        return clean

    def states(self, text: str) -> bool:
        return states(text, self.keys.__contains__)


class ForgottenTexts:
    """What was forgotten so far, for those who cannot ask the database: as hashes, so that no text stays in RAM."""

    def __init__(self) -> None:
        self.is_gone: IsGone | None = None

    def clean(self, text: str, question: str = "") -> str:
        """`text`, which answers `question`, without the sentences that state what was forgotten."""
        return without(text, self.is_gone, question=question) if self.is_gone else text


def of_memory(contents: Iterable[str], quotes: Iterable[str]) -> tuple[Fact, ...]:
    """The facts of a memory: what it says and has said, and of its quotes what says that in other words."""
    found = {fact.key: fact for content in contents for fact in facts(content)}
    keys = frozenset(found)
    for quote in quotes:
        if not states(quote, keys.__contains__):
            found |= {fact.key: fact for fact in facts(quote)}
    return tuple(found.values())
