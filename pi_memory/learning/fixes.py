"""Finds an error with its resolution, and commands that did what was asked. Pure.

Both halves are needed: an error that nobody solved teaches nothing, nor do commands with an unknown outcome.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pi_memory.tagging.paths import commands
from pi_memory.text.language import pattern
from pi_memory.text.persons import about_user, finished
from pi_memory.text.sentences import stems
from pi_memory.text.user_text import sentences
from pi_memory.types import Candidate, Exchange, Numbered, ToolCall

PATIENCE = 12
"""Exchanges after which a success no longer belongs to an error."""
LONGEST_HALF = 200
MOST_STEPS = 6
READ = 20_000
"""Characters of a message that are searched for an error."""

INLINE = re.compile(r"`([^`\n]{3,150})`|^```\w*\n([^\n]{3,150})\n```", re.MULTILINE)
REPORTED = ("error", "stderr")
"""Arguments in which agents report what a tool call failed with."""


class Trouble(Struct, frozen=True):
    """An error, verbatim, of the exchange at place `at`: what it is `about`, and the call that failed, if one did."""

    quote: str
    at: int
    about: frozenset[str]
    call: ToolCall | None = None

    @property
    def commands(self) -> list[str]:
        return _lines(self.call) if self.call else []

    def concerns(self, subject: str) -> bool:
        """Whether what works now is what failed: nothing else is named."""
        named = stems(pattern("opening").sub("", subject.rpartition(",")[2]))
        return not named or bool(named & self.about)


def solutions(said: Sequence[Numbered], *, known: int = 0) -> Iterator[Candidate]:
    """Errors with their resolutions; not those that the first `known` exchanges resolve, which were learned before.

    The namespace has only its last part, as neither knows the project.
    """
    trouble: Trouble | None = None
    for at, (_, exchange) in enumerate(said):
        trouble = _trouble(exchange, at) or trouble
        if trouble is None or at - trouble.at > PATIENCE:
            continue
        success = _success(exchange, trouble=trouble, failed=trouble.at == at)
        if success is None and not _passes(_after(said, trouble, at), trouble):
            continue
        if (lesson := _lesson(said, trouble, at, success or "")) is not None:
            if at >= known:
                yield lesson
            trouble = None


def chains(said: Sequence[Numbered]) -> Iterator[Candidate]:
    """Commands that did what the user asked for, when the next message does not complain."""
    for at, (number, exchange) in enumerate(said):
        steps = [step for step in _commands(exchange) if not pattern("looking").match(step)]
        asked = next((s.text for s in sentences(exchange.user)), "")
        if len(steps) < 2 or not asked or exchange.partial or _failure(exchange) or not _went_well(said[at + 1 :]):
            continue
        steps_taken = ", then ".join(f"`{step}`" for step in steps[:MOST_STEPS])
        content = f"{finished(asked[:LONGEST_HALF])} What did it: {steps_taken}."
        yield Candidate(content, "procedural", "patterns", "medium", source="pattern", quote=asked, exchange_id=number)


def _lesson(said: Sequence[Numbered], trouble: Trouble, at: int, success: str) -> Candidate | None:
    """The resolution of an error: as the user states it, else what was done, else what they were advised and did."""
    if pattern("cause").search(success):
        fix, quote, number = success, success, said[at][0]
    else:
        fix = ", then ".join(_done(_after(said, trouble, at), trouble) or _advised(said[trouble.at : at]))
        quote, number = trouble.quote, said[trouble.at][0]
    if not fix:
        return None
    error = " ".join(trouble.quote.split())[:LONGEST_HALF].rstrip(".")
    said_together = finished(error) == finished(fix)
    content = finished(about_user(fix)) if said_together else f"Problem: {error}. Resolved: {about_user(fix)}"
    return Candidate(content, "procedural", "fixes", "high", source="error_resolution", quote=quote, exchange_id=number)


def _after(said: Sequence[Numbered], trouble: Trouble, at: int) -> list[ToolCall]:
    """The calls after the one that failed, up to the exchange at place `at`."""
    calls = list(said[trouble.at][1].tool_calls)
    begin = calls.index(trouble.call) + 1 if trouble.call else 0
    return [*calls[begin:], *(call for _, exchange in said[trouble.at + 1 : at + 1] for call in exchange.tool_calls)]


def _passes(calls: Sequence[ToolCall], trouble: Trouble) -> bool:
    """Whether what failed was run again behind something else, and did not fail."""
    for place, call in enumerate(calls):
        if not _reported(call) and set(_lines(call)) & set(trouble.commands):
            return bool(_done(calls[:place], trouble))
    return False


def _done(calls: Sequence[ToolCall], trouble: Trouble) -> list[str]:
    """What was run, or changed if nothing was: neither what failed nor what only looks."""
    worked = [call for call in calls if not _reported(call)]
    run = [line for call in worked for line in _lines(call) if line not in trouble.commands]
    steps = [line for line in dict.fromkeys(run) if not pattern("looking").match(line)]
    changed = [f"changing `{path}`" for call in worked for path in _changed(call)]
    return [f"`{step}`" for step in steps[-MOST_STEPS:]] or list(dict.fromkeys(changed))[-MOST_STEPS:]


def _advised(before: Sequence[Numbered]) -> list[str]:
    """The command in the last reply."""
    found = INLINE.findall(before[-1][1].reply if before else "")
    return [f"`{''.join(found[0])}`"] if found else []


def _changed(call: ToolCall) -> list[str]:
    """The files that a call writes."""
    if not any(pattern("content_argument").fullmatch(key) for key in call.arguments):
        return []
    named = [value for key, value in call.arguments.items() if pattern("path_argument").fullmatch(key)]
    return [" ".join(value.split()) for value in named if isinstance(value, str) and value.strip()]


def _trouble(exchange: Exchange, at: int) -> Trouble | None:
    """What an exchange reports to have failed: a tool's words, a log's, or the user's own."""
    about = stems(" ".join([exchange.user[:READ], *_commands(exchange)]))
    for call in reversed(exchange.tool_calls):
        if reported := _reported(call):
            return Trouble(_line(reported), at, about | stems(reported[-READ:]), call)
    said = _failure(exchange)
    return Trouble(said, at, about) if said else None


def _reported(call: ToolCall) -> str:
    """The words in which a tool reports a failure; "" if it reports none."""
    reported = [value for key in REPORTED if isinstance(value := call.arguments.get(key), str)]
    return next((text for text in reported if text.strip()), "")


def _failure(exchange: Exchange) -> str | None:
    """The words that report a failure: a tool's, a log's, or the user's own."""
    if reported := next(filter(None, map(_reported, reversed(exchange.tool_calls))), ""):
        return _line(reported)
    failing = [s.text for s in sentences(exchange.user) if pattern("fails").search(s.text) and not s.is_question]
    lines = [found[0].strip() for found in pattern("error_line").finditer(exchange.user[:READ])]
    said = lines[-1] if lines else failing[0] if failing else None
    return None if said is None or (not failing and _success(exchange, failed=False)) else said


def _success(exchange: Exchange, *, failed: bool, trouble: Trouble | None = None) -> str | None:
    """The sentence in which the user says that it works now. After a failure in the same message it must say why."""
    for sentence in sentences(exchange.user):
        text = sentence.text.replace("’", "'")
        works = pattern("works").search(text)
        if not works or sentence.is_question or pattern("still").search(text[: works.end()]):
            continue
        if trouble is None or trouble.concerns(text[: works.start()]):
            cause = next((s.text for s in sentences(exchange.user) if pattern("cause").search(s.text)), None)
            return cause or (None if failed else sentence.text)
    return None


def _line(reported: str) -> str:
    """The last line that names an error, else the last one."""
    lines = [found[0].strip() for found in pattern("error_line").finditer(reported[-READ:])]
    return (lines or [line.strip() for line in reported.splitlines() if line.strip()])[-1][:LONGEST_HALF]


def _commands(exchange: Exchange) -> list[str]:
    """What was run in a shell, a line each."""
    return list(dict.fromkeys(line for call in exchange.tool_calls for line in _lines(call)))


def _lines(call: ToolCall) -> list[str]:
    """What a call runs in a shell, if that is one line."""
    lines = [" ".join(v.split()) for v in commands(call) if isinstance(v, str) and "\n" not in v.strip()]
    return [line for line in lines if 2 < len(line) <= LONGEST_HALF]


def _went_well(after: Sequence[Numbered]) -> bool:
    """Whether the user said that it worked, or continued without a complaint."""
    if not after:
        return False
    _, following = after[0]
    return _failure(following) is None and not pattern("complains").match(following.user)
