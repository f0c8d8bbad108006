"""Sentences that answer a question, ranked by overlap of content words weighted by rarity. Pure, and no model."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pi_memory.text.language import pattern, remembered, words
from pi_memory.text.stems import stem

LEAST_COVERED = 0.3
"""Share of a question's weight that a sentence must cover, unless it shares two words."""

NEARLY_AS_GOOD = 0.6
MOST_QUOTES = 3

QUESTION_MARKS = ("?", "？", "؟", "՞", ";")  # the last one is Greek
SENTENCE_END = re.compile(r"[.!?…。！？؟]+[\"'”’»)\]]*(?=\s|$)|(?<=[。！？])|\n+")
WORD = re.compile(r"[^\W_]+")
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)

WEAK = 0.4
"""Factor on weak words: "my dog's name" asks about the dog."""


class Quote(Struct, frozen=True):
    text: str
    score: float


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text begin and end, one after the other."""
    start = 0
    for found in SENTENCE_END.finditer(text):
        end = found.end()
        if start < end < len(text) and not is_shortened(text, found):
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)


def is_shortened(text: str, end: re.Match[str]) -> bool:
    """Whether the point only ends a word: `Dr. Weber`, `Lindenstr. 5`, `J. Smith`, `no. 5`."""
    if end[0].rstrip() != ".":
        return False
    point = end.start() + 1
    is_known = pattern("abbreviation").search(text, max(0, point - 13), point) is not None
    return is_known or any(
        found.start() < point <= found.end()
        for found in pattern("before_number").finditer(text, max(0, point - 6), point + 6)
    )


def is_fence(line: str) -> bool:
    """Whether a line begins or ends a block of code."""
    return line.lstrip().startswith(("```", "~~~"))


def without_code(text: str) -> str:
    """The text with a blank in place of each block of code; the last may lack its end."""
    return CODE.sub(" ", text)


def with_apostrophes(text: str) -> str:
    """The text with those that are left out in a hurry: `whats`, `dont`, `its in the bag`."""
    return pattern("typed_short").sub(_with_apostrophe, text)


def _with_apostrophe(found: re.Match[str]) -> str:
    if found["i"]:
        return f"I'{found['short']}"
    if found["they"]:
        return f"{found['they']}'re"
    return f"{found['verb']}n't" if found["verb"] else f"{found['of'] or found['it']}'s"


def without_fillers(text: str) -> str:
    """The text without what its speaker says of saying it: `I'm afraid`, `I must say`; that is nothing they state."""
    text = pattern("filler_first").sub(lambda found: found["next"].upper(), text)
    text = pattern("filler_close").sub(lambda found: found["before"], text)
    return pattern("filler").sub(_filled, text)


def _filled(found: re.Match[str]) -> str:
    """What stands in the place of a filler: a comma where a clause ends; all of it in `On planes, I'm afraid.`"""
    if pattern("felt").search(found.string, 0, found.start()):
        return found[0]
    before, after = sentences(found.string[: found.start()])[-1], found.string[found.end() :].strip()
    return "," if found["pause"] and (begins_clause(after.partition(",")[0]) or _ends_clause(before)) else ""


def _ends_clause(text: str) -> bool:
    """Whether a text has a verb, and does not end with it: `The tip`, `It is` and `Our band has` go on."""
    said, _, last = text.rpartition(" ")
    has_verb = pattern("says_now").search(said) or pattern("happened_once").search(text)
    return has_verb is not None and not pattern("says_now").fullmatch(last)


def begins_clause(text: str) -> bool:
    """Whether a text begins with a subject of its own."""
    if pattern("said_of_same").match(text) or pattern("speaker").match(text):
        return True
    first, _, rest = text.partition(" ")
    has_verb = pattern("says_now").search(rest) or pattern("happened_once").search(rest)
    return bool(first and has_verb and pattern("has_subject").match(text))


@remembered(1024)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences and lines of a text, in order."""
    return tuple(filter(None, (text[start:end].strip() for start, end in spans(text))))


def is_question(sentence: str) -> bool:
    """Whether it is a question, or a request for information."""
    if sentence.rstrip("\"'”’) ").endswith(QUESTION_MARKS):
        return True
    if pattern("asks_late").search(sentence):
        return True
    states = ("condition_first", "asks_reminder", "lacks_subject", "tells_what")
    return bool(pattern("asks").match(sentence)) and not any(pattern(name).match(sentence) for name in states)


@remembered(1024)
def stems(text: str) -> frozenset[str]:
    """Content words without endings; pairs of characters for scripts without spaces."""
    stop_words, request_words = words("stop_words"), words("request_words")
    found = WORD.findall(_plain(text))
    if not text.isascii():
        found = [word for run in found for word in _parts(run)]
    return frozenset(stem(word) for word in found if word not in stop_words and word not in request_words)


def best(question: str, candidates: Sequence[str]) -> list[Quote]:
    """The candidates that answer `question`, best first; of equals the later one. None for an unrelated question."""
    wanted = stems(question)
    found = [stems(text) for text in candidates]
    share = Counter(word for stemmed in found for word in stemmed)
    weak = set(map(stem, words("weak_words")))
    weight = {word: _weight(share[word], len(found)) * (WEAK if word in weak else 1.0) for word in wanted}
    total = sum(weight.values())
    quotes = []
    for position, stemmed in enumerate(found):
        common = wanted & stemmed
        covered = sum(weight[word] for word in common) / total if common else 0.0
        if covered >= LEAST_COVERED or len(common) > 1:
            quotes.append(Quote(candidates[position], covered + position * 1e-6))
    quotes.sort(key=lambda quote: -quote.score)
    return [quote for quote in quotes[:MOST_QUOTES] if quote.score >= NEARLY_AS_GOOD * quotes[0].score]


def _weight(share: int, candidates: int) -> float:
    """Inverse document frequency; highest for a word in no candidate."""
    return math.log(1 + (candidates + 1) / (share + 0.5))


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


MOST_OF_LIST = 2
"""Words of an item of a list between semicolons."""


def clauses(text: str) -> list[str]:
    """The sentences of a text, and the clauses in them that begin anew."""
    found: list[str] = []
    for sentence in sentences(text):
        begin = 0
        for cut in pattern("clause_joint").finditer(sentence):
            if _begins_anew(sentence[cut.end() :]) or _are_apart(
                sentence[begin : cut.start()], cut[0], sentence[cut.end() :]
            ):
                found.append(sentence[begin : cut.start()])
                begin = cut.end()
        found.append(sentence[begin:])
    return found


def _are_apart(before: str, joint: str, after: str) -> bool:
    """Whether a semicolon parts two statements, of which the second may leave out its verb: `the red one on Monday`."""
    is_long = all(len(part.split()) > MOST_OF_LIST for part in (before, after))
    return joint.strip() == ";" and is_long and "," not in before + after


def has_verb(clause: str) -> bool:
    """Whether a clause has a verb of its own: `my app that sorts mail` has none, and `the end house` neither."""
    own = pattern("noun").sub("", pattern("of_which").sub(r"\g<thing>", clause))
    return bool(pattern("says_now").search(own) or pattern("happened_once").search(own))


def _begins_anew(text: str) -> bool:
    """Whether a clause has a subject and a verb of its own."""
    clause = pattern("clause_joint").split(text)[0]
    has_subject = pattern("has_subject").match(clause) or pattern("said_of_same").match(clause)
    return bool(has_subject) and (has_verb(clause) or pattern("name_does").match(clause) is not None)
