"""A GGUF in this process. One thread computes; the event loop only forwards what it sends."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

from pi_memory.errors import Unprocessable
from pi_memory.model import jobs
from pi_memory.model.detokenizer import Detokenizer
from pi_memory.model.engine import Cancelled, Engine
from pi_memory.model.json_schema import grammar_of
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.prompt_tokens import PromptTokens, Tokens
from pi_memory.model.sampling import Sampling, wanted
from pi_memory.model.saved_state import Held, Saved, SavedStates
from pi_memory.model.scheduler import Job, Left, Rank, Scheduler, Steps, closed
from pi_memory.model.truncation import asked, newest, oldest
from pi_memory.types import AS_SET, AnswerForm, Count, Message, Purpose, ReplyOptions, Usage

T = TypeVar("T")
Finished = Future[Usage]

RANKS: dict[Purpose, Rank] = {"chat": Rank.CHAT, "choose": Rank.MEMORY, "write": Rank.MEMORY, "idle": Rank.IDLE}


class LocalModel:
    """See `Model`. What it is asked besides chats is appended to a fork of the conversation, whose tokens are evaluated
    already. Chats are answered one after another, first come first served; all else waits."""

    provider = "llama"
    is_language_model = True
    keeps_prefixes = True

    def __init__(
        self,
        engine: Engine,
        *,
        name: str,
        now: datetime,
        sampling: Sampling | None = None,
        states: SavedStates | None = None,
    ) -> None:
        """`states` is where `save` writes evaluated state; what is found there is restored."""
        self.name = name
        self.context_tokens = engine.context_tokens
        self.counts: dict[Purpose, Count] = {purpose: Count() for purpose in RANKS}
        self.engine = engine
        self.prompt_tokens = PromptTokens(engine.vocabulary, context_tokens=engine.context_tokens, now=now)
        self._sampling = sampling or Sampling()
        self.scheduler = Scheduler(interrupt=engine.cancel, proceed=engine.resume)
        self._closed = False
        self._states = states
        self._settings = f"{engine.build} {self.prompt_tokens.form}"
        self._begun: Tokens = []
        # Counts what was to be forgotten: a `save` that goes on meanwhile has read it before.
        self._forgotten = 0
        self.restored_tokens = 0
        if states is not None:
            self._restore(states)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        context_tokens: int = 4096,
        threads: int = 0,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Self:
        """Load a model; blocks for seconds. `threads` 0: one per core. Raises `ModelError`.

        A malformed file can abort the process: call `probe.trusted` first.
        """
        engine = Engine(path, ContextSize(context_tokens=context_tokens, threads=threads))
        sampling = Sampling(temperature=temperature, seed=seed)
        return cls(engine, name=path.stem, now=datetime.now().astimezone(), sampling=sampling)

    @property
    def steps(self) -> int | None:
        return self.scheduler.steps

    def count(self, text: str) -> int:
        return self._open_tokens().count(text)

    def count_prompt(self, messages: Sequence[Message]) -> int:
        return self._open_tokens().count_prompt(messages)

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        tokens = self._prompt(messages, max_tokens)
        rules = None if options.schema is None else await asyncio.to_thread(grammar_of, options.schema)
        reply = _Reply(tokens, max_tokens=max_tokens, stops=(*self.prompt_tokens.stops, *options.stops))
        job = self.scheduler.start(self._counted("chat", tokens, self._reply(reply, options, rules)), Rank.CHAT)
        job.done.add_done_callback(reply.send)
        received = ""
        try:
            while isinstance(item := await reply.received.get(), str):
                received += item
                yield item
            yield _result(item)
        finally:
            # Nothing is awaited here: when the client has left, it would only be cancelled again.
            self.scheduler.leave(job)
            if not self._closed:
                self.prompt_tokens.remember(reply.text, received)

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        opening = self._open_tokens().prompt([])
        spelled = {tuple(self.prompt_tokens.answer(label, after=opening)): label for label in labels}
        room = max(map(len, spelled))
        prompt = asked(newest(messages), instruction, lambda cut: self._prompt(cut, room))
        return await self._work("choose", prompt, jobs.choose(self.engine, prompt, spelled))

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        prompt = asked(oldest(messages), instruction, lambda cut: self._prompt(cut, cap))
        return await self._work("write", prompt, jobs.write(self.engine, prompt, form.grammar, cap))

    def prepare(self, messages: Sequence[Message]) -> None:
        tokens = [] if self._closed else self.prompt_tokens.prefix(messages)
        if tokens and len(tokens) < self.context_tokens:
            self.scheduler.start(self._counted("idle", tokens, jobs.prepare(self.engine, tokens)), Rank.IDLE)

    async def save(self, beginning: Sequence[Message], conversations: Sequence[Sequence[Message]]) -> None:
        if self._states is None:
            return
        ledger, forgotten = self._open_tokens(), self._forgotten
        begins = ledger.prefix(beginning)
        # What they begin with has changed if topics were found since the last one began.
        await self._work("idle", begins, jobs.complete(self.engine, begins))
        begun = await self._captured([begins])
        if begun and begun[0].tokens != self._begun:
            await self._write("beginning", Saved(begun))
        said = await self._captured([ledger.prefix(messages) for messages in conversations])
        if said and self._states.may_write():
            replies = ledger.generated([message for messages in conversations for message in messages])
            await self._write("conversations", Saved(said, replies))
        if forgotten != self._forgotten:
            self._states.erase()

    def unsave(self) -> None:
        self._forgotten += 1
        self._begun = []
        if self._states is not None:
            self._states.erase()

    async def problem(self) -> str | None:
        return None

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.scheduler.close()
        await asyncio.wrap_future(self.scheduler.ended)
        # Not on the thread: what tokenises is on this one, and must not do so meanwhile.
        self.engine.close()

    async def _captured(self, prompts: Sequence[Tokens]) -> list[Held]:
        most = self._states.most_bytes if self._states else 0
        return await self._done(self.scheduler.start(jobs.capture(self.engine, prompts, most), Rank.CHAT))

    async def _write(self, name: str, saved: Saved) -> None:
        if self._states is not None:
            await asyncio.to_thread(self._states.write, name, self._settings, saved)

    def _restore(self, states: SavedStates) -> None:
        """Restore saved state, before the scheduler runs."""
        beginning, said = (states.read(name, self._settings) for name in ("beginning", "conversations"))
        # What was said is not kept longer than it takes to go on with it.
        states.remove("conversations")
        self.prompt_tokens.recall(said.replies)
        # The least recently used gives way first.
        for held in [*beginning.sequences, *reversed(said.sequences)]:
            restored = self.engine.restore(held.tokens, held.state)
            self.restored_tokens += len(held.tokens) if restored else 0
        self._begun = next((held.tokens for held in beginning.sequences), [])

    def _prompt(self, messages: Sequence[Message], room: int) -> Tokens:
        """The token ids of a prompt. Raises `Unprocessable` when `room` tokens more do not fit."""
        tokens = self.count_prompt(messages)
        if tokens + room > self.context_tokens:
            raise _too_long(tokens, room, self.context_tokens)
        return self.prompt_tokens.prompt(messages)

    def _open_tokens(self) -> PromptTokens:
        if self._closed:
            raise closed()
        return self.prompt_tokens

    async def _work(self, purpose: Purpose, prompt: Tokens, steps: Steps[T]) -> T:
        return await self._done(self.scheduler.start(self._counted(purpose, prompt, steps), RANKS[purpose]))

    async def _done(self, job: Job[T]) -> T:
        """The result of a job. The job is left when the waiting task is cancelled."""
        try:
            return await asyncio.wrap_future(job.done)
        except (Cancelled, Left):
            raise closed() from None  # seen only by a caller that has not left
        finally:
            self.scheduler.leave(job)

    def _counted(self, purpose: Purpose, prompt: Tokens, steps: Steps[T]) -> Steps[T]:
        """On the thread: run a job and count its tokens."""
        count, engine = self.counts[purpose], self.engine
        count.submitted += len(prompt)
        with closing(steps):
            while True:
                evaluated, sampled = engine.evaluated, engine.sampled
                try:
                    next(steps)
                except StopIteration as end:
                    result: T = end.value
                    return result
                finally:
                    count.evaluated += engine.evaluated - evaluated
                    count.generated += engine.sampled - sampled
                yield

    def _reply(self, reply: "_Reply", options: ReplyOptions, rules: str | None) -> Steps[Usage]:
        """On the thread: the whole of a reply, by the grammar `rules` if there is one."""
        engine, made = self.engine, 0
        before = engine.evaluated
        sequence = engine.sequence_for(reply.prompt)
        engine.clear_for(sequence)
        yield from engine.steps(sequence, reply.prompt)
        evaluated = engine.evaluated - before
        if rules is None:
            drawn = engine.generate(sequence, wanted(self._sampling, options), cap=reply.max_tokens)
        else:
            drawn = jobs.drawn(engine, sequence, reply.prompt, rules, cap=reply.max_tokens)
        with closing(drawn) as tokens:
            for token in tokens:
                made += 1
                reply.send(reply.text.add(token, engine.vocabulary.piece(token)))
                if reply.text.stopped:
                    break
                yield
        reply.send(reply.text.finish())
        return Usage(prompt_tokens=len(reply.prompt), evaluated_tokens=evaluated, completion_tokens=made)


class _Reply:
    """A reply under way: the request, and the way back to the event loop that waits.

    Pieces that were sent wait in `received`: never more than `max_tokens` tokens of text.
    """

    def __init__(self, prompt: Tokens, *, max_tokens: int, stops: Sequence[str]) -> None:
        self.prompt = prompt
        self.max_tokens = max_tokens
        self.text = Detokenizer(stops)
        self.received: asyncio.Queue[str | Finished] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def send(self, item: str | Finished) -> None:
        """From any thread."""
        if not item:
            return
        # The loop is closed when the client went with it.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.received.put_nowait, item)


def _result(done: Future[T]) -> T:
    try:
        return done.result()
    except (Cancelled, Left):
        raise closed() from None  # seen only by a caller that has not left


def _too_long(tokens: int, room: int, most: int) -> Unprocessable:
    return Unprocessable(
        f"message: {tokens} tokens and a reply of {room} do not fit into a context of {most}",
        hint="Send a shorter message, or raise CTX_TOKENS if the model was trained on more.",
    )
