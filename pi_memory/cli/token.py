"""`pi-memory token`: lists, makes and withdraws named tokens."""

from typing import Any
from urllib.parse import quote

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import NAMESPACE, TOKEN
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.cli.table import print_list

HEAD = ("name", "scope", "made", "used", "namespace")
NOTHING = "There is no named token."


@click.group("token", invoke_without_command=True)
@json_option
@pass_load
@click.pass_context
def command(context: click.Context, load: Load, /, *, as_json: bool) -> None:
    """List the named tokens, make one for a program or a person, or withdraw it.

    \b
    Examples:
      pi-memory token
      pi-memory token add kitchen --scope chat
    """
    if context.invoked_subcommand is not None:
        return
    with daemon(load({})) as client:
        found: list[dict[str, Any]] = checked(client.get("/tokens"))["tokens"]
    rows = [
        (one["name"], one["scope"], one["made_at"][:10], (one["used_at"] or "never")[:10], one["namespace"] or "all")
        for one in found
    ]
    print_list({"tokens": found}, rows, head=HEAD, nothing=NOTHING, as_json=as_json)


@command.command("add")
@click.argument("name")
@click.option("--scope", type=click.Choice(["read", "chat", "all"]), default="read", help="What it opens: read.")
@click.option("--namespace", metavar="NS", shell_complete=NAMESPACE, help="It sees and writes only this namespace.")
@json_option
@pass_load
def add(load: Load, name: str, scope: str, namespace: str | None, *, as_json: bool) -> None:
    """Make a token called NAME and print it, this once.

    \b
    Example:
      pi-memory token add garden-app --scope chat --namespace project/garden
    """
    with daemon(load({})) as client:
        asked = {"name": name, "scope": scope, "namespace": namespace}
        made = checked(client.post("/tokens", json=asked))
    report(made, made["token"], as_json=as_json)


@command.command("remove")
@click.argument("name", shell_complete=TOKEN)
@json_option
@pass_load
def remove(load: Load, name: str, *, as_json: bool) -> None:
    """Withdraw the token called NAME, at once.

    \b
    Example:
      pi-memory token remove kitchen
    """
    with daemon(load({})) as client:
        checked(client.delete(f"/tokens/{quote(name, safe='')}"))
    report({"removed": name}, f"{name} opens nothing any more.", as_json=as_json)
