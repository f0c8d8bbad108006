"""Which sentences answer a question: overlap of content words, rare ones counting more. Pure, and no model."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_COVERED = 0.3
"""Share of a question's weight that one sentence must cover, unless it shares two words."""

NEARLY_AS_GOOD = 0.6
MOST_QUOTES = 3

ASKS = re.compile(
    r"(?:and|but|so|ok|okay|now|please|hey|hi|hello)?[\s,]*"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do|does|did|can|could|will|would|should|have|has|"
    r"tell|show|list|remind|repeat|summari[sz]e|recall|explain|describe|name|quote|find|give|"
    r"was|wer|wie|wo|wann|warum|welche[rsnm]?|qui|que|quoi|quand|où|comment|quel|quelle|qué|quién|cómo|dónde|cuándo)\b",
    re.IGNORECASE,
)
QUESTION_MARKS = ("?", "？", "؟", "՞", ";")  # the last one is Greek
SENTENCE_END = re.compile(r"(?<=[.!?…。！？؟])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
WORD = re.compile(r"[^\W_]+")
ENDINGS = ("ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "s", "e")

STOP_WORDS = frozenset(
    WORD.findall("""
    a about again all also am an and any anything are as at be because been before being but by can could did do
    does doing done for from get give go going got had has have having he hello her here hey hi him his how i if
    in into is it its just know last let list ll many me mean more most much my no not now of off ok okay on one
    only or other our out over please quote re really recall remember remind s said say says she should show so
    some something still such t tell than thanks that the their them then there these they thing things this those
    to told too up us ve very was we well were what when where which who whom whose why will with would yes yet
    you your
    """)
)

WEAK_WORDS = frozenset({"day", "good", "like", "mak", "nam", "need", "new", "time", "today", "us", "want", "work"})
"""Stems that say little beside others: "my dog's name" is about the dog."""
WEAK = 0.4


@dataclass(frozen=True, slots=True)
class Quote:
    text: str
    score: float


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, in order."""
    return [part.strip() for part in SENTENCE_END.split(text) if part and part.strip()]


def is_question(sentence: str) -> bool:
    """A question, or a request to be told something."""
    return sentence.rstrip("\"'”’) ").endswith(QUESTION_MARKS) or bool(ASKS.match(sentence))


def stems(text: str) -> set[str]:
    """Content words without endings; pairs of characters for scripts that do not part words."""
    words = (word for found in WORD.findall(_plain(text)) for word in _parts(found))
    return {_stem(word) for word in words if word not in STOP_WORDS}


def best(question: str, candidates: Sequence[str]) -> list[Quote]:
    """The candidates that answer `question`, best first; of equals the later one. None for an unrelated question."""
    wanted = stems(question)
    found = [stems(text) for text in candidates]
    share = Counter(word for words in found for word in words)
    weight = {word: _weight(word, share[word], len(found)) for word in wanted}
    total = sum(weight.values())
    quotes = []
    for position, words in enumerate(found):
        common = wanted & words
        covered = sum(weight[word] for word in common) / total if common else 0.0
        if covered >= LEAST_COVERED or len(common) > 1:
            quotes.append(Quote(candidates[position], covered + position * 1e-6))
    quotes.sort(key=lambda quote: -quote.score)
    return [quote for quote in quotes[:MOST_QUOTES] if quote.score >= NEARLY_AS_GOOD * quotes[0].score]


def _weight(word: str, share: int, candidates: int) -> float:
    """Inverse document frequency; highest for a word that no candidate has."""
    rare = math.log(1 + (candidates + 1) / (share + 0.5))
    return rare * WEAK if word in WEAK_WORDS else rare


def _plain(text: str) -> str:
    """Lower case, without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _parts(word: str) -> list[str]:
    # From here on lie the scripts of East Asia, written without spaces.
    if len(word) > 2 and word[0] >= "\u2e80":
        return [word[index : index + 2] for index in range(len(word) - 1)]
    return [word]


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
