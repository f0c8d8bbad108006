"""What of a text is worth telling: sentences that bear on a message and say what has not been told. Pure."""

from collections.abc import Collection, Iterator, Sequence

from pi_memory.text import query_terms
from pi_memory.text.sentences import is_question, sentences, stems

LONG, LONGEST = 300, 600
"""Characters from which on a text is told in excerpts, and those of an excerpt."""
BEARS = 0.5
"""Share of the words that the best sentence shares with the message; one that shares as many is told too."""


class Novelty:
    """Knows what has been told: by the message itself, unless it asks; by the prompt; and since, by `tell`."""

    def __init__(self, message: str, *, prompt: str) -> None:
        self._message = message
        self._prompt = " ".join(prompt.split())
        self._told: list[tuple[frozenset[str], bool]] = []
        self.tell(message)

    def of(self, text: str) -> list[str]:
        """The sentences of a text that say something new, in order."""
        lines = (" ".join(sentence.split()) for sentence in sentences(text))
        return [line for line in lines if line not in self._prompt and not self._was_told(line)]

    def answers(self, text: str) -> list[str]:
        """The sentences of a text that do not only ask, also those that have been told."""
        return [" ".join(sentence.split()) for sentence in sentences(text) if not is_question(sentence)]

    def excerpt(self, lines: Sequence[str]) -> str:
        """Those sentences, or of many the ones that bear on the message, each with those beside it: answers stand
        beside the words that match.
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

    def tell(self, text: str) -> None:
        self._told += [(query_terms.said(sentence), is_question(sentence)) for sentence in sentences(text)]

    def _was_told(self, sentence: str) -> bool:
        """Whether all its words are those of one sentence. A question tells nothing that is not a question too."""
        said = query_terms.said(sentence)
        return any(said <= known and (not asked or is_question(sentence)) for known, asked in self._told)

    def _by_bearing(self, lines: Sequence[str]) -> Iterator[int]:
        """Places of sentences, the most important first; of a text that shares no word with the message, the first."""
        wanted = stems(self._message)
        shared = [len(wanted & stems(line)) for line in lines]
        if not any(shared):
            yield 0
            return
        for place in sorted(range(len(lines)), key=lambda place: -shared[place]):
            if shared[place] >= max(1, BEARS * max(shared)):
                yield from (other for other in (place, place + 1, place - 1) if 0 <= other < len(lines))


def _gap(place: int, chosen: Collection[int]) -> str:
    return "… " if place and place - 1 not in chosen else ""
