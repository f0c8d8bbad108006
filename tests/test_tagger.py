import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_memory.errors import EmbedderError
from pi_memory.protocols import Embedder
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.similarity import NearestText, TopicSimilarity
from pi_memory.tagging.tagger import EvidenceTagger
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.topics.names import normalise
from pi_memory.types import Exchange, Tag, ToolCall, Topic, Vectors
from pi_memory.worker import Worker
from tests.test_similarity import Letters

PATTERNS = load_patterns(Path(__file__).parent.parent / "config" / "topics.toml")
MEMORY = Topic("memory", 0.0, 0.0, ("/apps/api/src/memory/service.ts",), ("/apps/api/src/memory/",))
GARDEN = Topic("garden", 0.0, 0.0)


def tag(
    user: str,
    *calls: ToolCall,
    reply: str = "",
    topics: Sequence[Topic] = (),
    current: str | None = None,
    embedder: Embedder | None = None,
) -> Tag:
    exchange = Exchange("c", user, reply, 0.0, tool_calls=calls)
    meaning = (
        TopicSimilarity(NearestText(embedder, related=0.5, same=0.9), Centroids(1, {}), PATTERNS.words)
        if embedder
        else None
    )
    found = EvidenceTagger(PATTERNS, meaning, worker=Worker("compute")).tag(
        exchange, topics=topics, current=current, working_directory=None
    )
    return asyncio.run(found)


def edit(path: str) -> ToolCall:
    return ToolCall("Edit", {"file_path": path})


def test_files_name_the_area_and_come_with_their_directories() -> None:
    path = "/apps/api/src/memory/extraction.ts"
    assert tag("make it faster", edit(path)) == Tag("memory", (path,), ("/apps/api/src/memory/",))


def test_a_known_area_is_split_after_three_sessions() -> None:
    call = edit("/apps/api/src/memory/extraction.ts")
    assert tag("go on", call, topics=[replace(MEMORY, session_count=3)]).topic == "memory/extraction"
    assert tag("go on", call, topics=[replace(MEMORY, session_count=2)]).topic == "memory"


@pytest.mark.parametrize("text", ["hi!", "thanks a lot", "ok", "danke"])
def test_chatter_has_no_topic_even_in_a_session_with_one(text: str) -> None:
    assert tag(text, topics=[MEMORY], current="memory") == Tag(None)


@pytest.mark.parametrize(
    ("command", "topic"), [("sleep 5 && echo done", None), ("sleep 5; make", "memory"), ("make", "memory")]
)
def test_a_command_that_does_nothing_makes_no_work_of_a_remark(command: str, topic: str | None) -> None:
    call = ToolCall("Bash", {"command": command})
    assert tag("wait a bit for me", call, topics=[MEMORY], current="memory").topic == topic


def test_a_short_word_with_work_behind_it_is_no_chatter() -> None:
    assert tag("ok", edit("/src/billing/invoice.py")).topic == "billing"


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("how do I prune my tomato plants?", "garden"),
        ("the zigbee bulb does not pair with home assistant", "home-automation"),
        ("can we rebase this branch on main?", "git"),
        ("I'm working on the model railway", "model-railway"),
        ("let's work on authentication", "auth"),
        ("Die Migration in db/migrations/002.sql schlägt fehl", "database"),
        ("what is the capital of France?", None),
        ("日本語で話せますか", None),
    ],
)
def test_words_name_the_topic_when_there_are_no_files(text: str, topic: str | None) -> None:
    assert tag(text).topic == topic


def test_a_follow_up_stays_with_the_sessions_topic() -> None:
    assert tag("and how often on hot days?", topics=[Topic("garden", 0, 0)], current="garden").topic == "garden"
    assert tag("why?", topics=[], current="garden").topic is None


def test_a_question_that_goes_on_from_nothing_is_about_what_it_says() -> None:
    garden = [Topic("garden", 0, 0)]
    assert tag("I want to plan a trip to Lisbon", topics=garden, current="garden").topic == "travel"
    assert tag("can I do it before the trip?", topics=garden, current="garden").topic == "garden"
    assert tag("Wie oft muss ich im Sommer gießen?", topics=garden, current="garden").topic == "garden"


def test_one_word_does_not_change_the_subject_and_a_file_does() -> None:
    assert tag("is there a button for it?", topics=[MEMORY], current="memory").topic == "memory"
    assert tag("now this", edit("/web/src/checkout/cart.ts"), topics=[MEMORY], current="memory").topic == "checkout"


def test_a_topic_that_holds_the_file_is_used_again() -> None:
    topics = [replace(MEMORY, name="brain")]
    assert tag("look at memory/service.ts", topics=topics).topic == "brain"
    assert tag("again", edit("src/memory/service.ts"), topics=topics).topic == "brain"


def test_a_reply_that_tells_the_focus_again_makes_no_topic() -> None:
    topics = [Topic("garden", 0.0, 0.0, ("/home/me/garden/pump.py",))]
    result = "In your recent focus: garden (1 session) — pump.py"
    assert tag("what was I doing?", reply=result, topics=topics) == Tag(None)
    assert tag("what was I doing?", reply=result).topic == "pump"


def test_what_the_user_calls_a_topic_is_used_again() -> None:
    known = [Topic("authentication", 0, 0)]
    assert tag("the login is broken", topics=known).topic == "authentication"
    assert tag("go", edit("/src/autentication/a.py"), topics=known).topic == "authentication"


@pytest.mark.parametrize(
    "text", ["I drink my coffee black, no sugar, every day", "the Black Krim needs a new stake soon"]
)
def test_one_word_of_an_activity_makes_no_topic_where_nothing_is_done(text: str) -> None:
    reply = "Noted. " * 60
    assert tag(text, reply=reply).topic is None
    assert tag(text, reply=reply, topics=[GARDEN], current="garden").topic == "garden"
    assert tag("run black and the linter over it", reply=reply).topic == "linting"
    assert tag("now run black", ToolCall("Bash", {"command": "black ."})).topic == "linting"


def test_what_is_said_and_done_changes_the_subject() -> None:
    call = ToolCall("Bash", {"command": "git filter-repo --path notes --invert-paths"})
    assert tag("take it out of the git history", topics=[MEMORY], current="memory").topic == "memory"
    assert tag("take it out of the git history", call, topics=[MEMORY], current="memory").topic == "git"


def test_what_the_user_says_counts_more_than_files() -> None:
    call = edit("/src/billing/invoice.py")
    assert tag("let's switch to the deployment script", call).topic == "deployment"
    assert tag("I'm working on memory extraction", edit("/src/memory/extraction.ts")).topic == "memory"


def test_a_child_is_kept_in_a_follow_up() -> None:
    topics = [MEMORY, Topic("memory/extraction", 0, 0)]
    assert tag("and then?", topics=topics, current="memory/extraction").topic == "memory/extraction"


def test_meaning_finds_a_known_topic() -> None:
    topics = [Topic("zzz-zz", 0, 0), Topic("qqqq", 0, 0)]
    assert tag("zz zzzz", topics=topics, embedder=Letters()).topic == "zzz-zz"
    assert tag("zz zzzz", topics=topics).topic is None


class Senses(Letters):
    """An embedder that knows the topics of a house from those of a screen, each a little like what is said of it."""

    house, screen = ("heating", "boiler", "hedge", "wardrobe"), ("react", "form", "page", "ui")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            is_description = ", " in text
            vectors[row, 0] = any(word in text for word in self.house)
            vectors[row, 1] = any(word in text.split(", ") if is_description else word in text for word in self.screen)
            vectors[row, 2 if is_description else 3] = 1.5
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("when the heating stops, hold the green button", None),
        ("the button of the boiler is stuck again", None),
        ("the hedge hides the navbar of the old gate", None),
        ("the wardrobe has a sidebar for ties", None),
        ("why does the button not submit the form?", "frontend"),
        ("the modal covers the page", "frontend"),
        ("the button and the dropdown by the heating", "frontend"),
        ("fix the boiler's button in the ui", "frontend"),
    ],
)
def test_one_word_that_means_something_else_here_makes_no_topic_where_nothing_is_done(
    text: str, topic: str | None
) -> None:
    reply = "Noted. " * 60
    assert tag(text, reply=reply, embedder=Senses()).topic == topic


def test_a_word_is_enough_when_the_reply_has_another_one_of_the_topic() -> None:
    reply = f"Put a dropdown beside it. {'Then it fits. ' * 30}"
    assert tag("the heating has a green button", reply=reply, embedder=Senses()).topic == "frontend"


def test_a_known_topic_is_found_by_one_word_whatever_it_means() -> None:
    known = [Topic("frontend", 0, 0)]
    assert (
        tag("the heating has a green button", reply="Noted. " * 60, topics=known, embedder=Senses()).topic == "frontend"
    )


class Broken(Letters):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderError("gone")


def test_a_broken_embedder_leaves_the_rules(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert tag("the login is broken", embedder=Broken()).topic == "auth"
    assert "gone" in caplog.text


@given(st.text(), st.text(), st.lists(st.text(max_size=20), max_size=3))
def test_any_exchange_can_be_tagged(user: str, reply: str, paths: list[str]) -> None:
    calls = [ToolCall(path, {"path": path, "command": path}) for path in paths]
    found = tag(user, *calls, reply=reply, topics=[MEMORY], current="memory")
    assert found.topic is None or normalise(found.topic) == found.topic
