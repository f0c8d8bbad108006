"""`pi-memory serve`: run the daemon."""

import click

from pi_memory.cli.options import Load, pass_load
from pi_memory.service import serve


@click.command("serve")
@click.option("--host", help="Address to bind.")
@click.option("--port", help="Port to bind; 0 takes a free one.")
@click.option("--workspace", help="Folder of RECENT_FOCUS.md and your notes.")
@click.option("--provider", help="Who talks: auto, llama, openai or extractive.")
@click.option("--model", help="Chat model, a GGUF file.")
@click.option("--embedder", help="How texts are compared: auto, gguf, sentence-transformers or none.")
@pass_load
def command(load: Load, **flags: str | None) -> None:
    """Run the daemon until SIGTERM or Ctrl-C.

    \b
    Example:
      pi-memory serve --port 8765
    """
    keys = {name: f"PI_MEMORY_{name.upper()}" for name in flags}
    serve(load({keys[name]: value for name, value in flags.items()}))
