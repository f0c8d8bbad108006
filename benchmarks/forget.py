"""Sixty facts are said in every frame by every way in, then forgotten: what is found of them, and what else is lost."""

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure
from benchmarks._secrets import Fact, beside, facts

WAYS = ("chat", "activity", "import", "memories", "decision", "focus note", "reply")


def chat(client: httpx2.Client, message: str, name: str) -> str:
    body = {"message": message, "conversation_id": name}
    reply: str = client.post("/chat", json=body).raise_for_status().json()["reply"]
    return reply


def activity(client: httpx2.Client, message: str, reply: str, name: str) -> None:
    body = {"session_id": name, "user_message": message, "assistant_response": reply}
    client.post("/activity?wait=1", json=body).raise_for_status()


def imported(client: httpx2.Client, messages: Sequence[tuple[str, str]], name: str) -> None:
    said = [{"role": role, "content": text} for role, text in messages]
    line = json.dumps({"conversation_id": name, "messages": said})
    client.post("/import?wait=0&extract=1", content=line).raise_for_status()


def say(client: httpx2.Client, fact: Fact, number: int, suffix: str = "") -> None:
    """By every way in but the focus file, in every frame; among other sentences, which are to stay."""
    plain, asked, passing, yours, theirs, noted = fact.frames
    before, after = beside(number)
    chat(client, f"{before} {plain} {after}", f"plain-{number}{suffix}")
    chat(client, asked, f"asked-{number // 10}{suffix}")
    chat(client, fact.question, f"plain-{number}{suffix}")
    activity(client, f"{before}\n{passing}", f"{yours} {after}", f"agent-{number}{suffix}")
    imported(
        client,
        [("user", f"{before} {noted}"), ("assistant", f"{yours} {after}"), ("user", theirs)],
        f"import-{number}{suffix}",
    )
    chat(client, f"{fact.other}.", f"other-{number // 10}{suffix}")
    client.post("/memories", json={"content": theirs})
    session = {"session_id": f"agent-{number}{suffix}"}
    client.post("/session", json=session).raise_for_status()
    client.post("/session/focus", json={**session, "topic": f"topic-{number}"}).raise_for_status()
    client.post("/session/decisions", json={**session, "decision": theirs})
    client.post("/session/decisions", json={**session, "decision": before}).raise_for_status()


def note(workspace: Path, found: Sequence[Fact]) -> None:
    """In the focus file, by hand."""
    file = workspace / "memory" / "RECENT_FOCUS.md"
    lines = [f"- {fact.own}\n- {beside(number)[1]}" for number, fact in enumerate(found)]
    file.write_text(f"{file.read_text()}\n## Notes\n" + "\n".join(lines) + "\n")
    time.sleep(3)


def forget(client: httpx2.Client, fact: Fact, number: int) -> None:
    """Every other one by its memory, the others by a message."""
    if number % 2:
        chat(client, f"Forget that {fact.own}.", f"forget-{number // 10}")
        return
    found = client.get("/memories?limit=500").raise_for_status().json()["memories"]
    holding = [m["id"] for m in found if fact.probes[0] in m["content"].lower()]
    for memory in holding[:1]:
        client.delete(f"/memories/{memory}?forget=1").raise_for_status()


def answers(client: httpx2.Client, fact: Fact, number: int) -> str:
    """What it tells when it is asked: replies, what agents get, lists, and what a search finds."""
    told = [chat(client, fact.question, name) for name in (f"plain-{number}", f"new-{number}")]
    told.append(client.post("/context", json={"session_id": f"c-{number}", "message": fact.question}).text)
    for path in ("/memories/search?k=50&q=", "/exchanges?q="):
        # What was asked for stands in no answer of these.
        told.append(client.get(f"{path}{fact.probes[0]}").text)
    told.append(client.get(f"/session?session_id=agent-{number}").text)
    told.append(client.get(f"/conversations/plain-{number}").text)
    return "\n".join(told).lower()


def everything(client: httpx2.Client) -> str:
    return "\n".join(client.get(path).text for path in ("/events?limit=500", "/export", "/focus.md")).lower()


def traces(folder: Path, found: Sequence[Fact]) -> Iterator[str]:
    """The probes that stand in any file, with the file."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith("log-"):
            content = file.read_bytes().lower()
            yield from (
                f"{probe} in {file.name}" for fact in found for probe in fact.probes if probe.encode() in content
            )


def lost(database: Path, found: Sequence[Fact]) -> tuple[list[str], int]:
    """Other sentences that were said and are not there, and how many were said."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as db:
        said = "\n".join(f"{user}\n{reply}" for user, reply in db.execute("select user, reply from exchanges"))
    gone: list[str] = []
    total = 0
    for number, fact in enumerate(found):
        before, after = beside(number)
        for sentence, times in ((before, 3), (after, 3), (f"{fact.other}.", 1)):
            gone += [sentence] * max(0, times - said.count(sentence))
            total += times
    return gone, total


def lost_decisions(client: httpx2.Client, found: Sequence[Fact]) -> list[str]:
    """Of those that stood beside facts; while their sessions are among the newest, which alone are kept."""
    shown = [client.get(f"/session?session_id=agent-{number}").text for number in range(len(found))]
    return [f"decided: {beside(number)[0]}" for number, text in enumerate(shown) if beside(number)[0] not in text]


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--facts", type=int, default=60, help="how many (60)")
    parser.add_argument("--verbose", action="store_true", help="list what was found")
    asked = parser.parse_args()
    found = facts()[: asked.facts]
    with measure.folder() as folder:
        workspace = folder / "workspace"
        values: dict[str, Any] = {
            "PI_MEMORY_WORKSPACE": workspace,
            "PI_MEMORY_PROVIDER": "extractive",
            "PI_MEMORY_EMBEDDER": "none",
        }
        with measure.daemon(folder, **values) as daemon, _client(daemon.url) as client:
            daemon.wait_until_loaded()
            for number, fact in enumerate(found):
                say(client, fact, number)
            note(workspace, found)
            before = set(traces(folder, found))
            for number, fact in enumerate(found):
                forget(client, fact, number)
            undecided = lost_decisions(client, found)
            after = _found(client, folder, found)
            for number, fact in enumerate(found):
                say(client, fact, number, "-again")
            again = _found(client, folder, found)
            daemon.stop()
        stopped = list(traces(folder, found))
        gone, total = lost(folder / "data" / "memory.db", found)
        gone, total = [*gone, *undecided], total + len(found)
    if asked.verbose:
        print("\n".join([*after, *again, *stopped, *(f"lost: {sentence}" for sentence in gone)]))
    figures = {
        "facts": len(found),
        "frames": len(found[0].frames),
        "ways_in": len(WAYS),
        "in_files_before": len({re.sub(" in .*", "", one) for one in before}),
        "found": len(after) + len(again) + len(stopped),
        "found_after": len(after),
        "found_after_being_said_again": len(again),
        "found_after_a_stop": len(stopped),
        "other_sentences": total,
        "too_much": len(gone) / total,
    }
    measure.show(figures, as_json=asked.json)


def _client(url: str) -> httpx2.Client:
    """A connection for each request: a daemon that is busy forgetting may close one that waits."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.Client(base_url=url, timeout=60, trust_env=False, limits=limits)


def _found(client: httpx2.Client, folder: Path, found: Sequence[Fact]) -> list[str]:
    told = [(fact, answers(client, fact, number)) for number, fact in enumerate(found)]
    whole = everything(client)
    hits = [f"{probe} in an answer" for fact, text in told for probe in fact.probes if probe in text]
    hits += [f"{probe} in a list" for fact in found for probe in fact.probes if probe in whole]
    return [*hits, *traces(folder, found)]


if __name__ == "__main__":
    main()
