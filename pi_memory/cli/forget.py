"""`pi-memory forget`: erase a memory for good."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("forget")
@click.argument("memory_id", metavar="ID", type=click.IntRange(min=1))
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_load
def command(load: Load, memory_id: int, yes: bool) -> None:
    """Erase memory ID for good, with the sentence that it rests on. It cannot be undone, and is not learned again.

    \b
    Example:
      pi-memory forget 12
    """
    with daemon(load({})) as client:
        memory = checked(client.get(f"/memories/{memory_id}"))
        if memory["forgotten_at"]:
            click.echo(f"Memory {memory_id} is forgotten already.")
            return
        click.echo(memory["content"])
        if not yes:
            click.confirm("Forget this for good?", abort=True)
        checked(client.delete(f"/memories/{memory_id}", params={"forget": "1"}))
    click.echo("Forgotten.")
