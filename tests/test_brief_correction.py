"""A correction right after an answer takes what it is about from it: `no, it's 8820 now`."""

import pytest

from pi_memory.chat.turn import SAY_IT_WHOLE
from pi_memory.merging.brief_correction import Answered, Correction, corrected, is_unclear
from pi_memory.model.extractive import ExtractiveModel
from tests.conftest import Client, Daemon

GATE = Answered("What's the code of the gate?", "The padlock on the gate is 3917.")
REPLACED = [
    ("it's at 11 not 2.15", Answered("When?", "The fitting is on 14 May at 2.15."), "The fitting is on 14 May at 11."),
    ("no, it's Ann not Anna", Answered("Our vet?", "Our vet is Anna in Ulm."), "Our vet is Ann in Ulm."),
    (
        "scratch that, we use Unleash",
        Answered("", "We use LaunchDarkly for feature flags."),
        "We use Unleash for feature flags.",
    ),
    ("no thats wrong its water", Answered("", "Dad takes his pills with juice."), "Dad takes his pills with water."),
    ("no i was wrong its the drawer", Answered("", "The pills are in the tin."), "The pills are in the drawer."),
    ("sorry, Pedersen, with a d", Answered("", "My vet is Ms Petersen."), "The user's vet is Ms Pedersen."),
    ("no, it's 6640 now", GATE, "The padlock on the gate is 6640."),
    ("it's 8820 now", GATE, "The padlock on the gate is 8820."),
    ("that's wrong, it's 8820", GATE, "The padlock on the gate is 8820."),
    ("no, that's the old one, it's 8820", GATE, "The padlock on the gate is 8820."),
    ("it's 8820 now, they have a new lock", GATE, "The padlock on the gate is 8820."),
    ("no, 430 since this month", Answered("rent", "Rent's 415, due by the 28th."), "Rent's 430, due by the 28th."),
    ("no, it's level -3", Answered("Where did I park?", "The user parks on level -2."), "The user parks on level -3."),
    ("It went up to 430.", Answered("How much is my rent?", "Rent's 415."), "Rent's 430."),
    (
        "they moved to Oak Lane",
        Answered("Where is he?", "The dentist is on Elm Street."),
        "The dentist is on Oak Lane.",
    ),
    (
        "In the pantry now.",
        Answered("Where do I keep the seeds?", "The seeds are in the shed."),
        "The seeds are in the pantry.",
    ),
    ("no its 6640 now", GATE, "The padlock on the gate is 6640."),
    ("its in my bag now", Answered("wheres the pump", "The pump is in the car."), "The pump is in the user's bag."),
    ("it's seven now", Answered("When do we open?", "We open at half six."), "We open at seven."),
    (
        "no, on Fridays",
        Answered("When is choir?", "Choir is on Mondays in the hall."),
        "Choir is on Fridays in the hall.",
    ),
    ("no, the 10th at 2", Answered("When?", "It is on Friday, the 3rd of May at 9."), "It is on the 10th of May at 2."),
    (
        "it's Mrs Dale now",
        Answered("Our vet?", "The vet in Canal Road is Mr Osei."),
        "The vet in Canal Road is Mrs Dale.",
    ),
    ("nein, es ist jetzt 8820", Answered("Torcode?", "Der Code vom Tor ist 5820."), "Der Code vom Tor ist 8820."),
    ("non, c'est 8820", Answered("Le code ?", "Le code du portail est 5820."), "Le code du portail est 8820."),
    ("no, ahora es 8820", Answered("¿El código?", "El código es 5820."), "El código es 8820."),
    ("nope, under the mat now", Answered("Where's the key?", "The key's in the pot."), "The key is under the mat."),
    (
        "no, in the safe",
        Answered("passports where", "We keep the passports in a box."),
        "We keep the passports in the safe.",
    ),
]
IDLE = [
    "it's raining now", "no, thanks", "no, that's all", "no worries, it's fine now", "it's late now", "I'm at work now",
    "it's 3 degrees outside now", "now what", "it's bed time now", "no, leave it", "ok it's time to go now",
    "that's wrong", "no, I meant the other one", "she's happy now", "no it's broken", "is it 8820 now?",
    "it's Monday", "no, nothing else",
]  # fmt: skip


OVER = [
    ("it's been cancelled", "When is the fitting?", "The fitting is on Tuesday at ten."),
    ("she's not coming after all", "", "Clara is coming on Friday."),
    ("She is back home now.", "Where's Ida?", "Ida is in the clinic in Bern."),
    ("it came already", "", "The parcel is coming on Monday."),
    ("es ist abgesagt", "Wann ist die Anprobe?", "Die Anprobe ist am Montag um 10."),
]


@pytest.mark.parametrize(("said", "question", "answer"), OVER)
def test_what_is_over_is_kept_with_what_it_was(said: str, question: str, answer: str) -> None:
    found = corrected(said, Answered(question, answer))
    assert found is not None
    assert found.instead_of == answer
    assert found.content.startswith(answer)
    assert found.content.casefold().rstrip(".").endswith(said.casefold().rstrip("."))


@pytest.mark.parametrize("said", ["it's over", "she isn't happy", "he's back", "it's off the shelf"])
def test_what_is_not_said_of_the_answer_is_not(said: str) -> None:
    assert corrected(said, GATE) is None


SAID_INSTEAD = [
    (
        "not any more, the van wants 35 all round",
        Answered("What are the tyre pressures?", "Tyre pressures are 32 front and 30 back."),
        "What are the tyre pressures? The van wants 35 all round.",
    ),
    (
        "no, that's the old house, here it's in the cupboard",
        Answered("Where's the stopcock?", "The stopcock's under the sink."),
        "Where's the stopcock? Here it's in the cupboard.",
    ),
    (
        "that's wrong, I buy from Ida's these days",
        Answered("Where does the quail come from?", "The user gets frozen quail from Oakfield."),
        "Where does the quail come from? The user buys from Ida's these days.",
    ),
    (
        "no longer, Bo moved to Porto, it's Ada Crane in Ulm",
        Answered("which vet do I use", "The only vet is Bo Reed in Bern."),
        "Which vet do the user use? Bo moved to Porto, it's Ada Crane in Ulm.",
    ),
    (
        "No, the vet is Ada Crane in Ulm now, she took over in May.",
        Answered("Which vet do I use?", "The only vet is Bo Reed in Bern."),
        "The vet is Ada Crane in Ulm now, she took over in May.",
    ),
]


@pytest.mark.parametrize(("said", "before", "content"), SAID_INSTEAD)
def test_what_is_so_instead_of_an_answer_is_kept_with_the_question(said: str, before: Answered, content: str) -> None:
    found = corrected(said, before)
    assert found is not None
    assert (found.content, found.instead_of) == (content, before.answer)


@pytest.mark.parametrize(
    "said",
    [
        "No, I meant the vet of Bo's horse in Ulm.",
        "No, not that Bo, the other one lives in Ulm.",
        "no, that's all, I'm going to Ulm now",
        "no, is it Ada Crane in Ulm?",
        "I buy from Ida's these days",
        "No, it has moved away by now.",
    ],
)
def test_what_only_complains_of_an_answer_or_says_nothing_instead_puts_nothing_right(said: str) -> None:
    assert corrected(said, Answered("Which vet do I use?", "The only vet is Bo Reed in Bern.")) is None


@pytest.mark.parametrize(("said", "before", "content"), REPLACED)
def test_another_value_takes_the_place_of_the_one_in_the_answer(said: str, before: Answered, content: str) -> None:
    found = corrected(said, before)
    assert found is not None
    assert (found.content, found.instead_of) == (content, before.answer)


@pytest.mark.parametrize("said", IDLE)
def test_what_gives_no_value_corrects_nothing(said: str) -> None:
    assert corrected(said, GATE) is None


def test_what_was_only_the_nearest_is_not_put_right_but_the_question_is_answered() -> None:
    before = Answered("What's Wim's phone number?", "The bank's number is 555 0100.", is_sure=False)
    found = corrected("no, it's 555 0199", before)
    assert found is not None
    assert (found.content, found.instead_of) == ("Wim's phone number is 555 0199.", "")


def test_a_value_that_stands_nowhere_in_the_answer_is_left_alone() -> None:
    assert corrected("no, it's 12", Answered("How do I get in?", "The key is 3 and the gate is 4.")) is None


def _say(client: Client, *messages: str) -> list[str]:
    said = [{"message": each, "conversation_id": f"c{len(messages[0])}"} for each in messages]
    return [str(client.post("/chat", json=each).raise_for_status().json()["reply"]) for each in said]


def test_what_was_told_a_moment_ago_may_be_over(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    *_, confirmed = _say(client, "Remember that Ida comes on Friday.", "She's not coming after all.")
    assert "(instead of: Ida comes on Friday.)" in confirmed


def test_no_it_is_another_number_now_ends_what_was_quoted(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    _say(client, "Remember that the code of the gate is 3917.")
    *_, confirmed = _say(client, "What is the code of the gate?", "no, it's 6640 now")
    assert "Remembered: The code of the gate is 6640. (instead of: The code of the gate is 3917.)" in confirmed
    client.settle()
    (answer,) = _say(client, "Which code has the gate?")
    assert answer.startswith("The code of the gate is 6640.")
    assert "3917" not in answer
    assert "now" not in answer


def test_what_is_so_instead_of_what_was_quoted_ends_it(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    _say(client, "Remember that the quail comes from Oakfield.")
    *_, confirmed = _say(client, "Where does the quail come from?", "that's wrong, I buy from Ida's these days")
    assert "(instead of: The quail comes from Oakfield.)" in confirmed
    client.settle()
    (answer,) = _say(client, "Who is it that the quail comes from?")
    assert "You buy from Ida's these days." in answer
    assert "Oakfield" not in answer


def test_no_right_behind_what_one_said_oneself_puts_it_right(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    *_, confirmed = _say(client, "Remember that my barge pole is 14 feet.", "No, it's 12 feet.")
    assert "(instead of: The user's barge pole is 14 feet.)" in confirmed
    *_, other = _say(client, "I like the sea a lot.", "Remember that the pole is green.", "it's 12 feet now")
    assert "instead of" not in other


def test_what_follows_no_answer_is_no_correction_of_one(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    _say(client, "Remember that the code of the gate is 3917.")
    *_, reply = _say(client, "What is the code of the gate?", "Thanks!", "it's 6640 now")
    assert "Remembered" not in reply


@pytest.mark.parametrize(
    ("told", "put_right", "holds"),
    [
        (
            ["Remember that the gate code is 3917.", "What is the gate code?"],
            "Nope, that was the old one. It's 8820.",
            "8820",
        ),
        (["My cat is called Pippo."], "no wait, Pippa", "Pippa"),
        (["Remember that the vet is Dr. Ellis.", "Who is the vet?"], "oops I meant Dr. Allis", "Allis"),
        (["Remember that my barge pole is 14 feet."], "oops, I meant 12", "12 feet"),
        (["Remember that the boiler is in the attic."], "that's not true anymore, it's in the cellar", "in the cellar"),
        (["Remember that the bins are at number 12."], "scratch that, it's still 14", "14"),
    ],
)
def test_one_puts_right_what_was_just_said_in_a_few_words(
    daemon: Daemon, told: list[str], put_right: str, holds: str
) -> None:
    client = daemon(model=ExtractiveModel())
    for message in (*told, put_right):
        client.post("/chat", json={"message": message, "conversation_id": "c"}).raise_for_status()
        client.settle()
    valid = [memory["content"] for memory in client.get("/memories").json()["memories"]]
    assert [holds in content for content in valid] == [True]


def test_one_of_several_is_taken_away(daemon: Daemon) -> None:
    days = Answered("When do I work?", "The user works Mondays, Wednesdays and Fridays.")
    for said, left in (
        ("not on Fridays any more", "The user works Mondays, Wednesdays."),
        ("no, not Wednesdays any more", "The user works Mondays and Fridays."),
        ("no longer on Mondays now", "The user works Wednesdays and Fridays."),
    ):
        assert corrected(said, days) == Correction(left, instead_of=days.answer)
    assert corrected("not on Sundays any more", days) is None
    client = daemon(model=ExtractiveModel())
    *_, confirmed = _say(
        client, "Remember that I work mondays and fridays.", "When do I work?", "not on fridays any more"
    )
    assert "Remembered: The user works mondays." in confirmed


def test_what_it_is_not_plain_of_is_asked_for_in_a_whole_sentence(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    *_, answer = _say(
        client, "Remember that the braces cost 1800 and the bolts cost 1500.", "What do they cost?", "no, 2100"
    )
    assert answer.endswith(SAY_IT_WHOLE)
    client.settle()
    assert len(client.get("/memories").json()["memories"]) == 1
    for fine in ("no, thanks", "no, it's 2100 with the bolts, and 1500 of it is paid"):
        *_, answer = _say(client, "What do the braces cost?", fine)
        assert SAY_IT_WHOLE not in answer


def test_a_value_goes_in_the_piece_of_an_answer_that_was_asked_for() -> None:
    teachers = Answered("who's kit's teacher", "Kit's teacher is mrs ode, ada has mr finch.")
    assert corrected("no it's mr hale now", teachers) == Correction(
        "Kit's teacher is mr hale, ada has mr finch.", instead_of=teachers.answer
    )
    berths = Answered("what's the north berth", "A berth is 180 in the north, 140 in the south.")
    assert corrected("200 this year", berths) == Correction(
        "A berth is 200 in the north, 140 in the south.", instead_of=berths.answer
    )
    assert corrected("12 now", Answered("when do we shut", "The yard opens 8 till 5, the shop 9 till 1.")) is None
    assert all(map(is_unclear, ["make it 8", "no, 12"]))
    assert not any(map(is_unclear, ["8 of us now then, it seems to me", "no, thanks"]))


def test_what_else_an_answer_says_is_kept_beside_what_takes_the_place_of_a_piece() -> None:
    shelf = Answered("where's the hardener", "Epoxy is on the second shelf, hardener's next to the kettle.")
    found = corrected("no, that's in the fridge now", shelf)
    assert found == Correction("The hardener is in the fridge. Epoxy is on the second shelf.", instead_of=shelf.answer)
