"""Languages are data: each language's examples hold, names and code agree, and a user's file adds or replaces one."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest

from pi_memory.config import Config
from pi_memory.errors import SettingsError
from pi_memory.judges.replacement import Replacement
from pi_memory.learning.statements import notice
from pi_memory.merging.remainder import merged
from pi_memory.model.extractive import reply
from pi_memory.retrieval import ended
from pi_memory.tagging.keywords import stated
from pi_memory.text import language
from pi_memory.text.intent import asks, intent_of, supposes
from pi_memory.text.language import Examples, Language
from pi_memory.text.secrets import secret_in
from pi_memory.types import Message
from tests.house import SOURCE

LANGUAGE = Language(Config())
EXAMPLES = [pytest.param(each, id=f"{each.language or 'any'}-{each.name}") for each in LANGUAGE.examples()]
USED = re.compile(r"\b(?:pattern|words|forms)\(\s*\"([a-z_]+)\"")


def _finds(language: Language, name: str, text: str) -> bool:
    found = language.pattern(name).search(text)
    return found is not None and bool(found[0])


@pytest.mark.parametrize("each", EXAMPLES)
def test_a_language_means_what_its_examples_say(each: Examples) -> None:
    assert [text for text in each.matches if not _finds(LANGUAGE, each.name, text)] == []
    assert [text for text in each.misses if _finds(LANGUAGE, each.name, text)] == []


def test_every_language_has_examples_of_what_it_adds() -> None:
    lacking = [(e.language, e.name) for e in LANGUAGE.examples() if e.name in _used() and not (e.matches and e.misses)]
    assert lacking == []


def test_the_code_asks_for_names_that_there_are_and_for_all_of_them() -> None:
    text = "".join(path.read_text() for path in Config().files("", "language.toml").values())
    inside = set(re.findall(r"\{([a-z_]+)\}", text + "".join(p.read_text() for p in _files())))
    code = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
    assert _used() <= LANGUAGE.names
    assert {name for name in LANGUAGE.names - inside if f'"{name}"' not in code} == set()


def test_a_language_is_added_by_a_file(tmp_path: Path) -> None:
    _write(tmp_path, "it", '[remember]\nany = ["ricordati che"]\n[stop_words]\nwords = "il"')
    language = Language(Config(tmp_path))
    assert _finds(language, "remember", "Ricordati che il porto è 8081")
    assert _finds(language, "remember", "Remember that the port is 8081")
    assert {"il", "the"} <= language.words("stop_words")


def test_a_users_file_replaces_the_shipped_one(tmp_path: Path) -> None:
    _write(tmp_path, "de", "")
    assert not _finds(Language(Config(tmp_path)), "remember", "Merk dir den Port")


def test_what_was_compiled_stays_while_the_files_do(tmp_path: Path) -> None:
    _write(tmp_path, "de", "")
    language = Language(Config(tmp_path))
    assert language.is_of(Config(tmp_path))
    assert not language.is_of(Config())
    (tmp_path / "language" / "de.toml").write_text('[remember]\nany = ["merk dir"]', encoding="utf-8")
    assert not language.is_of(Config(tmp_path))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[remembered]\nany = []", "remembered is unknown"),
        ("[remember]\nany = 3", "remember.any is wrong"),
        ("remember = 3", "remember"),
        ("[remember", "Expected"),
        ('[remember]\nany = ["("]', "remember is no expression"),
        ('[remember]\nany = ["{remember}"]', "remember is no expression"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, text: str, named: str) -> None:
    _write(tmp_path, "xx", text)
    with pytest.raises(SettingsError, match=rf"xx\.toml.*{named}"):
        Language(Config(tmp_path)).compile_all()


def _write(folder: Path, code: str, text: str) -> None:
    (folder / "language").mkdir()
    (folder / "language" / f"{code}.toml").write_text(text)


def _files() -> list[Path]:
    return list(Config().files("language", "*.toml").values())


@functools.cache
def _used() -> set[str]:
    return {name for path in SOURCE.rglob("*.py") for name in USED.findall(path.read_text())}


SHORT, LONG = 400, 1600
SQUARE, CUBE = (LONG / SHORT) ** 2, (LONG / SHORT) ** 3
NOTICED = 0.2
"""Seconds below which nobody asks how it grows."""
RUNS = ("a", "1", " ", "\n", "a'", "-", "a-", "A", "Ab ", "a, ", "a. ", "a/", '"', "é", "0:", "the ", "on Monday ")
JUDGE = Replacement(Config().folder("heads"))
READERS: dict[str, Callable[[str], object]] = {
    "intent": intent_of,
    "asks": asks,
    "supposes": supposes,
    "notice": notice,
    "stated": stated,
    "secret": secret_in,
    "claims": JUDGE.claims,
    "merged": lambda text: merged("The key is in the shed now.", text),
    "now": ended.now,
    "reply": lambda text: reply([Message("user", text)]),
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    JUDGE.let_go()
    began = perf_counter()
    reader(text)
    return perf_counter() - began


@pytest.mark.parametrize("reader", READERS)
def test_what_takes_long_grows_with_the_square_of_the_length_at_most(reader: str) -> None:
    language.compile_all()
    for run in RUNS:
        texts = [f"I have {(run * length)[:length]}." for length in (SHORT, LONG)]
        short, long = (min(seconds(READERS[reader], text) for _ in range(2)) for text in texts)
        assert long < NOTICED or long / short < (SQUARE + CUBE) / 2, (run, short, long)


def test_what_was_understood_is_remembered_until_another_language_is_spoken_or_all_is_let_go(tmp_path: Path) -> None:
    read: list[str] = []

    @language.remembered(2)
    def understood(text: str) -> str:
        read.append(text)
        return text.upper()

    assert [understood(text) for text in ("a", "a", "b", "a")] == ["A", "A", "B", "A"]
    assert read == ["a", "b"]
    understood("c")
    understood("b")  # two are remembered, the last ones
    assert read == ["a", "b", "c", "b"]
    language.let_go()
    understood("b")
    assert read[4:] == ["b"]
    _write(tmp_path, "it", '[stop_words]\nwords = "il"')
    language.use(Config(tmp_path))
    try:
        understood("b")
        assert read[5:] == ["b"]
    finally:
        language.use(Config())
    long = "b" * (language.LONGEST + 1)
    assert [understood(long), understood(long)] == [long.upper()] * 2
    assert read[6:] == [long, long]
