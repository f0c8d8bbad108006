"""Formats a topic's parts for people: ages, counts and short file names. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pi_memory.decay import DAY

HOUR = 3_600.0

MORE = re.compile(r"(?:^|,)\s*\+\d+ more\s*$")


def ago(seconds: float) -> str:
    """`just now`, `6h ago`, `2d ago`: rounded down."""
    if seconds < HOUR:
        return "just now"
    return f"{int(seconds // HOUR)}h ago" if seconds < DAY else f"{int(seconds // DAY)}d ago"


def sessions(count: int) -> str:
    """`1 session`, `4 sessions`."""
    return f"{count} session" if count == 1 else f"{count} sessions"


def short_names(paths: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The shortest name that is unique for each file, to the paths that it stands for, in the given order.

    A base name where that is enough, else with as many directories as needed. A path that ends another one (`src/a.py`
    beside `/home/me/src/a.py`) is the same file and shares its name.
    """
    parts = {path: tuple(part for part in clean(path).split("/") if part) for path in paths}
    groups = _same_files({path: part for path, part in parts.items() if part})
    shared = Counter(end for head in groups for end in _ends(head))
    return {_shortest(head, shared): tuple(paths) for head, paths in groups.items()}


def clean(path: str) -> str:
    """A name without control characters and backticks, as it is shown on one line, sometimes between backticks."""
    plain = path.isprintable() and "`" not in path
    return path.strip() if plain else "".join(c for c in path if c.isprintable() and c != "`").strip()


def _same_files(parts: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
    """Paths grouped by the longest path that ends in them, by its parts, in the order of first appearance."""
    heads: dict[tuple[str, ...], tuple[str, ...]] = {}
    for part in sorted(dict.fromkeys(parts.values()), key=len, reverse=True):
        if part not in heads:
            heads |= {end: part for end in _ends(part) if end not in heads}
    groups: dict[tuple[str, ...], list[str]] = {}
    for path, part in parts.items():
        groups.setdefault(heads[part], []).append(path)
    return groups


def _ends(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """`c`, `b/c`, `a/b/c`."""
    return (parts[at:] for at in range(len(parts) - 1, -1, -1))


def _shortest(head: tuple[str, ...], shared: Mapping[tuple[str, ...], int]) -> str:
    return "/".join(next((end for end in _ends(head) if shared[end] == 1), head))


def joined(names: Sequence[str], *, most: int) -> str:
    """`a.py, b.py, +3 more`: the last `most` names, as the newest are last."""
    shown = ", ".join(map(quoted, names[-most:]))
    return shown if len(names) <= most else f"{shown}, +{len(names) - most} more"


def quoted(name: str) -> str:
    """The name in backticks when a comma separated list would not parse back to it."""
    plain = name == name.strip() and "," not in name and not MORE.search(name)
    return name if plain else f"`{name}`"


def listed(text: str) -> tuple[str, ...]:
    """The names of a comma separated list, without `+3 more` and without repeats; backticks hold a name together."""
    items = (whole or part.strip() for whole, part in re.findall(r"`([^`]*)`|([^,`]+)", MORE.sub("", text)))
    return tuple(dict.fromkeys(item for item in items if item))
