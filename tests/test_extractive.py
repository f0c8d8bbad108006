import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_memory.errors import Unprocessable
from pi_memory.focus.topic_changes import TopicChanges
from pi_memory.model.extractive import NOTICE, SELF, ExtractiveModel, reply
from pi_memory.types import RECALLED, UNSURE, Message, Notice, Topic, Usage

FOCUS = """You are a helpful assistant.

## Recent Focus (last 7 days)

You've been actively working on:
- **memory/extraction** (3 sessions, last touched today) — extraction.py @ memory
- **deployment** (1 session, last touched 2 days ago)

## Notes
- not a focus
"""


def talk(*said: str, system: str = "You are a helpful assistant.") -> str:
    """The reply to the last of these messages, each but that one already answered."""
    messages = [Message("system", system)]
    for text in said[:-1]:
        messages += [Message("user", text), Message("assistant", "zebra reply")]
    return reply([*messages, Message("user", said[-1])])


def generated(
    messages: Sequence[Message], max_tokens: int = 200, *, model: ExtractiveModel | None = None
) -> list[str | Usage]:
    async def run() -> list[str | Usage]:
        return [item async for item in (model or ExtractiveModel()).generate(messages, max_tokens=max_tokens)]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("said", "question", "quoted"),
    [
        ("My name is Alice and I live in Kiel.", "What is my name?", "Your name is Alice"),
        ("My dog is called Max. I like tea.", "what's my dog's name", "Your dog is called Max."),
        ("I am rewriting fact extraction in /home/me/extraction.py", "What am I rewriting?", "/home/me/extraction.py"),
        ("We decided to use SQLite because it is one file.", "Why did we choose SQLite?", "because it is one file"),
        ("The daemon listens on port 8765.", "Tell me the port please", "8765"),
        ("Remember that the deadline is Friday", "When is the deadline?", "Friday"),
        ("Mein Hund heißt Bello.", "Wie heißt mein Hund?", "Bello"),
        ("我的猫叫小花。它三岁了。", "我的猫叫什么名字？", "小花"),
        ("Моя собака живёт в Киле", "Где живёт моя собака?", "Киле"),
    ],
)
def test_a_question_is_answered_by_the_users_own_words(said: str, question: str, quoted: str) -> None:
    assert quoted in talk(said, "Thanks.", question)


@pytest.mark.parametrize(
    "question",
    ["What is the capital of France?", "Do you like music?", "How tall is the Eiffel tower?", "why?", "What?"],
)
def test_an_unrelated_question_quotes_nothing(question: str) -> None:
    answer = talk("My dog is called Max.", "The daemon listens on port 8765.", question, system=FOCUS)
    assert answer == "I find nothing about that in what you told me."


def test_a_focus_that_was_edited_since_is_shown_as_it_is_now() -> None:
    garden, gone = Topic("garden", 0.0, 0.0), Topic("garden", 0.0, 0.0, is_active=False)
    edit = TopicChanges(
        {"garden": garden, "orchard": None}, {"garden": gone, "orchard": garden}, "file", 0.0
    ).described()
    messages = [
        Message("system", "## Recent Focus\n\n- **memory** (2 sessions)\n- **garden** (1 session)"),
        Message("user", "What am I working on?"),
        Message("assistant", "Memory."),
        Message("user", "What am I working on?", context=edit),
    ]
    assert reply(messages) == "In your recent focus:\n- orchard\n- memory (2 sessions)"


def test_replies_and_context_are_never_quoted() -> None:
    messages = [Message("user", "I have a cat.", context="The zebra is striped."), Message("assistant", "A zebra!")]
    assert "zebra" not in reply([*messages, Message("user", "What about the zebra?", context="A zebra again")]).lower()


def test_questions_are_not_answers() -> None:
    assert "nothing" in talk("Where is my bicycle?", "Where is my bicycle?")


def test_a_statement_beside_the_question_counts() -> None:
    assert "8080" in talk("The port is 8080. Which port is it?")


def test_the_newer_of_two_equal_answers_comes_first() -> None:
    answer = talk("The port is 8080.", "The port is 9090.", "Which port?")
    assert answer.index("9090") < answer.index("8080")


def test_what_was_just_said_is_the_last_message() -> None:
    assert "I feed the cat at noon" in talk("One.", "I feed the cat at noon", "What did I just say?")
    assert "nothing" in talk("What did I just say?")
    assert "8765" in talk("The port is 8765.", "Thanks.", "What did I say about the port?")


def test_the_recent_focus_is_shown() -> None:
    working = talk("What am I working on?", system=FOCUS)
    assert "memory/extraction (3 sessions" in working
    assert "deployment" in working
    assert "not a focus" not in working
    assert "extraction.py" in talk("Which file has the extraction?", system=FOCUS)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("I bought a boat.", "I see."),
        ("Hello!", "Hello."),
        ("thanks a lot", "You're welcome."),
        ("Good night", "Goodbye."),
        ("yes please", "All right."),
        ("great", "All right."),
        ("how are you?", "I am well, thank you."),
        ("are you there", "Yes, I am here."),
        ("Who are you?", SELF),
        ("what can you do", SELF),
    ],
)
def test_what_asks_for_nothing_known_gets_a_short_reply(message: str, answer: str) -> None:
    assert talk("ok", message) == answer


def test_what_changed_is_listed_or_said_not_to_be() -> None:
    assert talk("what changed yesterday") == "Nothing changed then of what you told me."
    context = f"{RECALLED}\n- The door is blue now. (Before: The door is green.)"
    found = reply([Message("system", ""), Message("user", "what changed", context=context)])
    assert found == "What changed:\n- The door is blue now. (Before: The door is green.)"


def test_what_needs_a_model_is_refused() -> None:
    assert "I can't do that" in talk("ok", "Write a poem about the sea.")
    assert "I can't do that" in talk("ok", "set an alarm for seven")
    assert "I can't remind you" in talk("ok", "can you remind me to ring Anna tomorrow?")


def test_what_was_asked_before_is_no_answer() -> None:
    lines = '- user: "Which pin is the pump on?"\n- user: "The pump is on pin 17."'
    said = f"## Relevant Memories\n\n### Said Before\n{lines}"
    answer = reply([Message("user", "Which pin has the pump?", context=said)])
    assert "pin 17" in answer
    assert "Which" not in answer


def test_that_there_is_no_model_is_said_once() -> None:
    assert "pi-memory pull" in NOTICE
    first = [Message("user", "I bought a boat.")]
    later = [*first, Message("assistant", "I see."), Message("user", "What did I buy?")]
    model = ExtractiveModel()
    assert [piece for piece in generated(first, model=model) if isinstance(piece, Notice)] == [NOTICE]
    for more in (later, first):
        assert not any(isinstance(piece, Notice) for piece in generated(more, model=model))
    assert not any(isinstance(piece, Notice) for piece in generated(later))


def test_a_long_quote_is_shortened() -> None:
    assert len(talk("The boat " + "is very very long " * 100, "What about the boat?")) < 600


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_it(said: list[str], asked: bool) -> None:
    assert talk(*said, *(["?"] if asked else []))


def test_it_streams_words_and_counts_characters() -> None:
    messages = [Message("user", "My dog is called Max."), Message("user", "What is my dog called?")]
    *pieces, notice, usage = generated(messages, max_tokens=5)
    assert (pieces, notice) == (["Your", " dog", " is", " called"], NOTICE)
    assert usage == Usage(prompt_tokens=12, evaluated_tokens=0, completion_tokens=5)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(Unprocessable, match="do not fit"):
        asyncio.run(anext(ExtractiveModel(context_tokens=128).generate([Message("user", "x" * 500)], max_tokens=20)))


def test_a_few_words_that_ask_do_not_answer_themselves() -> None:
    assert "changelog" not in reply([Message("user", "changelog file type for the client")])


def test_a_statement_before_a_request_is_quoted_and_courtesy_is_not() -> None:
    said = "I swapped desks with Jo, I'm at the window now, so can you update the plan?"
    context = f'{RECALLED}\n\n### Said Before\n- user: "Good to know."\n- user: "{said}"'
    assert reply([Message("user", "Who did I swap desks with?", context=context)]).startswith(f"You said: “{said}”")


def recalled(*lines: str) -> str:
    return "\n".join([RECALLED, "", "### Said Before", *(f"- {line}" for line in lines)])


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("The boiler beeps again.", "When the boiler beeps, press reset for five seconds."),
        ("till hangs", "The till is old, if it hangs you have to hold the red key."),
        ("the pump has tripped again", "if the pump trips, flip breaker 6 and wait."),
        ("I'm on nights this week", "If I'm on nights, Imke feeds the horse."),
        ("Die Heizung piept.", "Wenn die Heizung piept, musst du das Ventil aufdrehen."),
    ],
)
def test_what_is_to_be_done_when_it_is_so_is_said_when_it_is_so(message: str, rule: str) -> None:
    assert rule.partition(",")[2][:10] in reply([Message("user", message, context=recalled(f'user: "{rule}"'))])


@pytest.mark.parametrize(
    "message", ["The boiler is new.", "If the boiler beeps, ring Sam.", "The dentist was kind.", "I press reset often."]
)
def test_what_is_to_be_done_is_not_said_else(message: str) -> None:
    rule = recalled('user: "When the boiler beeps, press reset for five seconds."')
    assert reply([Message("user", message, context=rule)]) == "I see."


def test_forgetting_without_saying_what_erases_nothing_and_says_so() -> None:
    assert "Nothing is erased" in talk("Is there a boat?", "forget that")
    assert "Nothing is erased" in talk("delete everything")
    assert talk("I bought a boat.", "forget that") == "I see."  # whether it is to be, is asked behind that
    assert talk("I bought a boat.", "Forget my boat") == "I see."


def test_a_correction_is_quoted_without_the_no() -> None:
    context = recalled('user: "No, the key is in the shed."')
    assert reply([Message("user", "where is the key?", context=context)]) == "The key is in the shed."


def test_a_list_of_what_does_not_name_its_subject_says_perhaps() -> None:
    context = recalled('user: "The oven has tripped."')
    answer = reply([Message("user", "what do you know about the dishwasher?", context=context)])
    assert answer.startswith("Perhaps about the dishwasher:")


def test_a_list_speaks_to_the_user_and_quotes_without_saying_so_each_time() -> None:
    context = recalled('user: "The car is a Golf."', 'user: "Ich habe das Auto am See geparkt."')
    answer = reply([Message("user", "what do you know about my car?", context=context)])
    named, near = "- The car is a Golf.", "- “Ich habe das Auto am See geparkt.”"
    assert answer == f"What you told me about your car:\n{named}\nPerhaps also:\n{near}"


def test_what_is_only_the_nearest_there_is_is_said_with_a_perhaps() -> None:
    lines = "- Gas man comes on Tuesday.\n- The user reads on Thursdays."
    context = f"{RECALLED}\n\n{UNSURE}\n{lines}"
    answer = reply([Message("user", "when is my dentist appointment?", context=context)])
    assert answer == "Perhaps: Gas man comes on Tuesday.\nOr: You read on Thursdays."


def test_what_was_to_be_remembered_is_quoted_without_the_request() -> None:
    recalled = f'{RECALLED}\n\n### Said Before\n- user: "Remember that our vet is Dr. Lopez."'
    assert reply([Message("user", "Who is our vet?", context=recalled)]) == "Your vet is Dr. Lopez."


@pytest.mark.parametrize(
    "message",
    ["ya maybe jessa. ok closing up my feet r dead", "better. oh n thursdays im always at the brewery, as you know"],
)
def test_what_may_be_no_question_is_not_answered_with_itself(message: str) -> None:
    assert talk(message).startswith("I see.")


@pytest.mark.parametrize("end", ["", "\n", " \n\n"])
def test_a_statement_is_not_answered_with_itself(end: str) -> None:
    assert "pump" not in talk(f"The pump by the river is red{end}")


def test_a_word_that_only_was_asked_for_is_no_answer() -> None:
    assert "Compressor" not in talk("compressor", "which compressor")
