from hypothesis import given
from hypothesis import strategies as st

from pi_memory.attention.related import LEAST_BOOST, MOST, MOST_BOOST, Shared, joined, learned


def test_topics_of_the_same_sessions_are_related() -> None:
    assert learned(Shared(5, 5, {"security": (5, 5)})) == {"security": MOST_BOOST}
    found = learned(Shared(40, 8, {"security": (4, 8)}))
    assert found == {"security": LEAST_BOOST + (MOST_BOOST - LEAST_BOOST) / 3}


def test_two_sessions_say_nothing_yet() -> None:
    assert learned(Shared(20, 2, {"security": (2, 2)})) == {}


def test_what_is_worked_on_in_every_session_belongs_to_nothing() -> None:
    assert learned(Shared(300, 60, {"docs": (60, 300)})) == {}


def test_two_common_topics_that_meet_by_chance_are_not_related() -> None:
    assert learned(Shared(200, 100, {"testing": (50, 100)})) == {}


def test_the_closest_few_are_taken() -> None:
    others = {f"t{n}": (n, 10) for n in range(3, 11)}
    assert list(learned(Shared(100, 10, others))) == ["t10", "t9", "t8", "t7"]


def test_the_greater_boost_counts() -> None:
    assert joined({"a": 0.3, "b": 0.1}, {"b": 0.2, "c": 0.15}) == {"a": 0.3, "b": 0.2, "c": 0.15}


counts = st.tuples(st.integers(0, 1_000), st.integers(0, 1_000))


@given(st.integers(0, 2_000), st.integers(0, 1_000), st.dictionaries(st.text(max_size=3), counts, max_size=8))
def test_boosts_stay_in_the_range_of_the_seed(sessions: int, own: int, others: dict[str, tuple[int, int]]) -> None:
    others = {name: (min(together, own, other), other) for name, (together, other) in others.items()}
    found = learned(Shared(sessions, own, others))
    assert len(found) <= MOST
    assert all(LEAST_BOOST <= boost <= MOST_BOOST + 1e-9 for boost in found.values())
