"""What a statement makes untrue by its plain form."""

import pytest

from pi_memory.judges.replacement import LEAST_CHANCE
from pi_memory.learning.learner import LEAST_CHANCE_OF_REMARK
from pi_memory.store.conflicts import POSSIBLE
from tests.test_replacement import KEY, VET, chance, chances


def test_what_is_said_to_be_instead_of_a_code_ends_what_has_it() -> None:
    old = ["Grafana listens on 9080.", "The garage has a new door."]
    assert [
        each >= LEAST_CHANCE for each in chances("The server has a certificate, port 9443 instead of 9080.", *old)
    ] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    "said",
    [
        "I told you dark grey for the landing, but I have asked and it is teal.",
        "I wrote dark grey for the landing, I meant teal.",
        "I said dark grey but it's teal that the landing has.",
        "The wall above the stairs isn't Dark Grey but Teal, I read the wrong tin.",
    ],
)
def test_what_was_told_wrongly_ends_what_says_it(said: str) -> None:
    old = ["The wall above the stairs has a coat of dark grey.", "The shed is brown.", "The landing has a lamp."]
    assert [each >= LEAST_CHANCE for each in chances(said, *old)] == [True, False, False]
    beside = "I said that the shed is brown, but it is dark in there."
    assert not any(each >= LEAST_CHANCE for each in chances(beside, *old))


def test_who_was_left_for_somebody_else_is_the_one_who_did_it() -> None:
    does, other = "Birk clips our hedge, the man with the blue van.", "The roses are from Birk."
    found = chances("The hedge is done by Solveig now, Birk got too dear.", does, other, VET)
    assert [each >= LEAST_CHANCE for each in found] == [True, False, False]


def test_a_day_that_is_given_up_for_another_ends_the_nearest_of_that_day() -> None:
    old = ["They drop the crates on Mondays so I keep the yard clear.", "Bo has judo on Mondays."]
    found = chances("Their lorry comes on Thursdays from here on, no more Mondays.", *old)
    assert [each >= LEAST_CHANCE for each in found] == [True, False]


def test_who_takes_over_ends_who_did_it_before() -> None:
    elected = "Bo Holm stood down at the meeting on Monday, and Ida Roth was elected chair."
    chair, key = chances(
        elected, "Our chair is Bo Holm. He signs on Thursdays only.", "Bo Holm has the key of the boat."
    )
    assert chair >= LEAST_CHANCE > key


def test_who_has_taken_one_thing_over_ends_who_did_it() -> None:
    bakes, when = "Ida bakes the cakes for the mill.", "The cakes go out on Fridays."
    taken, beside = chances("Ada Holm has taken over the cakes, and she is glad of it.", bakes, when)
    assert taken >= LEAST_CHANCE > beside
    assert max(chances("Ada Holm has taken over the boats.", bakes, when)) < LEAST_CHANCE
    assert chances("Ada has taken over the cakes.", bakes, when, VET, KEY)[0] >= LEAST_CHANCE


def test_what_does_not_come_before_another_day_ends_the_nearest_one_with_a_day_to_come() -> None:
    glazier, birthday = "The man for the attic window is coming on Wednesday.", "Ida's birthday is on the 4th of May."
    window, other = chances("The glass people rang, they can't get here till Monday.", glazier, birthday)
    assert window >= LEAST_CHANCE > other
    late = "The joiner wrote that he isn't free before the 19th."
    assert chances(late, "The joiner comes on the 11th of June.", VET)[0] >= LEAST_CHANCE
    assert max(chances(late, "The joiner comes every Friday.", birthday)) < LEAST_CHANCE


def test_what_is_not_so_but_otherwise_ends_the_only_one_that_says_so() -> None:
    fuses = "The fuse box is in the hall cupboard, behind the coats."
    assert chances("No, not the hall cupboard but the cellar.", fuses, VET, KEY)[0] >= LEAST_CHANCE
    assert max(chances("No, not the hall cupboard but the cellar.", VET, KEY)) < LEAST_CHANCE


def test_where_something_was_left_today_ends_where_it_was_left_before() -> None:
    before = "I parked the van on level 4 of the Heron garage."
    assert chance("I parked the van on level 6 of the Heron garage today.", before) >= LEAST_CHANCE_OF_REMARK
    assert chance("I take the bus to work today.", "I take the tram to work.") < LEAST_CHANCE


def test_a_value_that_is_denied_ends_the_only_one_that_has_it() -> None:
    stools, lamp = "Four stools for Anna, 26 inches to the seat.", "The lamp is 26 inches."
    assert chance("She measured wrong: seats at 29, not 26.", stools) >= LEAST_CHANCE
    assert max(chances("I have 3, not 26.", stools, lamp)) < LEAST_CHANCE


def test_what_was_called_off_is_the_nearest_that_was_to_be() -> None:
    fair, birthday = "The fair is on 6 May on the green.", "Bo's birthday is on Friday."
    assert [each >= LEAST_CHANCE_OF_REMARK for each in chances("The fair is off.", fair, birthday)] == [True, False]
    assert chances("Bo is off.", birthday, VET)[0] < POSSIBLE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We moved from Cypress to Playwright.", "End-to-end tests run with Cypress."),
        ("Tailwind is at 4 now.", "Styling is done with Tailwind 3."),
        ("Postgres was upgraded to 16.", "Postgres 14 is used for orders with 30 connections."),
    ],
)
def test_what_was_left_for_another_tool_or_version_ends(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] >= LEAST_CHANCE_OF_REMARK


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("dad's off bisoprolol", "Dad takes metformin twice a day with food, bisoprolol mornings."),
        ("no more bisoprolol for dad", "Dad takes metformin twice a day with food, bisoprolol mornings."),
        ("cancelled netflix", "Netflix is 11 a month on Ada's card."),
        ("Kit packed in swimming.", "Kit goes to swim club Tuesdays at 5."),
        ("bo called off the crowns", "Bo wants the crowns by Friday 10am."),
        ("Dentist moved to next Tuesday.", "Dentist appointment Thursday at 14:00."),
        ("Ada moved to Bern.", "Ada lives in Ulm, birthday 4 May, drives the van."),
        ("we upgraded postgres to 16", "The api runs on port 8081, postgres 14 behind it."),
        ("Kruse has a new number, 0421 776655.", "The landlord is Mr Kruse, 0421 998811."),
        ("Carol can't make Sunday.", "Carol is coming for lunch on Sunday."),
        ("Kruse has paid.", "Kruse owes me 240 for the wheelset."),
        ("aspirin stopped", "Dad takes aspirin in the morning."),
        ("tubes ordered", "Order 40 inner tubes by Friday."),
    ],
)
def test_what_is_done_no_more_moved_or_done_ends(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE_OF_REMARK


def test_a_day_off_ends_nothing_and_whose_thing_it_is_does_not_hide_it() -> None:
    assert chance("Bo's off work today.", "Bo works at the mill.") < LEAST_CHANCE
    assert chance("crane's been called off", "The crane's booked for Friday 7am, 310 a day.") >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "I've been sending the blades to Birk once a month.",
            "The blades go to Birk, I send him some every six weeks.",
        ),
        ("The window cleaner comes every four weeks.", "The window cleaner comes every six weeks and costs 14."),
        ("We have rye bread on Fridays instead, spelt got too dear.", "Fridays mean spelt bread."),
    ],
)
def test_what_is_done_more_often_or_with_something_else_ends(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE


def test_how_often_something_else_is_done_ends_nothing() -> None:
    assert chance("I see Birk once a month.", "The window cleaner comes every six weeks.") < LEAST_CHANCE
