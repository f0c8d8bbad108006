"""`pi-memory import`, against a real daemon."""

import json
from pathlib import Path
from typing import Any

from tests.command import run
from tests.logs import SESSION, entry, result, said, used
from tests.process import Process, serving


def log(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(lines)
    return path


def imported(process: Process, folder: Path, *paths: Path) -> dict[str, Any]:
    done = run(process, folder, "import", "--json", *map(str, paths))
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def topics(process: Process) -> dict[str, Any]:
    with process.client as client:
        return {topic["topic"]: topic for topic in client.get("/focus?all=1").json()["topics"]}


PUMP = (
    entry("user", "Make the irrigation pump quieter", 1),
    entry("assistant", used("Edit", file_path="/home/me/garden/irrigation/pump.py", new_string="slow()"), 2),
    entry("user", result("ok"), 3),
    entry("assistant", said("It is quieter now."), 4),
)
FROST = (
    entry("user", "And the frost alarm rings too late", 5),
    entry("assistant", used("Edit", file_path="/home/me/garden/frost/alarm.py"), 6),
    entry("assistant", said("It rings at two degrees."), 7),
)


def test_a_log_becomes_a_focus_at_its_own_dates_and_a_grown_one_adds_what_is_new(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        path = log(tmp_path, "projects/-home-me-garden/a.jsonl", *PUMP)
        assert imported(process, tmp_path, tmp_path / "projects") == {
            "memories": 0, "added": 1, "known": 0, "sessions": 1, "skipped": 0, "skipped_at": []
        }  # fmt: skip
        found = topics(process)
        (topic,) = found.values()
        assert topic["last_touched_at"] == topic["first_seen_at"] == "2026-02-20T10:00:01Z"
        assert topic["file_paths"] == ["/home/me/garden/irrigation/pump.py"]
        assert imported(process, tmp_path, path)["added"] == 0
        assert topics(process) == found
        log(tmp_path, "projects/-home-me-garden/a.jsonl", *FROST[:2])
        grown = imported(process, tmp_path, path)
        assert (grown["added"], grown["known"]) == (1, 1)
        log(tmp_path, "projects/-home-me-garden/a.jsonl", *FROST[2:])
        grown = imported(process, tmp_path, path)
        assert (grown["added"], grown["known"]) == (1, 1)
        # The same session under another name: a log that was resumed begins with what it goes on from.
        log(tmp_path, "projects/-home-me-garden/b.jsonl", *PUMP, *FROST)
        assert imported(process, tmp_path, tmp_path / "projects")["added"] == 0
        assert len(topics(process)) == 2
        with process.client as client:
            assert client.delete(f"/conversations/{SESSION}").status_code == 404  # it has ended


def test_what_the_hook_has_reported_is_not_added_again(tmp_path: Path) -> None:
    from tests.test_hook import event, hook

    with serving(tmp_path) as process:
        path = log(tmp_path, "a.jsonl", *PUMP)
        hook(tmp_path, event("Stop", transcript_path=str(path)), port=process.url.rpartition(":")[2])
        assert imported(process, tmp_path, path) == {
            "memories": 0, "added": 0, "known": 1, "sessions": 1, "skipped": 0, "skipped_at": []
        }  # fmt: skip


def test_malformed_lines_are_skipped_counted_and_named(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        path = log(tmp_path, "a.jsonl", "{broken\n", PUMP[0], "[]\n", "\n", '{"type": 7}\n', *PUMP[1:], '{"cut": "of')
        done = run(process, tmp_path, "import", str(path))
    assert (done.returncode, done.stdout) == (0, "1 exchanges added, 0 known already, of 1 sessions.\n")
    assert done.stderr.startswith("Skipped 3")
    assert f"{path}:1: not JSON" in done.stderr
    assert f"{path}:3: not an object" in done.stderr


def test_half_a_character_holds_up_nothing(tmp_path: Path) -> None:
    cut = entry("assistant", used("Edit", file_path="/home/me/\ud83d/pump.py"), 2)
    with serving(tmp_path) as process:
        path = log(tmp_path, "a.jsonl", entry("user", "Make it quieter \udc1d", 1), cut, *FROST)
        figures = imported(process, tmp_path, path)
    assert (figures["added"], figures["skipped"]) == (2, 0)


CHATS: dict[str, Any] = {
    "conversations.json": [
        {
            "id": "c1",
            "title": "Bees",
            "current_node": "n3",
            "mapping": {
                "root": {"message": None, "parent": None},
                "n0": {
                    "parent": "root",
                    "message": {"id": "m0", "author": {"role": "system"}, "content": {"parts": ["x"]}},
                },
                "n1": {
                    "parent": "n0",
                    "message": {
                        "id": "m1",
                        "author": {"role": "user"},
                        "create_time": 1_771_000_000.5,
                        "content": {"content_type": "text", "parts": ["When do I feed the bees? 🐝"]},
                    },
                },
                "other": {
                    "parent": "n1",
                    "message": {"id": "no", "author": {"role": "assistant"}, "content": {"parts": ["no"]}},
                },
                "n3": {
                    "parent": "n1",
                    "message": {"id": "m3", "author": {"role": "assistant"}, "content": {"parts": ["In autumn."]}},
                },
            },
        },
        {"uuid": "c2", "chat_messages": [{"sender": "human", "text": "Hi", "created_at": "2026-01-01T00:00:00Z"}]},
        {"id": "empty", "mapping": {}},
        "no conversation",
    ],
}


def test_exported_conversations(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        for name, value in CHATS.items():
            (tmp_path / name).write_text(json.dumps(value, ensure_ascii=False))
        assert imported(process, tmp_path, tmp_path / "conversations.json")["added"] == 2
        again = imported(process, tmp_path, tmp_path / "conversations.json")
        assert (again["added"], again["known"]) == (0, 2)


def test_conversations_in_json_lines(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "The /srv/bees/hive.py logs too much", "at": "2026-01-05T10:00:00Z", "ref": "a"},
        {"role": "assistant", "content": "Now it logs once an hour.", "at": "2026-01-05T10:00:09Z", "ref": "b"},
    ]
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"conversation_id": "bees 1", "project": "bees", "messages": messages}) + "\n{}\n")
    with serving(tmp_path) as process:
        assert imported(process, tmp_path, path)["added"] == 1
        (topic,) = topics(process).values()
    assert topic["last_touched_at"] == "2026-01-05T10:00:00Z"


def test_a_transcript(tmp_path: Path) -> None:
    text = (
        "# My chat\n\n**User:** Fix /srv/bees/hive.py\n\n**Assistant:** Done:\n```\nUser: no\n```\n\n## You\n\nThanks\n"
    )
    path = tmp_path / "chat.md"
    path.write_text(text)
    with serving(tmp_path) as process:
        assert imported(process, tmp_path, path)["added"] == 2
        path.write_text(text + "\n## Assistant\n\nYou are welcome.\n")
        assert imported(process, tmp_path, path)["added"] == 1


def test_a_file_without_a_conversation_is_named(tmp_path: Path) -> None:
    files = {"a.txt": b"nobody speaks", "b.json": b"{}", "c.jsonl": b"\0\xff", "d.json": b"[{"}
    with serving(tmp_path) as process:
        for name, text in files.items():
            (tmp_path / name).write_bytes(text)
            done = run(process, tmp_path, "import", name)
            assert (done.returncode, done.stdout) == (1, "0 exchanges added, 0 known already, of 0 sessions.\n")
            assert name in done.stderr


def test_what_cannot_be_read_or_sent_is_reported(tmp_path: Path) -> None:
    assert run(None, tmp_path, "import", "none.jsonl").returncode == 2
    log(tmp_path, "a.jsonl", *PUMP)
    done = run(None, tmp_path, "import", "a.jsonl")
    assert (done.returncode, "pi-memory serve" in done.stderr) == (1, True)


def test_what_the_daemon_refuses_holds_up_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_MAX_BODY_BYTES=4_000) as process:
        path = log(tmp_path, "a.jsonl", *PUMP, entry("user", "x" * 9_000, 8), entry("user", "Thank you", 9))
        figures = imported(process, tmp_path, path)
    assert (figures["added"], figures["skipped"]) == (2, 1)
    assert "larger than" in figures["skipped_at"][0]


def test_an_export_of_memories_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    path = tmp_path / "pi-memory.jsonl"
    with serving(tmp_path / "old") as process, process.client as client:
        client.post("/memories", json={"content": "The bees are fed in autumn"})
        path.write_bytes(client.get("/export").content)
    with serving(tmp_path / "new") as process, process.client as client:
        assert imported(process, tmp_path, path)["memories"] == 1
        assert imported(process, tmp_path, path)["memories"] == 0
        assert "bees" in client.get("/memories").text
