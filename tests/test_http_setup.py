"""`/settings`, `/agents`, `/namespaces`, `/usage`: what the daemon says of itself."""

import os
from pathlib import Path

import pytest

from pi_memory.settings import load
from tests.conftest import Client, Daemon


def settings(client: Client) -> dict[str, dict[str, str]]:
    found = client.get("/settings").raise_for_status().json()["settings"]
    return {setting["key"]: setting for setting in found}


def test_settings_are_shown_with_their_defaults(daemon: Daemon) -> None:
    shown = settings(daemon(MEMORY_MAX_TURNS=3))
    assert (shown["MEMORY_MAX_TURNS"]["value"], shown["MEMORY_MAX_TURNS"]["default"]) == ("3", "8")
    assert shown["ENABLE_MEMORY"]["value"] == "true"


def test_secrets_are_hidden(daemon: Daemon) -> None:
    server = "http://me:password@127.0.0.1:1/v1"
    client = daemon(PI_MEMORY_OPENAI_API_KEY="sk-secret", PI_MEMORY_OPENAI_BASE_URL=server)
    text = client.get("/settings").text
    assert "sk-secret" not in text
    assert "password@" not in text
    assert settings(client)["PI_MEMORY_OPENAI_API_KEY"]["value"] == "(hidden)"
    assert settings(client)["PI_MEMORY_TOKEN"]["value"] == ""


def test_a_setting_knows_where_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "env"
    file.write_text("PI_MEMORY_PORT=1\nMEMORY_MAX_TURNS=3\nCTX_TOKENS=2048\n")
    monkeypatch.setenv("MEMORY_MAX_TURNS", "4")
    sources = load({"PI_MEMORY_PORT": 2}, env_file=file).sources
    given = {key: sources[key] for key in ("PI_MEMORY_PORT", "MEMORY_MAX_TURNS", "CTX_TOKENS")}
    assert given == {"PI_MEMORY_PORT": "command line", "MEMORY_MAX_TURNS": "environment", "CTX_TOKENS": str(file)}


def test_agents_are_listed(daemon: Daemon) -> None:
    found = daemon().get("/agents").json()["agents"]
    assert {"general", "coder"} <= {agent["agent"] for agent in found}
    assert all(agent["about"] for agent in found)


def test_namespaces_are_counted(daemon: Daemon) -> None:
    client = daemon()
    for number, namespace in enumerate(("user", "user", "project/garden")):
        client.post("/memories", json={"content": f"Pump {number} is red", "namespace": namespace}).raise_for_status()
    client.delete("/memories/1").raise_for_status()
    counts = {one["namespace"]: one["memories"] for one in client.get("/namespaces").json()["namespaces"]}
    assert counts == {"project/garden": 1, "user": 1}


def test_bytes_written_are_counted_from_the_start_of_the_daemon(daemon: Daemon, tmp_path: Path) -> None:
    with (tmp_path / "before").open("wb") as file:
        file.write(b"x" * 8 * 2**20)
        os.fsync(file.fileno())
    written = daemon().get("/usage").json()["written_mb"]
    assert written is None or written < 8


def test_usage_is_counted(daemon: Daemon) -> None:
    client = daemon()
    assert client.get("/usage").json()["first_token_seconds"] is None
    client.post("/chat", json={"message": "hello"}).raise_for_status()
    client.settle()
    used = client.get("/usage").json()
    assert (used["turns"], used["turns_under_way"], used["waiting"]) == (1, 0, 0)
    assert used["first_token_seconds"] > 0
    assert used["memory_mb"] > 10
    assert used["last_backup"] is None
