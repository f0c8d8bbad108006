"""`pi-memory check`: would it run here, and what would it use?"""

import asyncio
import json
import sys

import click
import msgspec

from pi_memory.app import running
from pi_memory.cli.options import Load, pass_load
from pi_memory.http.health import Health, health
from pi_memory.service import alone, bound
from pi_memory.settings import Settings


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, as_json: bool) -> None:
    """Check settings, database, models and port, as `serve` would find them. Exits with 1 if something is degraded.

    \b
    Example:
      pi-memory check
    """
    settings = load({})
    found = asyncio.run(_look(settings))
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(found), indent=2))
    else:
        for name, part in found.parts.items():
            click.echo(f"{name:10} {part.status:10} {part.is_}")
            if part.todo:
                click.echo(f"{'':10} {part.todo}")
    sys.exit(0 if found.status == "ok" else 1)


async def _look(settings: Settings) -> Health:
    with alone(settings), bound(settings.server.host, settings.server.port):
        async with running(settings) as parts:
            await parts.model.ready()
            await parts.embedder.ready()
            return health(parts)
