from pathlib import Path

import pytest

from pi_memory.tagging.keywords import is_chatter, is_remark, keyword_scores, mentioned, prose, stated
from pi_memory.tagging.topic_patterns import load_patterns

PATTERNS = load_patterns(Path(__file__).parent.parent / "config" / "topics.toml")
LONG = "Here is what I did. " * 30


@pytest.mark.parametrize(
    "text", ["hi", "Thanks a lot!", "ok", "", "👍", "Danke!", "great, that works", "yes, go ahead"]
)
def test_chatter_is_about_nothing(text: str) -> None:
    assert is_chatter(text, "You're welcome.", PATTERNS)


@pytest.mark.parametrize("text", ["why does it fail?", "thanks, now the garden", "reset the router", "台所"])
def test_a_question_is_no_chatter(text: str) -> None:
    assert not is_chatter(text, "Let me see.", PATTERNS)


def test_a_word_that_asks_for_more_is_no_chatter_when_work_follows() -> None:
    assert not is_chatter("continue", LONG, PATTERNS)
    assert not is_chatter("A", LONG, PATTERNS)
    assert is_chatter("thanks!", LONG, PATTERNS)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("let's work on the watering schedule now", "watering-schedule"),
        ("I'm working on memory extraction in src/a.py", "memory-extraction"),
        ("back to the kitchen shelves, please", "kitchen-shelves"),
        ("we are fixing the invoice export because it broke", "invoice-export"),
        ("switching to `billing`", "billing"),
        ("I'm working on it", None),
        ("let's work on this bug", None),
        ("let's work on src/a.py", None),
        ("that does not work on the phone that my mother bought in Berlin last year", None),
        ("does it work on safari?", None),
        ("the export is not working on windows", None),
        ("I can't get it to work on arm", None),
        ("this won't switch to dark mode", None),
        ("can we work on the parser?", "parser"),
        ("Thanks! Work on the parser next", "parser"),
        ("I'd like to work on the billing module", "billing"),
        ("I'll work on authentication now", "authentication"),
        ("Right, back to the wedding speech", "wedding-speech"),
        ("Now I want to get back to the budget", "budget"),
        ("We've been working on the choir programme", "choir-programme"),
        ("Ok, switching to the newsletter", "newsletter"),
        ("Should we continue with the floor tiles?", "floor-tiles"),
        ("Great, back to the seed list", "seed-list"),
        ("You were working on the seed list", "seed-list"),
        ("I need you to focus on the invoices", "invoices"),
        ("I'm still working on my thesis, the third chapter", "thesis"),
        ("We need to focus on the seating chart", "seating-chart"),
        ("I work on a ferry between the islands", None),
        ("We both work on the top floor", None),
        ("On Fridays I work on the late shift", None),
        ("My aunt works and lives in Leeds, working on a market stall", None),
        ("My nephew is working on an oil rig", None),
        ("Let's see who is working on Saturday", None),
        ("I'm working on Sunday", None),
        ("The kids go back to school in September", None),
        ("The bank is switching to a new app", None),
        ("I went back to tea", None),
        ("The physio told me to focus on breathing", None),
        ("The shop is moving on to Mill Street", None),
        ("nothing said", None),
    ],
)
def test_what_the_user_says_they_work_on(text: str, topic: str | None) -> None:
    assert stated(text) == topic


def test_names_are_recognised_in_words() -> None:
    names = {"agent-session", "migration", "user-profile", "user-profiles-page", "age", "invoices"}
    found = mentioned("The AgentSession of our migrations, user-profile and invoice", names)
    assert found == {"agent-session", "migration", "user-profile", "invoices"}


def test_code_and_addresses_are_not_what_the_user_says() -> None:
    said = prose("why?\n```py\nlogin()\n```\nsee https://example.org/blob/main/auth.py please\n```\ncut off")
    assert said.split() == ["why?", "see", "please"]


@pytest.mark.parametrize(
    ("user", "reply", "remark"),
    [
        ("wow, you are a monster", "Glad it helps!", True),
        ("what about the pump?", "It runs.", False),
        ("¿y la bomba?", "", False),
        ("ポンプは？", "", False),
        ("the hose on the left bed has to be replaced every second year, I would say", "", False),
        ("fix it", "I looked into it. " * 30, False),
    ],
)
def test_a_remark_asks_nothing_and_is_short(user: str, reply: str, remark: bool) -> None:
    assert is_remark(user, reply) == remark


def score(topic: str, user: str, reply: str = "", commands: str = "", *, repeated: bool = False) -> float:
    return keyword_scores(user, reply, commands, patterns=PATTERNS, repeated=repeated).get(topic, 0.0)


def test_words_that_were_said_before_count_less() -> None:
    said = "the login fails"
    assert 0 < score("auth", said, repeated=True) < score("auth", said)


def test_a_word_that_is_said_and_done_counts_as_both() -> None:
    said, done = "take it out of the git history", "git filter-repo"
    assert score("git", said, "git is clean", done) == pytest.approx(score("git", said) + score("git", "", "", done))


def test_different_words_count_and_the_users_own_most() -> None:
    one, two = score("auth", "the login login fails"), score("auth", "the login login fails with a jwt")
    assert (one, two) == (score("auth", "the login fails"), 2 * one)
    assert 0 < score("auth", "", "check the password") < one
    assert keyword_scores("hello", "there", "", patterns=PATTERNS) == {}
