"""Watches a file for saves by others. The only file that knows watchdog.

The directory is watched, not the file: an editor that saves by renaming a new file over the old one leaves a watch
behind on the old one. The parent directory is watched as well, because a directory does not report its own rename.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

DELAY = 0.2
"""Seconds without another event before a change is reported: a save is several events."""

LONGEST = 5 * DELAY
"""Seconds from the first event to the report, however many follow."""

POLL_SECONDS = LONGEST
"""Interval of polling where the system reports no changes."""

FILE_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirDeletedEvent,
]
DIRECTORY_EVENTS: list[type[FileSystemEvent]] = [DirCreatedEvent, DirMovedEvent, DirDeletedEvent]

logger = logging.getLogger(__name__)


class Watcher:
    """Calls `on_change` in the event loop after `path` was written, replaced, moved or deleted.

    A changed mode or owner is no change. Changes by this process are reported too. A missing directory is checked for
    once a second. A report comes after DELAY without an event, at most `longest` seconds after the first one.
    """

    def __init__(
        self,
        path: Path,
        on_change: Callable[[], None],
        *,
        observer: Callable[[], BaseObserver] = Observer,
        longest: float = LONGEST,
    ) -> None:
        self._path = path
        self._on_change = on_change
        self._make = observer
        self._observer: BaseObserver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._longest = longest
        self._pending: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._retry: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Watch until `stop`; must be called in the event loop. Idempotent."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._watch()

    def stop(self) -> None:
        """Report nothing any more. Idempotent."""
        self._loop = None
        self._release()
        for timer in (self._pending, self._retry):
            if timer is not None:
                timer.cancel()

    def _watch(self) -> None:
        directory = self._path.parent
        if not directory.is_dir():
            self._lost(f"{directory} does not exist")
            return
        try:
            self._observe_or_poll(directory)
        except Exception as error:
            # The edge of a background job, such as no thread to be had: it is tried again.
            logger.debug("While watching", exc_info=error)
            self._lost(f"{type(error).__name__}: {error}")

    def _observe_or_poll(self, directory: Path) -> None:
        try:
            self._observe(self._make())
        except OSError as error:
            if not directory.is_dir():
                self._lost(f"{directory} vanished")
                return
            logger.warning("Cannot watch %s (%s): looking every second instead", directory, error)
            from watchdog.observers.polling import PollingObserver

            self._observe(PollingObserver(timeout=POLL_SECONDS))

    def _observe(self, observer: BaseObserver) -> None:
        directory = self._path.parent
        observer.schedule(_Handler(self._saw_file), str(directory), event_filter=FILE_EVENTS)
        if directory.parent != directory:
            observer.schedule(_Handler(self._saw_directory), str(directory.parent), event_filter=DIRECTORY_EVENTS)
        observer.start()
        self._observer = observer

    def _release(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join()

    # In watchdog's thread.

    def _saw_file(self, event: FileSystemEvent) -> None:
        if isinstance(event, DirDeletedEvent):
            self._saw_directory(event)
        elif self._path.name in _names(event):
            self._call(self._changed)

    def _saw_directory(self, event: FileSystemEvent) -> None:
        if self._path.parent.name in _names(event):
            self._call(self._moved)

    def _call(self, function: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has closed meanwhile
                loop.call_soon_threadsafe(function)

    # In the event loop.

    def _changed(self) -> None:
        if self._loop is None:
            return
        now = self._loop.time()
        if self._pending is None:
            self._due = now + self._longest
        else:
            self._pending.cancel()
        self._pending = self._loop.call_at(min(now + DELAY, self._due), self._report)

    def _report(self) -> None:
        self._pending = None
        self._on_change()

    def _moved(self) -> None:
        """Watch the directory that is there now, after it went away or was replaced."""
        if self._loop is None:
            return
        self._release()
        self._changed()
        self._watch()

    def _lost(self, reason: str) -> None:
        if self._retry is None:
            logger.warning("Not watching %s: %s", self._path, reason)
        if self._loop is not None:
            self._retry = self._loop.call_later(POLL_SECONDS, self._look_again)

    def _look_again(self) -> None:
        if not self._path.parent.is_dir():
            self._lost("")
            return
        self._watch()
        if self._observer is not None:
            self._retry = None
            logger.info("Watching %s again", self._path)
            self._changed()


class _Handler(FileSystemEventHandler):
    def __init__(self, saw: Callable[[FileSystemEvent], None]) -> None:
        self._saw = saw

    def on_any_event(self, event: FileSystemEvent) -> None:
        try:
            self._saw(event)
        except Exception:
            # Raised here it would end watchdog's thread, and with it the watching.
            logger.exception("A change of a file could not be followed")


def _names(event: FileSystemEvent) -> tuple[str, str]:
    return Path(os.fsdecode(event.src_path)).name, Path(os.fsdecode(event.dest_path)).name
