"""Words without their endings, by which what was forgotten is known: a word's stem never changes."""

import pytest

from pi_memory.text.sentences import stems
from pi_memory.text.stems import stem


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("pumping", "pump"),
        ("pumped", "pump"),
        ("boxes", "box"),
        ("pumps", "pump"),
        ("valve", "valv"),
        ("valves", "valv"),
        ("glass", "glass"),
        ("berry", "berri"),
        ("berries", "berri"),
        ("key", "key"),
        ("sing", "sing"),
        ("used", "us"),
        ("is", "is"),
        ("mp3s", "mp3s"),
        ("", ""),
    ],
)
def test_a_word_is_left_without_its_ending(word: str, left: str) -> None:
    assert stem(word) == left


def test_scripts_without_spaces_are_taken_in_pairs() -> None:
    assert stems("漢字仮 pumps") == {"漢字", "字仮", "pump"}
    assert stems("the pumps and a valve") == {"pump", "valv"}
