"""`pi-memory mcp`: the Model Context Protocol over standard input and output."""

import os

import click

from pi_memory.agents import mcp_pipe
from pi_memory.cli.options import Load, pass_load
from pi_memory.settings import Settings


@click.command("mcp")
@pass_load
def command(load: Load) -> None:
    """Pass the Model Context Protocol between a program and the daemon: a line of JSON in, a line out.

    For programs that start their memory as a command; those that speak HTTP use http://127.0.0.1:8765/mcp.

    \b
    Example:
      claude mcp add pi-memory -- pi-memory mcp
    """
    point_to(load({}))
    mcp_pipe.main()


def point_to(settings: Settings) -> None:
    """Have `hook.Daemon`, which does not read the settings, find the daemon that they describe."""
    server = settings.server
    given = {"HOST": server.host, "PORT": str(server.port), "TOKEN": server.token, "DATA_DIR": str(settings.data_dir)}
    os.environ.update({f"PI_MEMORY_{name}": value for name, value in given.items() if value})
