import re
import subprocess
import sys
from pathlib import Path

import pytest

from pi_memory.model.openmp import variables
from tests.gguf_files import write_llama
from tests.process import serving


def test_threads_spin_for_a_moment_by_default() -> None:
    assert variables("auto", "x86_64", {}) == {"GOMP_SPINCOUNT": "1000"}
    assert variables("auto", "aarch64", {}) == {"GOMP_SPINCOUNT": "10000"}


@pytest.mark.parametrize("wait", ["active", "passive"])
def test_a_policy_can_be_set(wait: str) -> None:
    assert variables(wait, "aarch64", {}) == {"OMP_WAIT_POLICY": wait}  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT"])
def test_the_environment_wins(key: str) -> None:
    assert variables("auto", "x86_64", {key: "active"}) == {}
    assert variables("passive", "x86_64", {key: "active"}) == {}


def test_libgomp_is_set_in_time(tmp_path: Path) -> None:
    """It says itself what it found in the environment when it was loaded."""
    path = write_llama(tmp_path / "tiny.gguf")
    for wait, expected in (("auto", r"GOMP_SPINCOUNT = '10?0?000'"), ("passive", "= 'PASSIVE'")):
        (folder := tmp_path / wait).mkdir()
        with serving(folder, PI_MEMORY_MODEL=path, PI_MEMORY_WAIT=wait, OMP_DISPLAY_ENV="verbose") as process:
            process.wait_until_loaded()
            assert process.stop() == 0
        log = "".join(process.log)
        if "GOMP_SPINCOUNT" not in log:
            pytest.skip("llama.cpp was built without libgomp")
        assert re.search(expected, log), log


def test_arrays_are_computed_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others would spin beside the model's."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    program = """
import sys
from pi_memory.__main__ import main
sys.argv = ["pi-memory", "--version"]
try:
    main()
finally:
    import numpy
    print([line.split()[1] for line in open("/proc/self/status") if line.startswith("Threads:")])
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.splitlines()[-1] == "['1']"
