"""What is left of the focus file when two versions of it were merged and did not agree (git, Mercurial). Pure."""

from collections.abc import Iterable

BEGIN, ANCESTOR, MIDDLE, END = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def both_sides(lines: Iterable[str]) -> tuple[list[str], bool]:
    """The lines of both sides, one after the other, and whether there was a conflict.

    Without the markers, and without the common ancestor where it has an end: somebody may have begun to tidy up.
    """
    kept: list[str] = []
    ancestor: list[str] | None = None
    found = in_conflict = False
    for line in lines:
        if line.startswith(BEGIN):
            found = in_conflict = True
        elif in_conflict and line.startswith(ANCESTOR):
            ancestor = []
        elif in_conflict and line.startswith(MIDDLE):
            ancestor = None
        elif found and line.startswith(END):
            kept += ancestor or []
            in_conflict, ancestor = False, None
        else:
            (kept if ancestor is None else ancestor).append(line)
    return [*kept, *(ancestor or [])], found
