"""`kill -9` at random moments: the database opens, and no more is lost than is said."""

import random
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from tests.process import Process, serving
from tests.waiting import eventually

CRASHES = 12
COMMIT_SECONDS = 0.4
GROUP = 25
SLACK = 0.3
"""Seconds for the commit itself on a busy machine."""


@dataclass
class Said:
    """What was acknowledged: chat messages with the time of the reply, topics that were put by hand."""

    messages: list[tuple[str, float]] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)


def talk(process: Process, said: Said, run: int) -> None:
    """Go on until the daemon is gone."""
    with process.client as client:
        try:
            for number in range(10_000):
                message = f"Please change /home/me/part{number % 7}/file{number % 5}.py, {run}-{number}"
                body = {"message": message, "conversation_id": f"c{number % 3}"}
                answer = client.post("/chat", json=body)
                if answer.status_code == httpx2.codes.SERVICE_UNAVAILABLE:
                    continue  # it has too much to do, and promises nothing
                answer.raise_for_status()
                said.messages.append((message, time.monotonic()))
                if number % 5 == 0:
                    client.put(f"/focus/by-hand-{run}-{number}", json={}).raise_for_status()
                    said.topics.append(f"by-hand-{run}-{number}")
        except httpx2.TransportError:
            return


def stored(path: Path) -> tuple[list[str], set[str], int]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
        messages = [row[0] for row in db.execute("select user from exchanges order by id")]
        topics = {row[0] for row in db.execute("select name from topics")}
        cursor = db.execute("select coalesce(max(value), 0) from state where key = 'inbox'").fetchone()[0]
        return messages, topics, int(cursor)


def behind(folder: Path) -> int:
    """Exchanges that wait to be worked off."""
    messages, _, cursor = stored(folder / "data" / "memory.db")
    return len(messages) - cursor


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_crashes_lose_no_more_than_the_stated_window(tmp_path: Path) -> None:
    chance, said = random.Random(1), Said()
    kept_before: list[str] = []
    for run in range(CRASHES):
        with serving(tmp_path, PI_MEMORY_COMMIT_SECONDS=COMMIT_SECONDS) as process:
            acknowledged = Said()
            client = threading.Thread(target=talk, args=(process, acknowledged, run))
            client.start()
            time.sleep(chance.uniform(0.05, 1.2))
            killed_at = time.monotonic()
            process.popen.kill()
            client.join()
        messages, topics, cursor = stored(tmp_path / "data" / "memory.db")
        assert messages[: len(kept_before)] == kept_before, "what was kept once stays"
        assert cursor <= len(messages)
        new = messages[len(kept_before) :]
        heard = [message for message, _ in acknowledged.messages]
        assert new[: len(heard)] == heard[: len(new)], "a crash loses the end, never the middle"
        due = [message for message, at in acknowledged.messages if at < killed_at - COMMIT_SECONDS - SLACK]
        assert len(new) >= len(due), f"run {run}: {len(due) - len(new)} exchanges older than the window are lost"
        assert len(heard) - len(new) <= GROUP
        said.topics += acknowledged.topics
        assert set(said.topics) <= topics, "a change by hand is never lost"
        kept_before = messages
    assert len(kept_before) > CRASHES
    with serving(tmp_path) as process:
        # A stop waits for the inbox for some seconds only.
        eventually(lambda: behind(tmp_path) == 0, lambda: f"{behind(tmp_path)} wait of an inbox that was resumed")
        assert process.stop() == 0
