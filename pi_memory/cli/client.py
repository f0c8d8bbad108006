"""A client of the running daemon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_memory import private
from pi_memory.cli.plain import plain_json
from pi_memory.errors import PiMemoryError
from pi_memory.settings import Settings

if TYPE_CHECKING:  # the completion of a word imports this, and has no time for it
    from httpx2 import Client as Client
    from httpx2 import Response

COMMANDS = {
    "GET /focus?all=1": "`pi-memory focus --all`",
    "GET /memories/conflicts": "`pi-memory conflicts`",
    "GET /memories": "`pi-memory memories --all`",
    "GET /exchanges": "`pi-memory exchanges`",
    "GET /conversations": "`pi-memory conversations`",
    "GET /events": "`pi-memory history`",
    "GET /healthz": "`pi-memory check`",
    "GET /export": "`pi-memory export`",
    "GET /tokens": "`pi-memory token`",
    "POST /chat": "`pi-memory chat`",
    'POST /memories with "anyway": true': "`pi-memory remember --anyway`",
}
"""The commands that do what requests do."""
OF_HTTP = ("GET /", "POST /", "?", "/openapi", "docs/http", "For example /")
"""What no hint for people at a terminal has."""


WHERE = "Start it with `pi-memory serve`, or give its PI_MEMORY_PORT."


class NotThere(PiMemoryError):
    """No daemon answers."""


@contextmanager
def daemon(settings: Settings) -> Iterator[Client]:
    """An HTTP client of the daemon that these settings describe. Raises `NotThere`."""
    import httpx2

    server = settings.server
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server.host, server.host)
    url = f"http://{f'[{host}]' if ':' in host else host}:{server.port}"
    token = server.token or private.token(settings.data_dir)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = httpx2.Timeout(10.0, read=None)
    with httpx2.Client(base_url=url, headers=headers, timeout=timeout, trust_env=False) as client:
        try:
            yield client
        except httpx2.TransportError as error:
            raise NotThere(
                f"No daemon answers at {url}: {error}",
                hint=WHERE,
            ) from error


def of_daemon(settings: Settings) -> Settings:
    """The settings with the data directory and the workspace of the daemon that answers, as far as it says which they
    are; as they were where none does, or the command was given `--data-dir`.
    """
    if click.get_current_context().find_root().params["data_dir"]:
        return settings
    try:
        with daemon(settings) as client:
            parts = checked(client.get("/healthz", timeout=10)).get("parts", {})
    except NotThere:
        return settings
    places = {name: Path(parts.get(name, {}).get("is", "")) for name in ("database", "focus")}
    if not all(path.is_file() for path in places.values()):
        return settings
    paths = replace(settings.paths, data_dir=places["database"].parent, workspace=places["focus"].parent.parent)
    return replace(settings, paths=paths)


def checked(response: Response) -> Any:
    """The response's JSON, safe for a terminal. Raises `PiMemoryError` with the daemon's error, also when another
    program answers.
    """
    if response.is_success and not response.content:
        return None
    try:
        said = plain_json(response.json())
    except ValueError:
        said = None
    if response.is_success and said is not None:
        return said
    if not isinstance(said, dict) or not isinstance(said.get("message"), str):
        url = response.url.copy_with(path="/", query=None)
        raise NotThere(f"What answers at {url} is not pi-memory ({response.status_code})", hint=WHERE)
    raise PiMemoryError(said["message"], hint=of_commands(str(said.get("hint", ""))))


def of_commands(hint: str) -> str:
    """A hint of the daemon in terms of the command line."""
    for request, command in COMMANDS.items():
        hint = hint.replace(request, command)
    if any(sign in hint for sign in OF_HTTP):
        return "`pi-memory --help` lists the commands, and COMMAND --help its options."
    return hint
