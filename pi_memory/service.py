"""The process from start to exit: bind, READY, WATCHDOG, STOPPING, signals, drain, exit codes."""

import asyncio
import contextlib
import fcntl
import gc
import itertools
import logging
import os
import platform
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

from pi_memory import heap, private
from pi_memory.app import create_app
from pi_memory.daemon import running
from pi_memory.errors import NotSaved, StartError, without_passwords
from pi_memory.http.access import Access, nobody, owner
from pi_memory.http.connections import BACKLOG, BoundedProtocol, Listener
from pi_memory.log_limit import LogLimit
from pi_memory.model import openmp
from pi_memory.parts import Parts
from pi_memory.protocols import Embedder, Model
from pi_memory.settings import Settings
from pi_memory.store.database import Database
from pi_memory.tasks import logged

GRACE_SECONDS = 3
"""Longest that open connections delay a stop after their turns were stopped."""

STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)
"""Signals that cause a clean stop, Ctrl-\\ and a closed terminal among them."""
STEP_SECONDS = 1.0
"""Pause between two looks at whether the model has ended a step."""
SWITCH_SECONDS = 0.001
"""Longest that another Python thread holds the GIL against the event loop; Python's default is 5 ms."""

logger = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Run the daemon until a signal of STOP.

    Raises `StartError` when it cannot start, and `NotSaved` when exchanges were lost by the time it stopped.
    """
    log_to_stderr(settings.server.log_level)
    pause_shortly()
    heap.share()
    os.environ.update(openmp.variables(settings.chat.wait, platform.machine(), os.environ))
    with alone(settings), bound(settings.server.host, settings.server.port) as listener:
        access = admission(settings)
        keep_private(settings)
        asyncio.run(_serve(settings, access, listener))


def pause_shortly() -> None:
    """Keep the event loop's waits for what other threads compute, and for the garbage collector, short.

    What the imports have made is never garbage. To look through all of it takes 45 ms, several times that on a Pi,
    and happens at any time, also in a turn; so it is looked through once, now, and left out from then on.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()


def admission(settings: Settings) -> Access:
    """The access rule: with a configured token every request needs it; otherwise this user and root need none, and all
    others the generated one.
    """
    if settings.server.token:
        return Access.of(settings, settings.server.token, trusts=nobody)
    try:
        token = private.ensure_token(settings.data_dir)
    except OSError as error:
        logger.warning("No access token can be kept (%s): only this user and root are served", error.strerror)
        token = private.new_token()
    return Access.of(settings, token, trusts=owner)


def keep_private(settings: Settings) -> None:
    """Remove other users' permissions from our folders and files, whatever made them and under whatever umask."""
    data, states, focus = settings.data_dir, settings.states_dir, settings.focus_file
    ours = (data.glob("memory.db*"), states.glob("*"), focus.parent.glob(f"*{focus.name}*"))
    folders = (data, settings.models_dir, states, focus.parent)
    for path in private.narrow(itertools.chain(folders, *ours)):
        logger.warning("%s is open to other users and not ours to close: chmod go= it, or choose another place", path)


def unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what the event loop meets by itself: that memory is short in one line, all else as it does."""
    if isinstance(context.get("exception"), MemoryError):
        logger.error("A connection was dropped: there is too little memory for it")
    else:
        loop.default_exception_handler(context)


def _satellites(parts: Parts) -> contextlib.AbstractAsyncContextManager[None]:
    """Listens to voice satellites, where the settings name a port for them."""
    if not parts.settings.server.wyoming_port:
        return contextlib.nullcontext()
    from pi_memory.http import wyoming

    return wyoming.listening(parts)


async def _serve(settings: Settings, access: Access, listener: socket.socket) -> None:
    starting, wanted = asyncio.current_task(), asyncio.Event()
    assert starting is not None, "this runs in the event loop"

    def stop() -> None:
        wanted.set()
        starting.cancel()

    _on_stop(stop)
    asyncio.get_running_loop().set_exception_handler(unhandled)
    try:
        async with running(settings) as parts, _satellites(parts):
            if wanted.is_set():  # what was being started may have let nobody cut it
                raise asyncio.CancelledError
            await Server(parts, access).run_on(listener)
            with logged("Writing what clients did"):
                await access.close(parts)
        if lost := parts.db.lost:
            raise NotSaved(f"{lost} exchanges could not be saved", hint="Make room on the disk before the next start.")
    except asyncio.CancelledError:
        logger.info("Stopped while starting")


def _on_stop(stop: Callable[[], object]) -> None:
    for number in STOP:
        # nohup(1) has it ignored, so that the daemon outlives the terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stop)


class Server(uvicorn.Server):
    """uvicorn's server without its polling loop, with notifications to systemd."""

    def __init__(self, parts: Parts, access: Access) -> None:
        config = uvicorn.Config(
            create_app(parts.settings, parts=parts, access=access),
            # What a proxy says of its client is for nobody to believe.
            proxy_headers=False,
            log_config=None,
            access_log=False,
            lifespan="off",
            # The date is refreshed by the tick that this server does without.
            date_header=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=30,
            http=BoundedProtocol,
            # Nothing here speaks it, and a library for it would be loaded if there is one.
            ws="none",
            backlog=BACKLOG,
        )
        super().__init__(config)
        self._parts = parts
        self._leave = asyncio.Event()

    async def run_on(self, listener: socket.socket) -> None:
        """Serve until a signal arrives."""
        # Not uvicorn's capture_signals: it raises the signal again afterwards, and a clean stop exits with 0.
        _on_stop(lambda: self.handle_exit(signal.SIGTERM, None))
        await self._serve([listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or []:
            host, port = listener.getsockname()[:2]
            url = _url(host, port)
            logger.info("Listening on %s", url)
            notify(f"READY=1\nSTATUS=Listening on {url}")

    async def main_loop(self) -> None:
        """Wait for a signal. uvicorn's own loop wakes ten times a second."""
        await self.on_tick(0)
        beats = watchdog_seconds()
        heart = asyncio.create_task(feed_watchdog(beats, self._progress)) if beats else None
        await self._leave.wait()
        if heart is not None:
            heart.cancel()

    async def _progress(self, beat: int) -> None:
        await at_work(self._parts.db, self._parts.embedder.now, self._parts.model.now, beat)

    def handle_exit(self, sig: int, frame: object) -> None:
        super().handle_exit(sig, None)
        self._leave.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        logger.info("Stopping")
        self._parts.live.stop()
        await self._parts.streams.stop()
        await super().shutdown(sockets)


@contextlib.contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket. Raises `StartError` when the port is taken or the address is not local."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = Listener(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise StartError(
            f"Cannot listen on {host}:{port}: {error.strerror or error}",
            hint="Is it running already? `pi-memory check` shows it. Or choose another PI_MEMORY_PORT.",
        ) from error
    with contextlib.closing(listener):
        yield listener


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Lock the data directory against a second daemon. Raises `StartError`.

    The lock is on the directory itself, as a file in it could be removed. A directory that cannot be made or locked
    (network file systems) does not prevent a start: `/healthz` reports what cannot be saved.
    """
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(settings.data_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _lock(folder, settings)
        yield
    finally:
        os.close(folder)


def _lock(folder: int, settings: Settings) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StartError(
            f"Another pi-memory is using {settings.data_dir}",
            hint="Stop it (systemctl stop, or Ctrl-C), or give this one another --data-dir.",
        ) from error
    except OSError as error:
        logger.warning("%s cannot be locked (%s): start no second daemon on it", settings.data_dir, error)


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def notify(state: str) -> None:
    """Send a state to systemd, if it started us (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel, contextlib.suppress(OSError):
        channel.sendto(state.encode(), f"\0{address[1:]}" if address.startswith("@") else address)


async def at_work(db: Database, embedder: Embedder, model: Model, beat: int) -> None:
    """Return once the threads of the store and of the embedder have done a little work, or failed to, and that of the
    model has ended the step it was at.
    """
    steps = model.steps
    with contextlib.suppress(Exception):
        await db.read(lambda _: None)
    with contextlib.suppress(Exception):
        # Another text each time: the last ones are not embedded again.
        await embedder.embed([f"beat {beat}"])
    while steps is not None and model.steps == steps:  # noqa: ASYNC110 - a thread that is stuck sets no event
        await asyncio.sleep(STEP_SECONDS)


async def feed_watchdog(seconds: float, progress: Callable[[int], Awaitable[None]]) -> None:
    """Send systemd a watchdog beat every `seconds`, each time once `progress` of that beat has returned."""
    for beat in itertools.count():
        await asyncio.sleep(seconds)
        await progress(beat)
        notify("WATCHDOG=1")


def watchdog_seconds() -> float | None:
    """Half of systemd's watchdog interval; None without a watchdog."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 2_000_000 if microseconds.isdigit() else None


class Line(logging.Formatter):
    """A log formatter that removes the passwords of URLs, also from tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        return without_passwords(super().format(record))


def log_to_stderr(level: str) -> None:
    """Log to stderr, one line an entry; without a timestamp under journald, which adds its own."""
    under_journald = "JOURNAL_STREAM" in os.environ
    form = (
        "%(levelname)s %(name)s: %(message)s" if under_journald else "%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line(form))
    handler.addFilter(LogLimit())
    logging.raiseExceptions = False  # what cannot be logged, for want of memory or room, ends nothing
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for chatty in ("uvicorn", "httpx2", "watchdog", "asyncio"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLogger().level))
