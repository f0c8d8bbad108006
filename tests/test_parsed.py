"""A statement in parts."""

import pytest

from pi_memory.config import Config
from pi_memory.judges.parsed import Parser

PARSER = Parser(Config().folder("heads") / "replacement.toml")


def test_words_have_kinds_and_a_verb_stands_behind_the_subject() -> None:
    parsed = PARSER.parsed("Max plays chess on Tuesdays at 7 in Ludlow.")
    assert dict(zip(parsed.tokens, parsed.kinds, strict=True)) == {
        "Max": "word", "plays": "word", "chess": "word", "on": "word", "Tuesdays": "day", "at": "word", "7": "number",
        "in": "word", "Ludlow": "name",
    }  # fmt: skip
    assert parsed.subject == {"max"}
    assert parsed.values_behind == {"tuesday", "7", "ludlow"}


def test_a_verb_may_be_written_with_its_subject() -> None:
    parsed = PARSER.parsed("They've put Max in the other group.")
    assert parsed.subject == frozenset()
    assert {"max", "group"} <= parsed.predicate


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("We quit the bakery.", "bakeri"),
        ("On Mondays, not Tuesdays.", "tuesday"),
        ("He moved from Oslo to Bern.", "oslo"),
    ],
)
def test_what_is_over_is_given_up(text: str, over: str) -> None:
    assert over in PARSER.parsed(text).given_up


def test_a_condition_says_nothing_of_a_change() -> None:
    assert "changes" in PARSER.parsed("We meet in the barn now.").says
    assert "changes" not in PARSER.parsed("If it has moved we meet in the barn.").says


def test_what_a_text_says_is_told_one_by_one_with_what_its_pronouns_stand_for() -> None:
    said = "My son is called Max. He is six, and his bike is red."
    assert PARSER.claims(said, "") == ("My son is called Max.", "Max is six", "Max's bike is red.")
    assert PARSER.claims(said, "He is six, and his bike is red.") == ("Max is six", "Max's bike is red.")
    assert PARSER.claims("Anna starts on Monday. Her desk is in Bern.", "") == (
        "Anna starts on Monday.",
        "Anna's desk is in Bern.",
    )
    assert PARSER.claims("Poppy's birthday is in May. She likes otters.", "")[1] == "Poppy likes otters."
    full = "Ada Crane has her lesson on Mondays and her mother drives her."
    assert PARSER.claims(full, "") == ("Ada Crane has her lesson on Mondays", "Ada Crane's mother drives her.")
    lodger = "We have a lodger upstairs, Ola, a quiet lad. He pays 90 a week."
    assert PARSER.claims(lodger, "He pays 90 a week.") == ("Ola pays 90 a week.",)
    sweep = "The sweep comes in May. I pay him 40. I feed her cat."
    assert PARSER.claims(sweep, "")[1:] == ("I pay The sweep 40.", "I feed her cat.")
    assert PARSER.claims("I took the corner desk, and it costs 90.", "")[1] == "the corner desk costs 90."
    app = "I'm on Heron again, my little app that sorts what is in the mail. It is in Rust."
    assert PARSER.claims(app, "") == (
        "I'm on Heron again, my little app that sorts what is in the mail.",
        "Heron is in Rust.",
    )
    assert PARSER.claims("We said so, it costs 90 a month.", "")[-1] == "it costs 90 a month."
    assert PARSER.claims("It rains. We stay in.", "") == ("It rains. We stay in.",)


def test_a_pronoun_stands_for_nobody_where_it_is_not_plain_for_whom() -> None:
    assert PARSER.claims("Anna has her class on Monday. They hold it in Bern.", "")[1] == "They hold it in Bern."
    assert PARSER.claims("Dr. Ode is her dentist. She sleeps with a toy hare.", "")[1] == "She sleeps with a toy hare."
    assert PARSER.claims("The Lunts live in Bern. They keep two hares.", "")[1] == "Lunts keep two hares."


def test_he_or_she_is_the_one_of_the_family_that_a_sentence_about_the_user_names() -> None:
    said = "We sail on Monday, as my mother wants to be there. She lives in Bern, and her dog is deaf."
    assert PARSER.claims(said, "")[1:] == ("my mother lives in Bern", "my mother's dog is deaf.")
    said = "The user rang the user's brother. He lives in Bern."
    assert PARSER.claims(said, "")[1] == "the user's brother lives in Bern."
    assert PARSER.claims("We rang my brother and my sister. She lives in Bern.", "")[1] == "She lives in Bern."
    assert PARSER.claims("He lives in Bern, and his dog is deaf.", "")[1] == "his dog is deaf."
    assert PARSER.claims("Aunt Ida takes her pill at six, and it needs food.", "")[-1] == "it needs food."


def test_the_left_side_is_nobody_who_left() -> None:
    assert "changes" not in PARSER.parsed("I push the left corner while I turn the handle.").says
    assert "changes" in PARSER.parsed("Bo left the bakery.").says


def test_whoever_is_described_is_who_the_next_clause_is_about() -> None:
    text = "Ola the carver lives in Ulm and she's allergic to resin."
    assert PARSER.claims(text, "") == ("Ola the carver lives in Ulm", "Ola is allergic to resin.")
