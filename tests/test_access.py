"""Who gets in: the daemon's own user and root by their socket, others by the token. Real daemons, real users."""

import asyncio
import logging
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_memory.errors import TooMany, Unauthorized
from pi_memory.http.access import MOST_OF_ONE, WRONG_SECONDS, Access
from pi_memory.http.named_tokens import TokenFile
from pi_memory.http.rate_limit import RateLimit
from tests.command import run
from tests.process import Process, serving

OTHER = 12_345
"""A user id that nobody has."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")

GET = """
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], timeout=20)
connection.request("GET", sys.argv[2], headers=dict(line.split(": ") for line in sys.argv[3:]))
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon")) as process:
        process.wait_until_loaded()
        yield process


@pytest.fixture
def token(daemon: Process) -> str:
    return (daemon.folder / "data" / "token").read_text().strip()


def as_other(daemon: Process, path: str, *headers: str) -> str:
    """Status and body that another user of this machine gets."""
    command = ["python3", "-c", GET, daemon.url.removeprefix("http://"), path, *headers]
    return subprocess.run(command, user=OTHER, cwd="/", capture_output=True, text=True, timeout=60, check=True).stdout


def test_the_owner_needs_no_token(daemon: Process) -> None:
    with daemon.client as client:
        assert client.get("/export").status_code == 200
        # Clients of other services send a key of theirs, whatever it is.
        assert client.get("/export", headers={"Authorization": "Bearer none"}).status_code == 200


@needs_root
def test_another_user_gets_nothing_without_the_token(daemon: Process, token: str) -> None:
    assert as_other(daemon, "/export").startswith("401")
    assert as_other(daemon, "/export", f"Authorization: Bearer {token}").startswith("200")
    with daemon.client as client:
        assert f"uid {OTHER}" in {entry["who"] for entry in client.get("/audit").json()["entries"]}


@needs_root
def test_another_user_gets_what_a_named_token_opens(daemon: Process) -> None:
    with daemon.client as client:
        named = client.post("/tokens", json={"name": "other", "scope": "read"}).json()["token"]
    assert as_other(daemon, "/focus", f"Authorization: Bearer {named}").startswith("200")
    assert as_other(daemon, "/export", f"Authorization: Bearer {named}").startswith("403")


@needs_root
def test_another_user_may_know_that_the_daemon_is_there_and_no_more(daemon: Process, token: str) -> None:
    assert as_other(daemon, "/healthz") in ('200 {"status":"ok"}\n', '200 {"status":"degraded"}\n')
    assert "memory.db" in as_other(daemon, "/healthz", f"Authorization: Bearer {token}")


def test_the_owner_sees_all_of_the_health(daemon: Process) -> None:
    with daemon.client as client:
        assert "database" in client.get("/healthz").json()["parts"]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host"])
def test_what_a_proxy_of_the_owner_passes_on_needs_the_token(daemon: Process, token: str, header: str) -> None:
    with daemon.client as client:
        assert client.get("/focus", headers={header: "127.0.0.1"}).status_code == 401
        known = {header: "127.0.0.1", "Authorization": f"Bearer {token}"}
        assert client.get("/focus", headers=known).status_code == 200


def test_a_name_that_is_not_the_daemons_needs_the_token_even_of_the_owner(daemon: Process, token: str) -> None:
    with daemon.client as client:
        assert client.get("/focus", headers={"Host": "evil.example"}).status_code == 403
        known = {"Host": "pi.example", "Authorization": f"Bearer {token}"}
        assert client.get("/focus", headers=known).status_code == 200


def test_the_token_is_for_its_user_alone_and_stays(daemon: Process, token: str) -> None:
    file = daemon.folder / "data" / "token"
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(token) == 64


def test_a_token_that_was_set_is_asked_of_everyone(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_TOKEN="sesame") as process, process.client as client:
        assert client.get("/focus").status_code == 401
        assert client.get("/healthz").json().keys() == {"status"}
        assert client.get("/focus", headers={"Authorization": "Bearer sesame"}).status_code == 200
        assert not (tmp_path / "data" / "token").exists()


def test_the_command_line_finds_the_token_in_the_data_directory(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_TOKEN="sesame") as process:
        assert "token" in run(process, tmp_path, "focus").stderr
        assert run(process, tmp_path, "focus", PI_MEMORY_TOKEN="sesame").returncode == 0
        (tmp_path / "data" / "token").write_text("sesame\n")
        assert run(process, tmp_path, "focus").returncode == 0


def test_a_check_without_the_token_says_what_everyone_may_know(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_TOKEN="sesame") as process:
        said = run(process, tmp_path, "check").stdout
        assert said.startswith("The daemon is running.")
        assert "PI_MEMORY_TOKEN" in said
        assert "memory.db" not in said


def test_a_wrong_token_is_logged_once_a_while(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_TOKEN="sesame") as process:
        with process.client as client:
            for guess in ("guess-one", "guess-two"):
                assert client.get("/focus", headers={"Authorization": f"Bearer {guess}"}).status_code == 401
        process.stop()
    assert sum("Wrong token from 127.0.0.1" in line for line in process.log) == 1
    assert "guess" not in "".join(process.log)


def test_a_token_that_others_could_read_is_replaced_at_a_start(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "token"
    file.write_text("a" * 64)
    file.chmod(0o644)
    with serving(tmp_path):
        made = file.read_text()
        assert made != "a" * 64
    with serving(tmp_path):
        assert file.read_text() == made


def test_a_link_in_the_place_of_the_token_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    known = tmp_path / "known"
    known.write_text("b" * 64)
    known.chmod(0o600)
    (tmp_path / "data" / "token").symlink_to(known)
    with serving(tmp_path):
        assert known.read_text() == "b" * 64
        assert (tmp_path / "data" / "token").read_text().strip() != "b" * 64


class Pause:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.over = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await self.over.wait()


def made(folder: Path, pause: Pause, clock: Callable[[], float] = time.monotonic) -> Access:
    return Access("right", tokens=TokenFile(folder), rate=RateLimit(0), pause=pause, clock=clock)


def test_a_wrong_token_takes_a_second_and_a_right_one_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        pause = Pause()
        access = made(tmp_path, pause)
        await access.check("right", "127.0.0.1")
        assert not pause.seconds
        pause.over.set()
        with pytest.raises(Unauthorized):
            await access.check("wrong", "127.0.0.1")
        assert pause.seconds == [WRONG_SECONDS]

    asyncio.run(scenario())


def test_who_guesses_on_is_not_even_looked_at_and_others_are(tmp_path: Path) -> None:
    async def scenario() -> None:
        pause = Pause()
        access = made(tmp_path, pause)
        async with asyncio.TaskGroup() as group:
            guesses = [group.create_task(refused(access, "192.0.2.7")) for _ in range(MOST_OF_ONE)]
            await asyncio.sleep(0)
            with pytest.raises(TooMany):
                await access.check("right", "192.0.2.7")
            await access.check("right", "192.0.2.8")
            pause.over.set()
        assert all(guess.done() for guess in guesses)
        await access.check("right", "192.0.2.7")

    asyncio.run(scenario())


async def refused(access: Access, address: str) -> None:
    with pytest.raises(Unauthorized):
        await access.check("wrong", address)


def test_wrong_tokens_are_logged_with_their_number(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pause, times = Pause(), iter((0.0, 1.0, 2.0, 61.0))
    pause.over.set()
    access = made(tmp_path, pause, clock=lambda: next(times))
    with caplog.at_level(logging.WARNING):
        for _ in range(4):
            asyncio.run(refused(access, "192.0.2.7"))
    assert [record.getMessage() for record in caplog.records] == [
        "Wrong token from 192.0.2.7; 1 since the last such line",
        "Wrong token from 192.0.2.7; 3 since the last such line",
    ]
