"""`config/topics.toml`: words, files and relations of topics that are known beforehand."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch, translate
from pathlib import Path

from msgspec import Struct

from pi_memory.errors import SettingsError
from pi_memory.topics.names import normalise

LISTS = ("chatter", "continue", "generic_directories", "generic_files")
ACTIVITIES = "activities"
TABLES = ("files", "aliases", "topics")
RELATED = "related"
"""A table that may be missing, as it was in earlier releases."""

BEGIN, END = r"(?<![\w-])", r"(?![\w-])"
"""Of a word; it may have hyphens."""


class Patterns(Struct, frozen=True):
    chatter: frozenset[str]
    """Words; a message of nothing else is chatter."""
    go_on: frozenset[str]
    """Those among them that ask for the next step."""
    activities: frozenset[str]
    """Topics that are done to files rather than what the files are about."""
    generic_directories: frozenset[str]
    generic_files: frozenset[str]
    """Normalised names that say nothing about the work."""
    files: Mapping[str, str]
    """Glob, of a base name or (with a slash) of the end of a path, to the topic of such files."""
    signs: re.Pattern[str]
    """Matches base names that wholly identify a topic."""
    aliases: Mapping[str, str]
    """Other names of a topic."""
    topics: Mapping[str, re.Pattern[str]]
    """Topic to the expression that matches its words, in small letters."""
    any_topic: re.Pattern[str]
    """Matches nothing wide, wherever a word of any topic begins."""
    words: Mapping[str, str]
    """Topic to its plain words, for an embedder."""
    related: Mapping[str, Mapping[str, float]]
    """Topic to its related topics, each with the attention that it gets along with it."""

    def topic_of_file(self, path: str) -> str | None:
        """The topic of a file by its name or place alone."""
        base, whole = path.rpartition("/")[2], f"/{path}"
        asked = ((glob, whole if "/" in glob else base, topic) for glob, topic in self.files.items())
        return next((topic for glob, name, topic in asked if fnmatch(name, f"*/{glob}" if "/" in glob else glob)), None)

    def is_sign(self, path: str) -> bool:
        """Whether a file's whole name identifies a topic and says nothing else: `requirements.txt`."""
        return self.signs.fullmatch(path.rpartition("/")[2]) is not None

    def words_of_topics(self, text: str) -> dict[str, set[str]]:
        """The different words of each topic in a text, in small letters. Most words are of none, so that places are
        looked for in one pass.
        """
        found: dict[str, set[str]] = {}
        ends = dict.fromkeys(self.topics, 0)
        text = text.lower()
        for place in self.any_topic.finditer(text):
            for topic, expression in self.topics.items():
                if ends[topic] <= place.start() and (word := expression.match(text, place.start())):
                    found.setdefault(topic, set()).add(word[0])
                    ends[topic] = word.end()
        return found

    def canonical(self, name: str) -> str:
        """A normalised name with aliases of its area replaced."""
        area, slash, detail = name.partition("/")
        area = self.aliases.get(area, area)
        return f"{area}{slash}{detail}" if detail != area else area


def load_patterns(path: Path) -> Patterns:
    """Read and check the file. Raises `SettingsError`, naming the file and the key that is wrong."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        hint = "Correct it, or remove it to use the shipped one."
        raise SettingsError(f"Cannot read {path}: {error}", hint=hint) from error
    _check_keys(raw, path)
    chatter, go_on, directories, files = (_words(raw, key, path) for key in LISTS)
    expressions = {name: _expression(name, value, path) for name, value in raw["topics"].items()}
    return Patterns(
        chatter=chatter | go_on,
        go_on=go_on,
        activities=_words(raw, ACTIVITIES, path) if ACTIVITIES in raw else frozenset(),
        generic_directories=directories,
        generic_files=files,
        files={glob: _name(topic, f"files.{glob}", path) for glob, topic in raw["files"].items()},
        signs=re.compile("|".join(translate(glob) for glob in raw["files"] if not glob.startswith("*")) or r"(?!)"),
        aliases={other: _name(topic, f"aliases.{other}", path) for other, topic in raw["aliases"].items()},
        topics={_name(name, f"topics.{name}", path): pattern for name, pattern in expressions.items()},
        any_topic=_any(expressions.values(), path),
        words={_name(name, f"topics.{name}", path): _plain(name, value) for name, value in raw["topics"].items()},
        related=_related(raw, path),
    )


def _check_keys(raw: Mapping[str, object], path: Path) -> None:
    known = (*LISTS, ACTIVITIES, *TABLES, RELATED)
    for key in raw:
        if key not in known:
            raise _wrong(path, key, f"is unknown; known are {', '.join(known)}")
    for key in TABLES:
        if not isinstance(raw.get(key), dict):
            raise _wrong(path, key, "must be a table")


def _words(raw: Mapping[str, object], key: str, path: Path) -> frozenset[str]:
    value = raw.get(key)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _wrong(path, key, "must be a list of words")
    return frozenset(word.lower() for word in value)


def _expression(name: str, value: object, path: Path) -> re.Pattern[str]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise _wrong(path, f"topics.{name}", "must be a list of regular expressions")
    try:
        return re.compile(f"{BEGIN}(?:{_in_small_letters('|'.join(value))}){END}")
    except re.error as error:
        what = f"has {_broken(value)}, which is no regular expression: {error}"
        raise _wrong(path, f"topics.{name}", what) from error


def _in_small_letters(expression: str) -> str:
    """The expression for a text in small letters; capitals that say something else stay, such as that of `\\W`."""
    return re.sub(r"(\\.|\(\?P)|.", lambda found: found[1] or found[0].lower(), expression, flags=re.DOTALL)


def _any(expressions: Iterable[re.Pattern[str]], path: Path) -> re.Pattern[str]:
    each = (expression.pattern.removeprefix(BEGIN).removesuffix(END) for expression in expressions)
    try:
        return re.compile(f"{BEGIN}(?=(?:{'|'.join(each) or '(?!)'}){END})")
    except re.error as error:  # two groups of one name
        raise _wrong(path, "topics", f"are no regular expression together: {error}") from error


def _broken(words: list[str]) -> str:
    """The word that is no regular expression, or all of them if only together they are none. Compiling each takes as
    long as all else in the file, so it is done when one is looked for.
    """
    for word in words:
        try:
            re.compile(word)
        except re.error:
            return repr(word)
    return repr(words)


def _name(value: object, key: str, path: Path) -> str:
    name = normalise(value) if isinstance(value, str) else None
    if name is None:
        raise _wrong(path, key, f"must be the name of a topic, not {value!r}")
    return name


def _related(raw: Mapping[str, object], path: Path) -> dict[str, dict[str, float]]:
    table = raw.get(RELATED, {})
    if not isinstance(table, dict):
        raise _wrong(path, RELATED, "must be a table")
    return {_name(name, f"{RELATED}.{name}", path): _boosts(name, others, path) for name, others in table.items()}


def _boosts(name: str, others: object, path: Path) -> dict[str, float]:
    key = f"{RELATED}.{name}"
    if not isinstance(others, dict):
        raise _wrong(path, key, "must be a table of topics and their boosts")
    for other, boost in others.items():
        if isinstance(boost, bool) or not isinstance(boost, int | float) or not 0 < boost <= 1:
            raise _wrong(path, f"{key}.{other}", f"must be a number above 0 and at most 1, not {boost!r}")
    return {_name(other, f"{key}.{other}", path): float(boost) for other, boost in others.items()}


def _plain(name: str, words: list[str]) -> str:
    """The topic's description: its name and the readable words of its expressions."""
    readable = (re.sub(r"\(\?:(\w*)[^)]*\)|\\[wS][*+]?|[?+]", r"\1", word) for word in words)
    return ", ".join([name.replace("-", " "), *readable])


def _wrong(path: Path, key: str, what: str) -> SettingsError:
    return SettingsError(f"{path}: {key} {what}", hint="Compare it with the shipped config/topics.toml.")
