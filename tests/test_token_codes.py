"""Token codes: a message is near a query whose words mean what some of its words mean."""

import hashlib

import numpy as np

from pi_memory.embedding.token_codes import BITS, MOST, QueryTokens, Tokens, codes, project
from tests.fakes import FakeTokenEmbedder

EMBEDDER = FakeTokenEmbedder()


def near(query: str, *messages: str, **weights: float) -> list[float]:
    terms = tuple(weights) or tuple(query.split())
    asked = QueryTokens("fake-tokens", terms, EMBEDDER.tokens(query))
    counts = np.array([weights.get(term, 1.0) for term in terms], np.float32)
    found: list[float] = asked.nearness([codes([EMBEDDER.tokens(message)]) for message in messages], counts).tolist()
    return found


def test_a_message_with_the_query_s_words_is_near_whatever_else_it_says() -> None:
    both, one, none = near("red pump", "the pump is red and old", "the red ladder", "hello there")
    assert both > 0.9
    assert both > one > none


def test_a_word_counts_by_its_term() -> None:
    pump, red = near("red pump", "the pump", "the red ladder", pump=3.0, red=1.0)
    assert pump > red
    assert near("red pump", "the pump", shed=1.0) == [0.0]


def test_accents_do_not_keep_a_word_from_its_term() -> None:
    tokens = EMBEDDER.tokens("cafe")
    asked = QueryTokens("fake-tokens", ("café",), tokens)
    assert asked.nearness([codes([tokens])], np.ones(1, np.float32))[0] > 0.9


def test_of_a_long_message_the_rarest_tokens_are_kept_in_their_order() -> None:
    ids = tuple(range(2 * MOST))
    projected = np.random.default_rng(0).standard_normal((len(ids), BITS), np.float32)
    tokens = Tokens(ids[::-1], ("word",) * len(ids), projected)
    assert codes([tokens]) == np.packbits(projected[:MOST] > 0, axis=1).tobytes()
    assert codes([tokens, tokens]) != codes([tokens])


def test_a_message_of_stop_words_has_no_codes() -> None:
    assert codes([Tokens((), (), np.empty((0, BITS), np.float32))]) == b""


def test_the_directions_are_the_same_for_ever() -> None:
    """Codes that are stored would else mean nothing after an upgrade."""
    signs = np.packbits(project(np.eye(384, dtype=np.float32)) > 0)
    assert hashlib.sha256(signs.tobytes()).hexdigest()[:16] == "dc255ad2f8bfc483"
