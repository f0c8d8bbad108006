"""`pi-memory import`: imports history, so that a new user starts with a focus and memories."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click
from msgspec import Struct, field
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pi_memory.agents.claude_log import encoded
from pi_memory.agents.history import Past, Skipped, in_time_order
from pi_memory.agents.history_files import found
from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.cli.plain import plain
from pi_memory.errors import PiMemoryError
from pi_memory.memories.restore import is_export

if TYPE_CHECKING:
    from pi_memory.cli.client import Client

BATCH_EXCHANGES, BATCH_BYTES = 40, 300_000
"""Most that is sent at once: a chat in between waits for the tagging of no more than this."""
REFUSED = (400, 413, 422)
UNDER_WAY = 3600
"""Seconds without an exchange after which a session counts as over."""


class ImportCounts(Struct):
    """Counts of what was sent so far."""

    added: int = 0
    known: int = 0
    memories: int = 0
    sessions: set[str] = field(default_factory=set)


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@json_option
@pass_load
def command(load: Load, paths: tuple[Path, ...], as_json: bool) -> None:
    """Import history from PATHS, files or folders, with its own dates, as if it had happened here.

    Session logs of Claude Code; the conversations.json that ChatGPT and Claude export; conversations in JSON Lines
    (docs/cli.md); text or Markdown where each message stands behind `User:` or `Assistant:`; and the memories
    that `export` wrote, also packed by gzip (.gz).

    You may stop it, repeat it, and run it again when a log has grown: it adds only what is new.

    \b
    Examples:
      pi-memory import ~/.claude/projects
      pi-memory import ~/Downloads/conversations.json
    """
    skipped, counts = Skipped(), ImportCounts()
    try:
        with daemon(load({})) as client:
            exports = [path for path in paths if path.is_file() and _is_export(path)]
            for path in exports:
                counts.memories += _restore(client, path)
            _replay(client, [path for path in paths if path not in exports], skipped, counts)
    except OSError as error:
        raise PiMemoryError(f"Cannot read {error.filename}: {error.strerror}", hint="Then run it again.") from error
    if as_json:
        figures = {
            "memories": counts.memories,
            "added": counts.added,
            "known": counts.known,
            "sessions": len(counts.sessions),
        }
        report(figures | {"skipped": skipped.count, "skipped_at": skipped.places}, "", as_json=True)
        return
    if exports:
        click.echo(f"{counts.memories} memories added.")
    if len(exports) < len(paths):
        click.echo(f"{counts.added} exchanges added, {counts.known} known already, of {len(counts.sessions)} sessions.")
    if skipped.count:
        click.echo(f"Skipped {skipped.count} that could not be read:", err=True)
        click.echo("".join(f"  {plain(place)}\n" for place in skipped.places), nl=False, err=True)
    if skipped.count and not (exports or counts.added or counts.known):
        raise click.exceptions.Exit(1)


def _is_export(path: Path) -> bool:
    with _opened(path) as file:
        return is_export(file.readline(1 << 20))


def _opened(path: Path) -> BinaryIO:
    """A file, unpacked if it is packed."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _restore(client: Client, path: Path) -> int:
    """Have the daemon import an export of memories, all or nothing. Returns how many were new."""
    with _opened(path) as file:
        memories: int = checked(client.post("/import", content=file))["imported"]["memories"]
    return memories


def _replay(client: Client, paths: Sequence[Path], skipped: Skipped, counts: ImportCounts) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("looking", total=None)
        sources = found(paths, skipped)
        progress.update(task, total=sum(source.size for source in sources), description="reading")
        for batch in _batches(in_time_order(sources, advance=lambda read: progress.advance(task, read))):
            _send(client, batch, skipped, counts)


def _batches(history: Iterator[Past]) -> Iterator[list[Past]]:
    batch: list[Past] = []
    size = 0
    for past in history:
        length = len(json.dumps(past.exchange))
        if batch and (size + length > BATCH_BYTES or len(batch) == BATCH_EXCHANGES):
            yield batch
            batch, size = [], 0
        batch.append(past)
        size += length
    if batch:
        yield batch


def _send(client: Client, batch: list[Past], skipped: Skipped, counts: ImportCounts) -> None:
    """Have the daemon record exchanges, and end the sessions that ended with them."""
    response = client.post("/history?wait=1", content=encoded({"exchanges": [past.exchange for past in batch]}))
    if response.status_code in REFUSED and len(batch) > 1:
        for past in batch:  # one of them is not as it should be
            _send(client, [past], skipped, counts)
        return
    if response.status_code in REFUSED:
        skipped.add(str(batch[0].source.path), response.json()["message"])
        return
    answer: dict[str, Any] = checked(response)
    counts.added += answer["added"]
    counts.known += answer["known"]
    counts.sessions.update(past.exchange["session_id"] for past in batch)
    for past in batch:
        if past.is_last and time.time() - past.at > UNDER_WAY:
            ended = client.delete(f"/conversations/{past.exchange['session_id']}")
            if ended.status_code != HTTPStatus.NOT_FOUND:
                checked(ended)
