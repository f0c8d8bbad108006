"""The benchmarks of the model run, at tiny sizes; what they measure is not judged here."""

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import gguf
import pytest

from benchmarks import _engine, _words, synthetic_gguf, warmboot
from pi_memory.model.local import LocalModel

ROOT = Path(__file__).parents[1]
QUICK = ("throughput", "cancel", "lag", "background")
LONG = ("prefix", "memory_cost", "model_ram", "warmboot", "side_by_side")
"""They start daemons, or other processes, and take longer than a test may."""
NEEDS = {
    "throughput": {"decode_ratio", "prefill_ratio", "pieces_per_token"},
    "cancel": {"tokens_after_cancel", "latency_over_ubatch", "sequences_as_before"},
    "lag": {"p99_ms"},
    "background": {"identical", "chat_slowdown"},
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def run(name: str, cache: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # Threads that spin while they wait are slow where others want the cores too.
    environ = {"HOME": str(cache), "XDG_CACHE_HOME": str(cache), "OMP_WAIT_POLICY": "passive"}
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environ)


@pytest.mark.parametrize("name", QUICK)
def test_it_prints_its_figures_as_one_json_object(name: str, cache: Path) -> None:
    done = run(name, cache, "--quick", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert NEEDS[name] <= set(figures)
    assert all(f"{key}_missing" in figures for key, value in figures.items() if value is None)


@pytest.mark.parametrize("name", LONG)
def test_it_can_be_asked_how_it_is_run(name: str, cache: Path) -> None:
    done = run(name, cache, "--help")
    assert done.returncode == 0, done.stderr
    assert "--quick" in done.stdout


def test_no_way_to_damage_a_file_leaves_it_as_it_was() -> None:
    original = bytes(range(1, 256)) * 64
    for seed in range(20):
        assert all(way() != original for way in warmboot.Damage(original, seed).ways)


def test_side_by_side_says_what_it_lacks(cache: Path) -> None:
    done = run("side_by_side", cache, "--quick", "--json")
    assert done.returncode == 3
    assert "--build" in done.stderr
    assert not done.stdout


def test_focus_leaves_each_repository_out_in_turn(cache: Path, tmp_path: Path) -> None:
    said = {"n": 0, "user_message": "Fix the pump", "tool_calls": [], "assistant_response": "It runs again."}
    rows = [{"session": session, **said} for session in ("api-1", "api-2", "garden-1")]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    figures = ", ".join(f"'{name}': len(rows)" for name in ("topic_hit", "focus_f1", "path_precision", "path_recall"))
    (tmp_path / "score.py").write_text(f"def score(rows, predictions):\n    return {{{figures}}}\n")
    done = run("focus", cache, "--leave-out", "--json", "--data", str(tmp_path))
    found = json.loads(done.stdout)
    assert (found["topic_hit"], found["topic_hit_without_api"], found["topic_hit_without_garden"]) == (3, 1, 2)
    assert found["focus_f1_left_out"] == 1


def test_every_benchmark_can_be_imported_and_says_what_it_is() -> None:
    for file in sorted((ROOT / "benchmarks").glob("[!_]*.py")):
        if 'import_module("torch")' in file.read_text(encoding="utf-8") and importlib.util.find_spec("torch") is None:
            continue  # fitted where torch is
        module = importlib.import_module(f"benchmarks.{file.stem}")
        assert callable(module.main)
        assert (module.__doc__ or "").rstrip().endswith((".", "?"))


def test_synthetic_files_are_the_same_each_time(tmp_path: Path) -> None:
    shape = synthetic_gguf.SHAPES["tiny"]
    for name in ("one", "other"):
        synthetic_gguf.write(tmp_path / name, shape)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_synthetic_files_have_the_sizes_of_their_shape(tmp_path: Path) -> None:
    synthetic_gguf.write(tmp_path / "tiny.gguf", synthetic_gguf.SHAPES["tiny"])
    read = gguf.GGUFReader(tmp_path / "tiny.gguf")
    shapes = {tensor.name: tuple(map(int, tensor.shape)) for tensor in read.tensors}
    assert shapes["token_embd.weight"] == (64, 8_192)
    assert shapes["blk.1.attn_k.weight"] == (64, 32)
    assert "output.weight" not in shapes


def test_words_in_a_row_are_tokenised_as_they_were_generated(tmp_path: Path) -> None:
    synthetic_gguf.write(tmp_path / "tiny.gguf", synthetic_gguf.SHAPES["tiny"])
    model = LocalModel.open(tmp_path / "tiny.gguf", context_tokens=256)
    assert model.count(" " + " ".join(_words.WORDS)) == len(_words.WORDS)


def test_quantile_is_a_value_that_was_there() -> None:
    assert _engine.quantile([3.0, 1.0, 2.0], 0.99) == 3.0
    assert _engine.quantile([3.0, 1.0, 2.0], 0.5) == 2.0
