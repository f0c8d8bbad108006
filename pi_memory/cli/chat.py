"""`pi-memory chat`: talk to the daemon in a terminal, or through a pipe."""

import json
import sys

import click
from msgspec.structs import replace

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import AGENT, CONVERSATION, PROJECT
from pi_memory.cli.options import Load, json_option, pass_load
from pi_memory.cli.plain import plain
from pi_memory.cli.reply import Talk, body, last_conversation, reply_to
from pi_memory.settings import Settings

STDIN = "-"


@click.command("chat")
@click.argument("message", required=False)
@click.option("--agent", default="general", show_default=True, shell_complete=AGENT, help="Who answers.")
@click.option("--conversation", metavar="ID", shell_complete=CONVERSATION, help="A conversation to go on with.")
@click.option("--continue", "last", is_flag=True, help="Go on with the last conversation.")
@click.option("--project", metavar="NAME", shell_complete=PROJECT, help="Project that this is about.")
@json_option
@pass_load
def command(load: Load, message: str | None, *, last: bool, as_json: bool, **asked: str) -> None:
    """Say MESSAGE and print the reply; without MESSAGE talk until Ctrl-D. `-` says all of standard input.

    In a pipe each line is a message, and only replies are printed; with --json each as one line of JSON.

    \b
    Examples:
      pi-memory chat "What was I working on?"
      git diff | pi-memory chat - --continue
    """
    if last and asked["conversation"]:
        raise click.UsageError("Give --continue or --conversation.")
    settings = load({})
    talk = Talk(asked["agent"], asked["project"], asked["conversation"])
    if last:
        with daemon(settings) as client:
            talk = replace(talk, conversation=last_conversation(client))
    if message is not None:
        _say(settings, talk, sys.stdin.read() if message == STDIN else message, as_json=as_json, tells=True)
    elif sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
        # Imported when there is somebody to talk to: readline changes the terminal.
        from pi_memory.cli import terminal

        terminal.talk(settings, talk)
    else:
        for line in filter(str.strip, sys.stdin):
            talk = _say(settings, talk, line.rstrip("\n"), as_json=as_json)


def _say(settings: Settings, talk: Talk, message: str, *, as_json: bool, tells: bool = False) -> Talk:
    """Say one message. Returns the talk with its conversation."""
    with daemon(settings) as client:
        if as_json:
            reply = checked(client.post("/chat", json={**body(talk, message), "explain": True}))
            click.echo(json.dumps(reply, ensure_ascii=False))
            return replace(talk, conversation=reply["conversation_id"])
        talk = reply_to(client, talk, message, tells=tells)
    if sys.stdout.isatty():
        click.echo(f"[conversation {plain(talk.conversation or '')}; --continue goes on with it]", err=True)
    return talk
