"""Snippets: the sentences of a hit that bear on a message and are not in the prompt yet. Pure."""

from collections.abc import Collection, Iterator, Sequence

from pi_memory.memories.said_on import undated
from pi_memory.text import query_terms
from pi_memory.text.language import pattern
from pi_memory.text.sentences import is_question, sentences, stems
from pi_memory.text.stems import stem

LONG, LONGEST = 320, 600
"""Characters above which a text is cut to a snippet, and most characters of a snippet."""
BEARS = 0.5
"""Least share of the best sentence's common words with the message."""


class Novelty:
    """Drops sentences that the prompt or the message already contains; the questions of a message do not count."""

    def __init__(self, message: str, *, prompt: str) -> None:
        self._message = message
        self._prompt = " ".join(prompt.split())
        self._contained: list[tuple[frozenset[str], bool]] = []
        self.add(message)

    def of(self, text: str) -> list[str]:
        """The sentences of a text that are new, in order; none when only an exclamation is left of it: `So.`"""
        said = _lines(text)
        new = [line for line in said if line not in self._prompt and not self._contains(line)]
        return new if new == said or any(" " in line for line in new) else []

    def is_idle(self, left: Sequence[str], text: str) -> bool:
        """Whether what is left of a text, which is said already for the rest, neither names anything nor shares a word
        with the message: `He was quick.`
        """
        rest = " ".join(left)
        says = any(pattern(name).search(rest) for name in ("specific", "name_inside", "at_place"))
        return len(left) < len(_lines(text)) and not says and not stems(rest) & stems(self._message)

    def answers(self, text: str) -> list[str]:
        """The sentences of a text that do not only ask, also those that the prompt already contains. A question right
        before a statement says what that is about.
        """
        said = _lines(text)
        return [
            line
            for line, behind in zip(said, [*said[1:], ""], strict=True)
            if not is_question(line) or (behind and not is_question(behind))
        ]

    def excerpt(self, lines: Sequence[str]) -> str:
        """The new sentences of a text; of a long one those that bear on the message, each with its neighbours: answers
        stand beside the words that match.
        """
        if sum(map(len, lines)) <= LONG:
            return " ".join(lines)
        chosen: set[int] = set()
        for place in self._by_bearing(lines):
            room = LONGEST - sum(len(lines[other]) for other in chosen)
            if place not in chosen and (len(lines[place]) <= room or not chosen):
                chosen.add(place)
        parts = [f"{_gap(place, chosen)}{lines[place][:LONGEST]}" for place in sorted(chosen)]
        return " ".join([*parts, *(["…"] if len(lines) - 1 not in chosen else [])])

    def add(self, text: str) -> None:
        self._contained += [(_content(sentence), is_question(sentence)) for sentence in sentences(text)]

    def _contains(self, sentence: str) -> bool:
        """Whether all its words are in one earlier sentence. A question covers only questions."""
        said = _content(undated(sentence))
        return any(said <= known and (not asked or is_question(sentence)) for known, asked in self._contained)

    def _by_bearing(self, lines: Sequence[str]) -> Iterator[int]:
        """Indexes of sentences, most relevant first; of a text that shares no word with the message, the first."""
        wanted = stems(self._message)
        shared = [len(wanted & stems(line)) for line in lines]
        if not any(shared):
            yield 0
            return
        for place in sorted(range(len(lines)), key=lambda place: -shared[place]):
            if shared[place] >= max(1, BEARS * max(shared)):
                yield from (other for other in (place, place + 1, place - 1) if 0 <= other < len(lines))


def _content(sentence: str) -> frozenset[str]:
    """What a sentence says, whoever speaks: `I work` and `The user works`, `No, it is 8081` and `It is 8081`."""
    return frozenset(map(stem, query_terms.content_words(pattern("correcting").sub("", sentence))))


def _lines(text: str) -> list[str]:
    """The sentences of a text, each on one line; one in brackets belongs to the one before: `(Said on 2026-02-22.)`."""
    found: list[str] = []
    for sentence in sentences(text):
        line = " ".join(sentence.split())
        if found and line.startswith("("):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return found


def _gap(place: int, chosen: Collection[int]) -> str:
    return "… " if place and place - 1 not in chosen else ""
