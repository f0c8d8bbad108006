"""PI_MEMORY_EXTRACTOR=model in the daemon: what the model in its process names of a session that is over."""

from pathlib import Path

import pytest

from pi_memory.model.local import LocalModel
from tests.conftest import Daemon
from tests.gguf_files import write_llama

SAID = "I think the shop was with Hetzner before"
"""By rules alone nothing is learned from it outside of a project."""
NAMED = '- fact: The shop was with Hetzner before. | "shop was with Hetzner before"'
INVENTED = '- fact: The shop is on Mars now. | "shop is on Mars"'


def talker(path: Path, line: str) -> LocalModel:
    """A model that writes one line again and again, whatever it is asked."""
    chain = write_llama(path, words=("the", line), context=4096, follows={"\n": line, line: "\n"})
    return LocalModel.open(chain, threads=1, temperature=0)


@pytest.mark.parametrize(
    ("line", "extractor", "known"),
    [
        (NAMED, "model", ["The shop was with Hetzner before."]),
        (NAMED, "rules", []),
        (INVENTED, "model", []),
    ],
)
def test_a_model_names_what_the_user_said_and_nothing_else(
    tmp_path: Path, daemon: Daemon, line: str, extractor: str, known: list[str]
) -> None:
    client = daemon(model=talker(tmp_path / "talker.gguf", line), PI_MEMORY_EXTRACTOR=extractor, PI_MEMORY_MAX_TOKENS=8)
    client.post("/chat", json={"message": f"Well, {SAID}.", "conversation_id": "c"}).raise_for_status()
    client.delete("/conversations/c").raise_for_status()
    client.settle()
    assert [memory["content"] for memory in client.get("/memories").json()["memories"]] == known
    asked = 'pi_memory_tokens_generated_total{purpose="write"} 0' not in client.get("/metrics").text
    assert asked == (extractor == "model")
