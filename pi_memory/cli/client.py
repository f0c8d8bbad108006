"""Talking to the running daemon."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from pi_memory.errors import PiMemoryError
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
    headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
    timeout = httpx2.Timeout(10.0, read=None)
    with httpx2.Client(base_url=url, headers=headers, timeout=timeout, trust_env=False) as client:
        try:
            yield client
        except httpx2.TransportError as error:
            raise NotThere(
                f"No daemon answers at {url}: {error}",
                hint="Start it with `pi-memory serve`, or give its PI_MEMORY_PORT.",
            ) from error


def checked(response: httpx2.Response) -> Any:
    """The response's JSON. Raises `PiMemoryError` with what the daemon said was wrong."""
    if response.is_success:
        return response.json() if response.content else None
    try:
        said = response.json()
    except ValueError:
        said = {}
    message = said.get("message") or f"The daemon answered {response.status_code}"
    raise PiMemoryError(message, hint=said.get("hint", ""))
