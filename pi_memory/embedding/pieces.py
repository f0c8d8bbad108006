"""Texts cut into pieces that an embedder reads whole. Pure.

Whoever wants a text's vector cuts it here, and finds the vector that was made for somebody else (`recent.py`).
"""

from collections.abc import Iterator
from itertools import islice

from pi_memory.text.sentences import spans

PIECE_CHARACTERS = 700
"""About what a small embedder reads of a text (MiniLM: 256 tokens). A longer text gets a vector for each piece."""
MOST_PIECES = 16
"""Most vectors of one message; of a longer one only the beginning has vectors."""


def pieces_of(text: str) -> list[str]:
    """A text, cut between sentences into pieces; at least one."""
    return list(islice(_pieces(text), MOST_PIECES))


def beginning(text: str) -> str:
    """The first of `pieces_of`. Its cost does not grow with the text."""
    return next(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    if len(text) <= PIECE_CHARACTERS:
        yield text
        return
    piece = ""
    for part in _parts(text):
        if piece and len(piece) + len(part) >= PIECE_CHARACTERS:
            yield piece
            piece = ""
        piece += (" " if piece else "") + part
    yield piece


def _parts(text: str) -> Iterator[str]:
    """The sentences, the long ones in several parts."""
    for start, end in spans(text):
        sentence = text[start:end].strip()
        for at in range(0, len(sentence), PIECE_CHARACTERS):
            if part := sentence[at : at + PIECE_CHARACTERS].strip():
                yield part
