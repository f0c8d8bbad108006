"""`pi-memory remember`: stores a statement of the user."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("remember")
@click.argument("text")
@click.option("--namespace", metavar="NAME", help="Where it belongs.  [default: user]")
@click.option("--project", metavar="NAME", help="Project that it is about.")
@pass_load
def command(load: Load, text: str, namespace: str | None, project: str | None) -> None:
    """Store TEXT as a memory that never fades.

    \b
    Example:
      pi-memory remember "The pump needs a new seal" --project garden
    """
    given = {"namespace": namespace, "project": project, "source": "user_stated", "priority": "highest"}
    body = {"content": text, "quote": text, **{name: value for name, value in given.items() if value is not None}}
    with daemon(load({})) as client:
        memory = checked(client.post("/memories", json=body))
    click.echo(f"Remembered as {memory['id']} in {memory['namespace']}.")
