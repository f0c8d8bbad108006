"""Texts cut into pieces that an embedder reads whole."""

import pytest

from pi_memory.embedding.pieces import MOST_PIECES, PIECE_CHARACTERS, beginning, pieces_of


def test_a_long_text_is_cut_between_sentences() -> None:
    sentence = "The valve of the second pump is closed. "
    pieces = pieces_of(sentence * 40)
    assert len(pieces) > 1
    assert all(len(piece) <= PIECE_CHARACTERS and piece.endswith("closed.") for piece in pieces)


@pytest.mark.parametrize("text", ["x" * 100_000, "one. " * 50_000])
def test_of_what_is_longer_still_the_beginning_is_taken(text: str) -> None:
    assert 1 < len(pieces_of(text)) <= MOST_PIECES


@pytest.mark.parametrize("text", ["", " \n" * 500, "short", "x" * 2_000, "The valve is closed. " * 90, "a. " * 20_000])
def test_the_beginning_is_the_first_piece(text: str) -> None:
    assert beginning(text) == pieces_of(text)[0]
