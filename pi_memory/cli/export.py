"""`pi-memory export`: writes every memory with its history to a file."""

from pathlib import Path

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.errors import PiMemoryError


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@pass_load
def command(load: Load, file: Path) -> None:
    """Write every memory with its history to FILE, in JSON Lines that `import` can read.

    \b
    Example:
      pi-memory export memories.jsonl
    """
    part = file.with_name(f"{file.name}.part")
    try:
        part.touch(mode=0o600)
        with daemon(load({})) as client, client.stream("GET", "/export") as response, part.open("wb") as out:
            if not response.is_success:
                response.read()
                checked(response)
            for piece in response.iter_bytes():
                out.write(piece)
        part.replace(file)
    except OSError as error:
        raise PiMemoryError(f"Cannot write {file}: {error.strerror}", hint="Choose another place.") from error
    finally:
        part.unlink(missing_ok=True)
    click.echo(f"{file}: {file.stat().st_size} bytes.")
