"""`pi-memory check`: the state of the daemon, or of a start."""

import asyncio
import json
import sys
from contextlib import nullcontext
from typing import Any

import click
import msgspec

from pi_memory import backends
from pi_memory.atomic_file import not_writable
from pi_memory.cli.client import NotThere, checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.focus_file.file import FocusFile
from pi_memory.http.health import described, local
from pi_memory.service import alone, bound
from pi_memory.settings import Settings
from pi_memory.store.inspection import look


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, as_json: bool) -> None:
    """Check settings, database, models and port of the running daemon, else as `serve` would find them.

    Changes nothing. Exits with 1 if something is degraded.

    \b
    Example:
      pi-memory check
    """
    settings = load({})
    try:
        with daemon(settings) as client:
            runs, found = True, checked(client.get("/healthz"))
    except NotThere:
        runs, found = False, asyncio.run(_look(settings))
    if as_json:
        click.echo(json.dumps({"running": runs, **found}, indent=2))
    else:
        click.echo("The daemon is running." if runs else "The daemon is not running; it would start with this:")
        _print(found.get("parts", {}))
        if "parts" not in found:
            click.echo("It says more only with its token: set PI_MEMORY_TOKEN.")
    sys.exit(0 if found["status"] == "ok" else 1)


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


def _print(parts: dict[str, dict[str, str]]) -> None:
    for name, part in parts.items():
        click.echo(f"{name:10} {part['status']:10} {part.get('is', '')}")
        if part.get("todo"):
            click.echo(f"{'':21} {part['todo']}")
