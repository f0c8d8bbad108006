"""The known topics in order, against a plain look at all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory import decay
from pi_memory.errors import NotFound
from pi_memory.topics.index import KnownTopics, Renames
from pi_memory.types import Topic

NOW = 100 * decay.DAY
topics = st.builds(
    Topic,
    name=st.sampled_from("abcdefgh"),
    first_seen_at=st.just(0.0),
    last_touched_at=st.integers(50, 110).map(lambda days: days * decay.DAY),
    is_active=st.booleans(),
)


@given(st.lists(topics, max_size=40))
def test_the_order_is_kept_whatever_changes(changes: list[Topic]) -> None:
    known, model = KnownTopics(), dict[str, Topic]()
    for topic in changes:
        assert known.replace({topic.name: topic}) == {topic.name: model.get(topic.name)}
        model[topic.name] = topic
    in_order = sorted(model.values(), key=lambda t: (-t.last_touched_at, t.name))
    alive = [t for t in in_order if decay.strength(t.last_touched_at, NOW) >= decay.GONE]
    assert known.all() == in_order
    assert known.active(NOW) == [t for t in alive if t.is_active]
    assert known.faded(NOW) == [t for t in in_order if t.is_active and t not in alive]


def test_a_topic_that_is_not_known_is_not_found() -> None:
    with pytest.raises(NotFound):
        KnownTopics().get("garden")


def topic(name: str, *, sessions: int = 1, is_active: bool = True) -> dict[str, Topic]:
    return {name: Topic(name, 0.0, 0.0, session_count=sessions, is_active=is_active)}


def renamed(*pairs: tuple[str, str]) -> Renames:
    renames = Renames()
    for old, new in pairs:
        renames.add(old, new)
    return Renames(renames.text())


def test_an_old_name_stands_for_the_new_one() -> None:
    assert renamed(("memory", "brain")).topic("memory", {}) == "brain"
    assert renamed(("memory", "brain")).topic("garden", {}) == "garden"


def test_renaming_twice_is_renaming_once() -> None:
    renames = renamed(("memory", "brain"), ("brain", "mind"))
    assert [renames.topic(name, {}) for name in ("memory", "brain", "mind")] == ["mind"] * 3


def test_renaming_back_is_not_a_circle() -> None:
    renames = renamed(("memory", "brain"), ("brain", "memory"))
    assert [renames.topic(name, {}) for name in ("memory", "brain")] == ["memory"] * 2


def test_a_topic_made_by_hand_has_its_name_back() -> None:
    renames = renamed(("memory", "brain"))
    renames.forget(["memory"])
    assert renames.topic("memory", {}) == "memory"


def test_a_detail_goes_with_its_area() -> None:
    renames = renamed(("memory", "brain"))
    assert renames.topic("memory/dedup", topic("brain")) == "brain"
    assert renames.topic("memory/dedup", topic("brain", sessions=3)) == "brain/dedup"
    assert renames.topic("memory/dedup", topic("memory/dedup")) == "memory/dedup"
