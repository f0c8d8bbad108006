"""The user's own sentences in a message: no code, no quotes, no pasted logs, nothing injected. Pure.

What somebody else wrote must never become the user's statement. In doubt a line is not theirs.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pi_memory.text.language import pattern, remembered
from pi_memory.text.sentences import begins_clause, is_fence, is_question, is_shortened

LONG = 40_000
"""Characters from which on only the two ends of a message are read: the middle is a paste."""
MOST = 400
"""Most sentences: those at the two ends."""
LONGEST_LINE = 2_000
LONGEST = 600
"""Characters of a sentence from which on it states nothing that could be kept as it is."""
WRAPPED = 40
"""Characters from which on a line may go on in the next one."""
FEWEST_QUOTED = 4
"""Words in quotation marks from which on they are what somebody said."""


QUOTING = (">", "|", "♪", "♫", "# ", "#\t")
END = re.compile(r"[.!?…]+[)\]\"'”’»]*\s+|\n")
ITEM = re.compile(r"(?:[-*•+]|\d{1,2}[.)])\s+")
MARKS = frozenset(",;–—-")
FEWEST_BEFORE, FEWEST_BEHIND = 6, 5
"""Words of what is stated in front of a question, or behind it, in one sentence."""


class Sentence(Struct, frozen=True):
    """`text` is verbatim; `item` marks an item of a list."""

    text: str
    item: bool = False

    @property
    def is_question(self) -> bool:
        return self.text.rstrip("\"'”’») ").endswith("?")


@remembered(512)
def sentences(message: str) -> tuple[Sentence, ...]:
    """The sentences that the user wrote themselves, in order: at most `MOST`. Linear in the message's length."""
    found: list[Sentence] = []
    for part, fenced in _parts(message):
        for block in _blocks(part, fenced):
            found += _split(block)
    return tuple(found) if len(found) <= MOST else (*found[: MOST // 2], *found[-MOST // 2 :])


def is_quotation(sentence: str) -> bool:
    """Whether others' words are what a sentence has most to say: not a title in it, or a name."""
    own = len(pattern("quotation").sub(" ", sentence).split())
    others = len(sentence.split()) - own
    return others >= FEWEST_QUOTED and 2 * others >= own


def _parts(message: str) -> Iterator[tuple[str, bool]]:
    """The message, or its two ends; each with whether it begins inside a block of code."""
    if len(message) <= LONG:
        yield message, False
        return
    half = LONG // 2
    yield message[:half].rpartition("\n")[0] or message[:half], False
    _, _, tail = message[-half:].partition("\n")
    before = message[: len(message) - len(tail)]
    yield tail, (before.count("\n```") + before.startswith("```")) % 2 == 1


def _blocks(part: str, fenced: bool) -> Iterator[str]:
    """Runs of lines that are the user's."""
    kept: list[str] = []
    theirs = _Theirs(fenced)
    for line in part.split("\n"):
        if theirs.is_theirs(line):
            kept.append(line)
        elif kept:
            yield "\n".join(kept)
            kept = []
    if kept:
        yield "\n".join(kept)


class _Theirs:
    """Follows a message line by line and decides which lines are the user's."""

    def __init__(self, fenced: bool) -> None:
        self._fenced = fenced
        self._tag = ""
        self._injected = False
        self._foreign = False
        self._introduced = False
        self._forwarded = False

    def is_theirs(self, line: str) -> bool:
        if self._is_inside(line) or self._is_ours(line):
            return False
        if not line.strip():
            # What was announced may begin after an empty line.
            self._foreign = self._foreign and self._introduced
            return False
        is_given = _begins(line, pattern("material")) and not _begins(line, pattern("wording"))
        self._foreign = self._foreign or is_given or _begins(line, pattern("pasted"), pattern("role"))
        theirs = not self._foreign and len(line) <= LONGEST_LINE and not line.lstrip().startswith(QUOTING)
        introduces = line.rstrip().endswith(":") and pattern("introduced").search(line[-120:]) is not None
        self._introduced = theirs and introduces
        self._foreign = self._foreign or self._introduced
        return theirs

    def _is_inside(self, line: str) -> bool:
        """Whether the line is of a block of code, of an element like `<context>`, or of a mail that follows."""
        if is_fence(line):
            self._fenced = not self._fenced
            return True
        if self._fenced or self._forwarded:
            return True
        if not self._tag:
            opened = pattern("injected").match(line)
            self._tag = opened[1].lower() if opened else ""
            self._forwarded = "[Context compacted]" in line or _begins(line, pattern("forwarded"))
        inside = bool(self._tag) or self._forwarded
        if self._tag and f"</{self._tag}>" in line.lower():
            self._tag = ""
        return inside

    def _is_ours(self, line: str) -> bool:
        """Whether the line is of a list that was put into the prompt, below one of our headings."""
        start = line.lstrip()
        is_listed = not start or start.startswith("#") or ITEM.match(start) is not None
        self._injected = pattern("our_heading").match(line) is not None or (self._injected and is_listed)
        return self._injected


def _begins(line: str, *expressions: re.Pattern[str]) -> bool:
    return any(expression.match(line) for expression in expressions)


def _split(block: str) -> Iterator[Sentence]:
    """The sentences of a run of lines, where no quotation ends one."""
    is_quoting = any(mark in block for mark in "`\"“„«'‘")
    masked = pattern("quotation").sub(lambda found: "\0" * len(found[0]), block) if is_quoting else block
    start = 0
    for end in _with_numbers(block, [*_ends(masked), len(block)]):
        text = block[start:end].strip()
        item = ITEM.match(text)
        text = text[item.end() :] if item else text
        if text and len(text) <= LONGEST:
            yield from (Sentence(part, item=item is not None) for part in _apart(text))
        start = end


def _with_numbers(block: str, ends: Sequence[int]) -> list[int]:
    """The ends of sentences, none before a number alone, which belongs to the one it stands behind: `Ring Bo. 0171
    222.`
    """
    found = []
    for start, end, after in zip([0, *ends], ends, [*ends[1:], ends[-1]], strict=False):
        behind = block[end:after].strip()
        is_whole = not behind or any(map(str.isalpha, behind)) or block[start:end].rstrip().endswith(("?", ":"))
        if is_whole or "\n" in block[start:end][-2:]:
            found.append(end)
    return found


def _apart(text: str) -> tuple[str, ...]:
    """What a sentence states, and what it asks about it or wants done with it: `The vet took 90, is that normal?`,
    `Write to Bo, her car is in our way.`; of what is to be said only that: `Please add that the gate sticks.`
    """
    if (wanted := pattern("wants_said").match(text)) and _is_clause(text[wanted.end() :]):
        return _to_be_said(text[wanted.end() :])
    if pattern("begins_task").match(text):
        return _behind_task(text)
    if pattern("asks").match(text) and is_question(text) and not pattern("lacks_subject").match(text):
        return _behind_question(text)
    tag, task = pattern("tag_question").search(text), pattern("task_behind").search(text)
    found = tag or task or _question_behind(text)
    said = text[: found.start()] if found else ""
    if not said or pattern("subordinate").match(said) or not (tag or _states(said)):
        return (text,)
    return said, *_apart(text[len(said) :].lstrip(" ,–—-"))


def _question_behind(text: str) -> re.Match[str] | None:
    """Where the last clause of a sentence begins, if it asks and what is before it says something of its own: `We have
    640 of the 900 for the bike, when are we there`.
    """
    for mark in reversed([*pattern("clause_joint").finditer(text)]):
        said, asked = text[: mark.start()], text[mark.end() :]
        if len(said.split()) >= FEWEST_BEFORE and _asks(asked):
            return mark if pattern("specific").search(said) or pattern("name_inside").search(said) else None
    return None


def _asks(clause: str) -> bool:
    """Whether a clause asks; without its mark `who is a nurse` only says more of somebody."""
    return is_question(clause.rstrip("? ")) if clause.endswith("?") else bool(pattern("asks_late").search(clause))


def _behind_question(text: str) -> tuple[str, ...]:
    """A question, and what is said behind it: `How do you say this - it is the Requiem that we sing`."""
    for mark in pattern("clause_joint").finditer(text):
        rest = text[mark.end() :]
        first, is_long = pattern("clause_joint").split(rest)[0], len(rest.split()) >= FEWEST_BEHIND
        is_its = mark[0].startswith(",") and pattern("gives_value").match(rest)  # `it` is what was asked about
        is_apart = mark[0].strip()[:1] in MARKS and not is_its and not pattern("of_task").match(rest)
        if is_long and is_apart and begins_clause(first) and _states(first):
            return text[: mark.start()], rest.rstrip("? ")
    return (text,)


def _behind_task(text: str) -> tuple[str, ...]:
    """What is to be done, and what is said behind it or to be said; a question mark there is the task's."""
    said = pattern("said_in_it").search(text)
    if said and _is_clause(text[said.end() :]):
        return text[: said.start()].rstrip(" ,"), *_to_be_said(text[said.end() :])
    worded = pattern("wording").match(text)
    for end in [worded] if worded else pattern("clause_end").finditer(text):
        rest = text[end.end() :]
        if _states(pattern("clause_end").split(rest)[0]) and not pattern("of_task").match(rest):
            task = text[: end.end() if worded else end.start() + 1]
            return task.rstrip(), rest if pattern("asks").match(rest) else rest.rstrip("? ")
    return (text,)


def _to_be_said(text: str) -> tuple[str, ...]:
    """What is to be said, one by one: `that the gate sticks, and that the dog bites`; the question mark is not its."""
    return tuple(each.rstrip("? ") for each in pattern("also_said").split(text))


def _is_clause(text: str) -> bool:
    """Whether a clause begins, behind `that`."""
    begins = any(pattern(name).match(text) for name in ("has_subject", "said_of_same", "speaker"))
    return begins or _states(pattern("clause_end").split(text)[0])


def _states(clause: str) -> bool:
    """Whether a clause seems to say that something is so."""
    return any(pattern(name).search(clause) for name in ("finite", "states_shortly"))


def _ends(masked: str) -> Iterator[int]:
    for found in END.finditer(masked):
        at = found.start()
        if "\n" in found[0]:
            if found[0] == "\n" and _goes_on(masked, at):
                continue
        elif _goes_on_behind_point(masked, found):
            continue
        yield found.end()


def _goes_on(masked: str, newline: int) -> bool:
    """Whether a line was only wrapped."""
    line = newline - masked.rfind("\n", 0, newline) - 1
    return line >= WRAPPED and masked[newline + 1 : newline + 2].islower()


def _goes_on_behind_point(masked: str, found: re.Match[str]) -> bool:
    """`e.g. this`, `am 3. Mai`, or the number of an item."""
    before, end = masked[max(0, found.start() - 12) : found.end()], found.end()
    if is_shortened(masked, found):
        return True
    number = re.search(r"(?<!\d)\d{1,2}\.\s$", before)
    if number is None:
        return False
    begins = not before[: number.start()].rpartition("\n")[2].strip()
    return begins or pattern("month").match(masked, end) is not None
