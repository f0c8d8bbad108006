"""No model: the reply quotes what the user said before, and says so. For the first day, and when all else fails."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.no_prefix import KeepsNothing
from pi_memory.text.sentences import best, is_question, sentences, stems
from pi_memory.types import AS_SET, RECALLED, AnswerForm, Message, ReplyOptions, Usage

CHARACTERS_PER_TOKEN = 4
LONGEST_QUOTE = 240
MOST_REMEMBERED = 3

FOCUS_HEADING, MEMORY_HEADING = "## Recent Focus", "## Memory"
NOTICE = "No language model is loaded, so I only quote what you told me; `pi-memory pull` fetches one."

GREETING = re.compile(
    r"(hi|hello|hey|good (morning|afternoon|evening)|moin|hallo|bonjour|hola)\b[\s,!.\w]{0,20}$", re.I
)
JUST_SAID = re.compile(
    r"\b(what|repeat|quote)\b.*\b((did|have|had) i (just |last )?(say|said|tell|told|ask|asked|write|written)\b"
    r"|i (just |last )?(said|told|asked|wrote)\b|my (last|previous) (message|question|words))",
    re.I,
)
EDITED = re.compile(
    r"\(The user has edited their recent focus; (?:now on it: ([^;)]+?))?(?:; )?(?:no longer on it: ([^;)]+?))?\.\)"
)
VERBATIM = re.compile(r'(user|assistant)(?:, \d[^:"]*)?: "(.*)"')
"""A line that tells what was said before, perhaps with its day."""
WORKING_ON = re.compile(r"\b(working on|worked on|in focus|recent focus|my focus|been doing)\b", re.I)


class ExtractiveModel(KeepsNothing):
    """See `Model`. It never quotes its own replies, nor what was put in front of the user's words."""

    name = "extractive"
    provider = "extractive"
    is_language_model = False

    def __init__(self, *, context_tokens: int = 4096) -> None:
        self.context_tokens = context_tokens

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
    """What there is to say to the last message, from the messages alone."""
    asked = [message for message in messages if message.role == "user"]
    if not asked:
        return NOTICE
    said = [message.content for message in asked]
    told = PromptFacts(_focus(messages), _section(messages, MEMORY_HEADING), _recalled(asked))
    answer = _answer(said[-1], said[:-1], told)
    is_first = not any(message.role == "assistant" for message in messages)
    return f"{answer}\n\n{NOTICE}" if is_first else answer


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """Lines of ours in the prompt: the recent focus, what the user once stated, what was recalled for the messages."""

    focus: Sequence[str]
    stated: Sequence[str]
    recalled: Sequence[str]


def _answer(message: str, earlier: Sequence[str], told: PromptFacts) -> str:
    if GREETING.match(message.strip()):
        return "Hello."
    asked = [sentence for sentence in sentences(message) if is_question(sentence)]
    if not asked:
        return "Noted."
    if JUST_SAID.search(message) and not _topic(message):
        return f"You said: {_quote(earlier[-1])}" if earlier else "You have said nothing before this."
    if WORKING_ON.search(message) and told.focus:
        return "\n".join(["In your recent focus:", *(f"- {line}" for line in told.focus[:3])])
    said = [s for text in (*earlier, message) for s in sentences(text) if not is_question(s)]
    return _found(" ".join(asked), said, told)


def _found(question: str, said: Sequence[str], told: PromptFacts) -> str:
    """What was recalled has been found to be about the question, also where it says the same in other words."""
    quotes = best(question, said)
    known = [quote.text for quote in best(question, [*told.recalled, *told.stated])]
    lines = [_quote(quote.text) for quote in quotes]
    lines += [f"I remember: {_quote(text)}" for text in known or told.recalled[:MOST_REMEMBERED] if text not in said]
    lines += [f"In your recent focus: {quote.text}" for quote in best(question, told.focus)[:1]]
    if not lines:
        return "I find nothing about that in what you told me here."
    if not quotes:
        return "\n".join(lines)
    return f"You said: {lines[0]}" if len(lines) == 1 else "\n".join(["You said:", *(f"- {line}" for line in lines)])


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


def _recalled(asked: Sequence[Message]) -> list[str]:
    """The lines that were recalled for these messages, the last message's first; none that only ask."""
    blocks = (message.context.partition(RECALLED)[2] for message in reversed(asked))
    lines = [line.removeprefix("- ") for block in blocks for line in block.splitlines() if line.startswith("- ")]
    said = [(line, VERBATIM.fullmatch(line)) for line in lines]
    texts = [found[2] if found else line for line, found in said if not found or found[1] == "user"]
    return [text for text in texts if not all(map(is_question, sentences(text)))]


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + '…'}”"
