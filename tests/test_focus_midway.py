"""A focus that is edited in the middle of a conversation reaches its next message, and nothing is read again. A real
model file, a real daemon.
"""

from pathlib import Path

import httpx2

from tests.gguf_files import write_llama
from tests.process import serving
from tests.waiting import eventually


def say(client: httpx2.Client, message: str) -> dict[str, int]:
    body = {"message": message, "conversation_id": "c", "explain": True}
    answer = client.post("/chat", json=body)
    answer.raise_for_status()
    usage: dict[str, int] = answer.json()["usage"]
    return usage | {"shown": "orchard" in answer.json()["receipt"]["context"]}


def edited(file: Path) -> None:
    """As an editor that saves a new file over the old one."""
    saved = file.with_name("saved")
    saved.write_text(file.read_text().replace("**garden**", "**orchard**"))
    saved.replace(file)


def test_an_edit_costs_only_the_tokens_of_its_line(tmp_path: Path) -> None:
    model = write_llama(tmp_path / "tiny.gguf", context=4096)
    with serving(tmp_path, PI_MEMORY_MODEL=model, PI_MEMORY_MAX_TOKENS=16) as process, process.client as client:
        process.wait_until_loaded()
        client.put("/focus/garden", json={"file_paths": ["/home/me/garden/pump.py"]}).raise_for_status()
        say(client, "hello, what are we on?")
        quiet = say(client, "and what else?")
        (file,) = tmp_path.rglob("RECENT_FOCUS.md")
        edited(file)
        eventually(lambda: client.get("/focus/orchard").status_code == 200)
        shown, after = say(client, "and what else?"), say(client, "and what else?")
    assert [usage["shown"] for usage in (quiet, shown, after)] == [False, True, False]
    # Bytes are tokens to this model: the line has about a hundred.
    assert shown["evaluated_tokens"] - quiet["evaluated_tokens"] < 200 < shown["prompt_tokens"] / 2
    assert abs(after["evaluated_tokens"] - quiet["evaluated_tokens"]) < 20
