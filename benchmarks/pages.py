"""The page with 100,000 memories and 50,000 exchanges: time of every page and part, bytes, RAM, and what a start pays.

`p95_ms` is that of the slowest page or part; each is asked for twenty times, one after the other, by a client on the
same machine. `cpu_ms` is the daemon's processor time for the most costly one, whatever else the machine does. `bytes`
are those of the largest page with all that it loads. `rss_growth_mb` is what the daemon has more after all pages and
OpenAI's, Ollama's and MCP's doors were used, than after the API of its own was. `import_ms_growth` is the time that a
start spends on modules that only the page needs. Without an embedder: `scale` measures meaning.
"""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx2
import sqlite_utils

from benchmarks import _measure as measure
from benchmarks._facts import facts
from pi_memory.memories import changes
from pi_memory.memories.changes import Cause
from pi_memory.store import exchanges, messages, sessions, topics
from pi_memory.store.database import Database
from pi_memory.store.messages import Passage
from pi_memory.types import Candidate, Exchange, Topic

MEMORIES, EXCHANGES = 100_000, 50_000
TALK = 10
"""Exchanges of a conversation."""
EVERY = 30.0
"""Seconds between two exchanges: none is so old that it fades or is erased."""
PROJECTS, TOPICS = 20, 60
TIMES = 20
WARM = 3
HTMX = {"HX-Request": "true"}
ONLY_FOR_PAGES = re.compile(
    r"import time:\s+(\d+) \|.*?((?:jinja2|markupsafe|segno)\S*|pi_memory\.(?:web|http\.live)\S*)$", re.M
)


def pages(smaller: int) -> dict[str, tuple[str, str]]:
    """Addresses, and the ids of the elements that a part of the page replaces."""
    exchange, memory = EXCHANGES // smaller - 5, MEMORIES // smaller // 2
    return {
        "chat": ("/", ""),
        "conversation": (f"/ui/chat/talk-{exchange // TALK}", ""),
        "conversations": ("/", "conversations"),
        "find_conversation": ("/?q=the+spare+key+of+the+attic", "conversations"),
        "answer": (f"/ui/exchanges/{exchange}", ""),
        "receipt": (f"/ui/exchanges/{exchange}/receipt", "receipt"),
        "memories": ("/ui/memories", ""),
        "memories_list": ("/ui/memories", "results"),
        "memories_of_project": ("/ui/memories?namespace=project/p7", "results"),
        "memories_far": (f"/ui/memories?before={memory // 5}", "results"),
        "memories_found": ("/ui/memories?q=billing+server+in+Turku", "results"),
        "memory": (f"/ui/memories/{memory}", ""),
        "history": (f"/ui/memories/{memory}/history", "memory"),
        "changes": ("/ui/memories/changes", ""),
        "focus": ("/ui/focus", ""),
        "topics": ("/ui/focus", "topics"),
        "file": ("/ui/focus", "file"),
        "topic": ("/ui/focus/topic/area3", ""),
        "said": ("/ui/said", ""),
        "said_found": ("/ui/said?q=millimetres+greenhouse", "results"),
        "said_in_project": ("/ui/said?project=p7", "results"),
        "health": ("/ui/health", ""),
        "login": ("/ui/login", ""),
    }


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--smaller", type=int, default=1, help="divide the store by this")
    given = parser.parse_args()
    with measure.folder() as folder:
        (folder / "data").mkdir()
        begins = time.time() - EXCHANGES * EVERY
        asyncio.run(fill(folder / "data" / "memory.db", begins, smaller=given.smaller))
        with (
            measure.daemon(folder, PI_MEMORY_EMBEDDER="none", PI_MEMORY_BACKUPS="false") as daemon,
            daemon.client() as client,
        ):
            daemon.wait_until_loaded()
            found = ask_all(daemon, client, pages(given.smaller))
    measure.show({**found, "import_ms_growth": import_ms()}, as_json=given.json)


async def fill(path: Path, begins: float, *, smaller: int) -> None:
    """A store of one user, seventeen days old."""
    db = await Database.open(path)
    for part in parts(begins, smaller):
        await db.write(part)
    await db.close()


def parts(begins: float, smaller: int) -> Iterator[Callable[[sqlite_utils.Database], None]]:
    texts = facts(MEMORIES // smaller)
    names = [f"area{number}" for number in range(TOPICS)]

    def remember(db: sqlite_utils.Database) -> None:
        for number, text in enumerate(texts):
            project = f"project/p{number % PROJECTS}" if number % 3 else "user"
            candidate = Candidate(
                text, namespace=project, topics=(names[number % TOPICS],), exchange_id=number // 2 + 1
            )
            changes.add(db, candidate, Cause("api", begins + number * EVERY / 2))

    def work(db: sqlite_utils.Database) -> None:
        now = begins + EXCHANGES * EVERY
        for number, name in enumerate(names):
            topics.save(db, Topic(name, begins, now - number * 3_600, file_paths=(f"/home/me/{name}/main.py",)))

    def talk(db: sqlite_utils.Database) -> None:
        for number in range(EXCHANGES // smaller):
            asked, reply = texts[number * 2 % len(texts)], texts[(number * 2 + 1) % len(texts)]
            at, name = begins + number * EVERY, f"talk-{number // TALK}"
            id_ = exchanges.add(db, Exchange(name, asked, reply, at, project=f"p{number % PROJECTS}"))
            messages.add(db, [Passage(messages.id_of(id_, reply=r), asked if not r else reply) for r in (False, True)])
            topics.join_session(db, names[number // TALK % TOPICS], name)
            if number % TALK == TALK - 1:
                sessions.end(db, name, at)  # and nothing is left to be learned from it
        exchanges.processed(db, EXCHANGES // smaller)

    return iter((work, remember, talk))


def ask_all(
    daemon: measure.Daemon, client: httpx2.Client, pages: Mapping[str, tuple[str, str]]
) -> dict[str, float | str]:
    """Times, bytes and RAM."""
    for path in (
        "/memories",
        "/memories/search?q=spare+key&everywhere=1",
        "/conversations",
        "/exchanges",
        "/focus",
        "/healthz",
    ):
        client.get(path).raise_for_status()
    before = daemon.rss_mb()
    times, cpu = {}, {}
    for name, (path, target) in pages.items():
        spent = daemon.cpu_seconds()
        times[name] = p95_ms(client, path, target)
        cpu[name] = round((daemon.cpu_seconds() - spent) * 1000 / (WARM + TIMES), 1)
    largest = max(loaded(client, path) for path, target in pages.values() if not target)
    use_doors(client)
    slowest = max(times, key=lambda name: times[name])
    return {
        "p95_ms": times[slowest],
        "slowest": slowest,
        "cpu_ms": max(cpu.values()),
        "bytes": largest,
        "rss_growth_mb": round(daemon.rss_mb() - before, 1),
        **{f"{name}_p95_ms": value for name, value in times.items()},
        **{f"{name}_cpu_ms": value for name, value in cpu.items()},
    }


def p95_ms(client: httpx2.Client, path: str, target: str) -> float:
    headers = {**HTMX, "HX-Target": f"div#{target}"} if target else {}
    took = []
    for _ in range(WARM + TIMES):
        begun = time.perf_counter()
        client.get(path, headers=headers).raise_for_status()
        took.append((time.perf_counter() - begun) * 1000)
    return round(sorted(took[WARM:])[int(0.95 * TIMES) - 1], 1)


def loaded(client: httpx2.Client, path: str) -> int:
    """Bytes of a page and of the files that it loads."""
    page = client.get(path).text
    files = re.findall(r"(?:src|href)=\"(/ui/static/[^\"]+)", page)
    return len(page.encode()) + sum(len(client.get(file).content) for file in files)


def use_doors(client: httpx2.Client) -> None:
    said = {"model": "pi-memory", "messages": [{"role": "user", "content": "Where is the spare key?"}], "stream": False}
    for path in ("/v1/chat/completions", "/api/chat"):
        client.post(path, json=said).raise_for_status()
    client.get("/v1/models").raise_for_status()
    client.get("/api/tags").raise_for_status()
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    client.post("/mcp", json=listing, headers={"Accept": "application/json, text/event-stream"}).raise_for_status()


def import_ms() -> float:
    command = [sys.executable, "-X", "importtime", "-c", "import pi_memory.service"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return sum(int(found[1]) for found in ONLY_FOR_PAGES.finditer(lines)) / 1000


if __name__ == "__main__":
    main()
