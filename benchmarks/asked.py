"""How often a question finds the statement that answers it among a hundred of one author, by its vector alone.

The statements of `benchmarks/texts/sentences.jsonl`, as they were said, as memories of them read, and as those are
compared (`by_user`); two questions and one in spoken words to each, by others (`asked.jsonl`).
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _measure as measure
from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.text import language
from pi_memory.text.persons import about_user, by_user
from pi_memory.types import Vectors

TEXTS = Path(__file__).parent / "texts"
EMBEDDER = Path(sys.prefix) / "share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf"
AT_ONCE = 16


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]


async def vectors(embedder: GgufEmbedder, texts: Sequence[str]) -> Vectors:
    return np.vstack([await embedder.embed(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])


def found_first(statements: Vectors, questions: Vectors, authors: Sequence[str]) -> float:
    """The share of the questions, shape (n, questions of each, dimensions), to which no other statement of the author
    is nearer than their own, shape (n, dimensions).
    """
    hits = []
    for author in sorted(set(authors)):
        own = np.flatnonzero(np.array(authors) == author)
        nearness = questions[own] @ statements[own].T
        hits.append(nearness.argmax(axis=2) == np.arange(len(own))[:, None])
    return float(np.concatenate(hits).mean())


async def figures() -> dict[str, float]:
    sentences, asked = rows("sentences.jsonl"), rows("asked.jsonl")
    embedder = GgufEmbedder.open(EMBEDDER.resolve(), adapters=Config().folder("adapters"), threads=2)
    said = [str(sentences[each["sentence"]]["text"]) for each in asked]
    authors = [str(sentences[each["sentence"]]["voice"]) for each in asked]
    wordings = [text for each in asked for text in (*each["questions"], each["spoken"])]
    questions = (await vectors(embedder, wordings)).reshape(len(asked), len(wordings) // len(asked), -1)
    memories = [about_user(text) for text in said]
    forms = {"as_said": said, "as_memory": memories, "as_compared": [by_user(text) for text in memories]}
    found = {name: found_first(await vectors(embedder, texts), questions, authors) for name, texts in forms.items()}
    await embedder.close()
    return {"statements": len(said), **found}


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    if not EMBEDDER.is_file():
        measure.not_possible(f"Needs {EMBEDDER}, which scripts/setup makes.")
    language.use(Config())
    measure.show(asyncio.run(figures()), as_json=options.json)


if __name__ == "__main__":
    main()
