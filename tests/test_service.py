"""The process: start, readiness, signals, exit codes. Real processes."""

import asyncio
import contextlib
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pi_memory import service
from pi_memory.embedding.none import NoEmbedder
from pi_memory.service import at_work, feed_watchdog
from pi_memory.settings import Settings
from pi_memory.store import migrations
from pi_memory.store.database import Database
from tests.conftest import settings_for
from tests.fakes import FakeModel
from tests.process import serving


@pytest.mark.breaks
@pytest.mark.parametrize(("error", "is_short"), [(MemoryError(), True), (OSError(5, "broken"), False)])
def test_short_memory_is_one_line_of_the_log(
    error: Exception, is_short: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(service.unhandled)
        loop.call_exception_handler({"message": "Fatal read error", "exception": error})

    asyncio.run(main())
    assert ("too little memory" in caplog.text) == is_short
    assert ("broken" in caplog.text) != is_short


def test_a_stop_while_it_starts_counts_though_a_part_swallows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @contextlib.asynccontextmanager
    async def deaf(settings: Settings) -> AsyncIterator[None]:
        signal.raise_signal(signal.SIGTERM)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        yield

    async def never(server: object, listener: socket.socket) -> None:
        raise AssertionError("it serves")

    monkeypatch.setattr(service, "running", deaf)
    monkeypatch.setattr(service, "_satellites", contextlib.nullcontext)
    monkeypatch.setattr(service.Server, "run_on", never)
    caplog.set_level("INFO")
    monkeypatch.setattr(service, "log_to_stderr", lambda level: None)
    service.serve(settings_for(tmp_path, PI_MEMORY_PORT=0))
    assert "Stopped while starting" in caplog.text


STOPS = [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP]


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_stops_it_cleanly_and_nothing_is_lost(tmp_path: Path, number: int) -> None:
    with serving(tmp_path) as process:
        with process.client as client:
            client.post("/chat", json={"message": "I live in Ulm", "conversation_id": "c"}).raise_for_status()
        assert process.stop(number) == 0
        assert "Traceback" not in "".join(process.log)
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as db:
        assert db.execute("select user from exchanges").fetchall() == [("I live in Ulm",)]


def test_a_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as client:
        client.post("/chat", json={"message": "I live in Ulm", "conversation_id": "c"}).raise_for_status()
        process.stop()
    with serving(tmp_path) as process, process.client as client:
        assert client.get("/conversations/c").json()["exchanges"][0]["user"] == "I live in Ulm"


def test_under_nohup_it_outlives_its_terminal(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a child inherits that
    try:
        with serving(tmp_path) as process, process.client as client:
            process.popen.send_signal(signal.SIGHUP)
            client.get("/healthz").raise_for_status()
            assert process.stop() == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_while_it_starts_stops_it_cleanly(tmp_path: Path, number: int) -> None:
    with serving(tmp_path, up=False) as process:
        while not (tmp_path / "data" / "memory.db").exists():
            assert process.popen.poll() is None, "".join(process.log)
            time.sleep(0.001)
        assert process.stop(number) == 0
        assert "Traceback" not in "".join(process.log)


def test_ctrl_c_while_it_is_imported_ends_it() -> None:
    code = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == "pi_memory.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from pi_memory.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_systemd_is_notified_when_it_is_ready_and_when_it_stops(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(20)
        with serving(tmp_path, NOTIFY_SOCKET=tmp_path / "notify", WATCHDOG_USEC=100_000) as process:
            first = systemd.recv(4096).decode()
            assert first.startswith("READY=1\nSTATUS=Listening on http://127.0.0.1:")
            assert [systemd.recv(4096) for _ in range(3)] == [b"WATCHDOG=1"] * 3
            assert process.stop() == 0
            result = b""
            while b"STOPPING=1" not in result:
                result = systemd.recv(4096)


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """What systemd listens at."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def test_systemd_is_notified_nothing_while_a_thread_is_stuck(systemd: socket.socket) -> None:
    async def beat() -> None:
        going_on, stuck = asyncio.Event(), asyncio.Event()

        async def progress(beat: int) -> None:
            if beat:
                stuck.set()
                await going_on.wait()

        heart = asyncio.create_task(feed_watchdog(0, progress))
        await stuck.wait()
        assert systemd.recv(4096) == b"WATCHDOG=1"
        with pytest.raises(BlockingIOError):
            systemd.recv(4096)
        going_on.set()
        await asyncio.get_running_loop().sock_recv(systemd, 4096)
        heart.cancel()

    asyncio.run(beat())


def test_a_store_that_is_stuck_makes_no_progress() -> None:
    async def beat() -> None:
        db = await Database.open(None)
        going_on = threading.Event()
        stuck = db.write(lambda _: going_on.wait())
        progress = asyncio.create_task(at_work(db, NoEmbedder(), FakeModel(), 0))
        done, _ = await asyncio.wait({progress}, timeout=0.05)
        assert not done
        going_on.set()
        await asyncio.gather(stuck, progress)
        await db.close()

    asyncio.run(beat())


def test_a_model_whose_step_does_not_end_makes_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "STEP_SECONDS", 0.001)
    model = FakeModel()

    async def beat() -> None:
        db = await Database.open(None)
        model.steps = 7
        progress = asyncio.create_task(at_work(db, NoEmbedder(), model, 0))
        done, _ = await asyncio.wait({progress}, timeout=0.05)
        assert not done
        model.steps = 8
        await progress
        await db.close()

    asyncio.run(beat())


def test_a_port_in_use_is_reported_by_name(tmp_path: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving(tmp_path, up=False, PI_MEMORY_PORT=port) as process:
            assert process.popen.wait(20) == 3
    log = "".join(process.log)
    assert f"Cannot listen on 127.0.0.1:{port}" in log
    assert "PI_MEMORY_PORT" in log
    assert "Traceback" not in log


def test_a_second_daemon_on_the_same_data_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path), serving(tmp_path, up=False) as second:
        assert second.popen.wait(20) == 3
    assert "Another pi-memory is using" in "".join(second.log)


def test_a_second_daemon_is_refused_whatever_was_removed_from_the_folder(tmp_path: Path) -> None:
    with serving(tmp_path):
        for file in (tmp_path / "data").iterdir():
            if file.is_file() and file.suffix != ".db":
                file.unlink()
        with serving(tmp_path, up=False) as second:
            assert second.popen.wait(20) == 3
    assert "Another pi-memory is using" in "".join(second.log)


def test_a_client_that_leaves_in_the_middle_of_its_request_leaves_no_trace_in_the_log(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        port = int(process.url.rpartition(":")[2])
        for path in ("/chat", "/import", "/memories"):
            with closing(socket.create_connection(("127.0.0.1", port))) as client:
                client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n{{".encode())
        with process.client as other:
            assert other.get("/healthz").status_code == 200
        assert process.stop() == 0
    assert "Traceback" not in "".join(process.log)


def test_too_little_memory_is_reported_in_two_lines(tmp_path: Path) -> None:
    """60 MB of addresses; with more, it depends on the machine's cores how much numpy's library takes for itself."""
    command = [sys.executable, "-m", "pi_memory", "--data-dir", str(tmp_path), "serve", "--port", "0"]
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (60_000 * 1024, 60_000 * 1024))
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "too little memory" in done.stderr


def test_a_library_for_websockets_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "websockets.py").write_text("raise SystemExit('it was loaded')")
    with serving(tmp_path) as process, process.client as client:
        assert client.get("/healthz").is_success


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as db:
        db.execute(f"pragma user_version = {migrations.LATEST + 1}")
    with serving(tmp_path, up=False) as process:
        assert process.popen.wait(20) == 3
    log = "".join(process.log)
    assert "newer release" in log
    assert "Traceback" not in log


def test_a_malformed_setting_is_reported_by_name(tmp_path: Path) -> None:
    with serving(tmp_path, up=False, PI_MEMORY_PORT="eighty") as process:
        assert process.popen.wait(20) == 78
    assert "PI_MEMORY_PORT" in "".join(process.log)


def test_what_users_say_is_not_logged(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        with process.client as client:
            client.post("/chat", json={"message": "my xylophone in /home/me/xylophone.py"}).raise_for_status()
        process.stop()
    assert "xylophone" not in "".join(process.log)


def test_the_garbage_collector_leaves_out_what_was_imported() -> None:
    code = "import gc; from pi_memory import service; service.pause_shortly(); print(len(gc.get_objects()))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 1_000, "all that it looks through in a full pass"
