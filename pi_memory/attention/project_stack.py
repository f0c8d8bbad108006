"""Detects a project's languages and libraries from the manifests at its top; a new session begins with some attention
to them.

Bounded: the folder itself and nothing below it, a few named files, never more than a few kilobytes of each. Symbolic
links that lead out of the folder, and unreadable or malformed files, are skipped.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from stat import S_ISREG

MOST = 12
"""Most topics of one project."""
MOST_ENTRIES = 500
"""Most entries of a folder that are looked at."""
MOST_BYTES = 262_144
"""Most bytes of a file that is parsed; of a larger one only the name counts."""

UNREADABLE = (OSError, RuntimeError)
"""Exceptions of unreadable files; the second is that of a loop of links, up to Python 3.12."""

SIGNS = {
    "pyproject.toml": "python",
    "requirements*.txt": "python",
    "setup.py": "python",
    "Pipfile": "python",
    "package.json": "javascript",
    "tsconfig.json": "typescript",
    "deno.json*": "typescript",
    "Cargo.toml": "rust",
    "go.mod": "go",
    "pom.xml": "java",
    "build.gradle": "java",
    "build.gradle.kts": "kotlin",
    "Gemfile": "ruby",
    "composer.json": "php",
    "mix.exs": "elixir",
    "pubspec.yaml": "flutter",
    "CMakeLists.txt": "c++",
    "platformio.ini": "electronics",
    "*.ino": "electronics",
    "configuration.yaml": "home-automation",
    "Dockerfile*": "docker",
    "Containerfile*": "docker",
    "docker-compose*.y*ml": "docker",
    "compose.y*ml": "docker",
    "*.tf": "infrastructure",
    "ansible.cfg": "infrastructure",
    "*.kicad_pro": "electronics",
    "*.scad": "3d-printing",
}
"""Glob of a manifest's name to the topic that it is a sign of. The order is that of the result."""

PACKAGES = {
    "react": "react",
    "next": "nextjs",
    "vue": "vue",
    "svelte": "svelte",
    "@angular/core": "angular",
    "express": "express",
    "tailwindcss": "styling",
    "typescript": "typescript",
    "@supabase/supabase-js": "supabase",
    "prisma": "database",
    "pg": "database",
    "mongoose": "database",
    "jest": "testing",
    "vitest": "testing",
    "playwright": "testing",
    "react-native": "mobile",
    "django": "django",
    "flask": "flask",
    "fastapi": "fastapi",
    "starlette": "starlette",
    "sqlalchemy": "database",
    "sqlite-utils": "database",
    "psycopg": "database",
    "psycopg2": "database",
    "psycopg2-binary": "database",
    "supabase": "supabase",
    "pytest": "testing",
    "pandas": "data-analysis",
    "torch": "machine-learning",
    "scikit-learn": "machine-learning",
    "gpiozero": "raspberry-pi",
    "rpi.gpio": "raspberry-pi",
    "esphome": "home-automation",
    "axum": "axum",
    "actix-web": "actix",
    "sqlx": "database",
    "diesel": "database",
    "tokio": "async",
    "rails": "rails",
    "rspec": "testing",
    "laravel/framework": "laravel",
    "phpunit/phpunit": "testing",
    "spring-boot-starter-web": "spring",
    "github.com/gin-gonic/gin": "gin",
}
"""Package to the topic that its use is a sign of."""


def detect(project: str | None) -> tuple[str, ...]:
    """The topics of a project; none unless it is the absolute path of a folder on this machine."""
    if not project or not project.startswith("/") or "\0" in project:
        return ()
    try:
        folder = Path(project).resolve(strict=True)
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_ENTRIES))
    except UNREADABLE:
        return ()
    found = [topic for glob, topic in SIGNS.items() if any(fnmatch(name, glob) for name in names)]
    packages = {package for name in names if (read := _reader(name)) for package in read(_text(folder / name, folder))}
    found += [topic for package, topic in PACKAGES.items() if package in packages]
    return tuple(dict.fromkeys(found))[:MOST]


def _text(path: Path, folder: Path) -> str:
    """A file's text; empty when it is too large, no plain file, or outside of the folder."""
    try:
        real = path.resolve(strict=True)
        status = real.stat()
        if not real.is_relative_to(folder) or not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return ""
        return real.read_bytes().decode("utf-8", "replace").lower()
    except UNREADABLE:
        return ""


def _reader(name: str) -> Callable[[str], Iterable[str]] | None:
    """The function that reads the packages of a file of this name."""
    return next((read for glob, read in READERS.items() if fnmatch(name, glob)), None)


def _of_json(text: str) -> Iterator[str]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return
    for key in ("dependencies", "devdependencies", "require", "require-dev"):
        table = found.get(key) if isinstance(found, dict) else None
        yield from table if isinstance(table, dict) else ()


def _of_toml(text: str) -> Iterator[str]:
    """Packages of every `dependencies`: a table, or a list of requirements."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    yield from _dependencies(found, depth=0)


def _dependencies(table: dict[str, object], *, depth: int) -> Iterator[str]:
    for key, value in table.items():
        if "dependencies" in key or key == "dev":
            yield from _requirements(value)
        if isinstance(value, dict) and depth < 4:
            yield from _dependencies(value, depth=depth + 1)


def _requirements(value: object) -> Iterator[str]:
    items: Iterable[object] = value if isinstance(value, dict | list) else ()
    for item in items:
        yield from _of_lines(item) if isinstance(item, str) else ()


def _of_lines(text: str) -> Iterator[str]:
    """The first word of each line: the package in requirements, in Gemfiles after `gem`, and in go.mod."""
    for line in text.splitlines():
        if found := re.match(r"""\s*(?:gem\s+["'])?(@?[a-z0-9][\w./-]*)""", line):
            yield found[1]


def _of_xml(text: str) -> Iterator[str]:
    """Artifacts, matched as text: a parser would follow entities."""
    yield from re.findall(r"<artifactid>\s*([\w.-]+)\s*</artifactid>", text)


READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "package.json": _of_json,
    "composer.json": _of_json,
    "pyproject.toml": _of_toml,
    "Cargo.toml": _of_toml,
    "Pipfile": _of_toml,
    "requirements*.txt": _of_lines,
    "Gemfile": _of_lines,
    "go.mod": _of_lines,
    "pom.xml": _of_xml,
}
