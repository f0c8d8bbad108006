"""A list is kept without the item that is over, and only where it is plain which that is."""

import pytest

from pi_memory.merging.one_gone import with_doer_apart, with_one_gone, with_one_more


@pytest.mark.parametrize(
    ("said", "known", "left"),
    [
        ("Bo left the choir.", "Ada, Bo and Kit are in my choir.", "Ada and Kit are in my choir."),
        ("Ada left the choir.", "Ada and Kit are in my choir.", "Kit is in my choir."),
        ("Kit no longer comes.", "Ada and Kit come for lunch on Sundays.", "Ada comes for lunch on Sundays."),
        ("Ada doesn't like tea any more.", "Ada likes jazz, tea and hiking.", "Ada likes jazz and hiking."),
        ("Ada doesn't like jazz any more.", "Ada likes jazz, tea and hiking.", "Ada likes tea and hiking."),
        ("Ada isn't allergic to nuts.", "Ada is allergic to nuts and pollen.", "Ada is allergic to pollen."),
        ("Sams left.", "Ida and jo and sam all work with me.", "Ida and jo work with me."),
        ("Bo's last day was Friday.", "Ida and Bo work for me.", "Ida works for me."),
        ("Sold the pony.", "We have two dogs, a cat and a pony.", "We have two dogs and a cat."),
        ("Bo returned my saw.", "Bo has my drill, my saw and my file.", "Bo has my drill and my file."),
        ("The pub shut down.", "The pub, the shop and the school are old.", "The shop and the school are old."),
    ],
)
def test_the_item_that_is_over_is_taken_out_of_the_list(said: str, known: str, left: str) -> None:
    assert with_one_gone(said, known) == f"{said} {left}"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Bo quit his job.", "Ada, Bo and Kit are in my choir."),
        ("Bo died.", "We have two hens, Ada and Bo."),  # of which there is one left
        ("Ada isn't allergic to nuts, it's sesame.", "Ada is allergic to nuts and pollen."),
        ("Bo left, it's Ida now.", "Ada, Bo and Kit are in my choir."),
        ("Bo isn't coming this week.", "Ada, Bo and Kit come on Fridays."),
        ("Ada doesn't like tea any more.", "Ada and Bo like tea and jazz."),
        ("Bought the milk.", "I like milk, bread and onions."),
        ("We don't have the cat any more.", "We have two cats and a dog."),
        ("I stopped the statin.", "I take a statin in the morning and aspirin at night."),
        ("The van is gone.", "The van and the bike are in the shed. The key is with Bo."),
        ("Bo left the choir.", "Ada is in my choir."),
        ("got the lot", "Dad needs to see the doctor, the dentist and the nurse."),
    ],
)
def test_nothing_is_taken_out_where_it_is_not_plain_which(said: str, known: str) -> None:
    assert with_one_gone(said, known) is None


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Bought the milk.", "We need bin bags, oats and jam."),
        ("We've got the milk and the bin bags.", "We need oats and jam."),
        ("take the oats off", "We need milk, bin bags and jam."),
        ("we dont need jam any more", "We need milk, bin bags and oats."),
        ("got the lot", "Got the lot."),
    ],
)
def test_of_what_is_needed_only_that_is_left_which_nobody_got(said: str, left: str) -> None:
    assert with_one_gone(said, "We need milk, bin bags, oats and jam.") == left


def test_a_list_gets_longer_and_shorter() -> None:
    known = "On the shopping list: milk."
    for said, now in [
        ("On the list: oat bread.", "On the shopping list: milk and oat bread."),
        ("On the shopping list: eggs.", "On the shopping list: milk, oat bread and eggs."),
        ("On the list: eggs.", "On the shopping list: milk, oat bread and eggs."),
        ("Got the oat bread.", "On the shopping list: milk and eggs."),
        ("We've bought the milk now.", "On the shopping list: eggs."),
        ("Got the eggs.", "Got the eggs."),
    ]:
        known = with_one_more(said, known) or with_one_gone(said, known) or ""
        assert known == now
    assert with_one_more("On the to-do list: nails.", "On the shopping list: eggs.") is None
    assert with_one_more("On the list: nails.", "The list is on the fridge.") is None


def test_one_of_several_does_something_else_and_the_others_what_they_did() -> None:
    known = "Tyres and tubes come from Ulm."
    assert with_doer_apart("Tyres come from Bern now.", known) == "Tyres come from Bern now. Tubes come from Ulm."
    assert with_doer_apart("The van comes from Bern now.", known) is None
    assert with_doer_apart("The road was shut, so Tyres and I go to Bern.", known) is None
    assert with_doer_apart("Tyres come from Bern now.", "Tyres come from Ulm.") is None
