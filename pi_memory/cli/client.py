"""A client of the running daemon."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import httpx2

from pi_memory import private
from pi_memory.cli.plain import plain_json
from pi_memory.errors import Conflict, PiMemoryError
from pi_memory.settings import Settings

Client = httpx2.Client


class NotThere(PiMemoryError):
    """No daemon answers."""


@contextmanager
def daemon(settings: Settings) -> Iterator[Client]:
    """An HTTP client of the daemon that these settings describe. Raises `NotThere`."""
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
                hint="Start it with `pi-memory serve`, or give its PI_MEMORY_PORT.",
            ) from error


def database(settings: Settings) -> Path:
    """The database that these settings name. Raises `Conflict` when a daemon answers at their port and uses another
    one, or does not say which, unless the command was given `--data-dir`.
    """
    given = click.get_current_context().find_root().params["data_dir"]
    if given is None:
        try:
            with daemon(settings) as client:
                parts = client.get("/healthz", timeout=10).json().get("parts", {})
        except (NotThere, ValueError):
            return settings.database
        if (used := parts.get("database", {}).get("is", "")) != str(settings.database):
            raise Conflict(
                f"The daemon at {client.base_url} uses {used or 'a database that it does not name'}, "
                f"not {settings.database}",
                hint="Give --data-dir: the folder of the database that you mean.",
            )
    return settings.database


def checked(response: httpx2.Response) -> Any:
    """The response's JSON, safe for a terminal. Raises `PiMemoryError` with the daemon's error."""
    if response.is_success:
        return plain_json(response.json()) if response.content else None
    try:
        said = response.json()
    except ValueError:
        said = {}
    message = said.get("message") or f"The daemon answered {response.status_code}"
    raise PiMemoryError(message, hint=said.get("hint", ""))
