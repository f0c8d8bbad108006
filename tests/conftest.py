"""What tests of the whole daemon share."""

import logging
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from pi_memory.app import create_app
from pi_memory.embedding.none import NoEmbedder
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.parts import Parts
from pi_memory.protocols import Clock
from pi_memory.settings import Settings, build
from tests.desk import SETTLE
from tests.fakes import FakeClock, FakeModel

# However the tests were started: in the background, or by nohup, signals are ignored, also by what they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# A Pi is slow, and so is a computer that does something else: time is no property.
settings.register_profile("any computer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any computer")

# Every daemon compiles the same eight hundred expressions at its start. `re` keeps 512, which is none of them.
vars(re)["_MAXCACHE"] = 4096

Daemon = Callable[..., "Client"]


class Client(TestClient):
    """An HTTP client of a daemon that runs in this process; `stop` stops the daemon cleanly."""

    stop: Callable[[], None]

    def settle(self) -> None:
        """Until nothing is left to do after the replies."""
        assert self.portal is not None
        self.portal.call(self.parts.inbox.drain)
        self.portal.call(self.parts.reflection.drain)

    @property
    def parts(self) -> Parts:
        parts: Parts = self.app.state.parts  # type: ignore[attr-defined]
        return parts


@pytest.fixture(autouse=True)
def nothing_breaks_unseen(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What fails in the background, as after a reply, is only logged: nobody sees that something was not learned. A
    test that has something fail is marked `breaks`.
    """
    yield
    if request.node.get_closest_marker("breaks"):
        return
    failed = [r for r in caplog.get_records("call") if r.levelno >= logging.ERROR and r.exc_info]
    assert [record.getMessage() for record in failed] == []


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def daemon(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """Start a daemon on `tmp_path`: settings by keyword, such as `MEMORY_MAX_TURNS=2`, its model by `model`."""
    monkeypatch.setattr("pi_memory.daemon.RecentFocus", partial(RecentFocus, settle=SETTLE))
    with ExitStack() as stack:

        def start(*, model: Any = None, embedder: Any = None, clock: Clock = clock, **values: object) -> Client:
            app = create_app(
                settings_for(tmp_path, **values),
                model=model or FakeModel(),
                embedder=embedder or NoEmbedder(),
                clock=clock,
            )
            running = stack.enter_context(ExitStack())
            client = running.enter_context(Client(app, base_url="http://127.0.0.1:8765"))
            client.stop = running.close
            return client

        yield start


def settings_for(folder: Path, **values: object) -> Settings:
    return build({"PI_MEMORY_DATA_DIR": folder / "data", **values}, environ={})
