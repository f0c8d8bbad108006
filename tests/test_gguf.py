"""The GGUF embedder: what only llama.cpp can get wrong."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from pi_memory.embedding.gguf import GgufEmbedder, fingerprint
from pi_memory.embedding.token_codes import BITS
from pi_memory.errors import EmbedderError
from pi_memory.types import Vectors
from tests.gguf_bert import CONTEXT, export_minilm_or_skip, write_bert_gguf

T = TypeVar("T")


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert_gguf(tmp_path_factory.mktemp("tiny") / "tiny-bert.gguf")


@pytest.fixture(scope="module")
def minilm_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_minilm_or_skip(tmp_path_factory.mktemp("minilm"))


def use(path: Path, call: Callable[[GgufEmbedder], Awaitable[T]]) -> T:
    async def run() -> T:
        embedder = GgufEmbedder.open(path)
        try:
            return await call(embedder)
        finally:
            await embedder.close()

    return asyncio.run(run())


def embed(path: Path, *texts: str) -> Vectors:
    return use(path, lambda embedder: embedder.embed(texts))


def test_a_text_counts_up_to_the_context_and_no_further(tiny_gguf: Path) -> None:
    words = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
    fits = words.split()[: CONTEXT - 2]  # [CLS] and [SEP] take a token each
    whole, cut, shorter = embed(tiny_gguf, words, " ".join(fits), " ".join(fits[:-1]))
    np.testing.assert_allclose(whole, cut, atol=1e-5)
    assert not np.allclose(whole, shorter, atol=1e-3)


def test_more_texts_than_fit_one_call(tiny_gguf: Path) -> None:
    texts = [f"the {number} water {number * 7}" for number in range(50)]
    together = embed(tiny_gguf, *texts)
    alone = np.concatenate([embed(tiny_gguf, text) for text in texts[:4]])
    np.testing.assert_allclose(together[:4], alone, atol=1e-2)


def test_pooling_is_the_models_own(tmp_path: Path) -> None:
    mean, cls = (write_bert_gguf(tmp_path / f"{pooling}.gguf", pooling=pooling) for pooling in ("mean", "cls"))
    assert not np.allclose(embed(mean, "one text"), embed(cls, "one text"), atol=0.05)


def test_tokens_come_with_the_vectors_of_the_same_evaluation(minilm_gguf: Path) -> None:
    texts = ["What did Zoë's sister say about the café?", "", "water the tomatoes"]
    vectors, tokens = use(minilm_gguf, lambda embedder: embedder.embed_tokens(texts))
    np.testing.assert_allclose(vectors, embed(minilm_gguf, *texts), atol=1e-5)
    assert [each.words for each in tokens] == [("zoe", "sister", "cafe"), (), ("water", "tomatoes")]
    assert tokens[0].projected.shape == (3, BITS)


def test_tokens_of_a_word_know_it(tiny_gguf: Path) -> None:
    _, (tokens,) = use(tiny_gguf, lambda embedder: embedder.embed_tokens(["pump, the pump"]))
    assert tokens.words == ("pump",) * 8


def test_a_model_that_takes_no_mean_gives_no_tokens(tmp_path: Path) -> None:
    path = write_bert_gguf(tmp_path / "cls.gguf", pooling="cls")
    vectors, (tokens,) = use(path, lambda embedder: embedder.embed_tokens(["water"]))
    np.testing.assert_allclose(vectors, embed(path, "water"), atol=1e-6)
    assert tokens.ids == ()


def test_case_and_accents_do_not_count(tiny_gguf: Path) -> None:
    plain, accented, decomposed = embed(tiny_gguf, "deja vu", "Déjà Vu", "De\u0301ja\u0300 vu")
    np.testing.assert_allclose(plain, accented, atol=1e-5)
    np.testing.assert_allclose(plain, decomposed, atol=1e-5)


def test_words_that_look_like_special_tokens_are_words(tiny_gguf: Path) -> None:
    forged, empty = embed(tiny_gguf, "[SEP]", "")
    assert not np.allclose(forged, empty, atol=1e-2)


def test_the_loop_runs_while_a_text_is_embedded(minilm_gguf: Path) -> None:
    async def turns(embedder: GgufEmbedder) -> int:
        task = asyncio.ensure_future(embedder.embed(["long " * 500]))
        count = 0
        while not task.done():
            await asyncio.sleep(0)
            count += 1
        return count

    assert use(minilm_gguf, turns) > 20


def test_a_single_text_overtakes_a_long_batch(tiny_gguf: Path) -> None:
    async def order(embedder: GgufEmbedder) -> bool:
        batch = asyncio.ensure_future(embedder.embed(["again"] * 400))
        await asyncio.sleep(0)  # the batch is first in the queue
        await embedder.embed(["now"])
        overtook = not batch.done()
        await batch
        return overtook

    assert use(tiny_gguf, order)


def test_a_closed_embedder_says_so(tiny_gguf: Path) -> None:
    async def run() -> None:
        embedder = GgufEmbedder.open(tiny_gguf)
        await embedder.close()
        with pytest.raises(EmbedderError, match="closed"):
            await embedder.embed(["text"])

    asyncio.run(run())


def test_closing_waits_for_what_was_asked(tiny_gguf: Path) -> None:
    async def run() -> Vectors:
        embedder = GgufEmbedder.open(tiny_gguf)
        asked = asyncio.ensure_future(embedder.embed(["text"]))
        await asyncio.sleep(0)
        await embedder.close()
        return await asked

    assert asyncio.run(run()).shape == (1, 32)


def test_the_id_follows_the_weights_and_not_the_file_name(tiny_gguf: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(tiny_gguf, tmp_path / "other-name.gguf"))
    assert use(copy, name) == use(tiny_gguf, name) == f"tiny-bert-{fingerprint(tiny_gguf)}"
    weights = bytearray(copy.read_bytes())
    weights[-1] ^= 1
    copy.write_bytes(weights)
    assert use(copy, name) != use(tiny_gguf, name)


async def name(embedder: GgufEmbedder) -> str:
    return embedder.id


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="no embedder at") as caught:
        GgufEmbedder.open(tmp_path / "none.gguf")
    assert "export-embedder" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"GGUF", b"not a model" * 100])
def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        GgufEmbedder.open(path)


def test_half_a_gguf_is_refused(tiny_gguf: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.gguf"
    path.write_bytes(tiny_gguf.read_bytes()[: tiny_gguf.stat().st_size // 2])
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        GgufEmbedder.open(path)


def test_a_chat_model_is_refused() -> None:
    beside = Path(__file__).parents[2] / "shared/models/TinyStories-656K-Q8_0.gguf"
    chat_model = Path(os.environ.get("TEST_CHAT_MODEL", beside))
    if not chat_model.is_file():
        pytest.skip("no chat model: set TEST_CHAT_MODEL to a GGUF")
    with pytest.raises(EmbedderError, match="no embedding model"):
        GgufEmbedder.open(chat_model)


def test_importing_the_module_loads_no_library() -> None:
    code = "import sys, pi_memory.embedding.gguf; print('llama_cpp' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_loading_writes_nothing_to_the_terminal(tiny_gguf: Path) -> None:
    code = "import sys, pathlib, pi_memory.embedding.gguf as gguf; gguf.GgufEmbedder.open(pathlib.Path(sys.argv[1]))"
    shown = subprocess.run([sys.executable, "-c", code, str(tiny_gguf)], capture_output=True, text=True, check=True)
    assert shown.stdout + shown.stderr == ""
