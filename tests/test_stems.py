"""Words without their endings; those by which what was forgotten is known never change."""

import pytest

from pi_memory.text.sentences import stems
from pi_memory.text.stems import stem, stem_of_key


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
        ("shed", "shed"),
        ("sheds", "shed"),
        ("string", "string"),
        ("need", "need"),
        ("needs", "need"),
        ("agreed", "agre"),
        ("jogging", "jog"),
        ("tripped", "trip"),
        ("adding", "add"),
        ("selling", "sell"),
        ("mp3s", "mp3s"),
        ("", ""),
    ],
)
def test_a_word_is_left_without_its_ending(word: str, left: str) -> None:
    assert stem(word) == left


@pytest.mark.parametrize(("word", "left"), [("shed", "sh"), ("sheds", "shed"), ("need", "ne"), ("pumped", "pump")])
def test_a_forgotten_word_keeps_the_stem_that_it_was_hashed_by(word: str, left: str) -> None:
    assert stem_of_key(word) == left


def test_scripts_without_spaces_are_taken_in_pairs() -> None:
    assert stems("漢字仮 pumps") == {"漢字", "字仮", "pump"}
    assert stems("the pumps and a valve") == {"pump", "valv"}
