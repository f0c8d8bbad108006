"""What the user states in a chat is stored before the reply is complete, and the next conversation knows it."""

import sqlite3
from datetime import datetime

import pytest

from pi_memory.background import inbox
from pi_memory.chat import turn
from pi_memory.learning import statements
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.types import Statement
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeModel


def say(client: Client, text: str, name: str = "c") -> dict[str, object]:
    answer = client.post("/chat", json={"message": text, "conversation_id": name, "explain": True})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def test_what_is_stated_is_confirmed_and_on_the_card_when_the_reply_is_complete(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("Very well."), PI_MEMORY_COMMIT_SECONDS=3600)
    done = say(client, "Remember that my dog is called Rex.")
    assert str(done["reply"]).startswith("Very well. ")
    assert "Remembered:" in str(done["reply"])
    with sqlite3.connect(f"file:{client.parts.settings.database}?mode=ro", uri=True) as other:
        assert [row[0] for row in other.execute("select content from memories")]


def test_what_was_stated_names_the_exchange_that_it_rests_on(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("Very well."))
    say(client, "What is new?")
    say(client, "Thanks. Remember that my dog is called Rex. And by the way I prefer tea.")
    client.settle()
    for number in (1, 2):
        memory = client.get(f"/memories/{number}").json()
        assert (memory["exchange_id"], memory["quote"] != "") == (2, True)
    assert [event["kind"] for event in client.get("/memories/1/history").json()["history"]] == ["memory.added"]


def test_the_confirmation_streams_and_is_no_part_of_the_conversation(daemon: Daemon) -> None:
    model = FakeModel("Very well.")
    client = daemon(model=model)
    text = client.post(
        "/chat", json={"message": "Remember that my dog is called Rex.", "conversation_id": "c", "stream": True}
    ).text
    assert "Remembered:" in text
    say(client, "And now?")
    assert not any("Remembered:" in message.content for message in model.prompts[-1])


def test_the_next_conversation_begins_with_what_was_stated(daemon: Daemon) -> None:
    model = FakeModel("Very well.")
    client = daemon(model=model)
    say(client, "Remember that my dog is called Rex.")
    done = say(client, "Good morning", name="another")
    assert "Rex" in model.prompts[-1][0].content
    assert done["receipt"]["memories"] == [1]  # type: ignore[index]


def test_what_was_forgotten_leaves_every_conversation(daemon: Daemon) -> None:
    model = FakeModel("Very well.")
    client = daemon(model=model)
    say(client, "Remember that my dog is called Rex.")
    say(client, "hello", name="another")
    done = say(client, "Forget that my dog is called Rex.", name="third")
    assert "Forgotten" in str(done["reply"])
    client.settle()
    assert "Rex" not in client.get("/memories/search", params={"q": "Rex"}).text
    for name in ("c", "another", "third"):
        say(client, "And now?", name=name)
        assert not any("Rex" in message.text for message in model.prompts[-1]), name


def test_what_is_not_to_be_remembered_is_not_kept(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("Very well."))
    say(client, "Don't remember this: my new number is 5551234.")
    client.settle()
    assert "5551234" not in client.get("/conversations/c").text
    assert "5551234" not in client.get("/memories/search", params={"q": "number 5551234"}).text


def test_without_a_model_what_was_stated_is_quoted(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    say(client, "Remember that my dog is called Rex.")
    assert "Your dog is called Rex." in str(say(client, "What is my dog called?", "b")["reply"])


def test_without_memory_nothing_is_stored(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("Very well."), ENABLE_MEMORY=False)
    assert say(client, "Remember that my dog is called Rex.")["reply"] == "Very well. "


def test_an_agents_user_is_heard_too(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    client.post(
        "/activity?wait=1", json={"session_id": "s", "user_message": "Remember that we deploy on Fridays only."}
    )
    assert "Fridays" in client.get("/memories").text


def test_what_was_said_in_one_conversation_is_recalled_in_another(daemon: Daemon) -> None:
    model = FakeModel("Very well.")
    client = daemon(model=model)
    say(client, "We moved the pump controller to pin 14 because the cable was too short.")
    client.settle()
    done = say(client, "Which pin is the pump controller on?", name="another")
    assert "pin 14" in model.prompts[-1][-1].context
    (recalled,) = [r for r in done["receipt"]["recalled"] if "pin 14" in r["content"]]  # type: ignore[index]
    assert recalled["kind"] in ("memory", "exchange")
    assert recalled["score"] > 0


def test_the_best_answer_is_shown_with_every_question_and_nothing_twice_with_what_does_not_ask(daemon: Daemon) -> None:
    model = FakeModel("Very well.")
    client = daemon(model=model)
    say(client, "We moved the pump controller to pin 14 because the cable was too short.")
    client.settle()
    for _ in range(3):
        say(client, "Which pin is the pump controller on?", name="another")
        assert model.prompts[-1][-1].context.count("pin 14") == 1
    say(client, "We moved the pump controller and the cable.", name="another")
    assert "pin 14" not in model.prompts[-1][-1].context


def test_a_greeting_recalls_nothing(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("Very well."))
    say(client, "We moved the pump controller to pin 14 because the cable was too short.")
    client.settle()
    assert say(client, "Good morning!", name="another")["receipt"]["recalled"] == []  # type: ignore[index]


def test_what_a_message_states_is_not_stored_when_the_message_does_not_fit(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/chat", json={"message": "Remember that my cat is called Miso. " + "and so on " * 4_000})
    assert answer.status_code == 422
    assert client.get("/memories").json()["total"] == 0


def test_what_is_stated_is_looked_for_once(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, found = [], statements.notice

    def counted(message: str, before: object = None) -> tuple[Statement, ...]:
        looked.append(message)
        return found(message)

    for module in (turn, inbox, statements):
        monkeypatch.setattr(module, "notice", counted)
    client = daemon()
    say(client, "I live in Ulm.")
    client.settle()
    assert looked == ["I live in Ulm."]


def test_what_was_said_in_a_time_is_listed(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(model=ExtractiveModel())
    say(client, "The ladder is at Ingrid's.")
    say(client, "Where is the ladder?")
    client.settle()
    clock.pass_time(minutes=10 * 24 * 60)
    say(client, "The kettle is new.", "b")
    say(client, "Where is the kettle?", "b")
    client.settle()
    clock.pass_time(minutes=24 * 60)
    reply = str(say(client, "What did I tell you yesterday?", "c")["reply"])
    assert "The kettle is new." in reply
    assert "ladder" not in reply
    assert "Where" not in reply


def test_a_yes_forgets_the_one_thing_that_was_asked_about(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    say(client, "Remember that the alarm code is 4410.")
    assert "Is this to be forgotten? Say yes" in str(say(client, "Forget the alarm code", "b")["reply"])
    assert "Forgotten: memory 1." in str(say(client, "yes please", "b")["reply"])
    assert "4410" not in str(say(client, "What is the alarm code?", "d")["reply"])


def test_what_was_stated_answers_though_every_prompt_begins_with_it(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    for fact in ("the ladder is at Ingrid's", "the ladder has nine rungs"):
        say(client, f"Remember that {fact}.")
    replies = [str(say(client, "What about the ladder?", "b")["reply"]) for _ in range(2)]
    assert all("Ingrid" in reply and "nine rungs" in reply for reply in replies)


@pytest.mark.parametrize("secret", ["The PIN of the card is 4460.", "my bank password is hunter22"])
def test_who_tells_a_secret_is_asked_whether_to_remember_it(daemon: Daemon, secret: str) -> None:
    client = daemon(model=ExtractiveModel())
    assert "Not kept, as there is a password in it; say “remember”" in str(say(client, secret)["reply"])
    client.settle()
    assert client.get("/memories").json()["memories"] == []


@pytest.mark.parametrize(
    "message", ["the wifi password is mango77", "The alarm code is 4410.", "Is my password hunter22 strong?"]
)
def test_who_tells_no_secret_is_not(daemon: Daemon, message: str) -> None:
    assert "Not kept" not in str(say(daemon(model=ExtractiveModel()), message)["reply"])


def test_a_broad_question_lists_what_the_conversation_has_shown(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    for fact in ("The ladder is at Ingrid's.", "The ladder has nine rungs."):
        say(client, f"Remember: {fact}")
    for _ in range(2):
        listed = str(say(client, "What do you know about the ladder?", "b")["reply"])
        assert "Ingrid" in listed
        assert "nine rungs" in listed


def test_an_answer_can_be_asked_what_it_rests_on(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(model=ExtractiveModel())
    say(client, "Remember that the spare key hangs in the shed.")
    client.settle()
    day = datetime.fromtimestamp(clock()).astimezone()
    clock.pass_time(days=3)
    say(client, "Where does the spare key hang?", "later")
    told = str(say(client, "When did I tell you that?", "later")["reply"])
    assert told.startswith(f"You told me on {day:%d %B %Y}: “".replace(" on 0", " on "))
    assert "the spare key hangs in the shed" in told
    assert "You told me on" not in str(say(client, "Who told you that?", "other")["reply"])
    assert str(say(client, "When did I tell you about the spare key?", "other")["reply"]).startswith(told[:30])
