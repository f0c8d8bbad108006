from pathlib import Path

import pytest

from pi_memory.model.cpu_features import unused

PI5 = "processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 asimdrdm lrcpc dcpop asimddp\n"
PI4 = "processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 cpuid\n"
LAPTOP = "flags\t\t: sse4_1 avx2 avx_vnni\n"
SERVER = "flags\t\t: sse4_1 avx2 avx_vnni avx512_vnni\n"


@pytest.mark.parametrize(
    ("cpu", "build", "missing"),
    [
        (PI5, "CPU : NEON = 1 | ARM_FMA = 1 | OPENMP = 1 | ", ["asimddp"]),
        (PI5, "CPU : NEON = 1 | DOTPROD = 1 | ", []),
        (PI4, "CPU : NEON = 1 | ", []),
        (LAPTOP, "CPU : AVX2 = 1 | ", ["avx_vnni"]),
        (LAPTOP, "CPU : AVX2 = 1 | AVX_VNNI = 0 | ", ["avx_vnni"]),
        (SERVER, "CPU : AVX2 = 1 | AVX512_VNNI = 1 | ", []),
        (SERVER, "", ["avx_vnni", "avx512_vnni"]),
        ("", "", []),
    ],
)
def test_what_the_processor_has_and_the_build_has_not(tmp_path: Path, cpu: str, build: str, missing: list[str]) -> None:
    (tmp_path / "cpuinfo").write_text(cpu)
    assert unused(build, tmp_path / "cpuinfo") == missing


def test_a_system_without_cpuinfo_has_nothing_to_tell(tmp_path: Path) -> None:
    assert unused("", tmp_path / "none") == []
