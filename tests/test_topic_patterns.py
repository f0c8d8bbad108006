import re
from pathlib import Path

import pytest

from pi_memory.errors import SettingsError
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.topics.names import normalise

SHIPPED = Path(__file__).parent.parent / "config" / "topics.toml"
TEXT = SHIPPED.read_text(encoding="utf-8")
WITHOUT_RELATED = re.sub(r"(?ms)^\[related\].*?\n\n", "", TEXT)


def test_the_shipped_patterns_are_sound() -> None:
    patterns = load_patterns(SHIPPED)
    names = [*patterns.topics, *patterns.files.values(), *patterns.aliases, *patterns.aliases.values()]
    assert all(normalise(name) == name for name in names)
    assert set(patterns.words) == set(patterns.topics)
    assert not set(patterns.aliases) & set(patterns.topics)
    assert patterns.generic_directories == {normalise(name) for name in patterns.generic_directories}


def test_words_are_found_whole_and_in_any_case() -> None:
    patterns = load_patterns(SHIPPED)
    assert patterns.words_of_topics("the LOGIN page")["auth"] == {"login"}
    assert not patterns.words_of_topics("the author of the pre-auth-hook")


def test_each_topic_is_found_as_if_it_were_looked_for_alone(tmp_path: Path) -> None:
    path = tmp_path / "topics.toml"
    path.write_text(TEXT + 'one = ["Sea Urchins?", "reef", "Über\\\\W"]\ntwo = ["urchins?", "reef\\\\w*", "a{2,}"]\n')
    found = load_patterns(path).words_of_topics("A sea urchin on the REEF, two urchins in reef-pools; a AAA, ÜBER!")
    assert found["one"] == {"sea urchin", "reef", "über!"}
    assert found["two"] == {"urchin", "reef", "urchins", "aaa"}


def test_a_file_may_be_a_sign_of_a_topic() -> None:
    patterns = load_patterns(SHIPPED)
    assert patterns.topic_of_file("Dockerfile.dev") == "docker"
    assert patterns.topic_of_file("views.py") is None


def test_other_names_of_a_topic_become_one() -> None:
    patterns = load_patterns(SHIPPED)
    assert patterns.canonical("authentication/login") == "auth/login"
    assert patterns.canonical("db/database") == "database"
    assert patterns.canonical("garden") == "garden"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("chatter = [", "Cannot read"),
        (TEXT.replace("[aliases]", "[other]"), "other is unknown"),
        (TEXT.replace("chatter = [", "chatter = 1\nx = ["), "x is unknown"),
        (TEXT.replace("[aliases]", "[aliases]\nx = 3"), r"aliases\.x must be the name"),
        (TEXT + 'broken = ["a", "(b", "c"]\n', r"topics\.broken has '\(b', which is no regular expression"),
        (TEXT + 'broken = ["a", "(?i)b"]\n', r"topics\.broken has .*, which is no regular expression"),
        (TEXT + "broken = []\n", r"topics\.broken must be a list"),
        (TEXT + '"**" = ["a"]\n', "must be the name of a topic"),
        ("files = 1", "files must be a table"),
        (f"related = 1\n{WITHOUT_RELATED}", "related must be a table"),
        (f"{WITHOUT_RELATED}\n[related]\ngarden = 1", r"related\.garden must be a table of topics"),
        (f"{WITHOUT_RELATED}\n[related]\ngarden = {{ pump = 0 }}", r"related\.garden\.pump must be a number above 0"),
        (f"{WITHOUT_RELATED}\n[related]\ngarden = {{ pump = nan }}", r"related\.garden\.pump must be a number"),
        (f"{WITHOUT_RELATED}\n[related]\ngarden = {{ pump = true }}", r"related\.garden\.pump must be a number"),
        (f"{WITHOUT_RELATED}\n[related]\n'**' = {{ pump = 1 }}", "must be the name of a topic"),
    ],
)
def test_a_wrong_file_is_refused_with_its_key(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "topics.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=problem) as error:
        load_patterns(path)
    assert str(path) in error.value.message


def test_the_related_topics_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "topics.toml"
    path.write_text(WITHOUT_RELATED, encoding="utf-8")
    assert load_patterns(path).related == {}
    assert load_patterns(SHIPPED).related["deployment"] == {"devops": 0.3, "environment": 0.25, "railway": 0.2}


def test_a_missing_file_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Cannot read"):
        load_patterns(tmp_path / "none.toml")
