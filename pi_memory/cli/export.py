"""`pi-memory export`: writes every memory with its history to a file."""

import sys
from pathlib import Path
from typing import BinaryIO

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.errors import PiMemoryError

STDOUT = Path("-")


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@json_option
@pass_load
def command(load: Load, file: Path, as_json: bool) -> None:
    """Write every memory with its history to FILE, or to standard output for `-`, in JSON Lines that `import` can read.

    \b
    Examples:
      pi-memory export memories.jsonl
      pi-memory export - | gzip > memories.jsonl.gz
    """
    if file == STDOUT:
        if as_json:
            raise click.UsageError("--json describes the FILE that was written; what - prints is JSON Lines.")
        _write(load, sys.stdout.buffer)
        return
    part = file.with_name(f"{file.name}.part")
    try:
        part.touch(mode=0o600)
        with part.open("wb") as out:
            _write(load, out)
        part.replace(file)
    except OSError as error:
        raise PiMemoryError(f"Cannot write {file}: {error.strerror}", hint="Choose another place.") from error
    finally:
        part.unlink(missing_ok=True)
    size = file.stat().st_size
    report({"file": str(file), "bytes": size}, f"{file}: {size} bytes.", as_json=as_json)


def _write(load: Load, out: BinaryIO) -> None:
    with daemon(load({})) as client, client.stream("GET", "/export") as response:
        if not response.is_success:
            response.read()
            checked(response)
        for piece in response.iter_bytes():
            out.write(piece)
