"""Many clients at once: who is served, who is refused cleanly, what is lost, and how late the event loop comes."""

import argparse
import asyncio
import socket
import sqlite3
import statistics
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx2
import msgspec

from benchmarks import _measure as measure
from benchmarks.lag import watched
from pi_memory.daemon import running
from pi_memory.http.access import Access, everyone
from pi_memory.service import Server, pause_shortly
from pi_memory.settings import Settings, build

CLIENTS, TURNS = 64, 25


class Served(msgspec.Struct):
    """What became of the turns of some clients. `broken`: neither served nor refused with a time to try again."""

    said: list[str] = []
    refused: int = 0
    broken: int = 0
    seconds: list[float] = []


async def one(client: httpx2.AsyncClient, number: int, into: Served) -> None:
    for turn in range(TURNS):
        text = f"the anchor of {number} is at berth {turn}."
        start = time.perf_counter()
        try:
            answer = await client.post("/chat", json={"message": text, "conversation_id": f"c{number}"})
        except httpx2.HTTPError:
            into.broken += 1
            continue
        if answer.is_success:
            into.said.append(text)
            into.seconds.append(time.perf_counter() - start)
        elif answer.status_code == 503 and "retry-after" in answer.headers:
            into.refused += 1
            await asyncio.sleep(0.05)
        else:
            into.broken += 1


async def talk(url: str) -> Served:
    """All clients, in a process of their own."""
    limits, found = httpx2.Limits(max_connections=CLIENTS), Served()
    async with httpx2.AsyncClient(base_url=url, timeout=60, trust_env=False, limits=limits) as client:
        await asyncio.gather(*(one(client, number, found) for number in range(CLIENTS)))
    return found


async def serve(settings: Settings) -> tuple[Served, list[float]]:
    """A daemon in this process, so that its event loop can be watched."""
    lags = list[float]()
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(CLIENTS)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with running(settings) as parts:
            server = Server(parts, Access.of(settings, "", trusts=everyone))
            serving = asyncio.create_task(server.run_on(listener))
            command = (sys.executable, "-m", "benchmarks.load", "--clients-of", url)
            async with watched(lags):
                process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
                printed, _ = await process.communicate()
            server.handle_exit(15, None)
            await serving
    return msgspec.json.decode(printed, type=Served), lags


def lost(database: Path, found: Served) -> int:
    """How many of the turns that were served are not in the database."""
    with closing(sqlite3.connect(database)) as db:
        kept = {text for (text,) in db.execute("select user from exchanges")}
    return sum(text not in kept for text in found.said)


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--clients-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.clients_of:
        sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(talk(options.clients_of))))
        return
    pause_shortly()
    with measure.folder() as folder:
        values = {"PI_MEMORY_DATA_DIR": folder, "PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "none"}
        settings = build(values, environ={})
        found, lags = asyncio.run(serve(settings))
        figures = {
            "clients": CLIENTS,
            "turns": CLIENTS * TURNS,
            "served": len(found.said),
            "refused_cleanly": found.refused,
            "refused_otherwise": found.broken,
            "lost": lost(settings.database, found),
            "p50_ms": 1000 * statistics.median(found.seconds),
            "p95_ms": 1000 * statistics.quantiles(found.seconds, n=20)[-1],
            "loop_lag_p99_ms": 1000 * statistics.quantiles(lags, n=100)[-1],
        }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
