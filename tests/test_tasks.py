"""Work that nobody waits for goes on, whatever it raises."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from pi_memory import tasks
from pi_memory.errors import NotSaved, StoreError
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.tasks import BackgroundWorker
from pi_memory.types import Vectors
from tests.conftest import Client, Daemon
from tests.fakes import FakeEmbedder, FakeModel
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "FIRST_PAUSE", 0.01)


@pytest.mark.breaks
def test_work_that_fails_is_done_again(caplog: pytest.LogCaptureFixture) -> None:
    left = [StoreError("The disk is full"), RuntimeError("odd")]

    async def work() -> None:
        if left:
            raise left.pop()

    asyncio.run(tasks.until_done("Tidying up", work))
    assert not left
    assert "Tidying up failed: The disk is full" in caplog.text
    assert "RuntimeError: odd" in caplog.text


def test_a_stop_is_no_failure() -> None:
    async def main() -> None:
        task = asyncio.create_task(tasks.until_done("Waiting", asyncio.Event().wait))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def working(work: Callable[[], Awaitable[None]], use: Callable[[BackgroundWorker], Awaitable[None]]) -> None:
    """Use a worker that has been started."""

    async def main() -> None:
        worker = BackgroundWorker("Tidying up", work)
        worker.start()
        await use(worker)
        await worker.stop()

    asyncio.run(main())


@pytest.mark.breaks
def test_a_worker_works_at_the_start_and_when_it_is_woken_whatever_it_raised(caplog: pytest.LogCaptureFixture) -> None:
    failing: list[Exception | None] = [NotSaved("The disk is full"), RuntimeError("odd"), None]
    done: list[None] = []

    async def work() -> None:
        if error := failing.pop():
            raise error
        done.append(None)

    async def use(worker: BackgroundWorker) -> None:
        await worker.drain()
        assert len(done) == 1
        for _ in range(2):
            worker.wake()
            await worker.drain()

    working(work, use)
    assert not failing
    assert caplog.text.count("Tidying up failed") == 1, "the database has logged what is not saved"


def test_a_worker_that_is_woken_at_work_does_it_once_more() -> None:
    began: list[asyncio.Event] = []

    async def work() -> None:
        began.append(asyncio.Event())
        await began[-1].wait()

    async def use(worker: BackgroundWorker) -> None:
        await asyncio.sleep(0)
        for _ in range(3):
            worker.wake()
        began[0].set()
        drained = asyncio.create_task(worker.drain())
        while len(began) < 2:  # noqa: ASYNC110 - until the second has begun
            await asyncio.sleep(0)
        assert not drained.done()
        began[1].set()
        await drained
        assert len(began) == 2

    working(work, use)


def save(file: Path, name: str) -> None:
    file.write_text(file.read_text() + f"\n- **{name}**\n")


def topics(client: Client) -> set[str]:
    return {topic["topic"] for topic in client.get("/focus").json()["topics"]}


@pytest.mark.breaks
def test_the_focus_file_is_watched_on_when_reading_it_failed(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = daemon()
    client.put("/focus/garden", json={}).raise_for_status()
    focus, file = client.parts.focus, client.parts.settings.focus_file

    async def odd() -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(focus, "read_file", odd)
        save(file, "kitchen")
        eventually(lambda: "Reading the focus file failed" in caplog.text)
    save(file, "cellar")
    eventually(lambda: topics(client) == {"garden", "kitchen", "cellar"})


class SlowStarter(FakeEmbedder):
    """An embedder that fails the first times it is asked."""

    def __init__(self) -> None:
        self.failures = 3

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.failures:
            self.failures -= 1
            raise ZeroDivisionError
        return await super().embed(texts)


@pytest.mark.breaks
def test_the_better_tagger_is_looked_for_again(daemon: Daemon) -> None:
    embedder = SlowStarter()
    client = daemon(embedder=embedder)
    eventually(lambda: client.parts.tagger.now.places is not None)
    assert embedder.failures == 0


@pytest.mark.breaks
def test_what_conversations_begin_with_is_evaluated_though_it_failed_first(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    left = [ZeroDivisionError()]

    async def warm(self: object) -> None:
        if left:
            raise left.pop()
        logging.getLogger(__name__).warning("It is warm")

    monkeypatch.setattr("pi_memory.chat.prefill.Prefill.warm", warm)
    daemon(model=FakeModel())
    eventually(lambda: "It is warm" in caplog.text)
    assert "Evaluating what conversations begin with failed" in caplog.text


def unembedded(client: Client) -> int:
    async def count() -> int:
        query = "select count(*) from passages where vectors is null"
        return await client.parts.db.read(lambda db: int(db.execute(query).fetchone()[0]))

    assert client.portal is not None
    return client.portal.call(count)


@pytest.mark.breaks
def test_messages_get_their_vectors_though_loading_failed_first(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = daemon()
    first.post("/chat", json={"message": "The pump is in the cellar", "conversation_id": "c"}).raise_for_status()
    first.settle()
    assert unembedded(first)
    first.stop()
    load, left = MessageIndex._load, [ZeroDivisionError(), StoreError("The disk is full")]

    async def failing(self: MessageIndex, space: int | None) -> None:
        if space is not None and left:
            raise left.pop()
        await load(self, space)

    monkeypatch.setattr(MessageIndex, "_load", failing)
    second = daemon(embedder=FakeEmbedder())
    eventually(lambda: not unembedded(second))
