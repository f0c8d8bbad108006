"""The C library's heap, in processes of their own: what threads allocate, and what is given back."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")

THREADS = """
import ctypes, threading
from pi_memory import heap
{first}
everyone, kept = threading.Barrier(5), []
def work():
    kept.append(bytearray(50_000))
    everyone.wait()
for _ in range(4):
    threading.Thread(target=work).start()
everyone.wait()
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""

PEAK = """
import re
from pi_memory import heap
def megabytes():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
peak = [bytearray(2_000) for _ in range(10_000)]
above = bytearray(2_000)
del peak
before = megabytes()
heap.trim()
print(before - megabytes())
"""


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_threads_share_one_heap() -> None:
    assert _run(THREADS.format(first="")).count("<heap") > 1
    assert _run(THREADS.format(first="heap.share()")).count("<heap") == 1


def test_what_a_peak_has_left_is_given_back() -> None:
    assert float(_run(PEAK)) > 10
