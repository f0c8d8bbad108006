"""An extractive summary: the sentences of a conversation that matter, without a model.

Decisions and why, what worked and what failed, open questions, facts with numbers, names and paths; no code, no
listings, no small talk. Pure.
"""

from collections.abc import Callable, Iterable, Sequence, Set

from msgspec import Struct

from pi_memory.text.language import pattern
from pi_memory.text.sentences import is_question, sentences, stems, without_code
from pi_memory.types import Exchange

Count = Callable[[str], int]


LONGEST = 200
SHORTEST_WORDS = 3
SAID, REPEATED = 0.8, 0.9
"""Share of a line's words that must have been said before a model's line is believed, and share from which a line
repeats another.
"""

USER, ASSISTANT = "User", "Assistant"


class SummaryLine(Struct, frozen=True):
    text: str
    worth: float


def summarise(prior: str, exchanges: Sequence[Exchange], *, count: Count, tokens: int) -> str:
    """The best lines of `prior`, the earlier summary, and of `exchanges`, in their order; at most `tokens`.

    Earlier lines keep their score, so that they do not fade behind newer ones.
    """
    lines = [*_kept(prior), *_said(exchanges)]
    chosen: dict[int, SummaryLine] = {}
    words: list[Set[str]] = []
    for position in sorted(range(len(lines)), key=lambda position: (-lines[position].worth, -position)):
        line = lines[position]
        if _repeats(stems(line.text), words) or count(_text([*chosen.values(), line])) > tokens:
            continue
        chosen[position] = line
        words.append(stems(line.text))
    return _text(chosen[position] for position in sorted(chosen))


def supported(lines: str, exchanges: Sequence[Exchange], prior: str) -> str:
    """The lines of a model's summary whose words were said, each once: a small model invents and repeats."""
    said = stems(" ".join([prior, *(f"{e.user} {e.reply}" for e in exchanges)]))
    kept: dict[str, Set[str]] = {}
    for line in lines.splitlines():
        words = stems(line)
        is_sentence = line.startswith("- ") and len(line.split()) > SHORTEST_WORDS
        if is_sentence and len(words & said) >= SAID * len(words) and not _repeats(words, kept.values()):
            kept[line.strip()] = words
    return "\n".join(kept)


def _kept(prior: str) -> list[SummaryLine]:
    texts = [line.removeprefix("- ").strip() for line in prior.splitlines()]
    return [SummaryLine(text, 1 + _worth(text)) for text in texts if text]


def _said(exchanges: Sequence[Exchange]) -> list[SummaryLine]:
    found = []
    for exchange in exchanges:
        found += [_line(USER, text) for text in _sentences(exchange.user)]
        answers = [text for text in _sentences(exchange.reply) if not is_question(text)]
        found += [_line(ASSISTANT, text) for text in answers]
    if exchanges and (asked := [text for text in _sentences(exchanges[-1].user) if is_question(text)]):
        found.append(SummaryLine(f"{USER}: {_short(asked[-1])}", 2.0))  # perhaps still open
    return found


def _line(speaker: str, text: str) -> SummaryLine:
    """The score of a line; the user's lines count more than a reply's."""
    worth = _worth(text) * (1.0 if speaker == USER else 0.5)
    return SummaryLine(f"{speaker}: {_short(text)}", 0.0 if is_question(text) else worth)


def _worth(text: str) -> float:
    return (
        0.5
        + bool(pattern("summary_decided").search(text))
        + bool(pattern("summary_happened").search(text))
        + 0.5 * bool(pattern("named").search(text))
    )


def _sentences(text: str) -> list[str]:
    found = sentences(without_code(text))
    return [sentence for sentence in found if len(sentence.split()) >= SHORTEST_WORDS]


def _repeats(words: Set[str], others: Iterable[Set[str]]) -> bool:
    return any(len(words & other) >= REPEATED * len(words) for other in others)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _text(lines: Iterable[SummaryLine]) -> str:
    return "\n".join(f"- {line.text}" for line in lines)
