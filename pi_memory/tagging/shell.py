"""Parses a shell command as far as needed to find the files that it names. Pure."""

import contextlib
import re
import shlex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# `*+` never gives back what it took: a line of nothing but `<<a <<a` would be read again for each of them.
HEREDOC = re.compile(r"<<-?\s*+(['\"]?)(\w++)\1([^\n]*+)\n.*?(?:\n[ \t]*\2[ \t]*(?=\n|$|\))|\Z)", re.DOTALL)
SUBSTITUTION = re.compile(r"(?:s|y|tr)([|/#,:!]).*\1")
DRIVE = re.compile(r"(?<!\w)[A-Za-z]:\\\w")

WRAPPERS = _words("sudo env time nohup exec command xargs npx bunx uvx poetry pipenv uv run doas timeout nice")
"""Programs that run another one, named in their arguments."""

SCRIPT_FIRST = _words("grep egrep fgrep rg ag ack sed awk gawk jq yq perl")
"""Programs whose first argument is a pattern or script, not a file."""

NO_FILES = _words("cd pushd mkdir rmdir echo printf export which type alias kill pip npm yarn pnpm apt brew")
INTERPRETERS = _words("python python3 node deno bun ruby perl php tsx ts-node lua Rscript")
SHELLS = _words("bash sh zsh dash ssh")
TEXT_OPTIONS = _words("-m --message --title --body --description -am")
CODE_OPTIONS = _words("-c -e -lc --eval -p")


def words_of(command: str) -> tuple[list[str], list[str]]:
    """The arguments of a command that may be files, and those that are running text (messages, code).

    A quotation that was cut off ends with the command.
    """
    words: list[str] = []
    prose: list[str] = []
    for simple in _commands(command):
        _read(simple, words, prose)
    return words, prose


def directory_of(command: str) -> str | None:
    """The directory of a leading `cd`: `/a/b` for `cd /a/b && make`."""
    found = re.match(r"\s*(?:cd|pushd)\s+(\"[^\"]+\"|'[^']+'|[^\s;&|]+)", command)
    return found[1].strip("\"'") if found and "$" not in found[1] and found[1] != "-" else None


def _commands(command: str) -> list[list[str]]:
    if DRIVE.search(command):  # a shell in which a backslash escapes nothing
        command = command.replace("\\", "\\\\")
    for end in ("", "'", '"', "\\ "):
        with contextlib.suppress(ValueError):
            return _simple_commands(command + end)
    return []


def _simple_commands(command: str) -> list[list[str]]:
    lexer = shlex.shlex(HEREDOC.sub(r" \3\n", command), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    commands: list[list[str]] = [[]]
    for token in lexer:
        if not token.strip(";&|()\n"):
            commands.append([])
        else:
            commands[-1].append(token)
    return commands


def _read(simple: list[str], words: list[str], prose: list[str]) -> None:
    """Classify the words of one simple command."""
    arguments, program = _program(simple)
    pending = program in SCRIPT_FIRST
    previous = ""
    for word in arguments:
        if previous in TEXT_OPTIONS or (previous in CODE_OPTIONS and program in INTERPRETERS):
            prose.append(word)
        elif previous in CODE_OPTIONS and program in SHELLS:
            nested, inner = words_of(word)
            words += nested
            prose += inner
        elif SUBSTITUTION.match(word):
            pass
        elif previous.endswith(">") or not (word.startswith("-") or program in NO_FILES or pending):
            words.append(_target(word))
        elif word.startswith("--") and "=" in word:
            words.append(word.partition("=")[2])
        pending = pending and word.startswith("-")
        previous = word


def _program(simple: list[str]) -> tuple[list[str], str]:
    """The arguments and the bare name of the program that finally runs."""
    for at, word in enumerate(simple):
        name = word.rpartition("/")[2]
        if name not in WRAPPERS and not re.match(r"\w+=", word) and not word.startswith("-"):
            return simple[at + 1 :], name
    return [], ""


def _target(word: str) -> str:
    """The path in a target: `HEAD~1:src/a.py` -> `src/a.py`; `host:/etc/hosts.conf` -> `/etc/hosts.conf`; `a.py::test`
    -> `a.py`.
    """
    word = word.partition("::")[0]
    revision, colon, path = word.partition(":")
    return path if colon and re.fullmatch(r"[\w./~^@{}-]+", revision) and re.match(r"[\w./~]*[A-Za-z/]", path) else word
