"""What has been learned, from the command line, against a daemon in a process of its own."""

import gzip
import json
from pathlib import Path

import pytest

from tests.command import run
from tests.process import serving


def test_memories_are_kept_changed_and_forgotten(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        assert "Nothing has been learned" in run(process, tmp_path, "memories").stderr
        done = run(process, tmp_path, "remember", "The [red] pump needs a seal", "--project", "Garden")
        assert done.stdout == "Remembered as m1 in project/garden.\n"
        run(process, tmp_path, "remember", "My pin is 4711").check_returncode()
        listed = run(process, tmp_path, "memories")
        assert "The [red] pump needs a seal" in listed.stdout
        found = json.loads(run(process, tmp_path, "memories", "--namespace", "user", "--json").stdout)["memories"]
        assert [(m["content"], m["priority"]) for m in found] == [("My pin is 4711", "highest")]

        assert "memory.added by api" in run(process, tmp_path, "history", "m1").stdout
        would = run(process, tmp_path, "undo", "1", "--dry-run").stdout
        assert would == "m1 (The [red] pump needs a seal) no longer holds\n"
        assert run(process, tmp_path, "undo", "1", said="n\n").returncode == 1
        assert "pump" in run(process, tmp_path, "memories").stdout
        assert json.loads(run(process, tmp_path, "undo", "1", "--dry-run", "--json").stdout)["undone"] is False
        assert run(process, tmp_path, "undo", "1", said="y\n").stdout.endswith("Undone.\n")
        assert "pump" not in run(process, tmp_path, "memories").stdout
        assert "pump" in run(process, tmp_path, "memories", "--all").stdout
        again = run(process, tmp_path, "undo", "1", "--yes")
        assert (again.returncode, "Undo event 3 first" in again.stderr) == (1, True)

        assert run(process, tmp_path, "forget", "m2", said="y\n").stdout.endswith("Forgotten.\n")
        assert "already" in run(process, tmp_path, "forget", "2", "--yes").stdout
        refused = run(process, tmp_path, "remember", "my PIN is 4711")
        assert (refused.returncode, "`pi-memory remember --anyway`" in refused.stderr) == (1, True)
        assert "(forgotten)" in run(process, tmp_path, "memories", "--all").stdout
        assert run(process, tmp_path, "remember", "my PIN is 4711", "--anyway").returncode == 0
        assert "4711" in run(process, tmp_path, "memories").stdout
        assert run(process, tmp_path, "history", "99").returncode == 1


def test_an_export_is_taken_in_elsewhere(tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    file = tmp_path / "memories.jsonl"
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "Likes tea").check_returncode()
        assert str(file) in run(process, tmp_path, "export", str(file)).stdout
        assert [path.stat().st_mode & 0o077 for path in (file, tmp_path / "data")] == [0, 0], "nobody else may read it"
        assert run(process, tmp_path, "export", str(tmp_path / "no" / "where")).returncode == 1
    with serving(other) as process:
        for added in (1, 0):
            assert run(process, other, "import", str(file)).stdout == f"{added} memories added.\n"
        assert "Likes tea" in run(process, other, "memories").stdout
        packed = other / "memories.jsonl.gz"
        packed.write_bytes(gzip.compress(file.read_bytes()))
        assert run(process, other, "import", str(packed)).stdout == "0 memories added.\n"
        (prose := other / "prose.txt").write_text("Nobody speaks here.\n")
        nothing = run(process, other, "import", str(prose))
        assert (nothing.returncode, "no conversation in it" in nothing.stderr) == (1, True)
    assert not list(tmp_path.glob("*.part"))


def test_an_export_may_go_into_a_pipe(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "Likes tea").check_returncode()
        head, memory, *_ = run(process, tmp_path, "export", "-").stdout.splitlines()
        assert "pi-memory memories" in head
        assert json.loads(memory)["memory"]["content"] == "Likes tea"
        assert run(process, tmp_path, "export", "-", "--json").returncode == 2


def test_memories_are_listed_by_words(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "The pump needs a new seal").check_returncode()
        run(process, tmp_path, "remember", "The cat likes fish", "--project", "home").check_returncode()
        shown = run(process, tmp_path, "memories", "pump", "seal")
        assert shown.stdout.startswith("m1\t")
        assert "cat" not in shown.stdout
        in_home = run(process, tmp_path, "memories", "fish", "--namespace", "project/home", "--json")
        assert [one["id"] for one in json.loads(in_home.stdout)["results"]] == [2]
        assert run(process, tmp_path, "memories", "quantum").stderr == "Nothing is known about that.\n"
        assert run(process, tmp_path, "memories", "pump", "--all").returncode == 2


def test_a_memory_is_corrected_by_hand(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "The key is with Ana").check_returncode()
        shown = run(process, tmp_path, "edit", "m1", "The key is with Anna").stdout
        assert shown.startswith("  - The key is with Ana\n  + The key is with Anna\n")
        edited = run(process, tmp_path, "edit", "m1", EDITOR="sed -i s/Anna/Ben/", VISUAL="").stdout
        assert "  + The key is with Ben\n" in edited
        assert run(process, tmp_path, "edit", "m1", EDITOR="true", VISUAL="").stdout == "Nothing has changed.\n"
        assert "The key is with Ben" in run(process, tmp_path, "memories").stdout
        assert run(process, tmp_path, "edit", "m1", "--json").returncode == 2
        refused = [run(process, tmp_path, "edit", *words).returncode for words in (["m1", ""], ["m9", "What?"])]
        assert refused == [1, 1]
        run(process, tmp_path, "forget", "m1", "--yes").check_returncode()
        assert "forgotten" in run(process, tmp_path, "edit", "m1", "again").stderr


def test_what_an_undo_would_change_is_told_of_memories(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as client:
        client.post("/memories", json={"content": "The vet is Dr. Lopez"}).raise_for_status()
        client.post("/memories", json={"content": "The vet is Dr. Kim", "supersedes": 1}).raise_for_status()
        replaced = client.get("/memories/2/history").json()["history"][0]["event_id"]
        would = run(process, tmp_path, "undo", str(replaced), "--dry-run").stdout
        assert sorted(would.splitlines()) == [
            "m1 (The vet is Dr. Lopez) holds again",
            "m2 (The vet is Dr. Kim) no longer holds",
        ]
        client.patch("/memories/2", json={"content": "The vet is Dr. Kim-Ray", "priority": "low"}).raise_for_status()
        edited = client.get("/memories/2/history").json()["history"][0]["event_id"]
        would = run(process, tmp_path, "undo", str(edited), "--dry-run").stdout
        assert 'm2 says "The vet is Dr. Kim" again, and no longer "The vet is Dr. Kim-Ray"\n' in would
        assert 'm2 (The vet is Dr. Kim-Ray), priority: "low" -> "medium"\n' in would


def test_recall_shows_what_bears_on_the_query_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "The pump needs a new seal").check_returncode()
        assert run(process, tmp_path, "recall", "pump seal").stdout.startswith("m1\t")
        nothing = run(process, tmp_path, "recall", "quantum chromodynamics")
        assert (nothing.stdout, nothing.stderr) == ("", "Nothing is known about that.\n")
        run(process, tmp_path, "remember", "The drill is lent out", "--project", "shop").check_returncode()
        hinted = run(process, tmp_path, "recall", "drill lent").stderr
        assert hinted.endswith("1 more in project shop: --project shop\n")
        assert json.loads(run(process, tmp_path, "recall", "quantum", "--json").stdout) == {"results": []}


def test_the_history_of_a_correction_says_whose_place_it_took(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as client:
        client.post("/memories", json={"content": "The bins go out on Tuesday"}).raise_for_status()
        client.post("/memories", json={"content": "Bins: Thursday", "supersedes": 1}).raise_for_status()
        shown = run(process, tmp_path, "history", "m2").stdout
        assert shown.splitlines()[-1].endswith("memory.superseded by api: it took the place of m1")
        assert "valid_to" not in shown  # which it had for a moment
        assert "superseded_by: nothing -> 2" in run(process, tmp_path, "history", "m1").stdout


def test_an_exchange_is_forgotten_by_its_id(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_COMMIT_SECONDS=0) as process:
        run(process, tmp_path, "chat", "My horse is called Star").check_returncode()
        assert run(process, tmp_path, "exchanges").stdout.startswith("e1\t")
        assert "Star" in run(process, tmp_path, "forget", "e1", "--dry-run").stdout
        assert run(process, tmp_path, "forget", "e1", "--json").returncode == 2, "it would have to ask"
        gone = json.loads(run(process, tmp_path, "forget", "e1", "--yes", "--json").stdout)
        assert (gone["forgotten"], gone["exchanges"]) == (True, [1])
        assert run(process, tmp_path, "exchanges").stdout == ""


def test_a_backup_is_taken_while_the_daemon_runs_and_put_back_when_it_does_not(tmp_path: Path) -> None:
    backup = tmp_path / "memory.backup"
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "Likes tea").check_returncode()
        run(process, tmp_path, "backup", str(backup)).check_returncode()
        assert run(process, tmp_path, "backup", str(backup)).returncode == 2, "what is there is not overwritten"
        refused = run(process, tmp_path, "restore", str(backup))
        assert (refused.returncode, "Another pi-memory" in refused.stderr) == (3, True)
        run(process, tmp_path, "remember", "Likes coffee").check_returncode()
        process.stop()
    (tmp_path / "noise").write_bytes(b"no database" * 99)
    assert run(None, tmp_path, "restore", str(tmp_path / "noise")).returncode == 1
    run(None, tmp_path, "restore", str(backup)).check_returncode()
    with serving(tmp_path) as process:
        shown = run(process, tmp_path, "memories").stdout
        assert ("Likes tea" in shown, "Likes coffee" in shown) == (True, False)
        process.stop()
    (kept,) = (tmp_path / "data").glob("*.before-restore")
    run(None, tmp_path, "restore", str(kept)).check_returncode()
    with serving(tmp_path) as process:
        assert "Likes coffee" in run(process, tmp_path, "memories").stdout


def test_a_backup_takes_a_whole_assistant_to_another_directory(tmp_path: Path) -> None:
    backup, other = tmp_path / "everything.db", tmp_path / "other"
    other.mkdir()
    with serving(tmp_path) as process:
        run(process, tmp_path, "remember", "Likes tea").check_returncode()
        notes = tmp_path / "data" / "workspace" / "MEMORY.md"
        notes.write_text("The cat is called Pepper.\n")
        run(process, tmp_path, "backup", str(backup)).check_returncode()
    assert "MEMORY.md is restored" in run(None, other, "restore", str(backup)).stdout
    with serving(other) as process:
        assert "Likes tea" in run(process, other, "memories").stdout
    assert (other / "data" / "workspace" / "MEMORY.md").read_text() == notes.read_text()


@pytest.mark.parametrize("words", [("remember", "caf\udce9"), ("chat", "caf\udce9"), ("recall", "caf\udce9")])
def test_what_is_not_utf_8_is_refused_in_two_lines(tmp_path: Path, words: tuple[str, ...]) -> None:
    with serving(tmp_path) as process:
        done = run(process, tmp_path, *words)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "pi-memory: What was given is not UTF-8")
    assert len(done.stderr.splitlines()) == 2
