"""Stand-ins for the slow parts. Each runs in the contract suite of what it stands in for, so that it cannot lie."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Sequence

import numpy as np

from pi_memory.embedding.reading import Purpose, Text
from pi_memory.embedding.token_codes import Tokens, project
from pi_memory.errors import Unprocessable
from pi_memory.model.no_prefix import KeepsNothing
from pi_memory.retrieval.search import SearchRequest
from pi_memory.types import AS_SET, AnswerForm, Message, Recalled, ReplyOptions, Usage, Vectors


class FakeClock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_771_770_600.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def pass_time(self, *, days: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        self.now += days * 86_400 + minutes * 60 + seconds


def already() -> asyncio.Event:
    """An event that has come."""
    event = asyncio.Event()
    event.set()
    return event


async def nothing(request: SearchRequest) -> list[Recalled]:
    """A search that finds nothing."""
    return []


class FakeModel(KeepsNothing):
    """A model that says `replies` in turn, word by word, and remembers the prompts. It chooses the first label, and
    writes what it would say.

    With `gate` it waits before each word after the first until the gate is open.
    """

    name = "fake"
    provider = "fake"
    is_language_model = True
    context_tokens = 4096

    def __init__(self, *replies: str, gate: asyncio.Event | None = None) -> None:
        self.prompts: list[list[Message]] = []
        self.options: list[ReplyOptions] = []
        self.words_said = 0
        self._replies = list(replies) or ["This is a reply."]
        self._gate = gate

    def count(self, text: str) -> int:
        return len(text.split())

    def count_prompt(self, messages: Sequence[Message]) -> int:
        return sum(self.count(message.text) for message in messages)

    def _check_fits(self, messages: Sequence[Message], room: int) -> None:
        if self.count_prompt(messages) + room > self.context_tokens:
            raise Unprocessable("message: it does not fit", hint="Send a shorter message.")

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        self._check_fits(messages, max_tokens)
        self.prompts.append(list(messages))
        self.options.append(options)
        reply = self._replies[(len(self.prompts) - 1) % len(self._replies)]
        for stop in options.stops:
            reply = reply.partition(stop)[0]
        pieces = [word + " " for word in reply.split()[:max_tokens]]
        for number, piece in enumerate(pieces):
            if number and self._gate is not None:
                await self._gate.wait()
            await asyncio.sleep(0)
            self.words_said += 1
            yield piece
        count = self.count_prompt(messages)
        yield Usage(prompt_tokens=count, evaluated_tokens=count, completion_tokens=len(pieces))

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        self._check_fits([*messages, Message("user", instruction)], 0)
        return labels[0]

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        prompt = [*messages, Message("user", instruction)]
        return "".join([p async for p in self.generate(prompt, max_tokens=cap) if isinstance(p, str)])

    async def problem(self) -> str | None:
        return None

    async def close(self) -> None:
        pass


class FakeEmbedder:
    """Vectors from the words of a text: texts that share words are near each other."""

    id = "fake"
    dimensions = 64

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimensions), 1e-6, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, hashlib.sha256(word.encode(errors="replace")).digest()[0] % self.dimensions] += 1
        normal: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return normal

    async def close(self) -> None:
        pass


class FakeReader(FakeEmbedder):
    """Reads of a pair the words that the first has and the second lacks, of one text all."""

    id = "fake-reader"

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        others = [" ".join(rest).split() for _, *rest in texts]
        left = [[w for w in text[0].split() if w not in other] for text, other in zip(texts, others, strict=True)]
        return await self.embed([*map(" ".join, left)])


class FakeTokenEmbedder(FakeEmbedder):
    """Tokens of words: each word has a vector of its own, wherever it stands."""

    id = "fake-tokens"

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        return await self.embed(texts), [self.tokens(text) for text in texts]

    def tokens(self, text: str) -> Tokens:
        words = tuple(text.lower().split())
        seeds = [int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) for word in words]
        vectors = [np.random.default_rng(seed).standard_normal(self.dimensions, np.float32) for seed in seeds]
        return Tokens(tuple(seeds), words, project(np.reshape(vectors, (len(words), self.dimensions))))
