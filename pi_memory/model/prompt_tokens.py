"""Messages to token ids, with a prefix that never changes.

The template's literals are tokenised with control tokens on, messages with control tokens off, and the two are spliced:
content cannot forge a role. Each part always gives the same ids, and a reply the ids that were generated for it.
"""

import logging
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Protocol

from msgspec.structs import replace

from pi_memory.model.chat_template import TAGS, XML, Form, UnusableTemplate, learn
from pi_memory.model.detokenizer import Detokenizer
from pi_memory.text import role_markers
from pi_memory.types import Message

Tokens = list[int]

logger = logging.getLogger(__name__)

MOST_CHARACTERS_PER_TOKEN = 64
"""A text with more characters than this for each token of the context cannot fit, and is not tokenised."""


REMEMBERED_TOKENS = 100_000
"""Most cached ids of texts, and of generated replies."""


class Words(Protocol):
    """The part of a `Vocabulary` that is used here."""

    bos: int | None
    bos_text: str
    eos_text: str
    chat_template: str | None

    def tokenise(self, text: str, *, special: bool, continues: bool = False) -> Tokens: ...

    def ordinary(self, text: str) -> str: ...

    def ends(self, token: int) -> bool: ...


class PromptTokens:
    """Tokenises prompts. `stops` are the texts that end a reply besides the model's own end token."""

    def __init__(self, words: Words, *, context_tokens: int, now: datetime) -> None:
        self._words = words
        self._most_characters = MOST_CHARACTERS_PER_TOKEN * context_tokens
        self._form, markers = _form(words, now)
        self._markers = re.compile("|".join(map(re.escape, markers))) if markers else None
        self._texts, self.replies = EvaluatedPrompt(), EvaluatedPrompt()
        # Some models spell their own end token with ordinary ones (seen in a story model).
        ends = (text for text in (words.bos_text, words.eos_text) if text.startswith("<|") and text.endswith("|>"))
        self.stops = self._form.stops + tuple(ends)

    def prompt(self, messages: Sequence[Message]) -> Tokens:
        """Ids of the whole prompt, up to where the reply begins. At least one."""
        tokens: Tokens = []
        for part, message in self._parts(messages):
            self._add_literal(tokens, part)
            if message is not None:
                self._add_content(tokens, message)
        return tokens

    def prefix(self, messages: Sequence[Message]) -> Tokens:
        """Ids of the beginning of every prompt in which the user continues `messages`."""
        tokens: Tokens = []
        *_, (closing, last), _ = parts = list(self._parts([*messages, Message("user", "")]))
        for part, message in parts[:-2]:
            self._add_literal(tokens, part)
            if message is not None:
                self._add_content(tokens, message)
        self._add_literal(tokens, closing)
        if last is not None and last.text:
            self._add_content(tokens, last)  # a system text, of a model that knows no system role
        return tokens

    def answer(self, text: str, *, after: Tokens) -> Tokens:
        """Ids of `text` as the model would reply it to the prompt `after`, with the end token."""
        reply = self._content(text, continues=not self._words.ends(after[-1]))
        end = list(reply)
        self._add_literal(end, self._form.closing)
        return end[: len(reply) + 1]

    def count(self, text: str) -> int:
        """Tokens of a piece of content. For a text that cannot fit, a high estimate."""
        return len(self._content(text, continues=True)) if self._may_fit(text) else len(text) // 4

    def count_prompt(self, messages: Sequence[Message]) -> int:
        too_long = sum(len(m.text) // 4 for m in messages if not self._may_fit(m.text))
        return len(self.prompt([m for m in messages if self._may_fit(m.text)])) + too_long

    def remember(self, reply: Detokenizer, text: str) -> None:
        """Cache the ids that were generated for `text`, the shown part of `reply`."""
        tokens, covered = reply.tokens(len(text))
        rest = self._words.tokenise(text[covered:], special=False, continues=True) if covered < len(text) else []
        if text:
            self.replies.put(text, tokens + rest)

    def generated(self, messages: Sequence[Message]) -> dict[str, Tokens]:
        """The replies among `messages` with cached generated ids, for `recall`."""
        replies = {m.content: self.replies.get(m.content) for m in messages if m.role == "assistant"}
        return {text: ids for text, ids in replies.items() if ids}

    def recall(self, replies: Mapping[str, Tokens]) -> None:
        for text, ids in replies.items():
            self.replies.put(text, ids)

    @property
    def form(self) -> str:
        """The form of the template, in one line, for the log."""
        return repr(self._form)

    def _parts(self, messages: Sequence[Message]) -> Iterator[tuple[str, Message | None]]:
        """Each literal with the message behind it, the last one with none."""
        form, before = self._form, ""
        literals = {
            ("", "system"): form.system or "",
            ("", "user"): form.first,
            ("system", "user"): form.after_system,
            ("user", "assistant"): form.opening,
            ("assistant", "user"): form.closing,
        }
        for message in _alternating(messages, system=form.system is not None):
            yield literals[before, message.role], message
            before = message.role
        yield form.opening, None

    def _add_literal(self, tokens: Tokens, literal: str) -> None:
        key = f"literal {literal}"
        ids = self._texts.get(key)
        if ids is None:
            ids = self._texts.put(key, self._words.tokenise(literal, special=True, continues=bool(tokens)))
        bos = self._words.bos
        if not tokens and bos is not None:
            # Exactly once, whether the template writes it, the tokeniser adds it, or both.
            ids = [bos, *ids[next((i for i, token in enumerate(ids) if token != bos), len(ids)) :]]
        tokens += ids

    def _add_content(self, tokens: Tokens, message: Message) -> None:
        generated = self.replies.get(message.content) if message.role == "assistant" else None
        if generated is not None:
            tokens += generated
            return
        continues = bool(tokens) and not self._words.ends(tokens[-1])
        tokens += self._content(message.text, continues=continues)

    def _content(self, text: str, *, continues: bool) -> Tokens:
        key = f"{'continues' if continues else 'begins'} {text}"
        ids = self._texts.get(key)
        return ids or self._texts.put(
            key, self._words.tokenise(self._harmless(text), special=False, continues=continues)
        )

    def _harmless(self, text: str) -> str:
        """`text` with role markers changed that are mere text and no control tokens.

        They become HTML entities: a model still reads what was meant, and every vocabulary can write them.
        """
        return self._markers.sub(lambda found: role_markers.entity(found[0]), text) if self._markers else text

    def _may_fit(self, text: str) -> bool:
        return len(text) <= self._most_characters


class EvaluatedPrompt:
    """A thread-safe LRU cache of token ids by text, of at most `REMEMBERED_TOKENS` ids.

    Long prompts are tokenised off the event loop.
    """

    def __init__(self, most: int = REMEMBERED_TOKENS) -> None:
        self._most = most
        self._ids: dict[str, array[int]] = {}
        self._size = 0
        self._changing = Lock()

    def get(self, text: str) -> Tokens | None:
        with self._changing:
            ids = self._ids.pop(text, None)
            if ids is None:
                return None
            self._ids[text] = ids
        return list(ids)

    def put(self, text: str, tokens: Tokens) -> Tokens:
        """Returns `tokens`."""
        ids = array("i", tokens)
        with self._changing:
            self._size += len(ids) - len(self._ids.pop(text, ()))
            self._ids[text] = ids
            while self._size > self._most:
                self._size -= len(self._ids.pop(next(iter(self._ids))))
        return tokens


def _form(words: Words, now: datetime) -> tuple[Form, tuple[str, ...]]:
    """The form of the model's template, and the markers in it that are mere text."""
    if not words.chat_template:
        return XML, TAGS
    try:
        form = learn(words.chat_template, bos=words.bos_text, eos=words.eos_text, now=now)
    except UnusableTemplate as error:
        logger.warning("The model's chat template cannot be used (%s): <user> and <assistant> tags are used", error)
        return XML, TAGS
    markers = tuple(_markers(words, form))
    # A thought that a model begins against its template is better shown than taken for the end.
    return replace(form, stops=tuple(marker for marker in markers if "think" not in marker)), markers


def _markers(words: Words, form: Form) -> Iterator[str]:
    """Lines of the template that look like a role marker and are not control tokens: `<|user|>`, `USER:`, `[INST]`."""
    literals = (form.first, form.opening, form.closing, form.system or "", form.after_system)
    lines = {line.strip() for literal in literals for line in words.ordinary(literal).splitlines()}
    for line in sorted(lines, key=lambda line: (-len(line), line)):
        if 2 < len(line) <= 40 and (line.endswith(":") or not (line[0].isalnum() or line[0].isspace())):
            yield line


def _alternating(messages: Sequence[Message], *, system: bool) -> Iterator[Message]:
    """The messages with the system first, if the model has that role, then user and assistant in turn, a user last.
    Neighbours of one role are joined.
    """
    merged: list[Message] = []
    for message in messages:
        folded = message if message.role != "system" or (system and not merged) else replace(message, role="user")
        if folded.role == "assistant" and (not merged or merged[-1].role == "system"):
            merged.append(Message("user", ""))
        if merged and merged[-1].role == folded.role:
            merged[-1] = Message(folded.role, f"{merged[-1].text}\n\n{folded.text}")
        else:
            merged.append(folded)
    if not merged or merged[-1].role != "user":
        merged.append(Message("user", ""))
    yield from merged
