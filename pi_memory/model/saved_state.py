"""KV state on disk: what sequences held at a clean stop, so that a start evaluates nothing again.

A file is `MAGIC`, the SHA-256 of what follows, and MessagePack of `_Saved`. A file that is not exactly as written, by
the same model and library, is removed, and its tokens are evaluated again.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

MAGIC = b"pi-memory state 1\n"
DIGEST_BYTES = 32
WRITES_A_DAY = 4
"""Most writes a day of the conversations' state, to spare the card. The common prefix of new conversations is written
whenever it has changed.
"""
DATE_LASTS = timedelta(days=7)

logger = logging.getLogger(__name__)


class Held(msgspec.Struct, frozen=True):
    """The tokens of a sequence and llama.cpp's state of them."""

    tokens: list[int]
    state: bytes


class Saved(msgspec.Struct, frozen=True):
    """`replies` are generated ids by the reply's text."""

    sequences: list[Held] = []
    replies: dict[str, list[int]] = {}


class _Bound(msgspec.Struct, frozen=True):
    """`to` names everything that must be the same for the state to be valid."""

    to: str
    saved: Saved


def erase(folder: Path) -> None:
    """Remove the saved state of every model, and files left half-written by a power cut."""
    for path in (*folder.glob("*.state"), *folder.glob(".*.state.new")):
        _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


class SavedStates:
    """The files of one folder, each of at most `most_bytes`. `identity` names the model file's content.

    No file is worth an error: what cannot be written or read is evaluated again.
    """

    def __init__(self, folder: Path, *, identity: str, most_bytes: int, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._identity = identity
        self.most_bytes = most_bytes
        self._clock = clock

    def since(self) -> datetime:
        """The date for templates that print one: that of an earlier start, for up to a week, as it is part of every
        prefix.
        """
        now, file = self._clock(), self._folder / "date"
        with suppress(OSError, ValueError):
            date = datetime.fromisoformat(file.read_text(encoding="ascii"))
            if timedelta() <= now - date < DATE_LASTS:
                return date
        self._write(file, now.isoformat().encode())
        return now

    def read(self, name: str, settings: str) -> Saved:
        """What was written under that name and the same `settings`; empty if it is damaged or foreign."""
        path = self._folder / f"{name}.state"
        try:
            if path.stat().st_size > self.most_bytes + (1 << 20):
                raise ValueError("too large")
            return self._checked(path.read_bytes(), settings)
        except FileNotFoundError:
            return Saved()
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            logger.info("%s is not used, but evaluated anew: %s", path, error)
            self.remove(name)
            return Saved()

    def write(self, name: str, settings: str, saved: Saved) -> None:
        body = msgspec.msgpack.encode(_Bound(self._binding(settings), saved))
        self._write(self._folder / f"{name}.state", MAGIC + hashlib.sha256(body).digest(), body)

    def may_write(self) -> bool:
        """Whether the day's writes are not used up. Counts one."""
        now, file = self._clock(), self._folder / "writes"
        times: list[datetime] = []
        with suppress(OSError, ValueError):
            times = [datetime.fromisoformat(line) for line in file.read_text(encoding="ascii").split()]
        recent = [time for time in times if timedelta() <= now - time < timedelta(days=1)]
        if len(recent) >= WRITES_A_DAY:
            return False
        self._write(file, "\n".join(time.isoformat() for time in [*recent, now]).encode())
        return True

    def remove(self, name: str) -> None:
        _remove(self._folder / f"{name}.state")

    def erase(self) -> None:
        erase(self._folder)

    def _checked(self, content: bytes, settings: str) -> Saved:
        """The content of a file. Raises `ValueError`."""
        start = len(MAGIC) + DIGEST_BYTES
        body = memoryview(content)[start:]
        if not content.startswith(MAGIC) or hashlib.sha256(body).digest() != content[len(MAGIC) : start]:
            raise ValueError("damaged")
        bound = msgspec.msgpack.decode(body, type=_Bound)
        if bound.to != self._binding(settings):
            raise ValueError("of another model, library or context")
        return bound.saved

    def _binding(self, settings: str) -> str:
        return hashlib.sha256(f"{self._identity}\n{settings}".encode()).hexdigest()

    def _write(self, path: Path, *parts: bytes) -> None:
        temporary = path.with_name(f".{path.name}.new")
        try:
            # It contains what was said. Not synced: the hash shows what a power cut left unwritten.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.writelines(parts)
            temporary.replace(path)
        except OSError as error:
            logger.warning("%s cannot be written: %s", path, error)
            _remove(temporary)
