"""Names of topics from the paths of files. Pure.

Every directory with a specific name is a candidate for the area, the innermost most of all, and so is the file's own
name, which otherwise is the detail: `/apps/api/src/memory/extraction.ts` is `memory/extraction`.
"""

import re
from pathlib import PurePosixPath

from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.text.language import pattern
from pi_memory.topics.names import CAMEL, normalise

ROOTS = frozenset(("src", "lib", "app", "apps", "packages", "pkg", "internal", "cmd", "crates", "modules"))
"""Directories at the top of a project: above the innermost of them is a package, a project or a place."""
TESTS = frozenset(("test", "tests"))
"""Test directories, which are at the top as well unless they belong to a package."""

INNERMOST, OUTER, FILE, SIGN, ABOVE = 1.0, 0.5, 0.8, 0.8, 0.3
INSIDE = 0.3
"""Share of a file's weight for its own name where a directory has a specific name; FILE where none has."""

PROSE = frozenset((".md", ".txt", ".org", ".odt", ".docx", ".doc", ".pdf", ".xlsx", ".ods", ".csv", ".tex"))
PROSE_ABOVE = 0.9
"""ABOVE for documents: people file them by subject (`~/recipes/bread.md`), programs by the program's name."""

HOME = re.compile(r"^(?:~|/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:/Users/[^/]+|[A-Za-z]:)(?=/)")
LONG = 4
"""Most words of a name: more are a title."""


def names_of_file(path: str, patterns: Patterns, *, base: str | None = None) -> dict[str, float]:
    """The areas that one file suggests, each with a score in [0, 1].

    `base`, the working directory, is where the project is.
    """
    above, inside = _split(path.replace("\\", "/"), base)
    names: dict[str, float] = {}
    inner = _telling(inside, patterns)
    sign = None if inner else patterns.topic_of_file(path)
    is_prose = PurePosixPath(path).suffix.lower() in PROSE and sign is None
    _suggest(names, _telling(above, patterns)[-1:], PROSE_ABOVE if is_prose else ABOVE)
    _suggest(names, inner[:-1], OUTER)
    _suggest(names, [sign] if sign else [], SIGN)
    detail = detail_of(path, patterns)
    _suggest(names, [detail] if detail else [], INSIDE if inner else FILE)
    _suggest(names, inner[-1:], INNERMOST)
    return {patterns.canonical(name): weight for name, weight in names.items()}


def detail_of(path: str, patterns: Patterns) -> str | None:
    """`UserProfile.test.tsx` -> `user-profile`; None for names without meaning."""
    file = PurePosixPath(path.replace("\\", "/")).name
    stem = _bare(_bare(PurePosixPath(file).stem))
    name = normalise(CAMEL.sub("-", stem).replace(".", "-"))
    if file.startswith(".") or not name or name in patterns.generic_files or patterns.is_sign(path):
        return None
    return None if len(name.split("-")) > LONG or len(name) < 4 or name[0].isdigit() else name


def _suggest(names: dict[str, float], suggested: list[str], weight: float) -> None:
    for name in suggested:
        names[name] = max(weight, names.get(name, 0.0))


def _split(path: str, base: str | None) -> tuple[list[str], list[str]]:
    """The directories above a project's source and those inside it, without homes and drives."""
    if base and path.startswith(f"{base.rstrip('/')}/"):
        path = path[len(base.rstrip("/")) + 1 :]
    path = HOME.sub("", path)
    parts = [part for part in path.split("/")[:-1] if part not in ("", ".", "..")]
    at = _last(parts, ROOTS) if _last(parts, ROOTS) >= 0 else _last(parts, TESTS)
    if at >= 0 or path.startswith("/"):
        return parts[: at if at >= 0 else None], parts[at + 1 :] if at >= 0 else []
    return [], parts


def _last(parts: list[str], names: frozenset[str]) -> int:
    """Index of the innermost of these directories, -1 without any."""
    return max((at for at, part in enumerate(parts) if part.lower() in names), default=-1)


def _telling(directories: list[str], patterns: Patterns) -> list[str]:
    """The directories with specific names, outermost first; hidden ones belong to tools."""
    names = [normalise(_bare(CAMEL.sub("-", part))) for part in directories if not part.startswith((".", "_", "@"))]
    specific = [name for name in names if name and len(name) > 1 and name not in patterns.generic_directories]
    return [name for name in specific if not name[0].isdigit() and len(name.split("-")) <= LONG]


def _bare(name: str) -> str:
    return pattern("name_affix").sub("", name)
