"""Start of the daemon: imports, readiness, memory, and how often it wakes when nobody asks."""

import os
import statistics
import subprocess
import sys
import time
from typing import Any

from benchmarks import _measure as measure

RUNS = 5
IDLE_SECONDS = 40.0


def import_ms() -> float:
    """What importing the daemon adds to starting Python."""

    def timed(code: str) -> float:
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times.append((time.perf_counter() - start) * 1_000)
        return statistics.median(times)

    return timed("import pi_memory.service") - timed("pass")


def ready_ms(values: dict[str, Any]) -> float:
    """From starting the process to the first answer of /healthz."""
    times = []
    for _ in range(RUNS):
        with measure.folder() as folder:
            start = time.perf_counter()
            with measure.daemon(folder, **values) as daemon, daemon.client() as client:
                client.get("/healthz").raise_for_status()
                times.append((time.perf_counter() - start) * 1_000)
                daemon.stop()
    return statistics.median(times)


def lean(values: dict[str, Any]) -> tuple[float, float]:
    """Resident MB without any model library, after a chat, and wake-ups a second when idle."""
    with measure.folder() as folder, measure.daemon(folder, **values) as daemon:
        daemon.wait_until_loaded()
        with daemon.client() as client:
            client.post("/chat", json={"message": "I work on /home/ada/pump.py"}).raise_for_status()
        time.sleep(12)  # the group is committed, the connection is closed
        before = daemon.context_switches()
        time.sleep(IDLE_SECONDS)
        wakeups = (daemon.context_switches() - before) / IDLE_SECONDS
        return daemon.rss_mb(), wakeups


def with_embedder() -> float:
    """Resident MB with the GGUF embedder, after it was used."""
    with measure.folder() as folder:
        values: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "gguf"}
        with measure.daemon(folder, **values) as daemon, daemon.client() as client:
            daemon.wait_until_loaded()
            if client.get("/healthz").json()["parts"]["embedder"]["status"] != "ok":
                measure.not_possible("There is no GGUF embedder; scripts/setup makes one.")
            activity = {"session_id": "s", "user_message": "tune the humidity sensor of the weather station"}
            client.post("/activity?wait=1", json=activity).raise_for_status()
            return daemon.rss_mb()


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    none: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "none"}
    rss, wakeups = lean(none)
    figures = {
        "cores": os.cpu_count() or 0,
        "import_ms": import_ms(),
        "ready_ms": ready_ms(none),
        "rss_mb_lean": rss,
        "rss_mb_gguf_embedder": with_embedder(),
        "idle_wakeups_per_s": wakeups,
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
