"""`pi-memory check`: the state of the daemon, or of a start."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any
from urllib.parse import quote

import click
import msgspec

from pi_memory import backends
from pi_memory.atomic_file import not_writable
from pi_memory.cli.client import NotThere, checked, daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.focus_file.file import FocusFile
from pi_memory.http.guard import LOGIN, LOOPBACK
from pi_memory.http.health import described, local
from pi_memory.service import alone, bound
from pi_memory.settings import Settings
from pi_memory.store.inspection import look

ELSEWHERE = "192.0.2.1"
"""An address that nobody has (RFC 5737)."""


@click.command("check")
@json_option
@click.option("--url", is_flag=True, help="Print the page's address, and a code of it for a phone's camera.")
@pass_load
def command(load: Load, as_json: bool, url: bool) -> None:
    """Check settings, database, models and port of the running daemon, else as `serve` would find them.

    Changes nothing. Exits with 1 if something is degraded.

    \b
    Example:
      pi-memory check
      pi-memory check --url
    """
    settings = load({})
    if url:
        _print_address(settings)
        return
    try:
        with daemon(settings) as client:
            runs, found = True, checked(client.get("/healthz"))
    except NotThere:
        runs, found = False, asyncio.run(_look(settings))
    report({"running": runs, **found}, "\n".join(_lines(found, runs=runs)), as_json=as_json)
    sys.exit(0 if found["status"] == "ok" else 1)


def _print_address(settings: Settings) -> None:
    """The address of the page. The code has the token behind it, where no server sees it."""
    import segno

    server = settings.server
    address = f"http://{_host(server.host)}:{server.port}/"
    click.echo(address)
    if server.host in LOOPBACK:
        click.echo("Only this machine reaches it. For a phone set PI_MEMORY_HOST=0.0.0.0 and PI_MEMORY_TOKEN.")
        return
    segno.make(f"{address.rstrip('/')}{LOGIN}#{quote(server.token)}").terminal(compact=True)
    click.echo("The code has the token in it: whoever sees it can log in.")


def _host(bound: str) -> str:
    """A name for the address that the daemon is bound to; where that is every address, the one that others see."""
    if bound not in ("0.0.0.0", "::"):
        return f"[{bound}]" if ":" in bound else bound
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((ELSEWHERE, 9))  # sends nothing: it only asks which address would be used
        return str(probe.getsockname()[0])
    return socket.gethostname()


async def _look(settings: Settings) -> dict[str, Any]:
    """What a start would find. Nothing is written, and no saved state is used up."""
    held = alone(settings) if settings.data_dir.is_dir() else nullcontext()
    with held, bound(settings.server.host, settings.server.port):
        model, embedder = backends.model(settings, keep=False), backends.embedder(settings, keep=False)
        database = look(settings.database) if settings.memory.enabled else None
        for loader in (model, embedder):
            loader.start()
            await loader.ready()
        try:
            focus = not_writable(settings.focus_file.parent) or FocusFile(settings.focus_file).problem
            kept = {
                "database": local(database, str(settings.database)),
                "focus": local(focus, str(settings.focus_file)),
            }
            found = await described(settings, kept, model=model, embedder=embedder)
        finally:
            await model.close()
            await embedder.close()
    result: dict[str, Any] = msgspec.to_builtins(found)
    return result


def _lines(found: dict[str, Any], *, runs: bool) -> Iterator[str]:
    yield "The daemon is running." if runs else "The daemon is not running; it would start with this:"
    for name, part in found.get("parts", {}).items():
        yield f"{name:10} {part['status']:10} {part.get('is', '')}"
        if part.get("todo"):
            yield f"{'':21} {part['todo']}"
    if "parts" not in found:
        yield "It says more only with its token: set PI_MEMORY_TOKEN."
