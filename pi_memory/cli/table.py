"""Lists: a table in a terminal, tab-separated lines elsewhere."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from pi_memory.cli.options import report

GAP = "  "
ENOUGH = 48
"""Columns of a terminal that the content gets before others get theirs."""


def print_list(
    data: Mapping[str, Any], rows: Sequence[Sequence[str]], *, head: Sequence[str], nothing: str, as_json: bool
) -> None:
    """Print `data` as JSON, or its `rows` as a table, or that there is `nothing`."""
    if as_json:
        report(data, "", as_json=True)
    elif rows:
        print_table(head, rows)
    else:
        # For people: a pipe gets no lines.
        click.echo(nothing, err=not sys.stdout.isatty())


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print `rows`; their last column is the content.

    A terminal shows each row on one line: where it is too narrow, other columns are left out, the rightmost first, and
    then the content is cut. Elsewhere rows are whole and without `head`, with a tab between columns.
    """
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    if sys.stdout.isatty():
        click.echo("\n".join(lines([list(head), *cells], shutil.get_terminal_size().columns)))
    else:
        click.echo("".join("\t".join(row) + "\n" for row in cells), nl=False)


def lines(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The rows in columns, none wider than `width`."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    *shown, content = range(len(widths))
    while shown and width - _taken(widths, shown) < min(widths[content], ENOUGH):
        shown.pop()
    left = max(1, width - _taken(widths, shown))
    return ["".join(_padded(row[n], widths[n]) + GAP for n in shown) + cut(row[content], left).rstrip() for row in rows]


def columns(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return len(text) if text.isascii() else _cells().cell_len(text)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` columns."""
    return text if columns(text) <= width else str(_cells().set_cell_size(text, width - 1)).rstrip() + "…"


def _taken(widths: Sequence[int], shown: Sequence[int]) -> int:
    return sum(widths[n] + len(GAP) for n in shown)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _cells() -> Any:
    """Imported for texts that need it: what a pipe gets does not."""
    from rich import cells

    return cells
