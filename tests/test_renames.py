from pi_memory.topics.renames import Renames
from pi_memory.types import Topic


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
