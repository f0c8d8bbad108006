"""What a memory says that a correction leaves standing: said anew, in several sentences, or of who is there no more."""

import pytest

from pi_memory.merging.kept_beside import by_itself
from pi_memory.merging.put_right import put_right
from pi_memory.merging.remainder import loses_one, merged


def test_of_who_is_no_more_meant_nothing_is_left() -> None:
    assert merged("Bo isn't our vet any more, it's Ada.", "Our vet is Bo. He is in Ash Lane.") is None
    chair, steps_down = (
        "Our chair is Bo Holm. He signs on Thursdays only.",
        "Bo Holm stood down on Monday, Ida Roth has it.",
    )
    assert merged(steps_down, chair, [0.9, 0.1], ["Our chair is Bo Holm.", "Bo Holm signs on Thursdays only."]) is None
    office = "Our vet is Bo. The practice is in Ash Lane."
    assert merged("Bo isn't our vet any more, it's Ada.", office) == "Our vet is Ada. The practice is in Ash Lane."
    said = "Mrs. Ode has moved to Bern. I gave the ladder to Bo at number 3."
    known, claims = (
        "Our ladder is with Mrs. Ode. She is always in.",
        ["Our ladder is with Mrs. Ode.", "Mrs. Ode is in."],
    )
    assert merged(said, known, [0.9, 0.1], claims) is None
    known, claims = (
        "Bo runs the till. Nobody opens it without him.",
        ["Bo runs the till.", "Nobody opens it without him."],
    )
    assert merged("Bo quit. The till went to Ida.", known, [0.9, 0.1], claims) is None
    known, claims = "The dog is on Panacur. Hates me for it.", ["The dog is on Panacur.", "Hates me for it."]
    assert merged("It did nothing, so he gets Milbemax.", known, [0.9, 0.1], claims) is None
    known, claims = (
        "Dr Ode is my tutor at school, and she's a bit scary.",
        ["Dr Ode is my tutor at school", "Dr Ode is a bit scary"],
    )
    assert merged("My tutor is Ida Marsh now.", known, [0.9, 0.1], claims) is None
    context = "There is a ladder with Mrs. Ode."
    assert by_itself(said, f"{context} She is always in.", context, [context, "Mrs. Ode is always in."]) == ""


def test_that_something_was_wrong_is_not_kept_beside_what_is_right() -> None:
    known = "Nora has her birthday on the 3rd of March. She is allergic to eggs."
    said = "I misled you about Nora. Her birthday is on the 5th of March."
    assert merged(said, known) == known.replace("3rd", "5th")


def test_a_last_sentence_of_both_values_puts_the_second_in_the_place_of_the_first() -> None:
    known = "I quoted her 3650 all in. She wants them in duck egg."
    said = "She's had a wobble over the wardrobes. Not duck egg, sage."
    assert merged(said, known) == "I quoted her 3650 all in. She wants them in sage."
    assert merged("Not today, thanks.", known) is None


def test_what_was_wrong_is_told_in_front_of_both_values() -> None:
    known, right = (
        "The fuse box is in the hall cupboard, we found it late.",
        "The fuse box is in the cellar, we found it late.",
    )
    assert (
        merged("No, I told you wrong about the fuses, not the hall cupboard but the cellar, Bo says.", known) == right
    )
    assert merged("I got the fuse box wrong, it's not the hall cupboard but the cellar.", known) == right
    # What stands behind a value is of it, unless somebody begins a clause there.
    coats = "The fuse box is in the hall cupboard, behind the coats."
    assert merged("Not the hall cupboard but the cellar.", coats) == "The fuse box is in the cellar."
    named = "No, not the Moores, it's the Kerrs who have it."
    assert (
        merged(named, "Our spare key is with the Moores downstairs.") == "Our spare key is with the Kerrs downstairs."
    )


def test_a_value_is_denied_in_one_sentence_and_told_in_the_next() -> None:
    known = "Ida is allergic to walnuts."
    assert (
        merged("Actually it isn't walnuts with Ida, I got in a muddle. It's kiwi.", known) == "Ida is allergic to kiwi."
    )
    assert merged("It isn't walnuts, it's oats she can't have.", known) == "Ida is allergic to oats."
    assert merged("The van isn't new. It's a Ford.", "Our van is new.") is None


def test_a_day_is_put_right_though_more_is_said_of_it() -> None:
    known = "Our quiz is on Thursdays, in the back room of the Crown."
    said = "No, the quiz is on Mondays, not Thursdays. The darts team took the room."
    assert put_right(said, known) == "Our quiz is on Mondays, in the back room of the Crown."


def test_a_value_goes_in_its_place_behind_another_sentence_but_not_where_somebody_else_is_named() -> None:
    known = "Band practice is every Monday in the mill."
    assert (
        merged("They moved band practice. It's every Friday now.", known)
        == "Band practice is every Friday in the mill."
    )
    assert (
        merged("We changed it for Will. Practice is every Friday now.", known)
        != "Band practice is every Friday in the mill."
    )


def test_a_number_alone_goes_with_whom_it_is_of() -> None:
    known = "I will get Bo Marten in. He sees to our pump. 0171 222 333."
    said = "Bo Marten does not do pumps any more. We have gone over to Ida Lund, 0171 444 555."
    left = merged(
        said, known, [0.1, 0.9, 0.0], ["I will get Bo Marten in.", "Bo Marten sees to our pump.", "0171 222 333."]
    )
    assert left is None or "222 333" not in left


def test_who_is_gone_leaves_the_others_unless_somebody_else_is_named_instead() -> None:
    hens = "We have two hens, Ada and Bo."
    assert loses_one("Bo died.", hens)
    assert not loses_one("Bo died, it's Ida and Ada now.", hens)
    assert not loses_one("The hens died.", hens)
    assert loses_one("Bo left.", "Ida, Ada and Bo, three of our hens, lay.")
    assert not loses_one("Bo left the choir.", "Ada, Bo and Kit are in my choir.")  # it is put right


def test_no_number_that_was_said_is_lost_where_another_value_goes_in_its_place() -> None:
    known = "Our broadband is with Aller, 32 a month."
    assert merged("We left Aller for Ulmet.", known) == "Our broadband is with Ulmet."
    assert merged("We left Aller for Ulmet, it's 29 a month.", known) == "Our broadband is with Ulmet, it's 29 a month."
    assert merged("We left Aller for Ulmet, 29 a month.", known) == "Our broadband is with Ulmet, 29 a month."


def test_where_exactly_something_was_ends_with_where_it_was() -> None:
    known = "Ada's in hospital, ward 12."
    assert merged("Ada's out of hospital.", known) is None
    assert merged("The Orrs have cancelled.", "Booking for the Orrs 5 to 12 July, 4 people and a dog.") is None
    assert merged("Ada has stopped the iron.", "Ada takes iron, salts.") == "Ada has stopped the iron. Ada takes salts."


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("The dog's evening pill is at 7 now.", "The dog has pills at 8 and at 6.", "The dog has pills at 8 and at 7."),
        ("The dog's morning pill is at 9 now.", "The dog has pills at 8 and at 6.", "The dog has pills at 9 and at 6."),
        (
            "Ada sold the Audi and got a Saab.",
            "Ada drives the Audi and Bo has a Fiat.",
            "Ada drives a Saab and Bo has a Fiat.",
        ),
        ("We had the tank filled again today, 700 litres.", "The tank was filled in May, 900 litres.", None),
        ("Zoe moved out, Ida has her room now.", "Zoe has the back room and Ida has the box room.", None),
    ],
)
def test_what_is_said_of_one_of_two_changes_that_one(said: str, known: str, kept: str | None) -> None:
    assert merged(said, known) == kept


def test_a_part_of_the_day_is_no_piece_by_itself() -> None:
    known = "Kit has asthma, brown inhaler morning and night."
    said = "The inhaler is purple now, the doctor changed it."
    assert merged(said, known) == f"{said} Kit has asthma."


def test_what_follows_from_what_was_so_stays_behind_what_is() -> None:
    known = "Kit is vegan, so we have a shelf for cheese."
    assert merged("Kit isn't vegan, she's vegetarian.", known) == "Kit is vegetarian, so we have a shelf for cheese."
    bike = "I bought my bike for £85, and it's going strong."
    assert merged("I told you the wrong price for the bike, I paid £95.", bike) == bike.replace("85", "95")


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("The iron's stopped, he's on zinc now, 5 mg.", "Dad's on iron, 3 mg.", None),
        (
            "Bo isn't coming back, so Ida's the nurse now, and she comes at eight.",
            "The nurse is Bo, he comes at nine.",
            None,
        ),
        (
            "The hall's shut for repairs, so the meeting will be in the school, on Fridays.",
            "The meeting's in the hall, it's on Thursdays at 7, and tea is 50p.",
            "The meeting's in the school, it's on Fridays at 7, and tea is 50p.",
        ),
        (
            "I had a fright so I've moved the spare key, it's with Ada now.",
            "The spare key is under the pot, and the alarm code's 4417.",
            "The spare key is with Ada, and the alarm code's 4417.",
        ),
        (
            "We're getting it from Alp Coffee now, 16 a kilo.",
            "The user gets coffee from Bern Roast, 18 a kilo.",
            "The user gets coffee from Alp Coffee, 16 a kilo.",
        ),
    ],
)
def test_no_number_or_name_goes_to_what_is_over(said: str, known: str, kept: str | None) -> None:
    assert merged(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("The iron made me ill, I'm on zinc now, 50 mg.", "I take iron, 5 mg, in the morning.", None),
        ("We cut Bern, so it's eight nights in Ulm.", "Two nights in Bern, then six in Ulm.", None),
        ("The doctor's swapped the iron for zinc, 50 mg.", "I take iron, 5 mg, in the morning.", "I take zinc, 50 mg."),
        (
            "Mrs Ode has stepped down and Mr Orr is president.",
            "Our president is Mrs Ode, and the secretary is Ida.",
            "Our president is Mr Orr, and the secretary is Ida.",
        ),
    ],
)
def test_a_number_goes_to_what_it_is_said_of_and_an_office_leaves_the_others(
    said: str, known: str, kept: str | None
) -> None:
    assert merged(said, known) == kept
