"""Processor features that the llama.cpp build does not use. Pure but for reading `/proc/cpuinfo`."""

from pathlib import Path

# /proc/cpuinfo's name of an instruction, and that of llama_print_system_info for a build that uses it.
DOT_PRODUCTS = {
    "asimddp": "DOTPROD",
    "i8mm": "MATMUL_INT8",
    "avx_vnni": "AVX_VNNI",
    "avx512_vnni": "AVX512_VNNI",
}
# Where there is the wider one, builds leave the other out.
COVERED = {"AVX_VNNI": "AVX512_VNNI"}


def unused(system_info: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> list[str]:
    """The dot-product instructions of this processor that a build with this `system_info` does not use."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    flags = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    built = {part.partition("=")[0].split(":")[-1].strip() for part in system_info.split("|") if "= 1" in part}
    return [
        flag
        for flag, name in DOT_PRODUCTS.items()
        if flag in flags.split() and name not in built and COVERED.get(name) not in built
    ]
