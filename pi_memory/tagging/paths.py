"""Which files an exchange touches or names: in its text and in the arguments of its tool calls. Pure.

Paths are given as written. Directories, globs, URLs, import specifiers and programs merely run are not files.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence

from pi_memory.tagging.filenames import PATH, as_file, in_text
from pi_memory.tagging.shell import directory_of, words_of
from pi_memory.types import ToolCall

TEXT_LENGTH = 20_000
COMMAND_LENGTH = 4_000
"""Most characters of one text and of one command that are searched."""
DEPTH = 8
"""Most levels of an argument that are searched."""

PATH_KEYS = re.compile(
    r"(?:.*_)?(?:paths?|files?|filenames?|filepaths?|targets?|sources?|destinations?|src|dst|dest|notebook|document"
    r"|input|output|uri|from|to|old|new)"
)
COMMAND_KEYS = re.compile(r"(?:.*_)?(?:commands?|cmd|cmdline|shell|bash|script|argv)")
CONTENT_KEYS = re.compile(
    r"(?:.*_)?(?:contents?|string|str|text|code|code_edit|body|html|data|source_code|pattern|regex|glob|include|exclude|query|url"
    r"|urls|thoughts?|todos|replacement|base64)"
)
"""What is inside a file or searched for is not what the call is about."""

LISTERS = re.compile(r"^(?:ls|list|glob|grep|find|search|tree|cd|mkdir)|directory|folder|_dir$", re.IGNORECASE)
"""Tools whose `path` is a directory."""

PATCH = re.compile(r"^(?:\*\*\* Begin Patch|diff --git |--- [^\n]+\n\+\+\+ )", re.MULTILINE)
PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:---|\+\+\+) (?:[ab]/)?|rename (?:from|to) )"
    r"([^\t\n]+)",
    re.MULTILINE,
)


def file_paths(*texts: str, tool_calls: Sequence[ToolCall] = ()) -> tuple[str, ...]:
    """The files named in `texts` and in the calls, in order and without repeats.

    A bare name is left out when a longer path that ends in it is there.
    """
    found = [path for text in texts for path in in_text(text[:TEXT_LENGTH])]
    found += [path for call in tool_calls for path in _in_value(call.arguments, "", call.name)]
    return without_bare(re.sub(r"^(?:\./)+", "", path) for path in found)


def without_bare(paths: Iterable[str]) -> tuple[str, ...]:
    """Without repeats, and without bare names of which a longer path is there."""
    paths = list(dict.fromkeys(paths))
    longer = {posixpath.basename(path) for path in paths if "/" in path}
    return tuple(path for path in paths if path not in longer)


def directories(paths: Iterable[str], *, base: str | None = None) -> tuple[str, ...]:
    """The directories of files, with a slash at the end; relative ones are resolved against `base` if it is given."""
    found = (_directory(path, base) for path in paths)
    return tuple(dict.fromkeys(directory for directory in found if directory is not None))


def _directory(path: str, base: str | None) -> str | None:
    rooted = path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path)
    whole = path if rooted or not base else posixpath.join(base, path)
    parent = posixpath.dirname(posixpath.normpath(whole.replace("\\", "/")))
    return f"{parent.rstrip('/')}/" if parent else None


def working_directory(tool_calls: Sequence[ToolCall], default: str | None) -> str | None:
    """Where the last command went with `cd`, else `default`."""
    commands = [value for call in tool_calls for key, value in call.arguments.items() if COMMAND_KEYS.fullmatch(key)]
    for command in reversed([value for value in commands if isinstance(value, str)]):
        directory = directory_of(command[:COMMAND_LENGTH])
        if directory and (directory.startswith(("/", "~")) or default):
            return posixpath.normpath(posixpath.join(default or "", directory))
    return default


def _in_value(value: object, key: str, tool: str, *, depth: int = 0) -> list[str]:
    """The files in one argument, whatever its shape."""
    if isinstance(value, str):
        return _in_string(value[:TEXT_LENGTH], key, tool)
    if depth >= DEPTH:
        return []
    if isinstance(value, Mapping):
        items = ((snake(str(name)), item) for name, item in value.items())
        return [path for name, item in items for path in _in_value(item, name, tool, depth=depth + 1)]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        if COMMAND_KEYS.fullmatch(key):
            return _in_string("\n".join(item for item in value if isinstance(item, str)), key, tool)
        return [path for item in value for path in _in_value(item, key, tool, depth=depth + 1)]
    return []


def _in_string(text: str, key: str, tool: str) -> list[str]:
    if PATCH.search(text):
        return [path.strip() for path in PATCHED.findall(text) if path.strip() != "/dev/null"]
    if COMMAND_KEYS.fullmatch(key):
        return _in_command(text)
    if PATH_KEYS.fullmatch(key) and "\n" not in text:
        path = as_file(text, extension_needed=bool(LISTERS.search(tool)) or not _is_file_key(key, tool))
        return [path] if path else []
    return [] if CONTENT_KEYS.fullmatch(key) else in_text(text)


def _is_file_key(key: str, tool: str) -> bool:
    return "file" in key or "notebook" in key or bool(re.search(r"read|write|edit|view|open|create", tool, re.I))


def _in_command(command: str) -> list[str]:
    words, prose = words_of(command[:COMMAND_LENGTH])
    named = (match["path"] for word in words if (match := PATH.fullmatch(word)))
    return [
        path for path in (*(as_file(path) for path in named), *(p for text in prose for p in in_text(text))) if path
    ]


def snake(key: str) -> str:
    """`filePath` -> `file_path`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-\s.]", "_", key).lower()
