"""`pi-memory check`: does it run here, would it, and what does it use?"""

import asyncio
import json
import sys
from typing import Any

import click
import msgspec

from pi_memory.cli.client import NotThere, checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.daemon import running
from pi_memory.http.health import health
from pi_memory.service import alone, bound
from pi_memory.settings import Settings


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, as_json: bool) -> None:
    """Check settings, database, models and port: of the daemon if it runs, else as `serve` would find them.

    Exits with 1 if something is degraded.

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
        _print(found["parts"])
    sys.exit(0 if found["status"] == "ok" else 1)


async def _look(settings: Settings) -> dict[str, Any]:
    with alone(settings), bound(settings.server.host, settings.server.port):
        async with running(settings) as parts:
            await parts.model.ready()
            await parts.embedder.ready()
            found: dict[str, Any] = msgspec.to_builtins(health(parts))
            return found


def _print(parts: dict[str, dict[str, str]]) -> None:
    for name, part in parts.items():
        click.echo(f"{name:10} {part['status']:10} {part.get('is', '')}")
        if part.get("todo"):
            click.echo(f"{'':21} {part['todo']}")
