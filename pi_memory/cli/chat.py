"""`pi-memory chat`: talk to the daemon in a terminal."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.cli.plain import plain


@click.command("chat")
@click.argument("message", required=False)
@click.option("--agent", default="general", show_default=True, help="Who answers; see config/agents.")
@click.option("--conversation", help="Id of a conversation to go on with.")
@click.option("--project", help="Project that this is about.")
@pass_load
def command(load: Load, message: str | None, **asked: str | None) -> None:
    """Say MESSAGE and print the reply, or talk line by line until Ctrl-D.

    \b
    Example:
      pi-memory chat "What was I working on?"
    """
    body = {"agent": asked["agent"], "project": asked["project"], "conversation_id": asked["conversation"]}
    with daemon(load({})) as client:
        while True:
            said = message if message is not None else _line()
            if said is None:
                return
            with client.stream("POST", "/chat", json={**body, "message": said, "stream": True}) as response:
                if not response.is_success:
                    response.read()
                    checked(response)
                body["conversation_id"] = response.headers["X-Conversation-Id"]
                for text in response.iter_text():
                    click.echo(plain(text), nl=False)
                click.echo()
            if message is not None:
                return


def _line() -> str | None:
    """The next line that is not empty, None at the end of the input."""
    while True:
        try:
            line: str = click.prompt("you", prompt_suffix="> ", default="", show_default=False)
        except click.Abort:
            click.echo()
            return None
        if line.strip():
            return line
