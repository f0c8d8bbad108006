"""Finds the files that an exchange touches or names: in its text and in the arguments of tool calls. Pure.

Paths are returned as written. Directories, globs, URLs, import specifiers and programs that are merely run are not
files.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote

from pi_memory.tagging.shell import directory_of, words_of
from pi_memory.text.language import pattern
from pi_memory.types import ToolCall

TEXT_LENGTH = 20_000
COMMAND_LENGTH = 4_000
"""Most characters of a text or command that are searched."""
DEPTH = 8
"""Deepest level of an argument that is searched."""


PATCH = re.compile(r"^(?:\*\*\* Begin Patch|diff --git |--- [^\n]+\n\+\+\+ )", re.MULTILINE)
PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:---|\+\+\+) (?:[ab]/)?|rename (?:from|to) )"
    r"([^\t\n]+)",
    re.MULTILINE,
)


def file_paths(*texts: str, tool_calls: Sequence[ToolCall] = ()) -> tuple[str, ...]:
    """The files named in `texts` and in the calls, in order and without repeats.

    A bare name is left out when a longer path ends in it.
    """
    found = [path for text in texts for path in in_text(text[:TEXT_LENGTH])]
    found += [path for call in tool_calls for path in _in_value(call.arguments, "", call.name)]
    return without_bare(re.sub(r"^(?:\./)+", "", path) for path in found)


def without_bare(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths without repeats, and without bare names that end a longer path."""
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


def commands(call: ToolCall) -> list[object]:
    """What a tool call runs in a shell."""
    return [value for key, value in call.arguments.items() if pattern("command_argument").fullmatch(key)]


def working_directory(tool_calls: Sequence[ToolCall], default: str | None) -> str | None:
    """The directory of the last `cd` in a command, else `default`."""
    run = [value for call in tool_calls for value in commands(call)]
    for command in reversed([value for value in run if isinstance(value, str)]):
        directory = directory_of(command[:COMMAND_LENGTH])
        if directory and (directory.startswith(("/", "~")) or default):
            return posixpath.normpath(posixpath.join(default or "", directory))
    return default


def _in_value(value: object, key: str, tool: str, *, depth: int = 0) -> list[str]:
    """The files in one argument of any shape."""
    if isinstance(value, str):
        return _in_string(value[:TEXT_LENGTH], key, tool)
    if depth >= DEPTH:
        return []
    if isinstance(value, Mapping):
        items = ((snake(str(name)), item) for name, item in value.items())
        return [path for name, item in items for path in _in_value(item, name, tool, depth=depth + 1)]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        if pattern("command_argument").fullmatch(key):
            return _in_string("\n".join(item for item in value if isinstance(item, str)), key, tool)
        return [path for item in value for path in _in_value(item, key, tool, depth=depth + 1)]
    return []


def _in_string(text: str, key: str, tool: str) -> list[str]:
    if PATCH.search(text):
        return [path.strip() for path in PATCHED.findall(text) if path.strip() != "/dev/null"]
    if pattern("command_argument").fullmatch(key):
        return _in_command(text)
    if pattern("path_argument").fullmatch(key) and "\n" not in text:
        path = as_file(text, extension_needed=bool(pattern("listing_tool").search(tool)) or not _is_file_key(key, tool))
        return [path] if path else []
    return [] if pattern("content_argument").fullmatch(key) else in_text(text)


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


def _words(text: str) -> list[str]:
    return text.split()


EXTENSIONS = _words("""
    py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro html htm css scss sass less json jsonl json5 jsonc
    ndjson yaml yml toml ini cfg conf config properties env lock xml xsd svg md mdx markdown rst txt text tex bib adoc
    org log csv tsv parquet sql sqlite sqlite3 db prisma graphql gql proto go mod sum rs rb erb rake gemspec php java kt
    kts scala clj cljs ex exs erl hs ml mli fs cs csproj sln vb swift m mm c h cc cpp cxx hpp hh ino pde asm s zig nim
    lua pl pm r jl dart sh bash zsh fish ps1 bat cmd awk vim el service timer socket mount rules desktop plist gradle
    cmake mk dockerfile tf tfvars hcl nix dhall ejs hbs j2 jinja jinja2 tmpl tpl patch diff snap map wasm bin hex elf so
    dll exe deb rpm apk dmg iso img zip tar gz tgz bz2 xz zst 7z rar jar whl pdf doc docx odt rtf xls xlsx ods ppt pptx
    odp epub png jpg jpeg gif webp bmp ico tif tiff heic raw psd ai sketch fig mp3 wav flac ogg m4a mp4 mkv mov avi webm
    srt vtt ttf otf woff woff2 stl scad step stp iges f3d fcstd 3mf gcode dxf dwg kicad_pcb kicad_sch kicad_pro gbr sch
    brd blend fbx obj glb gltf gguf onnx pt pth safetensors pkl npy npz h5 pem crt key csr pub gpg asc sig p12
    enc pcap pcapng bak orig tmp example template dist ics vcf eml mbox
""")

NAMES = _words("""
    Dockerfile Containerfile Makefile GNUmakefile Justfile justfile Rakefile Gemfile Procfile Vagrantfile Jenkinsfile
    Brewfile Pipfile Caddyfile Tiltfile Podfile Fastfile CODEOWNERS crontab authorized_keys known_hosts
""")
"""Files without an extension."""

GENERIC = _words("README LICENSE LICENCE CHANGELOG NOTICE AUTHORS CONTRIBUTING VERSION BUILD WORKSPACE TODO")
"""Files without an extension that are ordinary words as well: recognised only with a directory."""

DOTFILES = _words(r"""
    gitignore gitattributes gitmodules dockerignore npmrc nvmrc npmignore editorconfig eslintrc eslintignore prettierrc
    prettierignore babelrc bashrc bash_profile bash_aliases zshrc zprofile profile vimrc gitconfig tmux\.conf inputrc
    python-version node-version tool-versions env pylintrc flake8 coveragerc htaccess mailmap hushlogin netrc pgpass
    clang-format clang-tidy rspec rubocop\.yml envrc
""")

PART = r"(?:@?[\w.+~%-]+|\([\w.-]+\)|\[{1,2}(?:\.\.\.)?\w+\]{1,2})"
LAST = (
    rf"(?:[\w.+@%-]*[\w+%\])-]\.(?i:{'|'.join(sorted(EXTENSIONS, key=len, reverse=True))})"
    rf"|(?:{'|'.join(NAMES)})(?:\.\w+)?|(?:{'|'.join(GENERIC)})"
    rf"|\.(?:{'|'.join(DOTFILES)})(?:\.\w+)*)"
)
PATH = re.compile(
    r"(?<![\w/.~@+*$}\\%-])@?"
    rf"(?P<path>(?:[A-Za-z]:[\\/](?:[\w .-]+\\)*|~/|\.{{0,2}}/)?(?:{PART}/)*{LAST})"
    r"(?::\d+(?:[:-]\d+)*|\#L\d+(?:-L?\d+)?|\(\d+(?:,\d+)?\))?"
    r"(?![\w~*{/\[\\]|[-.]\w|\((?!\d))"
)
SPACED = re.compile(
    r"([\"'`])((?:~/|/|\./|[A-Za-z]:\\)(?![^\"'`\n]*(?: [/~-]|/bin/))[^\"'`\n]* [^\"'`\n]*\.\w{1,10})\1"
)
"""A rooted path with blanks, in quotation marks; a blank before `/`, `~` or `-` makes it a command."""

URL = re.compile(
    r"\b(?!file:)[a-z][a-z0-9+.-]{0,20}://[^\s\"'`<>]*|\b(?:www\.|localhost:\d|(?:\d{1,3}\.){3}\d)[^\s\"'`<>]*"
    r"|(?<![\w.-])[\w.-]+@[\w-]+\.[\w.-]+:[\w./-]+|\bmailto:\S+",
    re.IGNORECASE,
)
BOLD = re.compile(r"(?<![\w/*])\*\*([\w`~@(\[][^*\n]*?)\*\*(?![\w/*])")
IMPORT = re.compile(
    r"(?:\b(?:import|export)\b[^\n;\"']*\bfrom|\}\s*from|\b(?:require|import)\s*\(|^\s*import|@import|#\s*include)"
    r"\s*[\"'<]$",
    re.MULTILINE,
)


def in_text(text: str) -> list[str]:
    """The files named in running text, as written and in order, with repeats."""
    plain = BOLD.sub(r"\1", URL.sub(" ", text))
    spaced = [match[2] for match in SPACED.finditer(plain)]
    plain = SPACED.sub(" ", plain)
    return [*spaced, *(match["path"] for match in PATH.finditer(plain) if _is_meant(match, plain))]


def _is_meant(match: re.Match[str], text: str) -> bool:
    path = match["path"]
    if text[match.end() :] == "…" or IMPORT.search(text, max(0, match.start() - 120), match.start()):
        return False
    return _is_named(path)


def _is_named(path: str) -> bool:
    """Whether a path-like text is a file, and not a domain, a library or a member of an object."""
    if "/" in path:
        return not pattern("web_domain").match(path) and not path.startswith("//")
    return not (pattern("no_file").match(path) or path in GENERIC)


def as_file(text: str, *, extension_needed: bool = True) -> str | None:
    """The file that a whole argument names, without mention marks and line numbers; None for anything else.

    Without `extension_needed` any name counts that is not a directory, a glob or a URL.
    """
    text = text.strip().strip("\"'`")
    text = unquote(text.removeprefix("file://")) if text.startswith("file://") else text.removeprefix("@")
    if URL.match(text) or text.endswith(("/", "…")) or re.search(r"[*?{}<>|\n]", text):
        return None
    if match := PATH.fullmatch(text):
        return match["path"] if "/" in text or not extension_needed or _is_named(text) else None
    if not extension_needed:
        return re.sub(r":\d+(?::\d+)?$", "", text) if text.strip("./~") else None
    spaced = re.fullmatch(r"(?:[~/.]|\w[\w -]*/)[^\n]*\.[A-Za-z][A-Za-z0-9]{0,9}", text)
    return text if spaced and not pattern("web_domain").match(text) else None
