"""`/healthz`, `/version` and `/openapi.json`."""

import asyncio
import itertools
import re
import subprocess
import sys
from pathlib import Path

import msgspec

from pi_memory import __version__, backends
from pi_memory.app import DOORS, every_endpoint
from tests.conftest import Daemon, settings_for


def test_all_is_well(daemon: Daemon) -> None:
    health = daemon().get("/healthz").json()
    assert health["status"] == "ok"
    assert set(health["parts"]) == {"model", "embedder", "database", "focus", "backups"}


def test_the_version_has_one_source(daemon: Daemon) -> None:
    assert daemon().get("/version").json() == {"name": "pi-memory", "version": __version__}


def test_a_missing_model_is_degraded_and_says_what_to_do(tmp_path: Path) -> None:
    loader = backends.model(settings_for(tmp_path, PI_MEMORY_PROVIDER="llama"))

    async def load() -> None:
        loader.start()
        await loader.ready()

    asyncio.run(load())
    assert loader.state == "degraded"
    assert "pi-memory pull" in str(loader.problem)
    assert loader.now.provider == "extractive"


def test_a_damaged_database_is_reported(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "memory.db").write_bytes(b"no database" * 1_000)
    client = daemon()
    part = client.get("/healthz").json()["parts"]["database"]
    assert part["status"] == "degraded"
    assert "put aside" in part["todo"]
    assert client.post("/chat", json={"message": "hello"}).status_code == 200


def test_a_data_directory_that_cannot_be_made_is_reported_and_chat_goes_on(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    client = daemon()
    parts = client.get("/healthz").json()["parts"]
    assert (parts["database"]["status"], parts["focus"]["status"]) == ("degraded", "degraded")
    for message in ("one", "two"):
        assert client.post("/chat", json={"message": message, "conversation_id": "c"}).status_code == 200
    assert len(client.get("/conversations/c").json()["exchanges"]) == 2


def test_every_endpoint_is_described(daemon: Daemon) -> None:
    result = daemon().get("/openapi.json").json()
    described = {(method.upper(), path) for path, methods in result["paths"].items() for method in methods}
    assert described == {(e.method, re.sub(r":\w+}", "}", e.path)) for e in every_endpoint()}
    chat = result["paths"]["/chat"]["post"]
    assert chat["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ChatRequest"}
    assert {"200", "400", "413", "422", "503"} <= set(chat["responses"])
    assert msgspec.json.encode(result).count(b'"$ref"') > 5
    for name in ("ChatRequest", "ChatReply", "ShownTopic", "Failure"):
        assert name in result["components"]["schemas"]


def test_what_few_need_is_imported_when_it_is_asked_for() -> None:
    code = "import sys, pi_memory.service; print(*(m.removeprefix('pi_memory.') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    behind_doors = set(itertools.chain.from_iterable(DOORS.values()))
    assert {*done.stdout.split()} & (behind_doors | {"http.openapi"}) == {"http.audit", "http.usage"}, "these count"
