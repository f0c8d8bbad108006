"""`pi-memory remember`: stores a statement of the user."""

from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import NAMESPACE, PROJECT
from pi_memory.cli.options import Id, Load, json_option, pass_load, report


@click.command("remember")
@click.argument("text")
@click.option("--namespace", metavar="NAME", shell_complete=NAMESPACE, help="Where it belongs.  [default: user]")
@click.option("--project", metavar="NAME", shell_complete=PROJECT, help="Project that it is about.")
@click.option("--anyway", is_flag=True, help="Also if you had it forgotten.")
@json_option
@pass_load
def command(load: Load, text: str, *, anyway: bool, as_json: bool, **where: str | None) -> None:
    """Store TEXT as a memory that never fades.

    \b
    Example:
      pi-memory remember "The pump needs a new seal" --project garden
    """
    given = {name: value for name, value in where.items() if value is not None}
    stated = {"source": "user_stated", "priority": "highest", "anyway": anyway}
    body = {"content": text, "quote": text, **stated, **given}
    with daemon(load({})) as client:
        memory = checked(client.post("/memories", json=body))
    report(memory, _line(memory), as_json=as_json)


def _line(memory: dict[str, Any]) -> str:
    text = f"Remembered as {Id('memory', memory['id'])} in {memory['namespace']}"
    if "supersedes" in memory:
        return f"{text}, in place of {Id('memory', memory['supersedes'])}."
    if "conflicts_with" in memory:
        return f"{text}. {Id('memory', memory['conflicts_with'])} may not hold beside it: see `pi-memory conflicts`."
    return f"{text}."
