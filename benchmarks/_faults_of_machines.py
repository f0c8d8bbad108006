"""Faults of the machine around the daemon: a disk that fails, no descriptors, no memory, models that go, signals."""

import contextlib
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import _measure as measure
from benchmarks import synthetic_gguf
from benchmarks._bed import AGAIN, SERVE, Bed, known, loss_is_named

READS, WRITES, SYNCS, READ_ONLY = "rwso"
"""What fails below the data directory, as `fail_io.c` knows it."""


def reads_fail(bed: Bed) -> None:
    with failing(bed, READS):
        bed.talk("barrel")
        with bed.client() as client:
            for path in ("/memories/search?q=anchor", "/focus", "/exchanges?q=anchor"):
                assert client.get(path).status_code in (200, 503)
    bed.talk("candle")
    bed.expect_well()


def writes_fail(bed: Bed) -> None:
    with failing(bed, WRITES):
        nothing_is_confirmed(bed)
    bed.expect_well(AGAIN)


def syncs_fail(bed: Bed) -> None:
    with failing(bed, SYNCS):
        assert not bed.remember("I like the barrel."), "nobody may confirm it"
        bed.chat("the barrel is by the door")
        bed.noticed &= bed.log().count("Nothing is saved") == 1
    bed.expect_well(AGAIN)


def disk_becomes_read_only(bed: Bed) -> None:
    with failing(bed, READ_ONLY):
        nothing_is_confirmed(bed)
    bed.expect_well(AGAIN)


def writes_fail_at_a_stop(bed: Bed) -> None:
    with failing(bed, WRITES):
        bed.chat("the barrel is by the door")
        bed.heard.discard("the barrel is by the door")  # the log says that it is lost
        assert bed.stop() == 1
        bed.noticed &= bed.log().count("could not be saved:") == 1
    bed.start()


def no_descriptors(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    with limited(bed, resource.RLIMIT_NOFILE, len(list(Path(f"/proc/{bed.popen.pid}/fd").iterdir()))):
        for number in range(5):
            bed.chat(f"number {number} is by the door")
            bed.topic(f"topic{number}")
    bed.expect_well()
    bed.talk("barrel")


def no_memory(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    with limited(bed, resource.RLIMIT_AS, 1_000_000):
        bed.chat("the barrel is by the door" + " and by the wall" * 9_999)
        bed.talk("barrel")
    bed.expect_well()
    bed.talk("candle")


def killed_by_a_library(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    bed.send(signal.SIGSEGV)
    bed.popen.wait()
    bed.kill()
    bed.start()


def model_gone_while_it_runs(bed: Bed) -> None:
    model = with_model(bed)
    kept = model.rename(model.with_suffix(".kept"))
    bed.talk("barrel")
    bed.stop()
    start_with(bed, model)
    bed.expect("There is no model file")
    bed.talk("candle")
    bed.stop()
    kept.rename(model)
    start_with(bed, model)
    bed.expect_well()


def model_replaced_while_it_runs(bed: Bed) -> None:
    model = with_model(bed)
    sound = model.read_bytes()
    model.write_bytes(b"GGUF" + bytes(len(sound) - 4))
    bed.talk("barrel")
    bed.stop()
    start_with(bed, model)
    bed.expect(model.name)
    bed.talk("candle")
    bed.stop()
    model.write_bytes(sound)
    start_with(bed, model)
    bed.expect_well()


def embedder_of_nonsense(bed: Bed) -> None:
    folder = bed.data / "models" / "embedder"
    folder.mkdir(parents=True)
    (folder / "some.gguf").write_bytes(b"GGUF" + bytes(9_999))
    bed.start(PI_MEMORY_EMBEDDER="gguf")
    bed.expect("some.gguf")
    bed.talk("anchor")


def stopped_in_every_phase(bed: Bed) -> None:
    """From the first import to the ready daemon."""
    known(bed)
    for number in (signal.SIGTERM, signal.SIGINT):
        for step in range(10):
            stopped_after(bed, number, 0.15 * step)
    bed.start()


def stopped_in_the_middle_of_talk(bed: Bed) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        bed.start(PI_MEMORY_COMMIT_SECONDS=60)
        for word in ("anchor", "barrel", "candle"):
            bed.talk(word)
        assert bed.stop(number) == 0
    bed.start()


FAULTS_OF_MACHINES = (
    reads_fail,
    writes_fail,
    syncs_fail,
    disk_becomes_read_only,
    writes_fail_at_a_stop,
    no_descriptors,
    no_memory,
    killed_by_a_library,
    model_gone_while_it_runs,
    model_replaced_while_it_runs,
    embedder_of_nonsense,
    stopped_in_every_phase,
    stopped_in_the_middle_of_talk,
)


@contextlib.contextmanager
def failing(bed: Bed, way: str) -> Iterator[None]:
    """A daemon whose disk fails in a way, until the block is left."""
    by = bed.folder / "failing"
    by.write_bytes(b"-")
    bed.data.mkdir(parents=True, exist_ok=True)
    preload = measure.preloaded(bed.folder, "fail_io")
    bed.start(LD_PRELOAD=preload, FAIL_IO_BY=by, FAIL_IO_BELOW=bed.data)
    bed.talk("anchor")
    bed.wait_for_commit()
    write_in_place(by, way)
    yield
    write_in_place(by, "-")


def write_in_place(path: Path, text: str) -> None:
    """The file is mapped by who reads it."""
    with path.open("r+") as file:
        file.write(text)


def nothing_is_confirmed(bed: Bed) -> None:
    bed.chat("the barrel is by the door")
    loss_is_named(bed)
    assert not bed.remember("I like the barrel."), "nobody may confirm it"
    assert not bed.topic("barrel")


@contextlib.contextmanager
def limited(bed: Bed, what: int, most: int) -> Iterator[None]:
    before = resource.prlimit(bed.popen.pid, what)
    resource.prlimit(bed.popen.pid, what, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(bed.popen.pid, what, before)


def with_model(bed: Bed) -> Path:
    """The file of the model that a daemon runs."""
    model = bed.folder / "tiny.gguf"
    synthetic_gguf.write(model, synthetic_gguf.SHAPES["tiny"])
    start_with(bed, model)
    bed.expect_well()
    bed.talk("anchor")
    return model


def start_with(bed: Bed, model: Path) -> None:
    bed.start(PI_MEMORY_PROVIDER="llama", PI_MEMORY_MODEL=model, PI_MEMORY_THREADS=1, CTX_TOKENS=512)


def stopped_after(bed: Bed, number: int, seconds: float) -> None:
    """Send a signal to a daemon that starts, so many seconds after its first line."""
    log = (bed.folder / f"log-{time.monotonic_ns()}").open("w")
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell has its background jobs ignore it
    started = subprocess.Popen(SERVE, cwd=bed.folder, env=bed.environ(), stderr=log, umask=0o022, preexec_fn=heard)
    with log, started as popen:
        while "Umask:\t0022" in Path(f"/proc/{popen.pid}/status").read_text():
            time.sleep(0.001)  # until then Python itself answers, in its own way
        time.sleep(seconds)
        popen.send_signal(number)
        try:
            code = popen.wait(30)
        finally:
            popen.kill()
    # A signal that nobody has taken over yet ends it by itself.
    assert code in (0, 130, -number), f"signal {number} after {seconds:.2f} s: exit code {code}"
