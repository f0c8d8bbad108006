"""What sequences held at a clean stop, kept on disk, so that a start finds it evaluated.

A file is `MAGIC`, the SHA-256 of what follows, and that: MessagePack of `_Saved`. What is not exactly as it was
written, by the same model and library, is no state: it is removed, and evaluated anew.
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
"""Of the conversations, for the SD card's sake. What new ones begin with is written whenever it has changed."""
DATE_LASTS = timedelta(days=7)

logger = logging.getLogger(__name__)


class Held(msgspec.Struct, frozen=True):
    """The tokens of a sequence, and what llama.cpp computed from them."""

    tokens: list[int]
    state: bytes


class Saved(msgspec.Struct, frozen=True):
    """`replies`: the ids that replies were generated with, by their text."""

    sequences: list[Held] = []
    replies: dict[str, list[int]] = {}


class _Bound(msgspec.Struct, frozen=True):
    """`to` names everything that must be the same for the rest to mean the same."""

    to: str
    saved: Saved


def erase(folder: Path) -> None:
    """Remove what any model kept there, also what a power cut left half-written."""
    for path in (*folder.glob("*.state"), *folder.glob(".*.state.new")):
        _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


class SavedStates:
    """The files of one folder, each of at most `most_bytes`. `identity` names the model file's content.

    No file is worth an error: one that cannot be written or read is evaluated again.
    """

    def __init__(self, folder: Path, *, identity: str, most_bytes: int, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._identity = identity
        self.most_bytes = most_bytes
        self._clock = clock

    def since(self) -> datetime:
        """The date for a template that tells one: that of an earlier start, for a week, as a prompt begins with it."""
        now, file = self._clock(), self._folder / "date"
        with suppress(OSError, ValueError):
            date = datetime.fromisoformat(file.read_text(encoding="ascii"))
            if timedelta() <= now - date < DATE_LASTS:
                return date
        self._write(file, now.isoformat().encode())
        return now

    def read(self, name: str, settings: str) -> Saved:
        """What was written under that name and the same `settings`; nothing if it is damaged, or foreign."""
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
        """Whether the day's writes are not used up; counts one."""
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
        """Raises `ValueError`."""
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
            # What was said stands in it. Not synced: the hash tells what a power cut left unwritten.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.writelines(parts)
            temporary.replace(path)
        except OSError as error:
            logger.warning("%s cannot be written: %s", path, error)
            _remove(temporary)
