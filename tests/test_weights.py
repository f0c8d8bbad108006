"""Weights: their numbers, and that nothing takes them out of their range."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.attention.weights import (
    FOCUS,
    KEPT,
    LEAST,
    LEAST_BOOST,
    MOST,
    MOST_BOOST,
    MOST_RELATED,
    Boost,
    begun,
    glimpsed,
    joined,
    learned,
    shifted,
    waned,
)
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import SharedSessions

PATTERNS = load_patterns(Path(__file__).parent.parent / "config" / "topics.toml")
RELATED = PATTERNS.related


def same(name: str) -> str:
    return name


def rounded(weights: dict[str, float]) -> dict[str, float]:
    return {name: round(weight, 6) for name, weight in weights.items()}


def test_the_first_focus_brings_its_related_topics() -> None:
    weights = shifted({}, "authentication", RELATED["authentication"], canonical=same)
    assert weights == {"authentication": 0.95, "security": 0.3, "session": 0.25, "middleware": 0.2, "cookies": 0.15}


def test_a_focus_change_takes_thirty_percent_of_the_others_and_adds_the_boosts_of_the_related() -> None:
    weights = shifted({}, "authentication", RELATED["authentication"], canonical=same)
    weights = shifted(weights, "api", RELATED["api"], canonical=same)
    assert rounded(weights) == {
        "authentication": 0.815,  # 0.95 x 0.7 + 0.15
        "security": 0.21,
        "session": 0.175,
        "middleware": 0.14,
        "cookies": 0.105,
        "api": 0.95,
        "endpoints": 0.3,
        "validation": 0.2,
    }


def as_by_hand(weights: dict[str, float], focus: str) -> dict[str, float]:
    """One step of the weights, line by line."""
    weights = {name: max(0.05, weight * 0.7) for name, weight in weights.items()}
    weights[focus] = 0.95
    for name, boost in RELATED.get(focus, {}).items():
        weights[name] = min(1.0, weights.get(name, 0) + boost)
    return weights


@given(st.lists(st.sampled_from([*RELATED, "security", "endpoints", "garden", ""]), max_size=40))
def test_whatever_happens_the_weights_are_those_made_by_hand(changes: list[str]) -> None:
    """An empty name stands for ten minutes of work."""
    ours: dict[str, float] = {}
    by_hand: dict[str, float] = {}
    focus = None
    for change in changes:
        focus = change or focus
        if change:
            ours, by_hand = (
                shifted(ours, change, RELATED.get(change, {}), canonical=same),
                as_by_hand(by_hand, change),
            )
        else:
            ours = waned(ours, focus, 1)
            by_hand = {name: w if name == focus else max(0.05, w * 0.95) for name, w in by_hand.items()}
    assert ours == pytest.approx(by_hand)


def test_no_weight_falls_below_the_floor_or_rises_above_one() -> None:
    weights = {"old": 0.06, "near": 0.9}
    changed = shifted(weights, "new", {"near": 0.9}, canonical=same)
    assert changed == {"old": 0.05, "near": 1.0, "new": 0.95}


def test_the_focus_itself_is_set_and_not_raised() -> None:
    assert shifted({"a": 1.0}, "a", {}, canonical=same) == {"a": 0.95}


def test_active_work_takes_five_percent_of_all_but_the_focus() -> None:
    weights = {"authentication": 0.95, "security": 0.7, "supabase": 0.6, "ui-components": 0.05}
    once = waned(weights, "authentication", 1)
    assert rounded(once) == {"authentication": 0.95, "security": 0.665, "supabase": 0.57, "ui-components": 0.05}
    assert rounded(waned(weights, None, 2))["authentication"] == pytest.approx(0.95**3)


def test_a_session_begins_with_its_stack_at_its_baseline() -> None:
    assert begun(["python", "docker"]) == {"python": 0.3, "docker": 0.3}


def test_other_names_of_a_topic_are_that_topic() -> None:
    weights = shifted({}, "authentication", {}, canonical=PATTERNS.canonical)
    weights = shifted(weights, "api", RELATED["api"], canonical=PATTERNS.canonical)
    assert weights["authentication"] == pytest.approx(0.815)
    assert "auth" not in weights
    weights = shifted(weights, "auth", {}, canonical=PATTERNS.canonical)
    assert weights["auth"] == FOCUS
    assert "authentication" not in weights


def test_a_memory_is_boosted_by_half_the_weights_of_its_topics() -> None:
    boost = Boost({"authentication": 0.95, "security": 0.7, "ui": 0.2}, canonical=same)
    assert boost(["authentication"]) == pytest.approx(0.475)
    assert boost(["authentication", "security"]) == pytest.approx(0.825)
    assert boost(["authentication", "security", "ui", "x"]) == pytest.approx(0.925)
    assert boost(["unknown"]) == 0
    assert boost([]) == 0


def test_a_boost_is_at_most_one_and_a_topic_named_twice_counts_once() -> None:
    boost = Boost({"a": 1.0, "b": 1.0, "c": 1.0, "auth": 0.8}, canonical=PATTERNS.canonical)
    assert boost(["a", "b", "c"]) == 1.0
    assert boost(["auth", "authentication", "auth"]) == pytest.approx(0.4)


def test_a_child_and_its_parent_match_and_two_children_do_not() -> None:
    boost = Boost({"memory/extraction": 0.9, "auth": 0.6}, canonical=same)
    assert boost(["memory"]) == pytest.approx(0.45)
    assert boost(["auth/login"]) == pytest.approx(0.3)
    assert boost(["memory/dedup"]) == 0


def test_a_question_turns_to_what_it_names() -> None:
    weights = {"shop": 0.95, "garden": 0.3}
    assert rounded(glimpsed(weights, ["garden"])) == {"shop": 0.665, "garden": 0.95}
    assert glimpsed(weights, []) == weights


names = st.sampled_from(["auth", "authentication", "auth/login", "api", "database", "garden", "a", "b/c"])
boosts = st.dictionaries(names, st.floats(0.001, 1), max_size=4)
steps = st.one_of(st.tuples(names, boosts), st.integers(0, 10_000))


@given(st.lists(names, max_size=5), st.lists(steps, max_size=60))
def test_weights_stay_in_their_range_whatever_happens(stack: list[str], happened: list[object]) -> None:
    weights, focus = begun(stack), None
    for step in happened:
        if isinstance(step, int):
            weights = waned(weights, focus, step)
        elif isinstance(step, tuple):
            focus = step[0]
            weights = shifted(weights, focus, step[1], canonical=PATTERNS.canonical)
        assert all(LEAST <= weight <= MOST for weight in weights.values())
    assert 0 <= Boost(weights, canonical=PATTERNS.canonical)(list(weights)) <= 1


@given(st.lists(st.integers(0, 10_000), min_size=KEPT, max_size=3 * KEPT))
def test_a_session_keeps_the_topics_with_most_attention_and_its_focus(numbers: list[int]) -> None:
    weights: dict[str, float] = {}
    for number in numbers:
        weights = shifted(weights, f"t{number}", {}, canonical=same)
    assert len(weights) <= KEPT
    assert weights[f"t{numbers[-1]}"] == FOCUS


def test_topics_of_the_same_sessions_are_related() -> None:
    assert learned(SharedSessions(5, 5, {"security": (5, 5)})) == {"security": MOST_BOOST}
    found = learned(SharedSessions(40, 8, {"security": (4, 8)}))
    assert found == {"security": LEAST_BOOST + (MOST_BOOST - LEAST_BOOST) / 3}


def test_two_sessions_say_nothing_yet() -> None:
    assert learned(SharedSessions(20, 2, {"security": (2, 2)})) == {}


def test_what_is_worked_on_in_every_session_belongs_to_nothing() -> None:
    assert learned(SharedSessions(300, 60, {"docs": (60, 300)})) == {}


def test_two_common_topics_that_meet_by_chance_are_not_related() -> None:
    assert learned(SharedSessions(200, 100, {"testing": (50, 100)})) == {}


def test_the_closest_few_are_taken() -> None:
    others = {f"t{n}": (n, 10) for n in range(3, 11)}
    assert list(learned(SharedSessions(100, 10, others))) == ["t10", "t9", "t8", "t7"]


def test_the_greater_boost_counts() -> None:
    assert joined({"a": 0.3, "b": 0.1}, {"b": 0.2, "c": 0.15}) == {"a": 0.3, "b": 0.2, "c": 0.15}


counts = st.tuples(st.integers(0, 1_000), st.integers(0, 1_000))


@given(st.integers(0, 2_000), st.integers(0, 1_000), st.dictionaries(st.text(max_size=3), counts, max_size=8))
def test_boosts_stay_in_the_range_of_the_seed(sessions: int, own: int, others: dict[str, tuple[int, int]]) -> None:
    others = {name: (min(together, own, other), other) for name, (together, other) in others.items()}
    found = learned(SharedSessions(sessions, own, others))
    assert len(found) <= MOST_RELATED
    assert all(LEAST_BOOST <= boost <= MOST_BOOST + 1e-9 for boost in found.values())
