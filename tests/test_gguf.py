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
from safetensors.numpy import load_file, save_file

from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder, fingerprint
from pi_memory.embedding.gguf_export import export_bert
from pi_memory.embedding.reading import by_words
from pi_memory.embedding.token_codes import BITS
from pi_memory.errors import EmbedderError
from pi_memory.types import Vectors
from tests.gguf_bert import (
    CONTEXT,
    FEED_FORWARD,
    WIDTH,
    export_minilm_or_skip,
    write_adapter,
    write_bert_gguf,
    write_sentence_bert,
)

T = TypeVar("T")
HOUSEHOLD = (
    ("The fuse box is behind the coats in the hall.", "The lights went out, where do I look?"),
    ("Ines takes half a tablet of Levanol with breakfast.", "What medicine must my wife not forget in the morning?"),
    ("The chimney sweep comes on the ninth of March.", "When does the man come who cleans the flue?"),
    ("Our landlady is Mrs. Bracegirdle, she lives in Truro.", "Who do we rent from?"),
    ("The good scissors are in the drawer under the phone.", "I want to cut wrapping paper, what with?"),
    ("Freight goes with Holloway, they collect at four.", "Who fetches the parcels in the afternoon?"),
    ("The dishwasher needs descaling every six weeks.", "How often does the machine for the plates want cleaning?"),
    ("My shoes are a wide 43.", "What size do I wear on my feet?"),
)


def factors() -> tuple[Vectors, Vectors]:
    """Those of an adapter of the first matrix of the feed-forward network."""
    random = np.random.default_rng(3)
    up, down = (random.normal(size=size, scale=0.3).astype(np.float32) for size in ((FEED_FORWARD, 4), (4, WIDTH)))
    return up, down


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


def test_an_adapter_is_added_to_the_weights_and_makes_a_space_of_its_own(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "source")
    up, down = factors()
    plain = export_bert(folder, tmp_path / "plain.gguf", quantisation="f16", name="tiny")
    adapters = tmp_path / "adapters"
    meaning = write_adapter(adapters / "tiny" / "meaning.gguf", {"blk.0.ffn_up.weight": (up, down)})
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.0.intermediate.dense.weight"] += up @ down
    save_file(weights, folder / "model.safetensors")
    merged = export_bert(folder, tmp_path / "merged.gguf", quantisation="f16", name="tiny")
    adapted = GgufEmbedder.open(plain, adapters=adapters)
    ((found,), name) = asyncio.run(adapted.embed(["the water"])), adapted.id
    (words,) = asyncio.run(by_words(adapted, ["the water"]))
    asyncio.run(adapted.close())
    assert found @ embed(merged, "the water")[0] > 0.9999
    assert found @ embed(plain, "the water")[0] < 0.99
    assert words @ embed(plain, "the water")[0] > 0.9999
    assert name == f"tiny+{fingerprint(meaning)}-{fingerprint(plain)}"


@pytest.mark.parametrize("broken", [False, True])
def test_an_adapter_that_does_not_fit_is_left_out(
    tiny_gguf: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, broken: bool
) -> None:
    wrong = np.ones((48, 2), np.float32), np.ones((2, 48), np.float32)
    adapter = write_adapter(tmp_path / "tiny-bert" / "meaning.gguf", {"blk.0.ffn_up.weight": wrong})
    if broken:
        adapter.write_bytes(adapter.read_bytes()[:-64])
    embedder = GgufEmbedder.open(tiny_gguf, adapters=tmp_path)
    assert embedder.id == use(tiny_gguf, name)
    np.testing.assert_array_equal(asyncio.run(embedder.embed(["a"])), embed(tiny_gguf, "a"))
    asyncio.run(embedder.close())
    assert "left out" in caplog.text


def test_answers_are_nearer_to_questions_with_the_adapter_that_is_shipped(minilm_gguf: Path) -> None:
    told, asked = zip(*HOUSEHOLD, strict=True)
    margins = []
    for adapters in (None, Config().folder("adapters")):
        embedder = GgufEmbedder.open(minilm_gguf, adapters=adapters)
        facts, questions = (asyncio.run(embedder.embed(texts)) for texts in (told, asked))
        asyncio.run(embedder.close())
        cosines = questions @ facts.T
        right = np.diag(cosines).copy()
        np.fill_diagonal(cosines, -1)
        margins.append((right - cosines.max(1)).mean())
    assert margins[1] > margins[0] + 0.05


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


def test_pairs_are_read_with_an_adapter_of_their_own_and_vectors_stay_as_they_are(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "source")
    up, down = factors()
    model = export_bert(folder, tmp_path / "model.gguf", quantisation="f16", name="tiny")
    adapters = tmp_path / "adapters"
    write_adapter(adapters / "tiny" / "pairs.gguf", {"blk.0.ffn_up.weight": (up, down)})

    async def main() -> None:
        plain, reads = GgufEmbedder.open(model), GgufEmbedder.open(model, adapters=adapters)
        pairs = [("the water", "the pump"), ("the pump", "the water"), ("the water", "")] * 5
        before = await reads.embed(["the water"])
        found = await reads.read(pairs, "pairs")
        assert await plain.read(pairs, "pairs") is None
        assert plain.id == reads.id
        assert found is not None
        assert found.shape == (15, WIDTH)
        np.testing.assert_allclose(found[:3], found[3:6], atol=1e-4)
        assert not np.allclose(found[0], found[1], atol=1e-2)  # which is the newer one counts
        np.testing.assert_array_equal(await reads.embed(["the water"]), before)
        np.testing.assert_allclose(before, await plain.embed(["the water"]), atol=1e-6)
        assert await reads.read([("a " * 400, "b " * 400)], "pairs") is not None  # as much as fits
        assert (await reads.read([], "pairs")) is not None
        await plain.close()
        await reads.close()

    asyncio.run(main())


def test_an_adapter_of_another_shape_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = export_bert(
        write_sentence_bert(tmp_path / "source"), tmp_path / "model.gguf", quantisation="f16", name="tiny"
    )
    misfit = np.ones((FEED_FORWARD + 1, 4), np.float32), np.ones((4, WIDTH), np.float32)
    write_adapter(tmp_path / "adapters" / "tiny" / "pairs.gguf", {"blk.0.ffn_up.weight": misfit})
    embedder = GgufEmbedder.open(model, adapters=tmp_path / "adapters")
    assert asyncio.run(embedder.read([("the water", "the pump")], "pairs")) is None
    asyncio.run(embedder.close())
    assert "does not fit" in caplog.text
