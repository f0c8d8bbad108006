"""What of a text is worth telling."""

from hypothesis import given
from hypothesis import strategies as st

from pi_memory.recall.excerpts import LONGEST, Novelty

LAKE = "We drove to the lake on Saturday."
CAR = "The car lost its exhaust on the way."
FILLER = [f"Then we spoke at some length about matter number {number} of the club." for number in range(12)]


def test_what_says_nothing_new_is_left_out() -> None:
    news = Novelty("What happened at the lake?", prompt=f"Earlier: {CAR} That was all.")
    assert news.of(f"{LAKE} {CAR}") == [LAKE]
    news.add(LAKE)
    assert news.of(f"{LAKE} {CAR}") == []


def test_other_words_for_the_same_are_nothing_new() -> None:
    news = Novelty("Where do I keep it?", prompt="")
    news.add("The user keeps the key in the shed, under the blue pot.")
    assert news.of("I keeps the key under the blue pot") == []
    assert news.of("I keep the key under the blue pot") == []
    assert news.of("No, I keep the key under the blue pot") == []
    assert news.of("I keep the key under the red pot") != []
    assert news.of("The key is not in the shed") != []


def test_the_day_that_is_added_stays_with_its_sentence() -> None:
    news, dated = Novelty("What did I buy?", prompt=""), "The user bought a bike yesterday. (Said on 2026-02-22.)"
    assert news.of(dated) == [dated]
    news.add("I bought a bike yesterday")
    assert news.of(dated) == []


def test_a_question_does_not_tell_its_answer() -> None:
    news = Novelty("Is my dog called Rex?", prompt="")
    assert news.of("My dog is called Rex.") == ["My dog is called Rex."]
    assert news.of("Is my dog called Rex?") == []


def test_a_question_before_a_statement_says_what_that_is_about() -> None:
    news, kept = (
        Novelty("When are tulips planted?", prompt=""),
        "When do tulips go in? The user plants them in October.",
    )
    assert news.answers(kept) == ["When do tulips go in?", "The user plants them in October."]
    assert news.answers("The user plants them in October. Is that late?") == ["The user plants them in October."]


def test_what_the_message_states_is_not_shown_again() -> None:
    assert Novelty("My dog is called Rex.", prompt="").of("The user's dog is called Rex") == []


def test_a_short_text_is_shown_whole() -> None:
    assert Novelty("lake", prompt="").excerpt([LAKE, CAR]) == f"{LAKE} {CAR}"


def test_a_long_text_is_shown_where_it_bears_on_the_message_and_beside() -> None:
    shown = Novelty("When did we go to the lake?", prompt="").excerpt([*FILLER[:6], LAKE, CAR, *FILLER[6:]])
    assert shown == f"… {FILLER[5]} {LAKE} {CAR} …"


def test_a_long_text_that_shares_no_word_is_distinguished_from_its_beginning() -> None:
    shown = Novelty("Any news of Ada?", prompt="").excerpt(FILLER)
    assert shown == f"{FILLER[0]} …"


def test_a_text_without_an_end_is_cut() -> None:
    assert len(Novelty("lake", prompt="").excerpt(["lake" * 1_000])) <= LONGEST + 2


@given(st.text(max_size=1_500), st.text(max_size=80), st.text(max_size=300))
def test_an_excerpt_is_made_of_what_is_new_and_short(text: str, message: str, prompt: str) -> None:
    news = Novelty(message, prompt=prompt)
    lines = news.of(text)
    shown = news.excerpt(lines)
    assert bool(shown) == bool(lines)
    assert len(shown) <= LONGEST + 3 * len(lines)
    news.add(shown)
    assert shown == " ".join(lines) or "…" in shown or len(shown) == LONGEST
