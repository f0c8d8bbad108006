"""Extraction and deduplication by the chat model. Used only when the settings ask for it.

Small models judge facts poorly. So a candidate must quote the user's own words, which replace the model's where it
strays from them; and the model judges only where the rules are in doubt.
"""

import logging
import re
from collections.abc import Iterator, Sequence

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.judges.comparison import stems
from pi_memory.learning.extraction import located
from pi_memory.loader import Loader
from pi_memory.merging.dedup import Decision, Neighbour
from pi_memory.protocols import Model
from pi_memory.text import query_terms
from pi_memory.text.language import pattern
from pi_memory.text.persons import about_user
from pi_memory.text.user_text import sentences
from pi_memory.types import AnswerForm, Candidate, Exchange, Message, Numbered

INSTRUCTION = """What did the user say above that would help you do a better job next time? Corrections matter most, \
then errors with what resolved them, decisions with their reason, what the user prefers, and facts with names, numbers \
or paths. Leave out greetings, questions, your own words, files, logs, and memories from before.
Write at most six lines of this form:
- KIND: SENTENCE | "QUOTE"
KIND is preference, decision, fix or fact. SENTENCE stands alone and speaks of "the user". QUOTE is copied word for \
word from one message of the user. Write only "none" when there is nothing."""
GRAMMAR = r"""root ::= "none" | line line? line? line? line? line?
line ::= "- " kind ": " [^|"\n]+ " | \"" [^"\n]+ "\"\n"
kind ::= "preference" | "decision" | "fix" | "fact"
"""
KINDS = ("preference", "decision", "fix", "fact")
NAMED = AnswerForm(
    GRAMMAR,
    {"kind": {"type": "string", "enum": KINDS}, "sentence": {"type": "string"}, "quote": {"type": "string"}},
    line='- {kind}: {sentence} | "{quote}"\n',
    most=6,
)
CAP = 400
"""Tokens of the answer."""
SHOWN = 800
"""Characters of a message or a reply in the model's prompt: it has not evaluated the session."""
LINE = re.compile(r"- (?P<kind>\w+): (?P<text>[^|\"\n]+) \| \"(?P<quote>[^\"\n]+)\"")
LEAST_WORDS = 3
LEAST_SHARED = 0.5
"""Share of a sentence's words that the user must have said for it to be kept as the model puts it; and of those of two
memories that both must have for one to end the other."""
PLACES = {"preference": "user/preferences", "decision": "decisions", "fix": "fixes", "fact": "facts"}

JUDGE = """You know:
{known}
Now the user says: {said}
Is that new beside them (new), is it said by one of them already (known), or does one of them no longer hold (ends)? \
Answer with one of: {labels}."""
NEW = "new"
MOST_JUDGED = 3

logger = logging.getLogger(__name__)


class LlmExtraction:
    """Asks the model; returns nothing without a language model, or while it fails."""

    def __init__(self, model: Loader[Model]) -> None:
        self._model = model

    async def ask(self, said: Sequence[Numbered]) -> list[Candidate]:
        """Candidates from exchanges of one session with their ids, each with a quote of the user's own words."""
        model = await self._model.ready()
        if not model.is_language_model:
            return []
        shown = ((Message("user", e.user[:SHOWN]), Message("assistant", e.reply[:SHOWN])) for _, e in said)
        messages = [message for pair in shown for message in pair]
        try:
            answer = await model.write(messages, INSTRUCTION, form=NAMED, cap=CAP)
        except (ModelError, Unprocessable) as error:
            logger.warning("A session is learned from without the model: %s", error)
            return []
        return list(_candidates(answer, said))

    async def judge(self, candidate: Candidate, near: Sequence[Neighbour]) -> Decision:
        """The decision about a candidate that the rules would add beside `near`."""
        model, near = await self._model.ready(), near[:MOST_JUDGED]
        linked = tuple(neighbour.memory.id for neighbour in near)
        if not near or not model.is_language_model:
            return Decision("add", linked=linked)
        # Small numbers, as ids mean nothing to a model.
        known = "\n".join(f"{number}. {query_terms.one_line(n.memory.content)}" for number, n in enumerate(near, 1))
        labels = [NEW, *(f"{verdict} {number}" for verdict in ("known", "ends") for number in range(1, len(near) + 1))]
        question = JUDGE.format(known=known, said=query_terms.one_line(candidate.content), labels=", ".join(labels))
        try:
            verdict, _, number = (await model.choose([], question, labels)).partition(" ")
        except (ModelError, Unprocessable) as error:
            logger.warning("Memories are compared without the model: %s", error)
            verdict, number = NEW, ""
        meant = near[int(number) - 1].memory if number else None
        if meant is None or not _can_be(verdict, candidate.content, meant.content):
            return Decision("add", linked=linked)
        return Decision("noop" if verdict == "known" else "end", meant.id)


def _can_be(verdict: str, said: str, known: str) -> bool:
    """Whether the model's decision is plausible: a known memory contains all that was said, an ended one is about the
    same.
    """
    if verdict == "known":
        return _has_all(known, said)
    mine, theirs = stems(said), stems(known)
    return len(mine & theirs) >= LEAST_SHARED * min(len(mine), len(theirs))


def _has_all(text: str, other: str) -> bool:
    """Whether this text contains every name, number and path of the other."""
    specific = [word.strip(".,;:!?\"'`") for word in other.split()[1:] if pattern("specific").search(f" {word}")]
    return all(word.casefold() in text.casefold() for word in specific)


def _candidates(answer: str, said: Sequence[Numbered]) -> Iterator[Candidate]:
    for line in LINE.finditer(answer):
        quote = line["quote"].strip()
        spoken = _spoken(quote, said) if len(quote.split()) >= LEAST_WORDS else None
        if spoken is None:
            continue
        number, exchange, sentence = spoken
        content = about_user(line["text"])
        content_stems = stems(content)
        if len(content_stems & stems(sentence)) < LEAST_SHARED * len(content_stems) or not _has_all(sentence, content):
            content = about_user(sentence)
        kind = line["kind"]
        yield Candidate(
            content,
            type="procedural" if kind == "fix" else "semantic",
            namespace=located(PLACES[kind], exchange.project),
            priority="low" if kind == "fact" else "medium",
            source="discovery" if kind == "fact" else "pattern",
            quote=quote,
            exchange_id=number,
        )


def _spoken(quote: str, said: Sequence[Numbered]) -> tuple[int, Exchange, str] | None:
    """The exchange and the user's own sentence that contains the quote, verbatim; no question."""
    for number, exchange in said:
        for sentence in sentences(exchange.user):
            if quote in sentence.text and not sentence.is_question:
                return number, exchange, sentence.text
    return None
