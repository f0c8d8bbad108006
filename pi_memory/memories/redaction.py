"""Redaction: removes forgotten facts from texts. Pure."""

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct, field

from pi_memory.text.fact import Fact, IsGone, facts, is_plain, states, without, without_words

Place = Literal["memory", "quote", "exchange", "summary", "session", "event", "focus file"]


class Gone(Struct, frozen=True):
    """A text that was or would be erased: its place and its id there, if it has one."""

    place: Place
    text: str
    id: int | None = None


class Forgetting(Struct, frozen=True):
    """The result of a forgetting: ids of memories, facts by key, ids of rewritten exchanges, and erased texts.

    `erased` are conversation, time and message of exchanges erased whole. `words` are for each fact the words that
    every statement of it contains.
    """

    memory_ids: tuple[int, ...] = ()
    keys: frozenset[int] = frozenset()
    exchange_ids: tuple[int, ...] = ()
    gone: tuple[Gone, ...] = ()
    erased: tuple[tuple[str, float, str], ...] = ()

    words: tuple[frozenset[str], ...] = ()

    def clean(self, text: str, question: str = "") -> str:
        """`text`, which answers `question`, without the sentences that state a forgotten fact."""
        if not _may_hold(f"{text} {question}", self.words):
            return text
        return without(text, self.keys.__contains__, question=question)


def _may_hold(text: str, words: Iterable[frozenset[str]]) -> bool:
    """Whether a text contains all words of a fact, as parts of words: it rules out most texts."""
    folded = text.casefold()
    return any(all(word in folded for word in found) for found in words)


class Redaction(Struct):
    """The facts to forget, and what has been erased so far.

    `evidence` are the exchanges that the memories were learned from: there a fact that is `alone`, a single word, is
    erased wherever it occurs, as elsewhere it may be in unrelated sentences.
    """

    facts: tuple[Fact, ...]
    evidence: frozenset[int] = frozenset()
    gone: list[Gone] = field(default_factory=list)

    @property
    def words(self) -> tuple[frozenset[str], ...]:
        """For each fact the words that every statement of it contains."""
        return tuple(frozenset(filter(is_plain, fact.stems)) for fact in self.facts)

    @property
    def keys(self) -> frozenset[int]:
        return frozenset(fact.key for fact in self.facts)

    def cleaner(self, place: Place, number: int | None = None) -> Callable[..., str]:
        """A function that cleans a text, given the question that it answers, and records what is erased with
        its place.
        """
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
    """What was forgotten so far, for parts without access to the database: as hashes, so that no text stays in RAM."""

    def __init__(self) -> None:
        self.is_gone: IsGone | None = None

    def clean(self, text: str, question: str = "") -> str:
        """`text`, which answers `question`, without the sentences that state a forgotten fact."""
        return without(text, self.is_gone, question=question) if self.is_gone else text


def of_memory(contents: Iterable[str], quotes: Iterable[str]) -> tuple[Fact, ...]:
    """The facts of a memory: of its present and former contents, and of its quotes where they say the same."""
    found = {fact.key: fact for content in contents for fact in facts(content)}
    keys = frozenset(found)
    for quote in quotes:
        if not states(quote, keys.__contains__):
            found |= {fact.key: fact for fact in facts(quote)}
    return tuple(found.values())
