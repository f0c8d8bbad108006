"""How long a coding agent waits for `pi-memory hook`, against starting an interpreter that does nothing."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import _measure as measure

RUNS = 40
SESSION = {"session_id": "bench", "cwd": "/srv/garden"}
STEPS = 100
"""Lines of the session's log, half of them a tool's output of 2,000 characters."""
EVENTS: list[dict[str, Any]] = [
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "Why does the pump in irrigation/pump.py start twice at night?"},
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": "/srv/garden/irrigation/pump.py", "old_string": "a" * 400, "new_string": "b" * 400},
        "tool_response": {"filePath": "/srv/garden/irrigation/pump.py"},
    },
    {"hook_event_name": "Stop", "last_assistant_message": "The pump starts once now; two timers were armed."},
    {"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"},
]
HOOK = [str(Path(sys.executable).with_name("pi-memory")), "hook"]
NOTHING = [sys.executable, "-c", "pass"]


def transcript(folder: Path) -> Path:
    """A session's log as the agent keeps it."""
    lines = [("user", "Why does the pump start twice at night?")]
    for number in range(STEPS):
        lines.append(("assistant", f"I am looking at step {number}.") if number % 2 else ("user", "x" * 2_000))
    path = folder / "session.jsonl"
    with path.open("w") as file:
        for number, (role, text) in enumerate(lines):
            block = {"type": "tool_result", "content": text} if text[0] == "x" else {"type": "text", "text": text}
            message = {"role": role, "content": [block]}
            file.write(json.dumps({"type": role, "uuid": f"{number}", "sessionId": "bench", "message": message}) + "\n")
    return path


def milliseconds(command: list[str], environ: dict[str, str], said: bytes) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=said, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1_000


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    if not Path(HOOK[0]).exists():
        measure.not_possible(f"There is no {HOOK[0]}: install the package.")
    nothing: list[float] = []
    times: dict[str, list[float]] = {event["hook_event_name"]: [] for event in EVENTS}
    with measure.folder() as folder, measure.daemon(folder, PI_MEMORY_PROVIDER="extractive") as daemon:
        daemon.wait_until_loaded()
        environ = os.environ | {"HOME": str(folder), "PI_MEMORY_PORT": daemon.url.rpartition(":")[2]}
        session = SESSION | {"transcript_path": str(transcript(folder))}
        for _ in range(RUNS):
            # In turns, so that whatever else the machine does meets both.
            for event in EVENTS:
                said = json.dumps(session | event).encode()
                nothing.append(milliseconds(NOTHING, environ, b""))
                times[event["hook_event_name"]].append(milliseconds(HOOK, environ, said))
    every = [value for values in times.values() for value in values]
    figures: dict[str, float | int | str] = {
        "runs": len(every),
        "ms_p50": statistics.median(every),
        "ms_p95": p95(every),
        "python_ms_p50": statistics.median(nothing),
        "python_ms_p95": p95(nothing),
        "ratio": p95(every) / p95(nothing),
        "ratio_p50": statistics.median(every) / statistics.median(nothing),
    }
    figures |= {f"{name}_ms_p50": statistics.median(values) for name, values in times.items()}
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
