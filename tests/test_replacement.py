"""How likely a newer statement makes an older one untrue."""

import asyncio
from functools import cache

import pytest

from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.judges.heads import SignsAndVectors
from pi_memory.judges.pair_signs import Said
from pi_memory.judges.replacement import IN_DOUBT, LEAST_CHANCE, Replacement
from pi_memory.store.conflicts import POSSIBLE
from tests.test_conflicts import MINILM

JUDGE = Replacement(Config().folder("heads"))


@cache
def default() -> GgufEmbedder:
    """The default embedder, for which the judge was fitted."""
    return GgufEmbedder.open(MINILM, adapters=Config().folder("adapters"))


@cache
def said(text: str) -> Said:
    (vector,) = asyncio.run(default().embed([text]))
    return Said(text, vector)


KEY, VET = "The spare key is in the shed.", "Our vet is Doctor Ellis."
HERE = SignsAndVectors.load(Config().folder("heads") / "replacement.json").space


def chances(new: str, *olds: str) -> list[float]:
    found = asyncio.run(default().read([(new, old) for old in olds], "pairs"))
    assert found is not None
    read = dict(zip(olds, found, strict=True))
    return [float(each) for each in JUDGE.chances(said(new), list(map(said, olds)), embedder=HERE, read=read)]


@pytest.mark.parametrize(
    ("new", "ended"),
    [
        ("The spare key is now at Anna's.", KEY),
        ("The vet has changed, we now go to Doctor Brandt instead.", VET),
    ],
)
def test_a_newer_value_ends_the_nearest_older_one(new: str, ended: str) -> None:
    assert [each >= LEAST_CHANCE for each in chances(new, KEY, VET)] == [each is ended for each in (KEY, VET)]


def test_what_is_about_something_else_ends_nothing() -> None:
    assert max(chances("The meeting is on Friday now.", KEY, VET)) < LEAST_CHANCE


def test_what_is_far_from_a_statement_and_shares_no_word_with_it_does_not_end_it() -> None:
    told = "I have nothing to do until lunch time, which has not happened since about 1987."
    new = (
        "The playgroup is a worry this year: I do the fetching, they come out at ten past three and there is nowhere "
        "to stop, so I leave the van by the tennis court and walk round, which is fine in summer."
    )
    assert chances(new, told)[0] < LEAST_CHANCE


def test_a_number_in_common_and_a_unit_end_nothing() -> None:
    limit = "The weather service answers 40 requests a minute at most, after that it hangs up."
    asks = "Per valley, good. It asks the river office for levels every 20 minutes, they were kind on the phone."
    assert chances(asks, limit, VET)[0] < LEAST_CHANCE


def test_another_number_alone_ends_nothing_that_shares_no_word_with_it() -> None:
    assert max(chances("Charger limited to 4.2 kW.", "Panels are 8.5 kWp.", "Hot water heats at noon.")) < LEAST_CHANCE


def test_another_date_of_the_same_thing_ends_it_though_nothing_says_so() -> None:
    old = ["We set off on 3 July.", "Bo was born on 12 July."]
    found = chances("The hut was let twice, so we go on 10 July.", *old)
    assert [each >= LEAST_CHANCE for each in found] == [True, False]


def test_what_comes_first_in_a_sentence_is_what_it_says() -> None:
    rings = "On Sundays I ring our Otto in Peru."
    assert chances("It's Thursdays now that I ring our Otto.", rings, VET)[0] >= LEAST_CHANCE


def test_a_name_alone_is_no_condition() -> None:
    size = "If anybody knits for Otto, his head is size 50."
    assert chances("They measured Otto at the hatter's and he has a size 54.", size, VET)[0] >= LEAST_CHANCE


def test_what_happens_on_a_condition_ends_before_what_is_so_then() -> None:
    ladder = "If I ever have to get on the roof: the ladder is with Mr Lund in the attic."
    assert chances("We gave our ladder to Priya, the man in the attic moves out.", ladder, VET)[0] >= LEAST_CHANCE


def test_another_day_of_what_both_name_ends_it_without_a_word_of_change() -> None:
    glass = "glass gets picked up on Tuesdays and Mr Lund at number 4 has our key"
    assert chances("The leaflet came, they collect the glass on Fridays", glass, VET)[0] >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The code for the chest on the quay is 7714.", "There's a chest on the quay for the crew. The code is 5093."),
        ("The kitchen is going to be Pale Moss.", "The kitchen is going to be Deep Plum. It takes two coats."),
        ("Moss eats the turkey tins.", "Ida's dog is called Moss and only eats the herring tins."),
        ("The user and Bo are going to malmö in may.", "In may the user is going to tartu with Bo."),
        ("Actually Kit is allergic to latex, I had misread it.", "Kit is allergic to nuts."),
    ],
)
def test_what_says_the_same_with_another_value_ends_it(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] >= LEAST_CHANCE


def test_the_time_of_day_is_no_value_that_is_known_already() -> None:
    sleeps = "At night the cat curls up under the stairs."
    assert chances("The cat has gone shy and curls up by the stove at night.", sleeps, VET)[0] >= (LEAST_CHANCE)


def test_a_name_put_down_for_something_is_no_change() -> None:
    new = "We have put our names down for the county regatta in Ulm."
    assert max(chances(new, "Our rowing club has the boat house on Mondays.", VET, KEY)) < LEAST_CHANCE


def test_now_of_what_somebody_knows_is_no_change() -> None:
    valve = "You have to push the valve in while you turn it, otherwise nothing moves."
    assert chances("I know the trick now. You hold the red button and let it go slowly.", valve, VET)[0] < LEAST_CHANCE


def test_without_a_word_of_change_only_another_value_of_the_same_kind_ends() -> None:
    bins = "The bins go out on Tuesday."
    assert chances("The bins go out on Thursday.", bins, VET)[0] >= 0.8
    assert chances("The bins are green.", bins, VET)[0] < LEAST_CHANCE


def chance(new: str, old: str) -> float:
    """Of two statements about the same, beside one about something else."""
    return chances(new, old, VET)[0]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The sledge is in the loft.", "The sledge is stored at Uncle Bert's."),
        ("The drill is back, it's hanging in the shed.", "Our drill is at Mona Reed's at the moment."),
        ("Our accountant is Ida Moss.", "Our accountant is Paul Crane."),
        ("Ned gets 9 pounds for walking the dog now.", "A boy called Ned walks our dog. He gets 7 pounds."),
        ("Max plays in Ludlow now.", "My son is called Max. He plays in Bewdley."),
        ("Box 5 is on shelf 16.", "Box 5 is on shelf 12."),
        ("I parked the car on level 7 today.", "I parked the car on level 3."),
    ],
)
def test_another_place_person_or_amount_ends_the_older_one(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE


def test_another_number_of_what_somebody_likes_ends_the_one_before() -> None:
    assert chance("Bo likes the bath at 38 degrees.", "Bo likes the bath at 35 degrees.") >= LEAST_CHANCE
    assert chance("Bo likes the pool.", "Bo likes the bath at 35 degrees.") == 0


def test_what_has_surely_changed_is_of_the_same_thing_though_another_one_is_named_as_its_owner() -> None:
    new = "The dates of the hut have changed to the first week of May."
    assert chance(new, "We have got the hut on the lake for the second week of June.") >= IN_DOUBT
    assert chance("Actually Bo pays 510.", "So we sorted the rent, Bo pays 480 as he has the big room.") >= LEAST_CHANCE


def test_who_moves_an_appointment_comes_at_another_time() -> None:
    new = "The tuner has moved the appointment, she comes on the 9th of May now."
    assert chance(new, "The tuner comes on the 2nd of April.") >= LEAST_CHANCE


def test_what_was_moved_ends_where_it_was() -> None:
    assert (
        chances("I've moved the dog towels into the porch.", "The dog towels are in the hall.", VET)[0] >= LEAST_CHANCE
    )


def test_what_is_read_as_made_untrue_far_ahead_of_all_else_ends() -> None:
    new, old = "Wilma gets the choir keys from Bo.", "Wilma picks the choir keys up at Ada's."
    ended, beside = chances(new, old, VET)
    assert beside < POSSIBLE < LEAST_CHANCE <= ended
    assert chances(new, old)[0] < ended  # there is nothing else that it may be about


def test_what_says_all_that_was_known_does_not_end_it_however_it_is_read() -> None:
    assert chances("I said that the hut is blue, but it is wet in there.", "The hut is blue.", VET)[0] < LEAST_CHANCE


def test_what_no_refers_to_is_not_what_follows_it() -> None:
    older = "We rehearse on Wednesdays at eight in the cellar."
    assert chance("No, the rehearsal is on Mondays, not Wednesdays.", older) >= LEAST_CHANCE


def test_what_somebody_left_is_over_and_what_happens_on_a_condition_is_not() -> None:
    assert chance("Casimir has moved from Trondheim to Aarhus.", "Casimir lives in Trondheim.") >= LEAST_CHANCE
    drained = "Drain the heron service, else jobs are lost."
    assert chance(drained, "The board of the heron queue is 57.") < LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The sitter charges 9.50 an hour now.", "The sitter charges 8 an hour, in cash if possible."),
        ("The washing slot is on Friday now.", "The washing slot is on Sunday, nobody else wanted it."),
        (
            "I've left the spare boat key with Ebba.",
            "If we are ever stuck on the island it's Olof who has our spare boat key.",
        ),
        ("The exam has slipped to the 9th of March.", "The 2nd of March is when they decide if I pass the exam."),
        ("When the boiler trips I call Ada at Hythe Heating.", "If the boiler trips I call Bo at the depot."),
        ("I counted the ducks again. It's thirteen.", "Eleven ducks, if anyone's counting."),
    ],
)
def test_what_is_no_condition_for_what_was_said_can_end(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE


def test_what_has_happened_is_a_change_without_a_word_of_it() -> None:
    old = "The sledge hangs in the barn."
    assert chance("We've hung the sledge in the porch.", old) > chance("We hung the sledge in the porch.", old)


def test_by_words_alone_what_names_the_thing_and_a_change_ends() -> None:
    old = [Said("The blog runs on Hugo."), Said("The cat is called Minka.")]
    found = JUDGE.chances(Said("The blog now runs on Astro instead of Hugo."), old)
    assert found[0] >= LEAST_CHANCE > found[1]


def test_of_no_older_statements_none_is_made_untrue() -> None:
    assert JUDGE.chances(Said(KEY), []).shape == (0,)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The rent went up to 900 this week.", "The rent is 850."),
        ("I parked on level 7 today.", "I parked on level 2 on Monday."),
        ("I quit the choir today.", "I sing in the choir."),
    ],
)
def test_what_happened_on_a_day_ends_what_was_so_before(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "Dad's blood pressure tablet has moved to nine at night.",
            "My father takes his blood pressure tablet at eight.",
        ),
        ("The bar next door has a band, so my class is on Tuesdays now.", "I teach a class on the first Thursday."),
        ("The dentist's moved to Elm Street.", "My dentist is in Oak Lane."),
    ],
)
def test_what_is_told_of_ones_own_by_another_name_ends_it(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] >= LEAST_CHANCE
