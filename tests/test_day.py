"""A scripted day, as a new user has it: three subjects, several sessions, simulated days, and an editor."""

from pathlib import Path

import pytest

from pi_memory.store import events
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeModel

SUBJECTS = {
    "memory": ["/home/ada/assistant/src/memory/extraction.py", "/home/ada/assistant/src/memory/service.py"],
    "irrigation": ["/home/ada/garden/src/irrigation/valves.py"],
    "billing": ["/home/ada/shop/src/billing/invoice.py", "/home/ada/shop/src/billing/tax.py"],
}


def talk_about(client: Client, subject: str, session: str) -> None:
    """A session of chats that touch the subject's files."""
    for path in SUBJECTS[subject]:
        body = {"message": f"Please look at {path} with me.", "conversation_id": session}
        client.post("/chat", json=body).raise_for_status()
    # Behind the chats in the inbox.
    quiet = {"session_id": f"{session}-end", "user_message": "thanks"}
    client.post("/activity?wait=1", json=quiet).raise_for_status()
    client.delete(f"/conversations/{session}").raise_for_status()


def a_fortnight(client: Client, clock: FakeClock) -> None:
    """Billing two weeks ago, irrigation a week ago, memory in three sessions of the last days."""
    talk_about(client, "billing", "b1")
    clock.pass_time(days=7)
    talk_about(client, "irrigation", "i1")
    clock.pass_time(days=5.5)
    for number in range(3):
        talk_about(client, "memory", f"m{number}")
        clock.pass_time(days=0.5)


def strengths(client: Client) -> dict[str, float]:
    return {t["topic"]: round(t["strength"], 2) for t in client.get("/focus").json()["topics"]}


def edit(file: Path, *changes: tuple[str, str]) -> None:
    """Save another file over it, as most editors do."""
    text = file.read_text()
    for old, new in changes:
        assert old in text, f"{old!r} is not in:\n{text}"
        text = text.replace(old, new)
    saved = file.with_name(".saved")
    saved.write_text(text)
    saved.replace(file)


def test_the_focus_file_reads_like_what_its_user_did(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    a_fortnight(client, clock)
    client.delete("/conversations/none")
    assert client.portal is not None
    client.portal.call(client.parts.focus.write_file)
    assert (
        client.parts.settings.focus_file.read_text()
        == """\
# Recent Focus
> Auto-generated. Manual edits are respected — removals and additions sync back.
> Last updated: 2026-03-08T14:30:00Z

## Active
- **memory** | 3 sessions | last: 12h ago | strength: 0.95
  files: extraction.py, service.py
  dirs: /home/ada/assistant/src/memory/

## Fading
- **irrigation** | 1 session | last: 7d ago | strength: 0.48
  files: valves.py
  dirs: /home/ada/garden/src/irrigation/

- **billing** | 1 session | last: 14d ago | strength: 0.23
  files: invoice.py, tax.py
  dirs: /home/ada/shop/src/billing/
"""
    )


@pytest.mark.parametrize(("days", "strength"), [(2, 0.81), (7, 0.48), (14, 0.23), (21, 0.11), (29, None)])
def test_strengths_follow_the_seeds_table(
    daemon: Daemon, clock: FakeClock, days: float, strength: float | None
) -> None:
    client = daemon()
    talk_about(client, "billing", "b")
    clock.pass_time(days=days)
    assert strengths(client).get("billing") == strength


def test_an_edited_file_meets_a_topic_that_is_being_tagged(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel()
    client = daemon(model=model)
    a_fortnight(client, clock)
    file = client.parts.settings.focus_file
    new = {
        "session_id": "z",
        "tool_calls": [{"name": "edit", "arguments": {"path": "/home/ada/lab/src/oscilloscope/scan.c"}}],
    }
    text = file.read_text()
    billing = text[text.index("- **billing**") :]
    edit(
        file,
        (billing, "- **beekeeping**\n  files: hive.md\n"),
        ("**irrigation**", "**garden**"),
        ("extraction.py", "facts.py"),
    )
    assert client.post("/activity?wait=1", json=new).json()["topic"] == "oscilloscope"
    client.post("/chat", json={"message": "hello", "conversation_id": "next"}).raise_for_status()
    system = model.prompts[-1][0].text
    assert "- **memory** (3 sessions, last touched 12h ago) — service.py, facts.py" in system
    for name in ("garden", "beekeeping", "oscilloscope"):
        assert f"**{name}**" in system
    for name in ("billing", "irrigation"):
        assert f"**{name}**" not in system
    assert client.get("/focus/garden").json()["topic"]["file_paths"] == SUBJECTS["irrigation"]
    assert client.portal is not None
    client.portal.call(client.parts.focus.write_file)
    for name in ("memory", "garden", "beekeeping", "oscilloscope"):
        assert f"**{name}**" in file.read_text()
    history = client.portal.call(lambda: read_history(client, "billing"))
    assert history[0] == ("topic.removed", "file"), "nothing is erased"


async def read_history(client: Client, topic: str) -> list[tuple[str, str]]:
    found = await client.parts.db.read(lambda db: events.of(db, topic))
    return [(event.kind, event.origin) for event in found]


def test_the_last_exchanges_and_the_focus_are_there_after_a_restart(daemon: Daemon, clock: FakeClock) -> None:
    first = daemon()
    a_fortnight(first, clock)
    first.post("/chat", json={"message": "Remember the valves", "conversation_id": "live"}).raise_for_status()
    before = strengths(first)
    first.stop()
    second = daemon()
    assert strengths(second) == before
    (exchange,) = second.get("/conversations/live").json()["exchanges"]
    assert exchange["user"] == "Remember the valves"
