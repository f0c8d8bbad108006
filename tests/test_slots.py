"""Another day, time, price, place or name in the slot of a memory that has one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.merging.remainder import merged
from pi_memory.merging.slots import slots_in, with_denied, with_piece, with_slots

CHOIR = "Choir is in the church hall on Thursdays at 7.30."
JO = "My sister Jo lives in Deal and works at the mill."
COT = "The cot is in the cupboard under the stairs."


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("Choir starts at 8 now.", CHOIR, "Choir is in the church hall on Thursdays at 8."),
        ("Choir's moved to the school.", CHOIR, "Choir is in the school on Thursdays at 7.30."),
        ("choir is on tuesday at 7 now", CHOIR, "Choir is in the church hall on tuesday at 7."),
        ("Judo is 7 o'clock now.", "Judo is wednesday 6.30 at the hut.", "Judo is wednesday 7 o'clock at the hut."),
        (
            "Ida works Thursday and Friday now.",
            "Ida works at the inn Monday to Wednesday.",
            "Ida works at the inn Thursday and Friday.",
        ),
        ("Chess finishes at 4.30 now.", "Kit has chess on Fridays till 4.15.", "Kit has chess on Fridays till 4.30."),
        (
            "Lou's staying till Friday now.",
            "Lou is staying in the loft till Sunday.",
            "Lou is staying in the loft till Friday.",
        ),
        ("The vet shuts at 7 now.", "The vet opens at 9 and shuts at 6.", "The vet opens at 9 and shuts at 7."),
        ("Dinner is at 8 now.", "Dinner is booked at Dina's for 7.30.", "Dinner is booked at Dina's at 8."),
        ("Rehearsal, Saturday at noon.", "Rehearsal is Sunday at 6.", None),
        ("The compost comes on Mondays.", "The compost comes every second Friday.", None),
        (
            "Rowing is second Monday now.",
            "Rowing is on the first Friday of the month.",
            "Rowing is on the second Monday of the month.",
        ),
        (
            "The cat has hers at 7 in the evening now.",
            "The cat has hers at bedtime.",
            None,
        ),
        ("The fees went up to £13.", "Fees: £12.50 a week each, paid online.", "Fees: £13 a week each, paid online."),
        ("Gas is £95 now.", "Gas is £80 a month and water £30.", "Gas is £95 a month and water £30."),
        (
            "The sweep is called Ada now.",
            "The sweep comes in May and is called Bo.",
            "The sweep comes in May and is called Ada.",
        ),
        ("Ida's in year 1 now.", "Ida is in reception and Max in year 2.", "Ida is in year 1 and Max in year 2."),
        ("Kit is in year 4 now.", "Kit is in year 3 with Ms Orr.", "Kit is in year 4 with Ms Orr."),
        ("Jo lives in Hythe now.", JO, "My sister Jo lives in Hythe and works at the mill."),
        ("Jo works at the inn now.", JO, "My sister Jo lives in Deal and works at the inn."),
        ("Jo quit the mill, she works at the inn now.", JO, "My sister Jo lives in Deal and works at the inn."),
        (
            "Gran moved into room 31.",
            "Gran moved into Elm Court, she's in room 12.",
            "Gran moved into Elm Court, she's in room 31.",
        ),
        ("The cot is in the loft now.", COT, None),
        (
            "My desk is on the second floor now.",
            "My desk is by the door on the third floor.",
            "My desk is by the door on the second floor.",
        ),
        (
            "The flight is from Ulm now.",
            "The flight to Bern is on 3 May from Orly.",
            "The flight to Bern is on 3 May from Ulm.",
        ),
        (
            "The Saab's tax is due on 4 May now.",
            "The Audi's tax is due on 3 June and the Saab's on 9 July.",
            "The Audi's tax is due on 3 June and the Saab's on 4 May.",
        ),
        (
            "The red bin is Friday now.",
            "Red bin is Monday, blue bin is the Monday after.",
            "Red bin is Friday, blue bin is the Monday after.",
        ),
        (
            "The quiz is at jan's now not at Bo's.",
            "The quiz is on Mondays at Bo's.",
            "The quiz is on Mondays at jan's.",
        ),
        (
            "The band's at the mill from now on.",
            "We play in a band called the Gulls, we rehearse Mondays at the barn.",
            "We play in a band called the Gulls, we rehearse Mondays at the mill.",
        ),
        (
            "My aunt moved to Bradford.",
            "My aunt in law lives in Leeds with her son.",
            "My aunt in law lives in Bradford.",
        ),
        (
            "Maeve's in Hythe now.",
            "My sister Maeve lives in Deal with two cats.",
            "My sister Maeve lives in Hythe with two cats.",
        ),
        (
            "Maeve's moved to Limerick, by the way.",
            "My sister Maeve lives in Galway and she's a midwife.",
            "My sister Maeve lives in Limerick and she's a midwife.",
        ),
        (
            "Dad's moved again, he's in Bruges now.",
            "My mum lives in Assen and my dad moved to Ghent.",
            "My mum lives in Assen and my dad moved to Bruges.",
        ),
        (
            "The gig is at the Tannery now.",
            "The gig is at the Anchor, and we get fifty for it.",
            "The gig is at the Tannery, and we get fifty for it.",
        ),
        ("Quiz is at Dina's.", "Quiz is at Lorna's, first Wednesday at 7.", "Quiz is at Dina's, first Wednesday at 7."),
    ],
)
def test_what_is_said_of_the_same_thing_goes_in_its_slot(said: str, known: str, kept: str | None) -> None:
    assert merged(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Choir is not at the church hall this week.", CHOIR),
        ("Choir is at 8 today.", CHOIR),
        ("The milk comes on Fridays.", "Bo is a baker and works nights on Mondays."),
        ("The plumber is at number 14 now.", "Our house is number 12."),
        ("The drill is in the shed now.", "The drill is lent to Bo."),
        ("Chess starts at 4 now.", "Kit has chess on Fridays till 4.15."),
        ("Ada calls on Saturday mornings now.", "Ada calls on Wednesdays around 7."),
        ("The band is at home now.", "We play in a band."),
    ],
)
def test_what_is_no_other_value_of_a_slot_goes_in_none(said: str, known: str) -> None:
    assert with_slots(said, known) is None


def test_slots_have_what_leads_to_them() -> None:
    found = [
        (slot.lead, slot.value)
        for slot in slots_in("From 9 to 5pm on Mondays and Fridays at the inn for £8, till 3 May")
    ]
    assert found == [
        ("From", "9 to 5pm"),
        ("on", "Mondays and Fridays"),
        ("at", "the inn"),
        ("", "£8"),
        ("till", "3 May"),
    ]


@given(st.text(alphabet="at 9.30pm£12 on Monday 3 May till the hall, and year 4\n", max_size=200))
def test_slots_of_any_text_lie_apart_in_it(text: str) -> None:
    slots = slots_in(text)
    assert all(0 <= slot.begin < slot.end <= len(text) for slot in slots)
    assert all(one.end <= other.begin for one, other in pairwise(slots))


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("Des can't do Thursday, it'll be Friday now.", "Des comes Thursday at 10.", "Des comes Friday at 10."),
        ("Des rang, he can't do Thursday, it'll be Friday.", "Des comes Thursday at 10.", "Des comes Friday at 10."),
        ("My op isn't on the 3rd, they gave me the 17th.", "My op is on 3 March.", "My op is on 17 March."),
        (
            "The talk can't be Tuesday, so it's Thursday.",
            "The talk is on Tuesday at 9.",
            "The talk is on Thursday at 9.",
        ),
        (
            "Des can't do Thursday, it'll be Friday, and he's happy without a deposit.",
            "Des comes Thursday.",
            "Des comes Friday. He's happy without a deposit.",
        ),
        ("Bo can't do Monday, he's here on Friday.", "Des comes Thursday at 10.", None),
        ("Des can't do Thursday.", "Des comes Thursday at 10.", None),
        ("Des comes Thursday, not that I mind.", "Des comes Thursday at 10.", None),
    ],
)
def test_a_value_goes_in_the_slot_of_the_one_that_is_denied(said: str, known: str, kept: str | None) -> None:
    assert with_denied(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("The roof leaks, so choir's at the school.", CHOIR, "Choir is at the school on Thursdays at 7.30."),
        ("We had a tidy up so the cot's in the loft.", COT, "The cot is in the loft."),
        ("Ida was off sick so it's Friday now.", "Kit's test is on Monday.", "Kit's test is on Friday."),
        (
            "They moved my op to 4 May and Ada drives me there.",
            "My op is on 3 May.",
            "My op is on 4 May. Ada drives me there.",
        ),
        (
            "We've moved the saw to the shed.",
            "The saw is under the stairs and has a blade.",
            "The saw is in the shed and has a blade.",
        ),
        ("Bo switched to nights, he's home at six.", "Bo works at the mill.", None),
        ("Bo has gone on to Ulm, I see Ida now.", "My vet is Bo on Mill Lane.", None),
        ("The roof leaks, and the shop is shut.", CHOIR, None),
        ("The plugin is mended, we're in room 5.", "We stay in room 4 until the plugin is mended.", None),
    ],
)
def test_a_piece_of_what_was_said_goes_in_its_slot(said: str, known: str, kept: str | None) -> None:
    assert (with_slots(said, known) or with_piece(said, known)) == kept


PHRASES = (
    *("to Bo", "in the hall", "at 7", "on Mondays", "on 3 May", "the 4th", "from Ulm", "in year 4", "£8", "called Ada"),
    *("is", "moved", "isn't", "can't do", "Choir", "Bo's", "it's", "now", "so", ", and", ",", ".", "not", "instead"),
    *("till Friday", "with Ada", "first Friday of the month", "he", "5 mg", "half six", "to the shed", "again"),
)
SAYINGS = st.lists(st.sampled_from(PHRASES), max_size=9).map(" ".join)


@given(SAYINGS, SAYINGS)
def test_any_two_sayings_are_merged_or_not(said: str, known: str) -> None:
    for found in (merged(said, known), with_slots(said, known), with_piece(said, known), with_denied(said, known)):
        assert found is None or found.strip()
