import asyncio
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from pi_memory.focus_file.watcher import DELAY, Watcher

QUIET = DELAY + 0.1
"""Seconds after which nothing more is reported."""


def reports(path: Path, act: Callable[[], object], *, observer: Callable[[], BaseObserver] = Observer) -> int:
    """How often a change is reported for what `act` does."""

    async def run() -> int:
        seen: list[str] = []
        watcher = Watcher(path, lambda: seen.append("x"), observer=observer)
        watcher.start()
        await asyncio.sleep(0.05)
        act()
        await asyncio.sleep(QUIET)
        for _ in range(50 if observer is not Observer else 0):
            await asyncio.sleep(0 if seen else 0.1)
        watcher.stop()
        return len(seen)

    return asyncio.run(run())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "FOCUS.md"
    path.parent.mkdir()
    path.write_text("one")
    return path


def write(path: Path) -> None:
    path.write_text("two")


def replace(path: Path) -> None:
    new = path.with_name(".FOCUS.md.swp")
    new.write_text("two")
    new.replace(path)


def save_like_vim(path: Path) -> None:
    backup = path.with_name("FOCUS.md~")
    path.rename(backup)
    path.write_text("two")
    backup.unlink()


def write_in_pieces(path: Path) -> None:
    with path.open("w") as file:
        for piece in "abc":
            file.write(piece)
            file.flush()


def touch_other(path: Path) -> None:
    path.with_name("NOTES.md").write_text("x")


@pytest.mark.parametrize(
    ("act", "times"),
    [
        (write, 1),
        (write_in_pieces, 1),
        (replace, 1),
        (save_like_vim, 1),
        (lambda path: path.unlink(), 1),
        (lambda path: path.chmod(0o600), 0),
        (lambda path: path.read_text(), 0),
        (touch_other, 0),
    ],
)
def test_a_save_is_reported_once_and_nothing_else_is(path: Path, act: Callable[[Path], object], times: int) -> None:
    assert reports(path, lambda: act(path)) == times


def test_a_directory_that_comes_back_is_watched_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        changed = asyncio.Event()
        watcher = Watcher(path, changed.set)
        watcher.start()
        for vanish in (shutil.rmtree, lambda directory: directory.rename(directory.with_name("away"))):
            vanish(path.parent)
            await asyncio.wait_for(changed.wait(), 5)
            changed.clear()
            path.parent.mkdir()
            await asyncio.wait_for(changed.wait(), 5)
            await asyncio.sleep(QUIET)
            changed.clear()
            write(path)
            await asyncio.wait_for(changed.wait(), 5)
            await asyncio.sleep(QUIET)
            changed.clear()
        watcher.stop()

    with caplog.at_level(logging.INFO):
        asyncio.run(run())
    assert "does not exist" in caplog.text


def test_a_directory_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "FOCUS.md"

    async def run() -> None:
        changed = asyncio.Event()
        watcher = Watcher(path, changed.set)
        watcher.start()
        path.parent.mkdir(parents=True)
        await asyncio.wait_for(changed.wait(), 5)
        watcher.stop()

    asyncio.run(run())


def no_inotify() -> BaseObserver:
    raise OSError(28, "inotify watch limit reached")


def test_without_inotify_the_directory_is_polled(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert reports(path, lambda: path.write_text("longer than before"), observer=no_inotify) == 1
    assert "inotify watch limit reached" in caplog.text


def test_what_keeps_the_watching_from_beginning_is_tried_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made: list[Callable[[], BaseObserver]] = [no_thread, no_thread, Observer]

    async def run() -> None:
        changed = asyncio.Event()
        watcher = Watcher(path, changed.set, observer=lambda: made.pop(0)())
        watcher.start()
        await asyncio.wait_for(changed.wait(), 10)
        await asyncio.sleep(QUIET)
        changed.clear()
        write(path)
        await asyncio.wait_for(changed.wait(), 5)
        watcher.stop()

    asyncio.run(run())
    assert caplog.text.count("no thread to be had") == 1


def no_thread() -> BaseObserver:
    raise RuntimeError("no thread to be had")


def test_a_real_polling_observer_does(path: Path) -> None:
    assert reports(path, lambda: replace(path), observer=lambda: PollingObserver(timeout=0.5)) == 1


def test_starting_and_stopping_twice_is_once(path: Path) -> None:
    async def run() -> None:
        seen: list[str] = []
        watcher = Watcher(path, lambda: seen.append("x"))
        watcher.stop()
        for _ in range(2):
            watcher.start()
        write(path)
        await asyncio.sleep(QUIET)
        for _ in range(2):
            watcher.stop()
        write(path)
        await asyncio.sleep(QUIET)
        assert seen == ["x"]

    asyncio.run(run())


def test_a_file_that_is_written_all_the_time_is_reported_meanwhile(path: Path) -> None:
    async def run() -> None:
        changed = asyncio.Event()
        watcher = Watcher(path, changed.set, longest=2 * DELAY)
        watcher.start()
        for _ in range(20):
            write(path)
            await asyncio.sleep(DELAY / 4)
            if changed.is_set():
                break
        assert changed.is_set()
        watcher.stop()

    asyncio.run(run())
