"""No model: the reply quotes what the user said before, and says so. For the first day, and when all else fails."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from itertools import zip_longest

from msgspec import Struct

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.no_prefix import KeepsNothing
from pi_memory.text.intent import Wish, asks, intent_of, names_only, only_asks, says_nothing
from pi_memory.text.language import pattern
from pi_memory.text.persons import in_second_person, to_user, without_question
from pi_memory.text.sentences import best, is_question, sentences, stems
from pi_memory.types import AS_SET, ELSEWHERE, RECALLED, UNSURE, AnswerForm, Message, Notice, ReplyOptions, Usage

CHARACTERS_PER_TOKEN = 4
LONGEST_QUOTE = 480
MOST_ALSO = 3
"""Most lines besides the one that answers."""

FOCUS_HEADING, MEMORY_HEADING = "## Recent Focus", "## Memory"
NOTICE = "No language model is loaded, so I only quote what you told me; `pi-memory pull` fetches one."
NOTHING_CHANGED = "Nothing changed then of what you told me."
NOTHING = "I find nothing about that in what you told me."
SELF = (
    "I am pi-memory, an assistant that runs on your own machine and remembers. Tell me things as you would tell a"
    " person, and ask for them later in any words: “where is the spare key”, “what do you know about Pepper”, “what did"
    " I tell you last week”. “Remember ...” keeps something for good, “forget ...” erases it."
)
REMINDER = "I can't remind you by myself; ask me when it is time."
FORGET_WHAT = "Nothing is erased: say what to forget, such as “forget my address”."
FULFILLED = 0.5
"""Share of the words of a condition that a message has when it says that it is so."""
IF_WRONG = "If it is wrong, tell me what is right."
SMALL_TALK = {
    Wish.GREETING: "Hello.",
    Wish.THANKS: "You're welcome.",
    Wish.FAREWELL: "Goodbye.",
    Wish.ANSWER: "All right.",
    Wish.ASSISTANT: SELF,
    Wish.WELLBEING: "I am well, thank you.",
    Wish.PRESENCE: "Yes, I am here.",
    Wish.DOUBT: f"I only repeat what you told me. {IF_WRONG}",
    Wish.STATEMENT: "I see.",
    Wish.REQUEST: "I can't do that; I can only tell you what you told me.",
}
"""A reply never says that something is kept: who keeps it says so."""

EDITED = re.compile(
    r"\(The user has edited their recent focus; (?:now on it: ([^;)]+?))?(?:; )?(?:no longer on it: ([^;)]+?))?\.\)"
)
VERBATIM = re.compile(r'(?P<role>user|assistant)(?:, (?P<day>\d[^:"]*))?: "(?P<text>.*)"')
"""A line of something said before, perhaps with its day."""


class ExtractiveModel(KeepsNothing):
    """See `Model`. It quotes a reply only to who asks for it, and never what was put in front of the user's words. What
    it is it says once, with the first reply that begins a conversation.
    """

    name = "extractive"
    provider = "extractive"
    is_language_model = False

    def __init__(self, *, context_tokens: int = 4096) -> None:
        self.context_tokens = context_tokens
        self._has_said_what_it_is = False

    def count(self, text: str) -> int:
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def count_prompt(self, messages: Sequence[Message]) -> int:
        return sum(self.count(message.text) for message in messages)

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        if options.schema is not None:
            raise Unprocessable("No language model is loaded that could follow a schema", hint="`pi-memory pull`.")
        prompt = self.count_prompt(messages)
        if prompt + max_tokens > self.context_tokens:
            raise Unprocessable(
                f"message: {prompt} tokens and a reply of {max_tokens} do not fit into {self.context_tokens}",
                hint="Send a shorter message, or raise CTX_TOKENS.",
            )
        said = ""
        for word in re.findall(r"\s*\S+", _until(reply(messages), options.stops)):
            if self.count(said + word) > max_tokens:
                break
            said += word
            yield word
            await asyncio.sleep(0)  # so that others have their turn, and the client can leave
        if not self._has_said_what_it_is and not any(message.role == "assistant" for message in messages):
            self._has_said_what_it_is = True
            yield Notice(NOTICE)
        yield Usage(prompt_tokens=prompt, completion_tokens=self.count(said))

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        raise ModelError("There is no language model to ask", hint="`pi-memory pull` fetches one.")

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        raise ModelError("There is no language model to ask", hint="`pi-memory pull` fetches one.")

    async def problem(self) -> str | None:
        return None

    async def close(self) -> None:
        pass


def _until(text: str, stops: Sequence[str]) -> str:
    for stop in stops:
        text = text.partition(stop)[0]
    return text


def reply(messages: Sequence[Message]) -> str:
    """The reply to the last message, from the messages alone."""
    asked = [message for message in messages if message.role == "user"]
    if not asked:
        return SELF
    said = [message.content for message in asked]
    facts = PromptFacts(
        _focus(messages), _section(messages, MEMORY_HEADING), _recalled(asked[-1]), _elsewhere(asked[-1])
    )
    return _answer(said[-1], said[:-1], facts)


class SpokenLine(Struct, frozen=True):
    """Something that was recalled, by whom it was said: None for a memory, which speaks of the user. `is_sure`: not
    only the nearest there is.
    """

    text: str
    role: str | None = None
    day: str | None = None
    is_sure: bool = True

    def spoken(self) -> str:
        """The line in the second person, for the user."""
        if self.role == "assistant":
            return f"I said: {_quote(self.text)}"
        if self.day is not None and pattern("relative_time").search(self.text):
            return f"You said on {self.day.lstrip('0')}: {_quote(self.text)}"
        said = to_user(without_question(self.text))
        return said or f"{'You said' if self.role else 'I remember'}: {_quote(self.text)}"

    def sourced(self) -> str:
        """The line as what an answer rests on."""
        if self.role == "assistant":
            return self.spoken()
        on = f" on {self.day.lstrip('0')}" if self.day else ""
        return f"You told me{on}: {_quote(self.text)}"

    def listed(self) -> str:
        """The line in a list of what the user said, which need not say that they did."""
        if self.role == "assistant":
            return self.spoken()
        if self.day is not None and pattern("relative_time").search(self.text):
            return f"{_quote(self.text)} ({self.day.lstrip('0')})"
        return to_user(without_question(self.text)) or _quote(self.text)


class PromptFacts(Struct, frozen=True):
    """Lines of ours in the prompt: the recent focus, what the user once stated, what was recalled for the message, and
    which other projects know of it.
    """

    focus: Sequence[str]
    stated: Sequence[str]
    recalled: Sequence[SpokenLine]
    elsewhere: str


def _answer(message: str, earlier: Sequence[str], facts: PromptFacts) -> str:
    wanted = intent_of(message)
    if pattern("asks_when_told").search(message) and facts.recalled:
        return "\n".join(line.sourced() for line in facts.recalled)
    if wanted.kind is Wish.DOUBT and facts.recalled:
        return f"{facts.recalled[0].sourced()}\n{IF_WRONG}"
    if wanted.kind in (Wish.SAID, Wish.CHANGED) and not facts.recalled:
        return NOTHING if wanted.kind is Wish.SAID else NOTHING_CHANGED
    if wanted.kind is Wish.CHANGED:
        return _list("What changed:", facts.recalled)
    if pattern("repeats_user").search(message) and not _topic(message) and not facts.recalled:
        return f"You said: {_quote(earlier[-1])}" if earlier else "You have said nothing before this."
    if pattern("forget").match(message) or pattern("erases_all").match(message):
        is_of_last = (
            pattern("forgets_that").match(message) and earlier and intent_of(earlier[-1]).kind is Wish.STATEMENT
        )
        return FORGET_WHAT if _forgets_nothing(message) and not is_of_last else SMALL_TALK[Wish.STATEMENT]
    if pattern("asks_reminder").match(message):
        return REMINDER
    may_ask = any(not line.is_sure for line in facts.recalled)  # only what was taken for a question is answered so
    if not wanted.asks and not may_ask:
        return _what_to_do(message, facts.recalled) or SMALL_TALK[wanted.kind]
    if pattern("asks_focus").search(message) and facts.focus:
        return "\n".join(["In your recent focus:", *(f"- {line}" for line in facts.focus[:3])])
    if wanted.kind in (Wish.ABOUT, Wish.SAID) and facts.recalled:
        return _listed(wanted.subject, facts.recalled)
    own = [message] if wanted.is_sure else []  # else all of it is taken for the question, and would match itself
    told = [text for text in earlier if not names_only(text)]  # `compressor`
    lines = facts.recalled or _by_words(message, [*told, *own], facts)
    if lines:
        first, *others = lines[: 1 + MOST_ALSO]
        lead = "" if first.is_sure else "Perhaps: "
        return "\n".join([f"{lead}{first.spoken()}", *(f"{_lead(line)}: {line.spoken()}" for line in others)])
    focus = best(message, facts.focus)[:1]
    if focus:
        return f"In your recent focus: {focus[0].text}"
    if facts.elsewhere:
        return f"{NOTHING} There is more about it: {facts.elsewhere}. Ask me in that project."
    return NOTHING if wanted.is_sure else SMALL_TALK[Wish.STATEMENT]


def _lead(line: SpokenLine) -> str:
    return "Also" if line.is_sure else "Or"


def _listed(subject: str, lines: Sequence[SpokenLine]) -> str:
    """What was recalled about a subject, apart from what does not name it and only lies near; all of it without one."""
    if not subject:
        return _list("What you told me:", lines)
    named = [line for line in lines if stems(subject) & stems(line.text)]
    near = [line for line in lines if line not in named]
    about = f"about {in_second_person(subject)}:"
    if not named:
        return _list(f"Perhaps {about}", near)
    return "\n".join([_list(f"What you told me {about}", named), *([_list("Perhaps also:", near)] if near else [])])


def _list(heading: str, lines: Sequence[SpokenLine]) -> str:
    return "\n".join([heading, *(f"- {line.listed()}" for line in lines)])


def _forgets_nothing(message: str) -> bool:
    """Whether it is to forget "that", or everything: nothing that can be found."""
    command = pattern("forget").match(message)
    return command is None or pattern("forget_idle").fullmatch(message[command.end() :]) is not None


def _what_to_do(message: str, recalled: Sequence[SpokenLine]) -> str:
    """What the user once said is to be done when it is so as the message says: `The boiler beeps.` "" for nothing."""
    said = stems(message)
    if pattern("on_condition").search(message):
        return ""
    for line in recalled:
        conditions = [stems(found["what"]) for found in pattern("on_condition").finditer(line.text)]
        if any(len(each & said) > FULFILLED * len(each) for each in conditions):
            return line.spoken()
    return ""


def _by_words(message: str, said: Sequence[str], facts: PromptFacts) -> list[SpokenLine]:
    """Lines of this conversation, and of the user's statements, that answer: the best there are without a search."""
    question = " ".join(sentence for sentence in sentences(message) if asks(sentence)) or message.strip()
    own = [each for text in said for each in sentences(text) if _states(each) and each != question]
    quotes = [SpokenLine(quote.text, "user") for quote in best(question, own)]
    return quotes + [SpokenLine(quote.text) for quote in best(question, facts.stated) if quote.text not in own]


def _states(sentence: str) -> bool:
    return not asks(sentence) and not says_nothing(sentence)


def _topic(message: str) -> bool:
    """Whether "what did I say" goes on: "... about the port"."""
    return bool(re.search(r"\b(about|on|regarding|of|to)\b", message, re.I)) and bool(stems(message))


def _section(messages: Sequence[Message], heading: str) -> list[str]:
    """The lines of a list in the system text, plain."""
    system = "\n".join(message.content for message in messages if message.role == "system")
    _, heading, block = system.partition(heading)
    lines = block.split("\n## ")[0].splitlines() if heading else []
    return [line.removeprefix("- ").replace("**", "") for line in lines if line.startswith("- ")]


def _focus(messages: Sequence[Message]) -> list[str]:
    """The recent focus as the conversation began with it, and as the user has edited it since."""
    lines = _section(messages, FOCUS_HEADING)
    for edit in EDITED.finditer("\n".join(message.context for message in messages)):
        came, gone = ([] if names is None else names.split(", ") for names in edit.groups())
        lines = [*came, *(line for line in lines if line.partition(" (")[0] not in (*came, *gone))]
    return lines


def _elsewhere(message: Message) -> str:
    """The projects that know of what a message asks: `3 in project shop, 1 in project garden`; "" for none."""
    lines = message.context.partition(ELSEWHERE)[2].split("\n\n")[0].splitlines()
    return ", ".join(line.removeprefix("- ") for line in lines if line)


def _recalled(message: Message) -> list[SpokenLine]:
    """The lines that were recalled for a message, the best of each kind first; none that only ask."""
    groups = [group.splitlines() for group in message.context.partition(RECALLED)[2].split("\n\n")]
    listed = [[_line(line, is_sure=group[0] != UNSURE) for line in group if line.startswith("- ")] for group in groups]
    found = [line for row in zip_longest(*listed) for line in row if line is not None]
    return [line for line in found if not _only_asks(line)]


def _only_asks(line: SpokenLine) -> bool:
    return only_asks(line.text) if line.role == "user" else all(map(is_question, sentences(line.text)))


def _line(item: str, *, is_sure: bool) -> SpokenLine:
    text = item.removeprefix("- ")
    found = VERBATIM.fullmatch(text)
    if found is None:
        return SpokenLine(text, is_sure=is_sure)
    said = found["text"]
    for idle in ("correcting", "remember"):
        said = pattern(idle).sub("", said, count=1).lstrip() or said
    return SpokenLine(said, found["role"], found["day"], is_sure)


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + '…'}”"
