"""One turn of /chat without a model: time, context switches, bytes and syncs.

Somebody reads a reply before they write again: what is learned after it is over by then, and counted apart. For
`..._at_once` each message is sent as soon as the reply to the last one is there.
"""

import random
import statistics
import sys
import time
from typing import Any

import httpx2

from benchmarks import _measure as measure

TURNS, CONVERSATIONS = 200, 10
PAUSE = 0.1
"""Seconds between a reply and the next message. An idle processor is slow to begin, for an empty endpoint too."""

BARE = """
import asyncio, logging, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def chat(request):
    said = await request.json()
    return JSONResponse({"reply": said["message"], "conversation_id": said["conversation_id"]})

class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"Listening on http://127.0.0.1:{port}", file=sys.stderr, flush=True)

app = Starlette(routes=[Route("/chat", chat, methods=["POST"])])
Server(uvicorn.Config(app, port=0, log_config=None, access_log=False)).run()
"""

SUBJECTS = {
    "/home/ada/weather/sensors/humidity.py": ["humidity sensor", "calibration curve", "I2C bus", "sampling rate"],
    "/home/ada/shop/billing/invoice.py": ["invoice numbers", "rounding of taxes", "PDF export", "payment reminders"],
    "/home/ada/garden/irrigation/valves.py": ["drip valves", "soil moisture", "night schedule", "water pressure"],
}
SAID = [
    "The {} in {} drifts after a few hours, and I would like to know what we changed last week.",
    "Let us write down why the {} behaves like this before we touch {} again; I think it is the configuration.",
    "I moved the {} into {} because it was used from two places, and the tests still pass on my machine.",
    "My colleague says that the {} was faster before; I could not reproduce that with what is in {} now.",
    "What did I say about the {} in {} earlier today?",
]


def script() -> list[dict[str, str]]:
    """Two hundred messages in ten conversations, each about one of three subjects, with file paths.

    They have one to three sentences, 270 characters in the mean: the prompts of LMSYS-Chat-1M have 69.5 tokens.
    """
    chance, asked = random.Random(0), []
    for number in range(TURNS):
        conversation = number * CONVERSATIONS // TURNS
        path, things = list(SUBJECTS.items())[conversation % len(SUBJECTS)]
        sentences = chance.choices(SAID, k=chance.randint(1, 3))
        message = " ".join(sentence.format(chance.choice(things), path) for sentence in sentences)
        asked.append({"message": message, "conversation_id": f"conversation-{conversation}"})
    return asked


def run(client: httpx2.Client, asked: list[dict[str, str]], *, pause: float = 0.0) -> tuple[list[float], int]:
    """Milliseconds of each turn, and the bytes of what was said and replied."""
    times, payload = [], 0
    for body in asked:
        start = time.perf_counter()
        reply = client.post("/chat", json=body).json()["reply"]
        times.append((time.perf_counter() - start) * 1_000)
        payload += len(body["message"].encode()) + len(reply.encode())
        time.sleep(pause)
    return times, payload


def bare(asked: list[dict[str, str]], *, pause: float) -> float:
    """Median milliseconds of a request to a Starlette application that only echoes."""
    with (
        measure.folder() as folder,
        measure.process([sys.executable, "-c", BARE], folder, {}) as (_, url),
        httpx2.Client(base_url=url, trust_env=False) as client,
    ):
        run(client, asked[:20])
        return statistics.median(run(client, asked, pause=pause)[0])


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    asked = script()
    none: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "none"}
    with measure.folder() as folder, measure.daemon(folder, **none) as daemon, daemon.client() as client:
        daemon.wait_until_loaded()
        cpu = daemon.cpu_seconds()
        paced, _ = run(client, asked, pause=PAUSE)
        cpu = daemon.cpu_seconds() - cpu
    with measure.folder() as folder, measure.daemon(folder, count_io=True, **none) as daemon:
        daemon.wait_until_loaded()
        with daemon.client() as client:
            client.get("/healthz")
            switches, written = daemon.context_switches(), daemon.written()
            at_once, payload = run(client, asked)
            switches = daemon.context_switches() - switches
        daemon.stop()  # with the checkpoint that follows
        written = daemon.written() - written
    p50, p50_at_once = statistics.median(paced), statistics.median(at_once)
    echo, echo_at_once = bare(asked, pause=PAUSE), bare(asked, pause=0.0)
    figures = {
        "turns": TURNS,
        "p50_ms": p50,
        "p95_ms": statistics.quantiles(paced, n=20)[-1],
        "cpu_ms_per_turn": cpu * 1_000 / TURNS,
        "bare_starlette_p50_ms": echo,
        "reply_ratio_to_bare_starlette": p50 / echo,
        "p50_ms_at_once": p50_at_once,
        "ratio_at_once": p50_at_once / echo_at_once,
        "context_switches_per_turn": switches / TURNS,
        "payload_bytes": payload,
        "bytes_written_per_payload_byte": written.bytes / payload,
        "syncs_per_100_turns": written.syncs * 100 / TURNS,
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
