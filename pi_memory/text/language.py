"""The words by which language is understood: expressions and lists of words by their names, from `config/language`.

What there is for each language stands in a file of its own, with examples; `config/language.toml` says what a name
means. Files are read once, and an expression is compiled when it is first asked for, so that a start waits for none.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from pi_memory.config import Config
from pi_memory.errors import SettingsError

NAMES = "language.toml"
FOLDER = "language"
FIRST = "en"
"""The language whose expressions are tried first."""
PLACE = re.compile(r"\{([a-z_]*)\}")
KEYS = {"any": list, "words": str, "forms": dict, "frame": str, "matches": list, "not": list}

Table = Mapping[str, Mapping[str, object]]


class Examples(Struct, frozen=True):
    """Texts that the pattern of a name must find in a language, and texts that it must not."""

    language: str
    name: str
    matches: tuple[str, ...]
    misses: tuple[str, ...]


class Language:
    """All languages of a configuration. Raises `SettingsError`, naming the file and the name that is wrong."""

    def __init__(self, config: Config) -> None:
        self._files = {"": config.file(NAMES)} | _in_order(config.files(FOLDER, "*.toml"))
        self._tables: dict[str, Table] = {}
        for code, path in self._files.items():
            table = _table(path)
            _check(table, self._tables.get("", table), path)
            self._tables[code] = _without_examples(table)
        self._names = self._tables[""]
        self.has_own = any(map(config.is_own, self._files.values()))
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._forms: dict[str, Mapping[str, str]] = {}

    def pattern(self, name: str) -> re.Pattern[str]:
        if (found := self._patterns.get(name)) is None:
            found = self._patterns[name] = self._compiled(name)
        return found

    def words(self, name: str) -> frozenset[str]:
        if (found := self._words.get(name)) is None:
            listed = (str(table[name].get("words", "")) for table in self._tables.values() if name in table)
            found = self._words[name] = frozenset(word for words in listed for word in words.split())
        return found

    def forms(self, name: str) -> Mapping[str, str]:
        if (found := self._forms.get(name)) is None:
            entries = [_forms(table[name]) for table in reversed(self._tables.values()) if name in table]
            found = self._forms[name] = {word: form for entry in entries for word, form in entry.items()}
        return found

    def compile_all(self) -> None:
        """Compile what has not been asked for yet, which takes a good part of a second on a small machine."""
        for name in self._names:
            if any(table.get(name, {}).keys() - {"words", "forms"} for table in self._tables.values()):
                self.pattern(name)

    def examples(self) -> Iterable[Examples]:
        """Those of all files, which are read again."""
        for code, path in self._files.items():
            for name, entry in _table(path).items():
                if entry.keys() & {"any", "matches"}:
                    yield Examples(code, name, _texts(entry, "matches"), _texts(entry, "not"))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._names)

    def _compiled(self, name: str) -> re.Pattern[str]:
        try:
            return re.compile(re.sub(r"\n\s*", "", self._source(name)).replace(" ", r"\s+"), re.IGNORECASE)
        except (re.error, RecursionError) as error:
            files = ", ".join(str(path) for code, path in self._files.items() if name in self._tables[code])
            raise SettingsError(f"{files}: {name} is no expression: {error}", hint="Correct it.") from error

    def _source(self, name: str) -> str:
        """The expressions of all languages in the frame of the name, if it has one."""
        found = [self._in_language(name, code) for code in self._tables]
        own = "|".join(filter(None, found))
        frame = str(self._names[name].get("frame", "{}"))
        return PLACE.sub(lambda place: f"(?:{self._source(place[1]) if place[1] else own or '(?!)'})", frame)

    def _in_language(self, name: str, code: str) -> str:
        entry = self._tables[code].get(name, {})
        listed = [*_texts(entry, "any"), *map(re.escape, str(entry.get("words", "")).split())]
        listed += sorted(map(re.escape, _forms(entry)), key=len, reverse=True)
        joined = "|".join(f"(?:{each})" for each in listed)
        return PLACE.sub(lambda place: f"(?:{self._own(place[1], code) or '(?!)'})", joined)

    def _own(self, name: str, code: str) -> str:
        """The expressions of a name in a language, else those that hold in every one."""
        return self._in_language(name, code) or self._in_language(name, "")


class _Shared:
    """The one configuration that the process speaks with, as a locale is."""

    def __init__(self) -> None:
        self._language: Language | None = None

    def use(self, language: Language) -> None:
        self._language = language

    @property
    def language(self) -> Language:
        if self._language is None:
            self._language = Language(Config())
        return self._language


_shared = _Shared()


def use(config: Config) -> None:
    """Speak with the languages of a configuration; if some are the user's own, they are checked at once."""
    language = Language(config)
    if language.has_own:
        language.compile_all()
    _shared.use(language)


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


def _without_examples(table: Table) -> Table:
    """What a process needs of a table: examples, half of it, are for those who write expressions."""
    return {name: {key: entry[key] for key in entry if key not in ("matches", "not")} for name, entry in table.items()}


def _forms(entry: Mapping[str, object]) -> dict[str, str]:
    value = entry.get("forms", {})
    return {str(word): str(form) for word, form in value.items()} if isinstance(value, dict) else {}


def _texts(entry: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = entry.get(key, ())
    return tuple(map(str, value)) if isinstance(value, list) else ()
