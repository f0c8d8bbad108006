"""A daemon that nobody asks anything: its processor time, its wake-ups, and what it writes."""

import os
import time
from pathlib import Path
from typing import Any

from benchmarks import _measure as measure

SETTLING = 15.0
"""Seconds until what was said before is stored and the connection is closed."""


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
    with measure.folder() as folder, measure.daemon(folder, count_io=True, **given) as daemon:
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
