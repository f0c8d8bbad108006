"""`pi-memory edit`: corrects what a memory says."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import MEMORY_IDS
from pi_memory.cli.options import MEMORY, Id, Load, json_option, pass_load, report
from pi_memory.errors import RequestError


@click.command("edit")
@click.argument("which", metavar="ID", type=MEMORY, shell_complete=MEMORY_IDS)
@click.argument("text", required=False)
@json_option
@pass_load
def command(load: Load, which: Id, text: str | None, as_json: bool) -> None:
    """Correct memory ID: it says TEXT from now on. Without TEXT your editor opens with it (VISUAL, EDITOR).

    \b
    Example:
      pi-memory edit m12 "The spare key is with Anna"
    """
    if text is None and as_json:
        raise click.UsageError("--json opens no editor: give TEXT.")
    with daemon(load({})) as client:
        before = checked(client.get(which.path))
        if before["forgotten_at"]:
            raise RequestError(f"Memory {which} is forgotten", hint="`pi-memory memories` lists the others.")
        wanted = _edited(before["content"]) if text is None else text
        if wanted == before["content"]:
            report(before, "Nothing has changed.", as_json=as_json)
            return
        after = checked(client.patch(which.path, json={"content": wanted}))
    report(
        after, f"  - {before['content']}\n  + {after['content']}\n`pi-memory history {which}` has it.", as_json=as_json
    )


def _edited(content: str) -> str:
    """What the editor leaves; the content itself if nothing was saved."""
    return (click.edit(content, require_save=True) or content).strip()
