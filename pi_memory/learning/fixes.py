"""Finds an error with its resolution, and commands that did what was asked. Pure.

Both halves are needed: an error that nobody solved teaches nothing, nor do commands with an unknown outcome.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_memory.tagging.paths import commands
from pi_memory.text.language import pattern
from pi_memory.text.third_person import about_user, finished
from pi_memory.text.user_text import sentences
from pi_memory.types import Candidate, Exchange

Numbered = tuple[int, Exchange]

PATIENCE = 12
"""Exchanges after which a success no longer belongs to an error."""
LONGEST_HALF = 200
MOST_STEPS = 6
READ = 20_000
"""Characters of a message that are searched for an error."""

INLINE = re.compile(r"`([^`\n]{3,150})`|^```\w*\n([^\n]{3,150})\n```", re.MULTILINE)
REPORTED = ("error", "stderr")
"""Arguments in which agents report what a tool call failed with."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error, verbatim, of the exchange at place `at`."""

    quote: str
    at: int


def solutions(said: Sequence[Numbered]) -> Iterator[Candidate]:
    """Errors with their resolutions. The namespace has only its last part, as neither knows the project."""
    trouble: Trouble | None = None
    for at, (_, exchange) in enumerate(said):
        failure = _failure(exchange)
        if failure:
            trouble = Trouble(failure, at)
        if trouble is None or at - trouble.at > PATIENCE:
            continue
        success = _success(exchange, failed=failure is not None)
        if success is not None and (lesson := _lesson(said, trouble, at, success)) is not None:
            yield lesson
            trouble = None


def chains(said: Sequence[Numbered]) -> Iterator[Candidate]:
    """Commands that did what the user asked for, when the next message does not complain."""
    for at, (number, exchange) in enumerate(said):
        steps = [step for step in _commands(exchange) if not pattern("looking").match(step)]
        asked = next((s.text for s in sentences(exchange.user)), "")
        if len(steps) < 2 or not asked or exchange.partial or _failure(exchange) or not _went_well(said[at + 1 :]):
            continue
        told = ", then ".join(f"`{step}`" for step in steps[:MOST_STEPS])
        content = f"{finished(asked[:LONGEST_HALF])} What did it: {told}."
        yield Candidate(content, "procedural", "patterns", "medium", source="pattern", quote=asked, exchange_id=number)


def _lesson(said: Sequence[Numbered], trouble: Trouble, at: int, success: str) -> Candidate | None:
    """The resolution of an error: as the user states it, else what was done, else what they were advised and did."""
    before = [exchange for _, exchange in said[trouble.at : at + 1]]
    if pattern("cause").search(success):
        fix, quote, number = success, success, said[at][0]
    else:
        steps = [step for exchange in before for step in _commands(exchange) if not pattern("looking").match(step)]
        told = INLINE.findall(before[-2].reply if len(before) > 1 else "")
        done = [*steps[-MOST_STEPS:]] or ["".join(told[0])] if steps or told else []
        fix, quote, number = ", then ".join(f"`{step}`" for step in done), trouble.quote, said[trouble.at][0]
    if not fix:
        return None
    error = " ".join(trouble.quote.split())[:LONGEST_HALF].rstrip(".")
    content = f"Problem: {error}. Resolved: {about_user(fix)}"
    return Candidate(content, "procedural", "fixes", "high", source="error_resolution", quote=quote, exchange_id=number)


def _failure(exchange: Exchange) -> str | None:
    """The words that report a failure: a tool's, a log's, or the user's own."""
    for call in exchange.tool_calls:
        for key in REPORTED:
            if isinstance(told := call.arguments.get(key), str) and told.strip():
                return _line(told)
    failing = [s.text for s in sentences(exchange.user) if pattern("fails").search(s.text) and not s.is_question]
    lines = [found[0].strip() for found in pattern("error_line").finditer(exchange.user[:READ])]
    told = lines[-1] if lines else failing[0] if failing else None
    return None if told is None or (not failing and _success(exchange, failed=False)) else told


def _success(exchange: Exchange, *, failed: bool) -> str | None:
    """The sentence in which the user says that it works now. After a failure in the same message it must say why."""
    for sentence in sentences(exchange.user):
        text = sentence.text.replace("’", "'")
        works = pattern("works").search(text)
        if works and not sentence.is_question and not pattern("still").search(text[: works.end()]):
            cause = next((s.text for s in sentences(exchange.user) if pattern("cause").search(s.text)), None)
            return cause or (None if failed else sentence.text)
    return None


def _line(told: str) -> str:
    """The last line that names an error, else the last one."""
    lines = [found[0].strip() for found in pattern("error_line").finditer(told[-READ:])]
    return (lines or [line.strip() for line in told.splitlines() if line.strip()])[-1][:LONGEST_HALF]


def _commands(exchange: Exchange) -> list[str]:
    """What was run in a shell, a line each."""
    values = [value for call in exchange.tool_calls for value in commands(call)]
    lines = [" ".join(value.split()) for value in values if isinstance(value, str) and "\n" not in value.strip()]
    return [line for line in dict.fromkeys(lines) if 2 < len(line) <= LONGEST_HALF]


def _went_well(after: Sequence[Numbered]) -> bool:
    """Whether the user said that it worked, or continued without a complaint."""
    if not after:
        return False
    _, following = after[0]
    return _failure(following) is None and not pattern("complains").match(following.user)
