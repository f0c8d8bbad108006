import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.model.detokenizer import Detokenizer

STOPS = ("</assistant>", "<user>")


def shown(*pieces: str | bytes, stops: tuple[str, ...] = STOPS) -> list[str]:
    """What each piece lets be shown, and last what the end does."""
    reply = Detokenizer(stops)
    found = []
    for token, piece in enumerate(pieces):
        found.append(reply.add(token, piece.encode() if isinstance(piece, str) else piece))
        if reply.stopped:
            break
    return [*found, reply.finish()]


def test_text_is_shown_at_once() -> None:
    assert shown("Hello", " world", "!") == ["Hello", " world", "!", ""]


def test_half_a_character_waits_for_its_other_half() -> None:
    assert shown(b"\xf0\x9f", b"\x91", b"\x8b!") == ["", "", "👋!", ""]


def test_half_a_character_at_the_end_is_replaced() -> None:
    assert "".join(shown("a", b"\xc3")) == "a\ufffd"


def test_white_space_at_both_ends_is_not_shown() -> None:
    assert shown("\n", " Hi", " ", "there", "\n\n") == ["", "Hi", "", " there", "", ""]


def test_a_stop_string_in_pieces_is_never_shown() -> None:
    assert shown("Hi", "\n</", "assis", "tant>", "more") == ["Hi", "", "", "", ""]


def test_what_only_began_like_a_stop_string_is_shown() -> None:
    assert shown("a <", "user", "name> b") == ["a", "", " <username> b", ""]
    assert "".join(shown("a <us")) == "a <us"


def test_the_first_of_several_stops_counts() -> None:
    assert "".join(shown("a<user>b</assistant>")) == "a"


@given(st.lists(st.text(alphabet="a <user>/sitn\n", max_size=8), max_size=12))
def test_what_is_shown_is_the_text_up_to_the_stop(pieces: list[str]) -> None:
    text = "".join(pieces)
    end = min((at for stop in STOPS if (at := text.lstrip().find(stop)) >= 0), default=None)
    assert "".join(shown(*pieces)) == text.lstrip()[:end].rstrip()


@pytest.mark.parametrize(
    ("length", "tokens", "covered"),
    [(0, [0], 0), (2, [0, 1], 2), (3, [0, 1], 2), (8, [0, 1, 2], 8), (9, [0, 1, 2, 4], 9)],
)
def test_the_tokens_of_what_was_shown(length: int, tokens: list[int], covered: int) -> None:
    reply = Detokenizer()
    for token, piece in enumerate([b"\n", b"Hi", b" there", b"\xc3", b"\xa9"]):
        reply.add(token, piece)
    expected = tokens if length < 9 else [0, 1, 2, 3, 4]
    assert reply.tokens(length) == (expected, covered)
