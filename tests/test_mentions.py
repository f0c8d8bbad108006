from hypothesis import given
from hypothesis import strategies as st

from pi_memory.topics.mentions import mentioned

KNOWN = {"garden", "garden/drip-valves", "auth", "c++", "node.js", "home-automation"}


def found(text: str) -> tuple[str, ...]:
    return mentioned(
        text, knows=KNOWN.__contains__, canonical=lambda name: "auth" if name == "authentication" else name
    )


def test_topics_are_found_by_their_names() -> None:
    assert found("how do we water the Garden?") == ("garden",)
    assert found("is authentication slower than home automation?") == ("auth", "home-automation")
    assert found("what about garden/drip-valves") == ("garden", "garden/drip-valves")
    assert found("c++ or node.js.") == ("c++", "node.js")


def test_words_that_name_nothing_name_nothing() -> None:
    assert found("how do we deploy the gardener's thing") == ()
    assert found("") == ()


@given(st.text(max_size=400))
def test_any_text_will_do(text: str) -> None:
    assert set(found(text)) <= KNOWN


def test_a_long_text_is_looked_at_up_to_a_point() -> None:
    assert found("word " * 50_000 + "garden") == ()
