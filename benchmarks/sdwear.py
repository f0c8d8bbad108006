"""What memories cost the SD card: bytes written for each byte of them, and syncs, learned and stated."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks import _measure as measure
from benchmarks._measure import Written

LEARNED, STATED = 300, 30


def run(how: str, count: int) -> tuple[dict[str, int], Written]:
    """What a process of its own stored, and what the kernel was given to write for it, the checkpoint included."""
    with measure.folder() as folder:
        counter = folder / "io"
        environ = {
            **os.environ,
            "LD_PRELOAD": str(measure.preloaded(folder, "count_io")),
            "COUNT_IO_INTO": str(counter),
            "COUNT_IO_BELOW": str(folder),
        }
        command = [sys.executable, "-m", "benchmarks._memory_writer", str(folder), how, str(count)]
        root = Path(__file__).parents[1]
        done = subprocess.run(command, env=environ, cwd=root, capture_output=True, text=True, check=True)
        return json.loads(done.stdout), Written(*(ctypes.c_uint64 * 3).from_buffer_copy(counter.read_bytes()))


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    learned, background = run("learned", LEARNED)
    told, durable = run("stated", STATED)
    # What opening, the exchanges, the checkpoint and closing take whether or not there is a memory.
    _, said = run("said", LEARNED)
    _, empty = run("stated", 0)
    figures = {
        "memories": learned["memories"],
        "payload_bytes_per_memory": learned["payload"] / learned["memories"],
        "bytes_written_per_payload_byte": (background - said).bytes / learned["payload"],
        "syncs_per_100": (background - said).syncs * 100 / learned["memories"],
        "stated_memories": told["memories"],
        "stated_bytes_written_per_payload_byte": (durable - empty).bytes / told["payload"],
        "syncs_per_stated_memory": (durable - empty).syncs / told["memories"],
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
