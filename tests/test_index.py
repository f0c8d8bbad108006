"""The known topics in order, against a plain look at all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory import decay
from pi_memory.errors import NotFound
from pi_memory.topics.index import KnownTopics
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
