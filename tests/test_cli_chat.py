"""`pi-memory chat`, in a terminal and in a pipe."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from tests import openai_server
from tests.command import run, run_alone
from tests.openai_server import Request
from tests.process import Process, serving
from tests.terminal import terminal

CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"
TALE = "Once upon a time there was a very small pump in a very large garden and it worked all day long"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon"), PI_MEMORY_COMMIT_SECONDS=0) as process:
        yield process


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A daemon whose model begins a tale, and ends it only if it is asked to be short."""

    async def tale(request: Request) -> None:
        await request.begin()
        await request.delta(f"{TALE} ")
        if "short" not in request.body["messages"][-1]["content"]:
            await asyncio.sleep(3600)
        await request.event("[DONE]")

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(openai_server.serving(tale)) as server:
        folder, url = tmp_path_factory.mktemp("slow"), server.url
        with serving(folder, PI_MEMORY_PROVIDER="openai", PI_MEMORY_OPENAI_BASE_URL=url) as process:
            yield process


def test_it_talks_and_shows_the_conversation(daemon: Process) -> None:
    with terminal(daemon, "chat") as screen:
        screen.says("My cat is called Miso")
        screen.shows("[conversation ")
        screen.says("What is my cat called?")
        assert "Miso" in screen.shows("you> ")
        screen.types("/quit\n")
        assert screen.popen.wait(30) == 0


def test_what_became_a_memory_stands_behind_the_reply(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        told = run(process, process.folder, "chat", "My boiler was made by Vaillant and its PIN is kept by Ida Moss.")
        assert "[m1: The user's boiler was made by Vaillant and its PIN is kept by Ida Moss.]" in told.stderr
        changed = run(process, process.folder, "chat", "Remember: my sister lives in Oslo.")
        assert "[" not in changed.stderr  # the reply says it
        assert "[m3, in place of m2: " in run(process, process.folder, "chat", "My sister moved to Bergen.").stderr
        assert "[" not in run(process, process.folder, "chat", "Where does my sister live?").stderr


def test_ctrl_c_stops_the_reply_and_not_the_program(slow: Process) -> None:
    with terminal(slow, "chat") as screen:
        screen.says("Tell me a tale")
        screen.shows("Once upon")
        screen.types(CTRL_C)
        screen.shows("[stopped]")
        screen.says("A short one")
        screen.shows("all day long")
        screen.shows("you> ")
        screen.interrupts("/quit leaves")
        screen.shows("you> ")
        screen.types(CTRL_D)
        assert screen.popen.wait(30) == 0


def test_it_is_the_same_conversation_after_a_reply_that_was_stopped(slow: Process) -> None:
    with terminal(slow, "chat") as screen:
        screen.says("Tell me a tale about the sea")
        screen.shows("Once upon")
        screen.types(CTRL_C)
        screen.says("A short one about the sea")
        name = screen.shows("you> ").partition("[conversation ")[2].partition("]")[0]
    with slow.client as client:
        said = client.get(f"/conversations/{name}").json()["exchanges"]
    assert [exchange["partial"] for exchange in said] == [True, False]


def test_words_are_wrapped(slow: Process) -> None:
    with terminal(slow, "chat", "a short tale", columns=30) as screen:
        shown = screen.shows("[conversation")
    lines = [line for line in shown.splitlines() if line]
    assert " ".join(line.strip() for line in lines) == TALE
    assert max(map(len, lines)) <= 30


def test_the_arrow_keys_bring_back_what_was_said_before(daemon: Process) -> None:
    run(daemon, daemon.folder, "chat", "My bicycle is called Rosinante").check_returncode()
    with terminal(daemon, "chat") as screen:
        screen.shows("you> ")
        screen.types(UP)
        screen.shows("My bicycle is called Rosinante")


def test_commands(daemon: Process) -> None:
    with terminal(daemon, "chat") as screen:
        screen.says("/help")
        screen.shows("/forget ID")
        screen.says("/frobnicate")
        screen.shows("There is no /frobnicate")
        screen.says("/continue")
        name = screen.shows("]").partition("[conversation ")[2]
        screen.says("/new")
        screen.shows("A new conversation")
        screen.says("hello there")
        assert name not in screen.shows("you> ")


def test_memories_are_listed_and_forgotten(daemon: Process) -> None:
    printed = run(daemon, daemon.folder, "remember", "The gate code is 2580", "--json")
    which = f"m{json.loads(printed.stdout)['id']}"
    with terminal(daemon, "chat") as screen:
        screen.says("/memories gate code")
        assert which in screen.shows("The gate code is 2580")
        screen.says("/forget nothing")
        screen.shows("'nothing' is no id")
        screen.says(f"/forget {which}")
        screen.shows("for good?")
        screen.types("n\n")
        screen.shows("Nothing was forgotten")
        screen.says(f"/forget {which}")
        screen.shows("for good?")
        screen.types("y\n")
        screen.shows("Forgotten.")
        screen.says("/memories gate code")
        assert "2580" not in screen.shows("you> ")


def test_continue_goes_on_with_the_last_conversation(daemon: Process) -> None:
    first = json.loads(run(daemon, daemon.folder, "chat", "My horse is called Star", "--json").stdout)
    again = json.loads(run(daemon, daemon.folder, "chat", "hello", "--continue", "--json").stdout)
    assert again["conversation_id"] == first["conversation_id"]
    both = run(daemon, daemon.folder, "chat", "hello", "--continue", "--conversation", "x")
    assert both.returncode == 2


def test_without_a_conversation_there_is_nothing_to_continue(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        done = run(process, tmp_path, "chat", "hello", "--continue")
    assert (done.returncode, "no conversation" in done.stderr) == (2, True)


def test_a_pipe_is_a_filter(daemon: Process) -> None:
    talk = run_alone(daemon, daemon.folder, "chat", said="My dog is called Rex\n\nWhat is my dog called?\n")
    assert talk.returncode == 0
    assert talk.stdout.endswith("Your dog is called Rex.\n")
    assert ("you>" in talk.stdout, "[conversation" in talk.stdout + talk.stderr) == (False, False)
    lines = run(daemon, daemon.folder, "chat", "--json", said="hello\nhello\n").stdout.splitlines()
    first, second = map(json.loads, lines)
    assert first["conversation_id"] == second["conversation_id"]


def test_a_dash_says_all_of_standard_input(daemon: Process) -> None:
    run(daemon, daemon.folder, "chat", "-", "--json", said="first line\nsecond line\n").check_returncode()
    with daemon.client as client:
        newest = client.get("/exchanges", params={"limit": "1"}).json()["exchanges"][0]
    assert newest["user"] == "first line\nsecond line\n"


def test_an_error_does_not_end_the_talk(daemon: Process) -> None:
    with terminal(daemon, "chat", "--agent", "nobody") as screen:
        screen.says("hello")
        screen.shows("nobody")
        screen.shows("you> ")
    refused = run(daemon, daemon.folder, "chat", "hello", "--agent", "nobody")
    assert (refused.returncode, "nobody" in refused.stderr) == (1, True)
