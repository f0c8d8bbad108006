"""A program in a terminal of which a test has the other end."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass

from tests.process import Process

SECONDS = 30
COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass
class Terminal:
    """`seen` is what was shown and is not expected yet."""

    popen: subprocess.Popen[str]
    end: int
    seen: str = ""

    def shows(self, text: str) -> str:
        """Read up to `text`. Returns what stood in front of it."""
        while text not in self.seen:
            assert select.select([self.end], [], [], SECONDS)[0], f"nothing after {self.seen!r}"
            try:
                self.seen += COLOURS.sub("", os.read(self.end, 1 << 16).decode(errors="replace")).replace("\r", "")
            except OSError:  # it has ended
                raise AssertionError(f"{self.seen!r}, then {self.printed()!r}") from None
        before, _, self.seen = self.seen.partition(text)
        return before

    def types(self, text: str) -> None:
        os.write(self.end, text.encode())

    def says(self, line: str) -> None:
        """Type a line at the prompt."""
        self.shows("you> ")
        self.types(f"{line}\n")
        self.shows(line)

    def interrupts(self, text: str) -> None:
        """Type Ctrl-C until `text` is shown: readline misses one that comes just as it has shown its prompt."""
        self.types("\x03")
        for _ in range(SECONDS):
            if text in self.seen or select.select([self.end], [], [], 1)[0]:
                break
            self.types("\x03")
        self.shows(text)

    def printed(self) -> str:
        """Standard error, once it has ended."""
        return self.popen.stderr.read() if self.popen.stderr else ""


@contextlib.contextmanager
def terminal(process: Process, *words: str, columns: int = 120, stderr: int | None = None) -> Iterator[Terminal]:
    """Run `pi-memory WORDS` for a daemon; killed at the end if it still runs."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_") and key != "COLUMNS"}
    environ |= {"PI_MEMORY_PORT": process.url.rpartition(":")[2], "TERM": "xterm"}
    environ |= {"PI_MEMORY_DATA_DIR": str(process.folder / "data")}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-c", CONTROLLED, sys.executable, "-m", "pi_memory", *words],
        cwd=process.folder,
        env=environ,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if stderr is None else stderr,
        text=True,
        start_new_session=True,
    ) as popen:
        os.close(theirs)  # else its end would not be the terminal's
        try:
            yield Terminal(popen, ours)
        finally:
            popen.kill()
            os.close(ours)


CONTROLLED = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the program's own, so that Ctrl-C reaches it: the background of a shell ignores that."""
