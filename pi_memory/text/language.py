"""The words by which language is understood: expressions and lists of words by their names, from `config/language`.

What there is for each language stands in a file of its own, with examples; `config/language.toml` says what a name
means. Files are read once, and an expression is compiled when it is first asked for, so that a start waits for none.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from msgspec import Struct

from pi_memory.config import Config
from pi_memory.errors import SettingsError

NAMES = "language.toml"
FOLDER = "language"
FIRST = "en"
"""The language whose expressions are tried first."""
PLACE = re.compile(r"\{([a-z_]*)\}")
KEYS = {"any": list, "words": str, "forms": dict, "frame": str, "matches": list, "not": list}

LONGEST = 2_000
"""Characters of a text from which on what is understood of it is not remembered."""

Table = Mapping[str, Mapping[str, object]]
P = ParamSpec("P")
T = TypeVar("T")


class Examples(Struct, frozen=True):
    """Texts that the pattern of a name must find in a language, and texts that it must not."""

    language: str
    name: str
    matches: tuple[str, ...]
    misses: tuple[str, ...]


class Language:
    """All languages of a configuration. Raises `SettingsError`, naming the file and the name that is wrong.

    What the files say is put together at once, and let go of.
    """

    def __init__(self, config: Config) -> None:
        self._files = _files(config)
        self._read = _versions(self._files)
        self.has_own = any(map(config.is_own, self._files.values()))
        tables = _Tables(self._files)
        self._sources = {name: tables.source(name) for name in tables.names}
        self._words = {name: tables.words(name) for name in tables.names}
        self._forms = {name: tables.forms(name) for name in tables.names}
        self._expressions = [name for name in tables.names if tables.is_expression(name)]
        self._patterns: dict[str, re.Pattern[str]] = {}

    def is_of(self, config: Config) -> bool:
        """Whether it is what a configuration says: that has the same files, and none was changed."""
        files = _files(config)
        return files == self._files and _versions(files) == self._read

    def pattern(self, name: str) -> re.Pattern[str]:
        if (found := self._patterns.get(name)) is None:
            found = self._patterns[name] = self._compiled(name)
        return found

    def words(self, name: str) -> frozenset[str]:
        return self._words.get(name, frozenset())

    def forms(self, name: str) -> Mapping[str, str]:
        return self._forms.get(name, {})

    def compile_all(self) -> None:
        """Compile what has not been asked for yet, which takes a good part of a second on a small machine."""
        for name in self._expressions:
            self.pattern(name)

    def examples(self) -> Iterable[Examples]:
        """Those of all files, which are read again."""
        for code, path in self._files.items():
            for name, entry in _table(path).items():
                if entry.keys() & {"any", "matches"}:
                    yield Examples(code, name, _texts(entry, "matches"), _texts(entry, "not"))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._sources)

    def _compiled(self, name: str) -> re.Pattern[str]:
        try:
            return re.compile(self._sources[name], re.IGNORECASE)
        except (re.error, RecursionError) as error:
            raise _no_expression(name, self._files, error) from error


class _Tables:
    """What the files say, by the code of the language; that of `language.toml` is empty."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._tables: dict[str, Table] = {}
        for code, path in files.items():
            table = _table(path)
            _check(table, self._tables.get("", table), path)
            self._tables[code] = _joined(table)
        self.names = self._tables[""]

    def is_expression(self, name: str) -> bool:
        """Whether it is more than a list of words."""
        return any(table.get(name, {}).keys() - {"words", "forms"} for table in self._tables.values())

    def words(self, name: str) -> frozenset[str]:
        listed = (str(table[name].get("words", "")) for table in self._tables.values() if name in table)
        return frozenset(word for words in listed for word in words.split())

    def forms(self, name: str) -> dict[str, str]:
        entries = [_forms(table[name]) for table in reversed(self._tables.values()) if name in table]
        return {word: form for entry in entries for word, form in entry.items()}

    def source(self, name: str) -> str:
        """The expression of a name, of all languages."""
        try:
            return re.sub(r" ([?*+]?)", _any_space, re.sub(r"\n\s*", "", self._source(name)))
        except RecursionError as error:  # it is a part of itself
            raise _no_expression(name, self._files, error) from error

    def _source(self, name: str) -> str:
        """The expressions of all languages in the frame of the name, if it has one."""
        found = [self._in_language(name, code) for code in self._tables]
        own = "|".join(filter(None, found))
        frame = str(self.names[name].get("frame", "{}"))
        return PLACE.sub(lambda place: f"(?:{self._source(place[1]) if place[1] else own or '(?!)'})", frame)

    def _in_language(self, name: str, code: str) -> str:
        entry = self._tables[code].get(name, {})
        listed = [*map(re.escape, str(entry.get("words", "")).split())]
        listed += sorted(map(re.escape, _forms(entry)), key=len, reverse=True)
        joined = "|".join(filter(None, [str(entry.get("any", "")), *(f"(?:{each})" for each in listed)]))
        return PLACE.sub(lambda place: f"(?:{self._own(place[1], code) or '(?!)'})", joined)

    def _own(self, name: str, code: str) -> str:
        """The expressions of a name in a language, else those that hold in every one."""
        return self._in_language(name, code) or self._in_language(name, "")


class _Shared:
    """The one configuration that the process speaks with, as a locale is; until `use`, the one we come with. `forget`
    are calls by which what was understood with it is forgotten.
    """

    def __init__(self) -> None:
        self.forget: list[Callable[[], None]] = []

    @cached_property
    def language(self) -> Language:
        return Language(Config())


_shared = _Shared()


def use(config: Config) -> None:
    """Speak with the languages of a configuration; if some are the user's own, they are checked at once. What is spoken
    already stays, with what was compiled of it.
    """
    if "language" in vars(_shared) and _shared.language.is_of(config):
        return
    language = Language(config)
    if language.has_own:
        language.compile_all()
    _shared.language = language
    let_go()


def remembered(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """For a pure function of texts whose result is not changed: its last results, `most` of them, are there at once,
    until another language is spoken or `let_go`. The same messages are found, and taken apart, turn after turn.
    """

    def remembering(call: Callable[P, T]) -> Callable[P, T]:
        kept = lru_cache(most)(call)
        _shared.forget.append(kept.cache_clear)
        found = cast("Callable[P, T]", kept)

        @wraps(call)
        def at_once(*args: P.args, **kwargs: P.kwargs) -> T:
            for each in args:
                if isinstance(each, str) and len(each) > LONGEST:
                    return call(*args, **kwargs)
            return found(*args, **kwargs)

        return at_once

    return remembering


def let_go() -> None:
    """Remember no text, and no word of one."""
    for forget in _shared.forget:
        forget()


def pattern(name: str) -> re.Pattern[str]:
    """The expression of this name."""
    return _shared.language.pattern(name)


def words(name: str) -> frozenset[str]:
    """The words of this name, as they are written in small letters."""
    return _shared.language.words(name)


def forms(name: str) -> Mapping[str, str]:
    """The words of this name, each with its other form, or what it stands for; of two languages the first counts."""
    return _shared.language.forms(name)


def compile_all() -> None:
    """Compile every expression, so that no message waits for one."""
    _shared.language.compile_all()


def _any_space(space: re.Match[str]) -> str:
    """What a space in an expression stands for."""
    return r"\s*" if space[1] in ("?", "*") else r"\s+"


def _no_expression(name: str, files: Mapping[str, Path], error: Exception) -> SettingsError:
    having = ", ".join(str(path) for path in files.values() if name in _table(path))
    return SettingsError(f"{having}: {name} is no expression: {error}", hint="Correct it.")


def _files(config: Config) -> dict[str, Path]:
    return {"": config.file(NAMES)} | _in_order(config.files(FOLDER, "*.toml"))


def _versions(files: Mapping[str, Path]) -> dict[str, tuple[int, int]]:
    """When each file that is there was changed, and its size."""
    found = {code: path.stat() for code, path in files.items() if path.exists()}
    return {code: (stat.st_mtime_ns, stat.st_size) for code, stat in found.items()}


def _in_order(files: Mapping[str, Path]) -> dict[str, Path]:
    return {code: files[code] for code in sorted(files, key=lambda code: (code != FIRST, code))}


def _table(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"Cannot read {path}: {error}", hint="Correct it, or remove it.") from error


def _check(table: Table, names: Table, path: Path) -> None:
    for name, entry in table.items():
        if name not in names:
            raise SettingsError(f"{path}: {name} is unknown", hint=f"The names that there are stand in {NAMES}.")
        for key, value in entry.items() if isinstance(entry, dict) else [("", None)]:
            if not isinstance(value, KEYS.get(key, ())):
                known = ", ".join(KEYS)
                raise SettingsError(f"{path}: {name}.{key} is wrong", hint=f"A name has {known}; see {NAMES}.")


def _joined(table: Table) -> Table:
    """What a process needs of a table, each list of expressions as one. Examples, half of the table, are for those who
    write expressions.
    """
    return {name: dict(_parts(entry)) for name, entry in table.items()}


def _parts(entry: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in entry.items():
        if key == "any":
            yield key, "|".join(f"(?:{each})" for each in _texts(entry, "any"))
        elif key not in ("matches", "not"):
            yield key, value


def _forms(entry: Mapping[str, object]) -> dict[str, str]:
    value = entry.get("forms", {})
    return {str(word): str(form) for word, form in value.items()} if isinstance(value, dict) else {}


def _texts(entry: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = entry.get(key, ())
    return tuple(map(str, value)) if isinstance(value, list) else ()
