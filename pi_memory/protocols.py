"""Protocols of the parts that a turn needs: a clock, a chat model, an embedder."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

from pi_memory.types import AS_SET, AnswerForm, Count, Message, Purpose, ReplyOptions, Usage, Vectors


class Clock(Protocol):
    def __call__(self) -> float:
        """Unix time in seconds; `time.time` is one."""
        ...


class Model(Protocol):
    """Who does the talking. Implementations: `model/local.py`, `model/remote.py`, `model/extractive.py`."""

    @property
    def name(self) -> str:
        """What to show as the model's name, such as a file's stem."""
        ...

    @property
    def provider(self) -> str:
        """`llama`, `openai` or `extractive`."""
        ...

    @property
    def context_tokens(self) -> int:
        """Most tokens of a prompt and its reply together."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a piece of content, without any role markers."""
        ...

    def count_prompt(self, messages: Sequence[Message]) -> int:
        """Tokens of the whole prompt as `generate` would submit it."""
        ...

    def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        """Yield the reply's pieces as they arrive (never empty, never half a character), then one `Usage`.

        At most `max_tokens` tokens are generated, whatever `options` say. Closing the generator, or cancelling
        the task that iterates it, stops the model within one token or one micro-batch, also while the prompt is
        being evaluated, and leaves it ready for the next call.

        Raises `ModelError` when the model or its server fails, `Unprocessable` when the prompt and
        `max_tokens` do not fit into `context_tokens`, or it can follow no schema.
        """
        ...

    @property
    def is_language_model(self) -> bool:
        """Whether it can `choose` and `write`. Without, its replies only quote what the user said."""
        ...

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        """Which of `labels` (at least one) is the likeliest answer to `instruction`, the next message after `messages`.

        Where the context has no room for all messages, it sees the system's and the newest exchange alone. It gives
        way to chats, and stops when the task that awaits it does; so does `write`. Raises `ModelError`, also when it is
        no language model, and `Unprocessable` when not even that fits.
        """
        ...

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        """The answer to `instruction` in a form, at most `cap` tokens; cut off where the cap ends it.

        Where the context has no room for all messages, the newest exchanges are left out. Raises as `choose` does, and
        `ValueError` for a malformed grammar.
        """
        ...

    @property
    def steps(self) -> int | None:
        """Steps that the model's thread has done so far; None while it has nothing to do, or there is none."""
        ...

    @property
    def keeps_prefixes(self) -> bool:
        """Whether `prepare`, `save` and `unsave` do anything: only where what was evaluated stays in this process."""
        ...

    def prepare(self, messages: Sequence[Message]) -> None:
        """Have what the user says next to `messages` find them evaluated; done while nobody waits for anything."""
        ...

    async def save(self, beginning: Sequence[Message], conversations: Sequence[Sequence[Message]]) -> None:
        """Keep what is evaluated of these for the next start: what new conversations begin with, and those alive,
        the most important first."""
        ...

    def unsave(self) -> None:
        """Erase what was kept: the user wants something of it forgotten."""
        ...

    @property
    def counts(self) -> Mapping[Purpose, Count]:
        """Tokens by purpose since the start; empty where they are not known."""
        ...

    async def problem(self) -> str | None:
        """What keeps it from replying and what to do about it, None when nothing does. Answers within seconds."""
        ...

    async def close(self) -> None:
        """Stop what is running and free the memory. Idempotent."""
        ...


class Embedder(Protocol):
    """Text to vectors. Implementations in `embedding/`: `gguf.py`, `sentence_transformers.py`, `none.py`."""

    @property
    def id(self) -> str:
        """Names the vector space, so that vectors of different models are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 when there is no embedder and words must do."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of unit length, float32, shape (len(texts), dimensions). Raises `EmbedderError`."""
        ...

    async def close(self) -> None:
        """Free the memory. Idempotent."""
        ...
