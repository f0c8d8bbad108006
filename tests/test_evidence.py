from pathlib import Path

import pytest

from pi_memory.tagging.evidence import Scene, said_and_done, shares_of, weights_of
from pi_memory.tagging.file_index import FileIndex
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Exchange, ToolCall, Topic

PATTERNS = load_patterns(Path(__file__).parent.parent / "config" / "topics.toml")
MEMORY = Topic("memory", 0.0, 0.0, ("/p/src/memory/a.py", "/p/src/memory/b.py"))


def scene(*paths: str, user: str = "go", known: tuple[Topic, ...] = (), current: str | None = None) -> Scene:
    exchange = Exchange("c", user, "", 0.0)
    topics = {topic.name: topic for topic in known}
    holders = FileIndex()
    holders.update(topics)
    return Scene(exchange, dict.fromkeys(paths, 1.0), topics, current, holders=holders.of(paths))


def test_a_changed_file_says_more_than_one_that_is_mentioned() -> None:
    calls = (ToolCall("Read", {"path": "src/r.py"}), ToolCall("Edit", {"path": "src/w.py"}))
    exchange = Exchange("c", "see src/n.py and src/w.py", "or src/m.py", 0.0, tool_calls=calls, file_paths=("x/given",))
    weights = {"src/n.py": 2.0, "src/w.py": 3.0, "src/m.py": 0.5, "x/given": 2.0, "src/r.py": 1.0}
    assert weights_of(exchange) == weights


def test_several_files_agree_on_an_area() -> None:
    scores = said_and_done(scene("src/memory/a.py", "src/memory/b.py", "src/auth/c.py"), PATTERNS)
    assert max(scores, key=lambda name: scores[name]) == "memory"


def test_files_are_shared_between_the_topics_that_hold_them() -> None:
    other = Topic("other", 0.0, 0.0, ("src/memory/b.py",))
    shares = shares_of(scene("src/memory/a.py", "/p/src/memory/b.py", known=(MEMORY, other)))
    assert shares == {"memory": pytest.approx(0.75), "other": pytest.approx(0.25)}


def test_a_base_name_alone_is_in_every_project() -> None:
    assert shares_of(scene("a.py", "/q/a.py", known=(MEMORY,))) == {}


def test_a_held_file_suggests_a_new_area_less_than_the_one_that_holds_it() -> None:
    brain = Topic("brain", 0.0, 0.0, MEMORY.file_paths)
    scores = said_and_done(scene("/p/src/memory/a.py", known=(brain,)), PATTERNS)
    assert scores["brain"] > scores["memory"] > 0


def test_an_activity_holds_its_files_less() -> None:
    held = [Topic(name, 0.0, 0.0, ("src/a.py",)) for name in ("testing", "brain")]
    activity, work = (said_and_done(scene("src/a.py", known=(topic,)), PATTERNS)[topic.name] for topic in held)
    assert 0 < activity < work


def test_the_name_of_a_known_topic_is_heard() -> None:
    assert said_and_done(scene(user="why is the memory full?", known=(MEMORY,)), PATTERNS) == {"memory": 0.6}
    assert said_and_done(scene(user="why?", known=(MEMORY,), current="memory"), PATTERNS) == {}
