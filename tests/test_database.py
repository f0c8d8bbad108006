"""The database: groups, durability, restarts, and files in every bad state. Real files."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
import sqlite_utils

from pi_memory.errors import NotSaved, StartError, StoreError
from pi_memory.store import exchanges, migrations, sessions, state, writer
from pi_memory.store.database import GROUP_EXCHANGES, Database
from pi_memory.types import Exchange, ToolCall


def using(path: Path | None, work: Callable[[Database], Awaitable[object]], commit_seconds: float = 10.0) -> object:
    async def main() -> object:
        db = await Database.open(path, commit_seconds=commit_seconds, now=0.0)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(main())


def seen_from_outside(path: Path) -> int:
    with closing(sqlite3.connect(path)) as other:
        return int(other.execute("select count(*) from exchanges").fetchone()[0])


def exchange(n: int = 0) -> Exchange:
    return Exchange("c", f"question {n}", f"answer {n}", float(n))


async def add(db: Database, n: int = 0) -> int:
    return await db.put(lambda db: exchanges.add(db, exchange(n)))


def test_an_exchange_comes_back_as_it_was(tmp_path: Path) -> None:
    result = Exchange(
        "c", "süß", "re", 1.5, "", True, "proj", (ToolCall("read", {"path": "a.py"}),), ("a.py",), "activity"
    )

    async def work(db: Database) -> None:
        await db.write(lambda db: exchanges.add(db, result))
        assert await db.read(exchanges.inbox) == [(1, result)]

    using(tmp_path / "m.db", work)


def test_a_group_is_one_commit(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        for n in range(GROUP_EXCHANGES - 1):
            await add(db, n)
        assert seen_from_outside(path) == 0
        assert await db.read(lambda db: db["exchanges"].count) == GROUP_EXCHANGES - 1
        await add(db, 99)
        assert seen_from_outside(path) == GROUP_EXCHANGES

    using(path, work)


def test_a_burst_of_any_writes_is_committed_and_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    monkeypatch.setattr(writer, "MOST_WAITING", 10)

    async def work(db: Database) -> None:
        for n in range(25):
            await db.write(partial(state.put, key=f"key {n}", value="value"))
        assert await db.read(partial(state.get, key="key 24")) == "value"

    using(path, work)


def test_a_group_is_committed_when_its_time_is_up(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        await add(db)
        async with asyncio.timeout(10):
            while not seen_from_outside(path):  # noqa: ASYNC110 - another connection tells no event
                await asyncio.sleep(0.01)

    using(path, work, commit_seconds=0.05)


def test_a_durable_write_commits_at_once_and_takes_the_group_along(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        await add(db)
        await db.write(lambda db: state.put(db, "key", "value"), durable=True)
        assert seen_from_outside(path) == 1

    using(path, work)


def test_work_that_fails_leaves_nothing_and_the_group_goes_on(tmp_path: Path) -> None:
    def half(db: sqlite_utils.Database) -> None:
        state.put(db, "half", "done")
        raise sqlite3.IntegrityError("no")

    async def work(db: Database) -> None:
        await add(db)
        with pytest.raises(StoreError, match="no"):
            await db.write(half)
        assert await db.read(lambda db: state.get(db, "half")) is None

    using(tmp_path / "m.db", work)
    assert seen_from_outside(tmp_path / "m.db") == 1


def test_a_durable_write_is_durable_also_after_work_that_failed(tmp_path: Path) -> None:
    def broken(db: sqlite_utils.Database) -> None:
        raise sqlite3.IntegrityError("no")

    async def work(db: Database) -> None:
        with pytest.raises(StoreError):
            await db.write(broken)
        await db.write(lambda db: exchanges.add(db, exchange()), durable=True)
        assert seen_from_outside(tmp_path / "m.db") == 1
        await add(db)
        await db.checkpoint()
        assert (tmp_path / "m.db").stat().st_size > 512, "the log was moved into the file"

    using(tmp_path / "m.db", work)


def limit(pages: int) -> Callable[[sqlite_utils.Database], object]:
    """Makes the disk full, for this database."""
    return lambda db: db.execute(f"pragma max_page_count = {pages}").fetchall()


async def until(found: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not found():  # noqa: ASYNC110 - another connection tells no event
            await asyncio.sleep(0.01)


async def full(db: Database) -> None:
    pages = await db.read(lambda db: db.execute("pragma page_count").fetchone()[0])
    await db.read(limit(pages))


ROOM = limit(10_000)
BIG = Exchange("c", "x" * 100_000, "", 0.0)


def test_what_a_full_disk_refuses_is_stored_in_its_place_when_there_is_room(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        await add(db, 1)
        await db.flush()
        await full(db)
        waiting = db.put(lambda db: exchanges.add(db, BIG))
        with pytest.raises(NotSaved, match="full"):
            await db.flush()
        assert "nothing is saved" in str(db.problem)
        await db.read(ROOM)
        await add(db, 2)
        assert await waiting == 2
        assert [e.user[:10] for _, e in await db.read(exchanges.inbox)] == ["question 1", "x" * 10, "question 2"]
        await db.flush()
        assert db.problem is None

    using(tmp_path / "m.db", work)


def test_everything_that_waited_for_room_is_stored_in_order(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        pages = await db.read(lambda db: db.execute("pragma page_count").fetchone()[0])
        await db.read(limit(pages + 3))
        said = [Exchange("c", f"question {n} {'x' * 300}", "", float(n)) for n in range(40)]
        futures = [db.put(partial(exchanges.add, exchange=e)) for e in said]
        with pytest.raises(NotSaved):
            await db.flush()
        await db.read(ROOM)
        await db.flush()
        assert await asyncio.gather(*futures) == list(range(1, 41))
        assert [e for _, e in await db.read(exchanges.inbox)] == said

    using(tmp_path / "m.db", work)


def test_what_waits_is_committed_when_there_is_room_without_being_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(db: Database) -> None:
        await full(db)
        db.put(lambda db: exchanges.add(db, BIG))
        with pytest.raises(NotSaved):
            await db.flush()
        await db.read(ROOM)
        await until(lambda: db.problem is None)
        assert seen_from_outside(tmp_path / "m.db") == 1

    using(tmp_path / "m.db", work, commit_seconds=0.05)
    assert caplog.text.count("Nothing is saved") == caplog.text.count("can be written again") == 1


def test_a_durable_write_that_is_refused_is_not_kept_and_says_so(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        await full(db)
        with pytest.raises(NotSaved, match="Not saved"):
            await db.write(lambda db: exchanges.add(db, BIG), durable=True)
        await db.read(ROOM)
        await until(lambda: db.problem is None)
        assert await db.read(lambda db: db["exchanges"].count) == 0

    using(tmp_path / "m.db", work, commit_seconds=0.05)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program in the middle of a write."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        yield


def test_what_is_said_while_another_program_writes_is_stored_after_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        with locked(path):
            said = [db.put(partial(exchanges.add, exchange=exchange(n))) for n in range(3)]
            with pytest.raises(NotSaved, match="locked"):
                await db.write(lambda db: state.put(db, "key", "value"), durable=True)
            assert "locked" in str(db.problem)
        assert await asyncio.gather(*said) == [1, 2, 3]
        await until(lambda: db.problem is None)

    using(path, work, commit_seconds=0.05)
    assert seen_from_outside(path) == 3


def test_a_group_that_was_open_survives_a_lock_that_comes_after_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        await db.flush()
        with locked(path):
            waiting = db.put(partial(exchanges.add, exchange=exchange(1)))
            with pytest.raises(NotSaved):
                await db.flush()
        await add(db, 2)
        assert await waiting == 1

    using(path, work)
    assert seen_from_outside(path) == 2


def test_a_short_write_of_another_program_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        with locked(path):
            waiting = db.write(lambda db: exchanges.add(db, exchange()), durable=True)
            await asyncio.sleep(0.1)
        assert await waiting == 1
        assert db.problem is None

    using(path, work)


def test_work_that_fails_when_it_is_run_again_is_dropped_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runs: list[int] = []

    def once(db: sqlite_utils.Database) -> int:
        runs.append(1)
        if len(runs) > 1:
            raise sqlite3.IntegrityError("only once")
        return exchanges.add(db, exchange())

    async def work(db: Database) -> None:
        await db.put(once)
        await full(db)
        waiting = db.put(lambda db: exchanges.add(db, BIG))
        with pytest.raises(NotSaved):
            await db.flush()
        await db.read(ROOM)
        assert await waiting == 1
        assert "1 exchanges are lost" in str(db.problem)

    using(tmp_path / "m.db", work, commit_seconds=0.05)
    assert "dropped: only once" in caplog.text


def test_what_is_still_refused_at_the_end_counts_as_lost(tmp_path: Path) -> None:
    async def work(db: Database) -> Database:
        await full(db)
        db.put(lambda db: exchanges.add(db, BIG))
        return db

    db = using(tmp_path / "m.db", work)
    assert isinstance(db, Database)
    assert db.lost == 1


def test_a_database_of_somebody_else_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("create table sessions (mine text)")
    before = path.read_bytes()
    with pytest.raises(StartError, match="no database of pi-memory"):
        asyncio.run(Database.open(path))
    assert path.read_bytes()[100:] == before[100:]


def test_the_inbox_is_what_lies_behind_the_cursor(tmp_path: Path) -> None:
    async def first(db: Database) -> None:
        for n in range(3):
            await add(db, n)
        await db.write(lambda db: exchanges.processed(db, 2))

    async def second(db: Database) -> None:
        assert [number for number, _ in await db.read(exchanges.inbox)] == [3]

    using(tmp_path / "m.db", first)
    using(tmp_path / "m.db", second)


def test_pruning_spares_what_is_new_live_or_unprocessed(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        for n in range(4):
            await add(db, n)
        await db.write(lambda db: exchanges.processed(db, 2))
        live = partial(exchanges.prune, before=100, idle_since=0)
        assert await db.write(live) == 0
        await db.write(lambda db: sessions.end(db, "c", 5.0))
        assert await db.write(partial(exchanges.prune, before=0.5, idle_since=0)) == 1
        assert await db.write(live) == 1
        await db.write(lambda db: exchanges.processed(db, 4))
        assert await db.write(live) == 2
        assert await db.read(lambda db: db.execute("select id, user, reply from exchanges").fetchall()) == [(4, "", "")]
        assert await db.write(live) == 0
        assert await add(db, 9) == 5, "ids are not used twice"

    using(tmp_path / "m.db", work)


def test_a_session_that_nobody_ended_is_pruned_when_it_was_left_for_long(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        for n in range(2):
            await add(db, n)
        await db.write(lambda db: exchanges.processed(db, 2))
        assert await db.write(partial(exchanges.prune, before=100, idle_since=1)) == 0
        assert await db.write(partial(exchanges.prune, before=100, idle_since=50)) == 2

    using(tmp_path / "m.db", work)


def test_windows_are_those_of_our_conversations_that_have_not_ended(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        for n in range(4):
            await add(db, n)
        for name, source in (("agent", "activity"), ("over", "chat")):
            other = Exchange(name, "a", "b", 6.0, source=source)  # type: ignore[arg-type]
            await db.write(lambda db, other=other: exchanges.add(db, other))  # type: ignore[misc]
        await db.write(lambda db: sessions.end(db, "over", 7.0))
        windows = await db.read(lambda db: exchanges.windows(db, limit=2))
        assert windows == {"c": [exchange(2), exchange(3)]}

    using(tmp_path / "m.db", work)


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        db = await Database.open(tmp_path / "m.db")
        await db.close()
        await db.close()
        with pytest.raises(StoreError, match="closed"):
            await db.flush()

    asyncio.run(main())


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\x01" * 4_000, b"\0" * 8_192, b"SQLite", b""]
)
def test_a_damaged_file_is_put_aside_whole(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(content)

    async def work(db: Database) -> None:
        assert "put aside" in str(db.problem)
        await add(db)

    using(path, work)
    (aside,) = tmp_path.glob("m.db.corrupt-*")
    assert aside.read_bytes() == content
    assert seen_from_outside(path) == 1


def test_damage_inside_a_real_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def fill(db: Database) -> None:
        for n in range(200):
            await add(db, n)

    using(path, fill)
    data = bytearray(path.read_bytes())
    data[8192 : len(data) - 4096] = b"\x5a" * (len(data) - 12_288)
    path.write_bytes(data)

    async def work(db: Database) -> None:
        assert "put aside" in str(db.problem)

    using(path, work)


def test_a_newer_file_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"pragma user_version = {migrations.LATEST + 1}")
    before = path.read_bytes()
    with pytest.raises(StartError, match="newer release"):
        asyncio.run(Database.open(path))
    assert path.read_bytes() == before


def test_a_file_in_place_of_the_directory_gives_a_database_in_ram(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")

    async def work(db: Database) -> None:
        assert "nothing is saved" in str(db.problem)
        await add(db)
        assert len(await db.read(exchanges.inbox)) == 1

    using(tmp_path / "data" / "m.db", work)


def test_an_older_file_is_backed_up_before_it_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    using(path, add)
    step = (*migrations.MIGRATIONS, lambda db: db.execute("create table later (id integer)"))
    monkeypatch.setattr(migrations, "MIGRATIONS", step)
    monkeypatch.setattr("pi_memory.store.opening.LATEST", len(step))
    monkeypatch.setattr("pi_memory.store.opening.migrate", lambda db: migrations.migrate(db, to=len(step)))

    async def work(db: Database) -> None:
        assert "later" in await db.read(lambda db: db.table_names())

    using(path, work)
    with closing(sqlite3.connect(tmp_path / f"m.db.v{migrations.LATEST}.backup")) as backup:
        assert backup.execute("select count(*) from exchanges").fetchone() == (1,)


def test_work_that_is_queued_is_done_though_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    async def work(db: Database) -> None:
        busy = threading.Event()
        first = db.read(lambda db: busy.wait(10))
        queued = [
            asyncio.ensure_future(db.write(lambda db: exchanges.add(db, exchange()))),
            asyncio.ensure_future(db.write(lambda db: exchanges.add(db, exchange(2)), durable=True)),
            asyncio.ensure_future(db.put(lambda db: exchanges.add(db, exchange(3)))),
        ]
        await asyncio.sleep(0)
        for each in queued:
            each.cancel()
        await asyncio.gather(*queued, return_exceptions=True)
        busy.set()
        await first
        assert len(await db.read(exchanges.inbox)) == 3

    using(tmp_path / "m.db", work)
