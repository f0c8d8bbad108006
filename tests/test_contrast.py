"""What is right and what is wrong in the words of somebody who puts something right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.text.contrast import (
    asserted,
    contrast,
    given_up_for,
    in_cleft,
    left_behind,
    plainly,
    renewed,
    without_left_behind,
    wrong_first,
)

FOUND = [
    ("The port is 8081, not 8080.", "The port is 8081", "8080"),
    ("it's spelled Kowalczyk, not Kowalchik", "it's spelled Kowalczyk", "Kowalchik"),
    ("it is 8081 not 8080", "it is 8081", "8080"),
    ("The train is at nine, and not at ten", "The train is at nine", "at ten"),
    ("It isn't Lyon but Nantes", "Nantes", "Lyon"),
    ("The door was not red, it's green", "green", "red"),
    ("It isn't a Bechstein at all, it's a Blüthner", "a Blüthner", "a Bechstein"),
    ("He has led us not ten years but thirteen", "thirteen", "ten years"),
    ("Der Port ist 81, nicht 80", "Der Port ist 81", "80"),
    ("Le port est 81, pas 80.", "Le port est 81", "80"),
    ("El puerto es 81, no 80", "El puerto es 81", "80"),
]
NONE = [
    "It does not work",
    "I do not eat meat",
    "not now",
    "It works, not sure why",
    "The job is slow, not that it matters",
    "He is late, not only today",
    "It is done, no need for a test",
    "The file is there, not because I put it there",
    "Il ne marche pas bien",
    "The button is green, not the red that we had agreed on with the whole team",
]


@pytest.mark.parametrize(("text", "right", "wrong"), FOUND)
def test_a_contrast_is_found(text: str, right: str, wrong: str) -> None:
    found = contrast(text)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


@pytest.mark.parametrize("text", NONE)
def test_what_contrasts_nothing(text: str) -> None:
    assert contrast(text) is None


def test_a_contrast_without_a_pause_is_distinguished_from_one_with_it() -> None:
    result = [contrast(text) for text in ("it is 8081, not 8080", "it is 8081 not 8080")]
    assert [found.is_set_off for found in result if found] == [True, False]


def test_both_sides_of_a_specific_one_have_a_number_or_a_name() -> None:
    result = [contrast(text) for text in ("it is 8081, not 8080", "it is red, not green", "he is Ben, not my uncle")]
    assert [found.is_specific for found in result if found] == [True, False, False]


def test_what_is_asserted_is_the_sentence_without_what_is_wrong() -> None:
    assert asserted("The port is 8081, not 8080.") == "The port is 8081"
    assert asserted("It isn't Lyon but Nantes") == "It is Nantes"
    assert asserted("The exam is not on 3 December, it is on 28 November.") == "The exam is on 28 November"
    assert asserted("It does not work.") == "It does not work."
    for text in (
        "He let me sleep, so I need not come before nine.",
        "You had better not feed him.",
        "Dr Ode said not now.",
    ):
        assert asserted(text) == text


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("The pottery is no longer in Graz but in Linz, same kiln.", "The pottery is in Linz, same kiln"),
        ("He no longer lives in Leeds but in York.", "He lives in York"),
        ("She no longer plays the flute but the oboe", "She plays the oboe"),
        ("My cousin is no longer an usher but a cook", "My cousin is a cook"),
        ("It's no longer a letter she wants but an SMS.", "It's an SMS she wants"),
        ("It isn't the roof that leaks but the barn", "It is the barn that leaks"),
        ("The gate code is no longer 4711 but 8820", "The gate code is 8820"),
        ("Our vet is not Dr. Ito, but Dr. Hart.", "Our vet is Dr. Hart"),
        ("Turns out it's not the 5th, it's the 7th", "Turns out it's the 7th"),
        ("The key isn't under the mat any more but behind the bin", "The key is behind the bin"),
        ("The rent is not due on the 1st but on the 3rd", "The rent is due on the 3rd"),
        ("The class is on Tuesday, not Monday, at six", "The class is on Tuesday at six"),
        ("I was wrong about Ida, not June, she comes in May", "I was wrong about Ida, she comes in May"),
        ("Bo is no longer our vet, it's Ada.", "Our vet is Ada"),
        ("Dr. Ode isn't our dentist any more, it's a woman called Ahn.", "Our dentist is a woman called Ahn"),
        ("The label says it isn't nuts that Kit reacts to, it's eggs", "The label says it is eggs that Kit reacts to"),
        ("Bo doesn't land on the 14th of May, it's the 2nd of June.", "Bo lands on the 2nd of June"),
        ("We don't leave on Friday, it's Saturday", "We leave on Saturday"),
        ("Der Kurs ist nicht mehr in Graz, sondern in Linz.", "Der Kurs ist in Linz"),
        ("Er kommt nicht am Montag, sondern am Dienstag.", "Er kommt am Dienstag"),
        ("Das ist kein Alt mehr, sondern ein Tenor", "Das ist ein Tenor"),
        ("Il n'habite plus à Lyon mais à Nantes", "Il habite à Nantes"),
        ("Ce n'est pas lundi, c'est mardi.", "c'est mardi"),
        ("El curso ya no es en Gijón sino en Oviedo.", "El curso es en Oviedo"),
        ("No es lunes sino martes", "es martes"),
    ],
)
def test_what_holds_instead_is_asserted(text: str, holds: str) -> None:
    assert asserted(text) == holds


@pytest.mark.parametrize(
    "text",
    [
        "The house isn't big but we like it.",
        "The shed isn't locked but the key is with Anna.",
        "Dave's not here, it's closed.",
        "The shop isn't open, it's Sunday.",
        "He isn't a nurse but he works at the ward.",
        "I don't eat meat but fish.",
        "Kit isn't allergic to nuts, it's eggs.",
        "She doesn't take milk, it's bad for her.",
        "The bin isn't broken but leaks.",
        "It isn't far but takes ages.",
        "My sister is no longer in the band but sings at home.",
        "The choir is no longer on Mondays but still at eight.",
        "Er ist nicht da, aber sein Bruder.",
        "Il n'est plus ici mais il appelle.",
        "No tengo perro pero tengo gato.",
        "Nobody came, not even Tom, and we ate it all.",
        "Bo isn't coming, it's Monday.",
        "The car isn't blue, it's a Ford.",
    ],
)
def test_a_but_that_puts_nothing_in_the_place_of_another_is_left(text: str) -> None:
    assert asserted(text) == text


def test_a_sentence_is_left_without_the_value_before() -> None:
    assert without_left_behind("We moved the gig from 3 to 4 o'clock.") == "We moved the gig to 4 o'clock."
    assert without_left_behind("I switched from tea to coffee") == "I switched to coffee"
    assert without_left_behind("Pasamos de Postgres 15 a Postgres 16") == "Pasamos a Postgres 16"
    assert without_left_behind("The train goes from Oslo to Bergen.") == "The train goes from Oslo to Bergen."


@pytest.mark.parametrize(
    ("clause", "first"),
    [
        ("it's in May that she comes", "in May"),
        ("It is Anna who drives", "Anna"),
        ("c'est en mai qu'elle vient", "en mai"),
        ("es en mayo cuando viene", "en mayo"),
        ("es ist Anna, die fährt", "Anna"),
        ("it's in May", ""),
        ("she says that it's in May", ""),
    ],
)
def test_what_a_clause_puts_first_is_found(clause: str, first: str) -> None:
    assert in_cleft(clause) == first


@given(st.text(st.sampled_from("a not pas, no. but-is 8A’é"), max_size=60))
def test_both_sides_stand_in_the_text(text: str) -> None:
    found = contrast(text)
    if found is not None:
        assert found.wrong
        assert found.wrong in text
        assert found.right in text


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("The blog runs on Astro instead of Hugo.", "Hugo"),
        ("We migrated the database from Postgres 15 to Postgres 16.", "Postgres 15"),
        ("Pasamos de Postgres 15 a Postgres 16", "Postgres 15"),
        ("The train goes from Oslo to Bergen.", ""),
        ("Use this instead.", ""),
    ],
)
def test_the_value_of_before_is_named(text: str, before: str) -> None:
    assert left_behind(text) == before


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("Not sage, mint.", "mint", "sage"),
        ("No, not ten minutes on the dryer, it's forty.", "forty", "ten"),
        ("No, not 180 grams for the goat, it's 210 grams.", "210 grams", "180 grams for the goat"),
        ("Not the key on the hook, the one in the tin.", "the one in the tin", "the key on the hook"),
    ],
)
def test_what_is_wrong_may_come_first(text: str, right: str, wrong: str) -> None:
    found = wrong_first(text)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("Bo isn't our vet any more, Ada is.", "Ada is our vet"),
        ("The Swan is no longer the club's pub, the Crown is now.", "the Crown is the club's pub"),
        ("Bo doesn't run the shop any more, Ada does.", "Ada runs the shop"),
        ("Bo doesn't take tea, Bo takes coffee.", "Bo takes coffee"),
        ("Bo isn't best man after all, it's Kit.", "Kit is best man"),
        ("The lens isn't minus two and a half, it's minus two and a quarter.", "The lens is minus two and a quarter"),
    ],
)
def test_who_or_what_is_so_instead_says_it_alone(said: str, holds: str) -> None:
    assert asserted(said) == holds


@pytest.mark.parametrize(
    ("text", "known", "right", "wrong"),
    [
        ("We ditched the Bosch, it's a Miele now.", "The dishwasher is a Bosch.", "a Miele", "Bosch"),
        ("They retired the 43, it's the 51 now.", "The 43 goes to town.", "the 51", "43"),
        ("Tom's off the pills, it's drops he takes.", "Tom takes pills.", "drops", "pills"),
        ("She went off milk, it's soya in her tea.", "She has milk in her tea.", "soya", "milk"),
    ],
)
def test_what_there_is_in_the_place_of_what_was_given_up(text: str, known: str, right: str, wrong: str) -> None:
    found = given_up_for(text, known)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "We ditched Norvik, it's a rip-off.",
        "We sold the boat, it's Ada's now.",
        "We ditched the gym, it's £40 I save.",
        "We swapped rooms, it's noisy.",
        "She's off milk, there's soya in the larder.",
    ],
)
def test_why_something_was_given_up_is_nothing_in_its_place(text: str) -> None:
    assert given_up_for(text, "She has milk. The boat is here.") is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Our vet is no longer Bo. It is Ada. She's nice.", "Our vet is Ada. She's nice."),
        ("Bo isn't our vet any more, Ada is.", "Ada is our vet."),
        ("Tea isn't in the tin, it's in the urn.", "Tea is in the urn."),
        ("The gate isn't shut at ten past six but at ten to seven.", "The gate is shut at ten to seven."),
        ("I no longer keep the key to the den in that tin; it's in my desk.", "I keep the key to the den in my desk."),
        ("It isn't tea, it's coffee.", "It isn't tea, it's coffee."),
        ("Ada isn't vegan, she's vegetarian.", "Ada is vegetarian."),
        ("The user isn't 29, the user is 30.", "The user is 30."),
        ("Bo isn't coming, he's ill.", "Bo isn't coming, he's ill."),
        ("Bo isn't our vet, he's retired.", "Bo isn't our vet, he's retired."),
        ("Park in the yard, not on the street.", "Park in the yard, not on the street."),
        ("The oven isn't working but the hob is.", "The oven isn't working but the hob is."),
        ("We don't bake on Mondays any more.", "We don't bake on Mondays any more."),
    ],
)
def test_what_holds_in_the_place_of_what_is_denied(text: str, plain: str) -> None:
    assert plainly(text) == plain


@pytest.mark.parametrize(
    ("said", "now"),
    [
        ("Ada has a new dentist, Dr Orr.", "Ada's dentist is Dr Orr now."),
        ("We've got a new cleaner called Bo", "Our cleaner is Bo now."),
        ("i've got a new number 07700 900123", "My number is 07700 900123 now."),
        ("dads changed his number its 07700 900662", "Dad's number is 07700 900662 now."),
        ("They've given me a new laptop, a Corvo.", "My laptop is a Corvo now."),
        ("The new shed code is 9023 from now on.", "The shed code is 9023 now."),
        ("We have a new lodger called Kit, Bo moved out.", "Our lodger is Kit now, Bo moved out."),
        ("I changed the shed code to 7788.", "The shed code is 7788 now."),
        ("Ada has a new room, number 30", "Ada's room is number 30 now."),
    ],
)
def test_what_somebody_has_a_new_one_of_is_that_now(said: str, now: str) -> None:
    assert renewed(said) == now


@pytest.mark.parametrize(
    "said",
    [
        "My new shoes are red.",
        "I have a new idea for the garden.",
        "We have a new kitten, she's lovely",
        "He's got a new job at the mill",
        "It has a new engine, which helps.",
        "I changed my mind.",
        "What's Ada's new number?",
    ],
)
def test_what_says_not_which_the_new_one_is_stays_as_it_is(said: str) -> None:
    assert renewed(said) == said
