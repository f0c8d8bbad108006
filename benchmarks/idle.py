"""A daemon that nobody asks anything: its processor time, its wake-ups, and what it writes."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

from benchmarks import _measure as measure
from pi_memory.background.backups import LOOK_SECONDS
from pi_memory.daemon import running
from pi_memory.settings import build
from pi_memory.types import Turn

SETTLING = 15.0
"""Seconds until what was said before is stored and the connection is closed."""


async def first_day(data: Path) -> None:
    """Something is said, and the day's backup is made: that comes ten minutes after a start, once a day."""
    ahead = 0.0
    settings = build({"PI_MEMORY_DATA_DIR": data, "PI_MEMORY_PROVIDER": "extractive"}, environ={})
    async with running(settings, clock=lambda: time.time() + ahead) as parts:
        async for _ in parts.streams.start(Turn("The stopcock is under the sink.", "c")):
            pass
        await parts.inbox.drain()
        ahead = LOOK_SECONDS
        await parts.backups.look()
        assert parts.backups.newest, parts.backups.problem


def processor_seconds(process: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    seconds = options.minutes * 60
    given: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive"}
    with measure.folder() as folder:
        asyncio.run(first_day(folder / "data"))
        with measure.daemon(folder, count_io=True, **given) as daemon:
            daemon.wait_until_loaded()
            with daemon.client() as client:
                client.post("/chat", json={"message": "The ladder is in the shed."}).raise_for_status()
            time.sleep(SETTLING)
            busy, switches, written = processor_seconds(daemon.popen.pid), daemon.context_switches(), daemon.written()
            time.sleep(seconds)
            busy = processor_seconds(daemon.popen.pid) - busy
            switches, written = daemon.context_switches() - switches, daemon.written() - written
    figures = {
        "minutes": options.minutes,
        "cpu_percent": 100 * busy / seconds,
        "wakeups_per_s": switches / seconds,
        "bytes_written": written.bytes,
        "syncs": written.syncs,
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
