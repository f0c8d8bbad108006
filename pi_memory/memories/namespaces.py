"""Namespaces: `global/...`, `user/...` or `project/<name>/...`, and which of them a session sees. Pure."""

import hashlib
import re
import unicodedata
from contextlib import suppress
from typing import Literal

from pi_memory.errors import RequestError

Scope = tuple[str, ...]
"""The visible namespaces; each includes those below it."""

LONGEST = 128
DEEPEST = 6
CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
ROOTS = ("global", "user", "project")
EVERYONE = "user"
"""The namespace of messages outside of any project, visible from every one."""
HINT = "global/..., user/... or project/NAME/..., each part of a-z 0-9 . _ -; for example project/garden/pumps."


def parse(text: str, field: Literal["namespace", "project"] = "namespace") -> str:
    """A namespace in its normal form, in lower case. Raises `RequestError`, naming `field`."""
    namespace = text.strip(" ").lower().removesuffix("/")
    parts = namespace.split("/")
    if len(namespace) > LONGEST or len(parts) > DEEPEST:
        raise RequestError(f"{field}: longer than {LONGEST} characters or {DEEPEST} parts", hint=HINT)
    if parts[0] not in ROOTS:
        raise RequestError(f"{field}: begins with none of {', '.join(ROOTS)}", hint=HINT)
    if not all(CHARACTERS.issuperset(part) and part.strip(".") and ".." not in part for part in parts):
        raise RequestError(f"{field}: a part is empty, or has characters that no namespace has", hint=HINT)
    if namespace == "project":
        raise RequestError(f"{field}: the project's name is missing", hint=HINT)
    return namespace


def of_project(project: str) -> str:
    """The namespace of a project given by name or path. Raises `RequestError` when it has no name."""
    return f"project/{slug(project)}"


def root(namespace: str) -> str:
    """The part that says whose it is: `user`, `global`, or `project/NAME`."""
    return "/".join(namespace.split("/")[: 2 if namespace.startswith("project/") else 1])


def place(namespace: str) -> str:
    """Where what a memory says was said: in its project, or in none; `user` and `global` are one."""
    return root(namespace) if namespace.startswith("project/") else EVERYONE


def slug(project: str) -> str:
    """A project's name as a part of a namespace; of a path the last component.

    Raises `RequestError` when nothing in it can be a name.
    """
    name = re.split(r"[/\\]", project.strip().rstrip("/\\"))[-1].strip()
    if not name.strip(".~"):
        raise RequestError("project: it has no name", hint="Give a name such as garden, or the path of its folder.")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9._-]+|\.\.+", "-", plain).strip("-.")[:40]
    # Nothing that we could write is left of a name in another script: its hash distinguishes it.
    return made or hashlib.sha256(name.casefold().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def named(project: str | None) -> str | None:
    """A project, None for one without a name: an agent may work in `/`."""
    with suppress(RequestError):
        return project if project and slug(project) else None
    return None


def same_project(one: str, other: str) -> bool:
    """Whether both name one project; False when one has no name."""
    return bool(named(one) and named(other)) and slug(one) == slug(other)


def scope(project: str | None) -> Scope:
    """The namespaces visible from `project`: global, the user's, and this project's only."""
    if project is None or not project.strip():
        return ("global", "user")
    return ("global", "user", of_project(project))


def chosen(namespace: str | None, project: str | None) -> Scope | None:
    """The namespaces that a request asks for: one namespace, those visible from a project, or with both the
    intersection; None without either.

    Raises `RequestError`.
    """
    if namespace is None:
        return None if project is None else scope(project)
    seen = parse(namespace)
    if project is not None and not covers(seen, scope(project)):
        raise RequestError(f"namespace: {seen} is not seen from project {project}", hint="Leave one of them out.")
    return (seen,)


def covers(namespace: str, seen: Scope) -> bool:
    """Whether `namespace` is in or below the scope."""
    return any(namespace == root or namespace.startswith(f"{root}/") for root in seen)
