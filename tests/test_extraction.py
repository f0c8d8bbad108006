"""What a session teaches: only what the user says, with the words it rests on, in the place where it belongs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.learning.extraction import extract, grounded
from pi_memory.types import Candidate, Exchange, ToolCall

AT = 1_771_770_600.0

LEARNED = [
    ("I prefer tea.", "highest", "user/preferences", "The user prefers tea."),
    ("My name is Ada", "highest", "user/profile", "The user's name is Ada."),
    ("Always use tabs", "highest", "user/preferences", "Always use tabs."),
    ("Always use tabs in this repo", "highest", "project/shop/rules", "Always use tabs in this repo."),
    ("No, the path is /srv/a, not /srv/b", "highest", "project/shop/facts", "The path is /srv/a, not /srv/b."),
    ("Remember that my car is red", "highest", "user/facts", "The user's car is red."),
    (
        "Let's use SQLite as it is small",
        "medium",
        "project/shop/decisions",
        "Let's use SQLite as it is small.",
    ),
    ("I usually deploy on Mondays", "medium", "user/preferences", "The user usually deploys on Mondays."),
    ("The API listens on port 8080", "low", "project/shop/facts", "The API listens on port 8080."),
    ("My sister Anna lives in Lyon", "low", "user/facts", "The user's sister Anna lives in Lyon."),
    ("I bought a bike yesterday", "low", "user/facts", "The user bought a bike yesterday. (Said on 2026-02-22.)"),
]
NOTHING = [
    "my stand number in Viroqua",
    "We must take the cat to Dr. Sand. Where is his box?",
    "Hello there, how are you?",
    "thanks, that is great",
    "Is the API on port 8080?",
    "I want to deploy version 2.1 now",
    "I think the port is 8080",
    "I get an error in /srv/app/main.py",
    "can you look at /srv/app/main.py",
    "```\nThe API listens on port 8080\n```",
    "> The API listens on port 8080",
    "The log says:\nThe API listens on port 8080",
    "My card is 4111 1111 1111 1111 by the way",
    "Off the record: my sister Anna lives in Lyon",
    "I never understood monads",
    "I wish my sister Anna lived in Lyon",
    "Let us see why it uses src/a.py before we go on",
]


def said(user: str, reply: str = "Fine.", *calls: ToolCall, project: str | None = "/home/me/shop") -> Exchange:
    return Exchange("c", user, reply, AT, tool_calls=calls, project=project)


def learned(*exchanges: Exchange) -> list[Candidate]:
    return extract(list(enumerate(exchanges, 1)))


def run(command: str, **more: str) -> ToolCall:
    return ToolCall("bash", {"command": command, **more})


@pytest.mark.parametrize(("text", "priority", "namespace", "content"), LEARNED)
def test_what_is_learned(text: str, priority: str, namespace: str, content: str) -> None:
    (found,) = learned(said(text))
    assert (found.priority, found.namespace, found.content) == (priority, namespace, content)
    assert found.quote in text
    assert found.exchange_id == 1


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not(text: str) -> None:
    assert learned(said(text)) == []


def test_what_the_assistant_says_is_not_learned_nor_what_was_recalled() -> None:
    exchange = Exchange("c", "What now?", "I prefer tea. The API listens on port 8080.", AT, context="I prefer tea.")
    assert learned(exchange) == []


def test_an_error_with_what_the_user_says_resolved_it() -> None:
    found = learned(
        said("The build fails with error: linker not found"),
        said("And if I install gcc?", "Try it."),
        said("it works now, the fix was installing gcc-aarch64"),
    )
    assert [(c.priority, c.type, c.namespace, c.source) for c in found] == [
        ("high", "procedural", "project/shop/fixes", "error_resolution")
    ]
    assert "linker not found" in found[0].content
    assert "gcc-aarch64" in found[0].content
    assert found[0].exchange_id == 3


def test_an_error_with_what_was_run_until_it_worked() -> None:
    found = learned(
        said("Start the site", "It failed.", run("hugo server", error="Error: module not found: theme\n")),
        said("try again", "Done.", run("git submodule update --init"), run("ls themes")),
        said("great, that worked"),
    )
    (fix,) = [c for c in found if c.priority == "high"]
    assert fix.content.startswith("Problem: Error: module not found: theme. Resolved: ")
    assert "`git submodule update --init`" in fix.content
    assert "ls themes" not in fix.content
    assert fix.quote == "Error: module not found: theme"


def test_an_error_that_nobody_solved_teaches_nothing() -> None:
    assert learned(said("The build fails with error: x"), said("it still doesn't work now"), said("never mind")) == []


def test_commands_that_did_what_was_asked() -> None:
    deploy = said("deploy the site", "Done.", run("hugo build"), run("cat x"), run("rsync -a public/ web:/srv"))
    (found,) = learned(deploy, said("Great!"))
    assert found.content == "Deploy the site. What did it: `hugo build`, then `rsync -a public/ web:/srv`."
    assert (found.priority, found.source, found.quote) == ("medium", "pattern", "deploy the site")
    assert learned(deploy) == [], "nobody knows how it ended"
    assert learned(deploy, said("no, that broke it")) == []


def test_without_a_project_lessons_hold_everywhere_and_facts_about_no_one_are_left_out() -> None:
    assert learned(said("The API listens on port 8080", project=None)) == []
    (fix,) = learned(said("x fails with error: y", project=None), said("solved, it was z", project=None))
    assert fix.namespace == "global/fixes"


def test_a_secret_is_left_out_of_everything_but_what_is_to_be_remembered() -> None:
    assert learned(said("I usually log in with password=hunter2"), said("From now on use token=abc123 for it")) == []
    (found,) = learned(said("Remember that my PIN is 4711"))
    assert found.content == "The user's PIN is 4711."


def test_a_candidate_without_the_words_of_a_user_or_a_tool_is_dropped() -> None:
    exchange = said("I prefer tea.", "You prefer coffee.", run("make tea"))
    for quote, kept in (("I prefer tea.", 1), ("make tea", 1), ("You prefer coffee.", 0), ("", 0), ("I PREFER", 0)):
        assert len(grounded([Candidate("x", quote=quote, exchange_id=1)], [(1, exchange)])) == kept
    assert grounded([Candidate("x", quote="I prefer tea.", exchange_id=2)], [(1, exchange)]) == []


TEXTS = st.sampled_from([*(row[0] for row in LEARNED), *NOTHING, "it works now, it was x", "y fails with error: z", ""])


@given(st.lists(st.builds(said, TEXTS | st.text(max_size=60), TEXTS), max_size=6))
def test_every_candidate_has_its_words(exchanges: list[Exchange]) -> None:
    for candidate in learned(*exchanges):
        exchange = exchanges[(candidate.exchange_id or 0) - 1]
        assert candidate.quote
        assert candidate.quote in exchange.user
        assert candidate.content
