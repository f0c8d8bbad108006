"""A GGUF in this process. One thread computes; the event loop only passes on what it sends."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Self

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.context import Size
from pi_memory.model.engine import Cancelled, Engine
from pi_memory.model.ledger import Ledger
from pi_memory.model.reply import Reply
from pi_memory.model.sampling import Sampling
from pi_memory.turn import Message, Usage

Finished = Future[Usage]


class LocalModel:
    """See `Model`. Calls are answered one after another, first come first served."""

    provider = "llama"

    def __init__(self, engine: Engine, *, name: str, now: datetime, sampling: Sampling | None = None) -> None:
        self.name = name
        self.context_tokens = engine.context_tokens
        self._engine = engine
        self._ledger = Ledger(engine.vocabulary, context_tokens=engine.context_tokens, now=now)
        self._sampling = sampling or Sampling()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._lock = threading.Lock()
        self._current: _Job | None = None
        self._closed = False

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
        engine = Engine(path, Size(context_tokens=context_tokens, threads=threads))
        sampling = Sampling(temperature=temperature, seed=seed)
        return cls(engine, name=path.stem, now=datetime.now().astimezone(), sampling=sampling)

    def count(self, text: str) -> int:
        return self._open_ledger().count(text)

    def count_prompt(self, messages: Sequence[Message]) -> int:
        return self._open_ledger().count_prompt(messages)

    async def generate(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncGenerator[str | Usage, None]:
        self._check(messages, max_tokens)
        job = _Job(self._ledger.prompt(messages), max_tokens=max_tokens, stops=self._ledger.stops)
        self._thread.submit(self._run, job).add_done_callback(job.send)
        received = ""
        try:
            while isinstance(item := await job.received.get(), str):
                received += item
                yield item
            yield item.result()
        finally:
            # Nothing is awaited here: when the client has left, it would only be cancelled again.
            self._leave(job)
            if not self._closed:
                self._ledger.remember(job.reply, received)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with self._lock:
            if self._current is not None:
                self._current.left = True
                self._engine.cancel()
        last = self._thread.submit(lambda: None)
        self._thread.shutdown(wait=False)
        await asyncio.wrap_future(last)
        # Not on the thread: what tokenises is on this one, and must not do so meanwhile.
        self._engine.close()

    def _check(self, messages: Sequence[Message], max_tokens: int) -> None:
        tokens = self.count_prompt(messages)
        if tokens + max_tokens > self.context_tokens:
            raise Unprocessable(
                f"message: {tokens} tokens and a reply of {max_tokens} do not fit into a context of "
                f"{self.context_tokens}",
                hint="Send a shorter message, or raise CTX_TOKENS if the model was trained on more.",
            )

    def _open_ledger(self) -> Ledger:
        if self._closed:
            raise _closed()
        return self._ledger

    def _leave(self, job: "_Job") -> None:
        """Stop the job, whether it computes or waits. Does nothing to another one."""
        job.left = True
        with self._lock:
            if self._current is job:
                self._engine.cancel()

    def _run(self, job: "_Job") -> Usage:
        """On the thread: the whole of a reply."""
        with self._lock:
            if self._closed:
                raise _closed()
            self._current = job
            self._engine.resume()
        try:
            return self._reply(job)
        except Cancelled:
            raise _closed() from None  # seen only by a client that has not left
        finally:
            with self._lock:
                self._current = None

    def _reply(self, job: "_Job") -> Usage:
        engine, reply = self._engine, job.reply
        if job.left:
            raise Cancelled
        sequence = engine.sequence_for(job.prompt)
        evaluated = engine.prefill(sequence, job.prompt)
        made = 0
        with closing(engine.generate(sequence, self._sampling, cap=job.max_tokens)) as tokens:
            for token in tokens:
                made += 1
                job.send(reply.add(token, engine.vocabulary.piece(token)))
                if reply.stopped or job.left:
                    break
        job.send(reply.finish())
        return Usage(prompt_tokens=len(job.prompt), evaluated_tokens=evaluated, completion_tokens=made)


class _Job:
    """One reply under way: what is asked, and the way back to the event loop that waits for it.

    What has been sent waits in `received`: never more than `max_tokens` tokens of text.
    """

    def __init__(self, prompt: list[int], *, max_tokens: int, stops: Sequence[str]) -> None:
        self.prompt = prompt
        self.max_tokens = max_tokens
        self.reply = Reply(stops)
        self.received: asyncio.Queue[str | Finished] = asyncio.Queue()
        self.left = False
        self._loop = asyncio.get_running_loop()

    def send(self, item: str | Finished) -> None:
        """From any thread."""
        if not item:
            return
        # The loop is closed when the client went with it.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.received.put_nowait, item)


def _closed() -> ModelError:
    return ModelError("The model is closed", hint="The daemon is stopping; start it again.")
