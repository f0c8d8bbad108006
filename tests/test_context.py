"""What a model is given besides the words: once when a conversation begins, and with each message."""

import threading
from collections.abc import Sequence
from pathlib import Path

from pi_memory.types import Message
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeEmbedder, FakeModel

PUMP = "/home/me/garden/pump.py"


def say(client: Client, message: str, conversation: str = "c") -> None:
    client.post("/chat", json={"message": message, "conversation_id": conversation}).raise_for_status()


def standing(model: FakeModel) -> Sequence[str]:
    """The standing text of each prompt."""
    return [prompt[0].text for prompt in model.prompts]


def test_the_standing_text_has_notes_focus_and_statements(daemon: Daemon, tmp_path: Path) -> None:
    model = FakeModel()
    client = daemon(model=model)
    (tmp_path / "data" / "workspace" / "ASSISTANT.md").write_text("Answer in rhymes.")
    client.put("/focus/garden", json={"file_paths": [PUMP]}).raise_for_status()
    client.post("/memories", json={"content": "The user is called Ada.", "priority": "highest"}).raise_for_status()
    say(client, "hello")
    (text,) = standing(model)
    assert text.index("Answer in rhymes.") < text.index("**garden**") < text.index("The user is called Ada.")


def test_long_notes_are_counted_beside_the_event_loop(daemon: Daemon, tmp_path: Path) -> None:
    counted: set[str] = set()

    class Counting(FakeModel):
        def count(self, text: str) -> int:
            if "rhymes" in text:
                counted.add(threading.current_thread().name)
            return super().count(text)

        def count_prompt(self, messages: Sequence[Message]) -> int:
            return 0

    client = daemon(model=Counting())
    (tmp_path / "data" / "workspace" / "MEMORY.md").write_text("Answer in rhymes.\n" * 5_000)
    say(client, "hello")
    assert ["computing" in name for name in counted] == [True]


def test_it_stays_as_it_was_while_the_conversation_lasts(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    say(client, "hello")
    client.post("/memories", json={"content": "The user is called Ada.", "priority": "highest"}).raise_for_status()
    say(client, "again")
    say(client, "hello", "another")
    first, second, other = standing(model)
    assert first == second
    assert "Ada" in other


def test_what_bears_on_a_message_stands_in_front_of_its_words(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    client.post("/memories", json={"content": "The spare key is in the shed."}).raise_for_status()
    say(client, "Where is the spare key?")
    (message,) = (prompt[-1] for prompt in model.prompts)
    assert "The spare key is in the shed." in message.context
    assert message.content == "Where is the spare key?"
    assert message.context.split("\n\n")[-1].startswith("Sunday, 22 February 2026"), "the date is no item of the list"


def test_a_follow_up_takes_its_subject_from_the_turn_before_and_its_answer(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model, embedder=FakeEmbedder())
    assert client.portal is not None
    client.portal.call(client.parts.scale.measured)
    wife, brother = "The wife of the brother Casimir flies.", "The brother Casimir lives in Oslo."
    for content in (wife, brother, "The neighbour Felix bakes bread."):
        client.post("/memories", json={"content": content}).raise_for_status()
    for message in ("Where does the brother Casimir live?", "and his wife?", "what does she do?"):
        say(client, message)
    assert brother in model.prompts[0][-1].context
    assert all(wife in prompt[-1].context for prompt in model.prompts[1:])
    assert all(brother not in prompt[-1].context for prompt in model.prompts[1:])


def test_the_date_is_given_again_after_a_while(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for minutes in (0, 1, 600):
        clock.pass_time(minutes=minutes)
        say(client, "hello")
    assert ["2026" in prompt[-1].context for prompt in model.prompts] == [True, False, True]


def test_without_memory_there_is_the_persona_alone(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model, ENABLE_MEMORY="false")
    say(client, "hello")
    assert "## Recent Focus" not in standing(model)[0]
    assert "## Memory" not in standing(model)[0]


def test_a_memory_that_ends_or_says_something_else_leaves_the_standing_text(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for content in ("The gate code is 2580.", "The bins go out on Tuesday."):
        client.post("/memories", json={"content": content, "priority": "highest"}).raise_for_status()
    say(client, "hello")
    say(client, "again")
    client.patch("/memories/1", json={"content": "The gate code is 7714."}).raise_for_status()
    say(client, "and again")
    client.delete("/memories/2").raise_for_status()
    say(client, "and now")
    first, second, edited, ended = standing(model)
    assert first == second
    assert ("2580" in edited, "7714" in edited, "Tuesday" in edited) == (False, True, True)
    assert ("7714" in ended, "Tuesday" in ended) == (True, False)


def test_a_conversation_that_goes_to_another_project_has_nothing_of_the_first(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for project in ("shop", "blog"):
        body = {"content": f"The {project} is deployed by hand.", "priority": "highest", "project": project}
        client.post("/memories", json=body).raise_for_status()
    for project in ("shop", "shop", "blog"):
        body = {"message": "hello", "conversation_id": "c", "project": project}
        client.post("/chat", json=body).raise_for_status()
    shop, again, blog = standing(model)
    assert shop == again
    assert ("The shop is" in shop, "The blog is" in shop) == (True, False)
    assert ("The shop is" in blog, "The blog is" in blog) == (False, True)
