"""Known, refined, contradicted, or new: decided by rules, and in doubt added."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.embedding.calibration import calibrate
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.merging.dedup import Action, Neighbour, decide
from pi_memory.text.fact import stems
from pi_memory.types import Candidate, Memory
from tests.gguf_bert import export_minilm_or_skip

PAIRS: dict[Action, list[tuple[str, str]]] = {
    "add": [
        ("The blog has a theme for Hugo.", "The shop runs on Astro instead of Hugo."),
        ("The express stops in Oslo.", "The express goes from Oslo to Bergen."),
        ("The user's brother lives in Graz.", "The user's sister moved from Graz to Linz."),
        ("The user's sister's birthday is in May.", "The user's brother's birthday is in June."),
        ("The staging server runs on 8080.", "The production server runs on 9090."),
        ("The staging server runs on port 8080.", "The production server runs on port 9090."),
        ("The wifi password of the office is on the fridge.", "The wifi password of the cabin is on the door."),
        ("The gate code of the garden is 4711.", "The gate code of the garage is 1177."),
        ("The train to Graz leaves at 8:00.", "The train to Linz leaves at 9:00."),
        ("The train at 8:00 goes to Graz.", "The train at 9:00 goes to Graz."),
        ("The user was in Rome in 2019.", "The user was in Rome in 2021."),
        ("The user has a meeting on 3 May.", "The user has a meeting on 4 May."),
        ("The user works on Mondays.", "The user works on Tuesdays."),
        ("The user's sister lives in Lyon.", "The user's sister's friend lives in Lyon."),
        ("The user's sister lives in Lyon.", "The user's sister lives in a flat."),
        ("The user's boss is Anna.", "The user's boss is ill."),
        ("Anna is older than Ben.", "Ben is older than Anna."),
        ("The server runs Debian.", "The staging server runs Debian."),
        ("The staging server is not public.", "The production server is public."),
        (
            "The staging server in rack four in Berlin is not public.",
            "The production server in rack four in Berlin is public.",
        ),
        ("The user likes tea.", "The user uses tea."),
        ("The user wants a dog.", "The user likes a dog."),
        ("The user has a car.", "The user has a car insurance with Axa."),
        ("The user's favourite tea is green jasmine.", "The user's favourite tea is green."),
        ("The user eats meat.", "The user never eats meat on Fridays."),
        ("The user's wife is called Noor.", "The user's son is called Elias."),
        ("Mila plays the cello.", "Jonas plays the cello."),
        ("The bread needs 720 g of flour.", "The cake needs 250 g of flour."),
        ("The user's passport expires in November 2029.", "The user's licence expires in March 2031."),
        ("The orders API listens on port 8080.", "The users API listens on port 8081."),
        ("Room 12 has 4 beds.", "Room 14 has 6 beds."),
        ("The user prefers tea in the morning.", "The user prefers coffee in the evening."),
        ("Use tabs in Makefiles.", "Use spaces in Python files."),
        ("Always answer in German.", "Always answer in short sentences."),
        ("The backup of db1 starts at 02:00.", "The backup of db2 starts at 03:00."),
        ("Der Schlüssel vom Keller liegt im Schuppen.", "Der Schlüssel vom Auto liegt im Flur."),
        ("Le code du garage est 1234.", "Le code du portail est 9876."),
        ("El código del garaje es 1234.", "El código del portal es 9876."),
        ("The staging server runs on 8080 behind nginx.", "The staging server runs on 9090 and is backed up nightly."),
        ("The user's daughter Mila is 7 years old.", "The user's daughter Pia is 9 years old."),
        ("Dr. Amari is the user's dentist.", "Dr. Amari is the user's neighbour."),
        ("The invoice of Acme is due on 3 May.", "The invoice of Globex is due on 9 May."),
        ("The user is in Rome on Monday.", "The user is in Oslo on Tuesday."),
        ("The pump on pin 14 is slow.", "The pump on pin 15 is slow."),
        ("The user lives in Lyon.", "The user works in Nantes."),
        ("The default branch of shop is main.", "The default branch of blog is trunk."),
        ("The default branch is main.", "The default branch is broken."),
        ("The office closes at 18:00.", "The office opens at 9:00."),
        ("The red bike has a flat tyre.", "The blue bike has new brakes."),
        ("Call the user's mother Mama.", "Call the user Bob."),
        ("The user's phone number is 0123.", "The office phone number is 0999."),
        ("The sensor in the attic reads 3 degrees too much.", "The sensor in the cellar reads 2 degrees too little."),
        ("The user has two cats.", "The user has two dogs."),
        ("The user's grandmother turns 90 in July.", "The user's aunt turns 60 in July."),
        ("The kitchen light is on circuit 4.", "The bathroom light is on circuit 6."),
        ("Parcels for Anna go to the shop.", "Parcels for Ben go to the station."),
        ("The test database is on db1.", "The live database is on db2."),
        ("The user's guitar needs new strings.", "The user's violin needs a new bow."),
        ("Bus 12 leaves at 7:40.", "Bus 21 leaves at 7:55."),
        ("Team Blue meets on Monday.", "Team Red meets on Wednesday."),
        ("The lease of the flat ends in March.", "The lease of the garage ends in June."),
        ("The user paid 300 euros for the bike.", "The user paid 40 euros for the helmet."),
        ("The password of the router is on a note.", "The password of the printer is on a sticker."),
        ("Deploys to eu-west take 4 minutes.", "Deploys to us-east take 9 minutes."),
        ("The user visited Oslo in 2018.", "The user visited Bergen in 2018."),
        ("The user runs on Tuesday.", "The user swims on Tuesday."),
        ("The user reads before bed.", "The user reads in the train."),
        ("The old heater runs at 60 degrees.", "The new heater runs at 45 degrees."),
        ("Peter's number is 555-0101.", "Petra's number is 555-0102."),
        ("The user's first car was a Golf.", "The user's first bike was a Puch."),
        ("The left monitor is the primary one.", "The right monitor is the secondary one."),
        ("Das Rad von Mia ist rot.", "Das Rad von Leo ist blau."),
        ("Le frère de Luc vit à Lyon.", "Le frère de Marc vit à Nice."),
        ("The printer is out of ink.", "The printer is on the second floor."),
        ("The user is allergic to nuts.", "The user is allergic to cats."),
        ("The user speaks Dutch.", "The user speaks Polish."),
        ("Feature flags live in flags.toml.", "Secrets live in vault.toml."),
        ("The user has a doctor's appointment on Friday.", "The user has a dentist's appointment on Monday."),
        ("Server 1 has 4 GB of memory.", "Server 2 has 4 GB of memory."),
        ("The user's sister is a nurse.", "The user's sister is Anna."),
        ("The user likes tea.", "The user likes coffee."),
        ("The user has two cats.", "The user plays the violin."),
        ("The user does not like Mondays.", "The user likes tea."),
        ("The user was not in Rome.", "The user is in Rome."),
        ("The user prefers short answers in the morning.", "The user prefers short answers."),
        ("The user drinks coffee.", "The user drinks coffee on Sundays."),
        ("Answer in German.", "Answer in German when Mia asks."),
        ("The heating is off in summer and on in winter.", "The heating is off in summer."),
        ("The user swims in the lake on Sundays.", "The user swims in the lake."),
        ("The user swims.", "The user swims on Sundays."),
        ("Anna lent Ben 20 euros.", "Ben lent Anna 20 euros."),
        ("The heating is off in summer.", "The heating is broken."),
        ("Kim is allergic to nuts.", "Kim is allergic to pollen."),
    ],
    "end": [
        ("The blog runs on Hugo.", "The blog now runs on Astro instead of Hugo."),
        ("The mirror is hosted in Graz.", "They moved the mirror from Graz to Linz."),
        ("The user uses Docker.", "The user doesn't use Docker any more."),
        ("Wir nutzen Docker.", "Wir nutzen Docker nicht mehr."),
        ("Die Datenbank ist Postgres 15.", "Wir haben die Datenbank von Postgres 15 auf Postgres 16 umgestellt."),
        ("Le blog est en Hugo.", "Le blog est en Astro au lieu de Hugo."),
        ("The port is 8081, not 8080.", "The port is 8082."),
        ("The user's sister's birthday is in June, not in May.", "The user's sister's birthday is in July."),
        ("The user's favourite season is autumn.", "The user's favourite season is spring."),
        ("The user's timezone is Europe/Lisbon.", "The user's timezone is Europe/Madrid."),
        ("The user's sister's birthday is in May.", "The user's sister's birthday is in June."),
        ("The staging server runs on 8080.", "The staging server runs on 9090."),
        ("The staging server runs on 8080.", "Staging is on 9090, not 8080."),
        ("The API listens on port 8080.", "The API listens on port 8081."),
        ("The user's favourite colour is blue.", "The user's favourite colour is dark green."),
        ("The user lives in Lyon.", "The user lives in Nantes."),
        ("The user lives in Lisbon.", "The user lives in Porto, not Lisbon."),
        ("The meeting is on Monday.", "The meeting is on Tuesday."),
        ("The meeting is on Monday at noon.", "The meeting is on Tuesday at noon."),
        ("The user likes coriander.", "The user does not like coriander."),
        ("The user likes coriander.", "The user hates coriander."),
        ("The user does not eat meat.", "The user eats meat."),
        ("The staging server is not public.", "The staging server is public."),
        ("The logs are in /var/log/a.", "The logs are in /srv/log/a."),
        ("Call the user Bob.", "Call the user Robert."),
        ("The user's dog is called Rex.", "The user's dog is called Max."),
        ("The user's email address is a@b.de.", "The user's email address is c@d.de."),
        ("The heating engineer costs 140 euros.", "The heating engineer costs 160 euros."),
        ("The backup starts at 02:15.", "The backup starts at 03:30."),
        ("The gate code is 4711.", "The gate code is 1177."),
        ("The user's name is Ada Brandt.", "The user's name is Ada Kowalczyk."),
        ("The user's preferred editor is vim.", "The user's preferred editor is helix."),
        ("Der Port ist 80.", "Der Port ist 81."),
        ("Le code est 42.", "Le code est 43."),
        ("El código es 5521.", "El código es 5512."),
        ("The user's passport expires in November 2029.", "The user's passport expires in March 2031."),
        ("The user no longer drinks coffee.", "The user drinks coffee."),
        ("The user's shoe size is 43.", "The user's shoe size is 44."),
        ("The path is /a.", "The path is /b, not /a."),
        ("The user's dentist is Dr. Amiri.", "The user's dentist is Dr. Amari, not Dr. Amiri."),
        ("The capital budget is 900 euros.", "The capital budget is 1,200 euros."),
        ("The default branch is main.", "The default branch is trunk."),
        ("The user's grandmother's birthday is in July.", "The user's grandmother's birthday is in August."),
        ("The kitchen light is on circuit 4.", "The kitchen light is on circuit 7."),
        ("The test database is on db1.", "The test database is on db9."),
        ("Bus 12 leaves at 7:40.", "Bus 12 leaves at 7:45."),
        ("The lease of the flat ends in March.", "The lease of the flat ends in May."),
        ("The user's boss is Anna.", "The user's boss is Gregor."),
        ("The user lives in Ghent.", "The user lives in Bruges."),
        ("The server does not have TLS.", "The server has TLS."),
        ("The wifi is called Lavande.", "The wifi is called Romarin."),
        ("The user's favourite food is pasta.", "The user's favourite food is sushi."),
        ("The rent is 900 euros.", "The rent is 950 euros."),
        ("The standup is at 9:30.", "The standup is at 10:00."),
        ("Die Sitzung ist am Montag.", "Die Sitzung ist am Dienstag."),
        ("Le train est à 9h05.", "Le train est à 8h05."),
        ("The config file is ~/.nutrc.", "The config file is ~/.config/nut.toml."),
    ],
    "replace": [
        ("The user has a dog.", "The user has a dog called Rex."),
        ("The backup runs at night.", "The backup runs at night on the NAS."),
        ("The user lives in Lyon.", "The user lives in Lyon with Anna."),
        ("The spare key is in the shed.", "The spare key is in the shed, behind the paint."),
        ("The user is allergic to nuts.", "The user is allergic to nuts and to kiwis."),
        ("The user has a boat.", "The user has a boat in Kiel."),
    ],
    "noop": [
        ("The user prefers tea.", "the user prefers TEA"),
        ("The user has a dog called Rex.", "The user has a dog."),
        ("The backup runs at night on the NAS.", "The backup runs at night."),
        ("The gate code is 4711.", "Gate code is 4711"),
    ],
}


def memory(content: str, *, number: int = 1, namespace: str = "user/facts") -> Memory:
    return Memory(number, content, "semantic", namespace, "medium", "api", 0.0, 0.0, 0.0, 0.0)


def decided(old: str, new: str, *, cosine: float | None = None, related: float = 0.5, **fields: str) -> str:
    neighbour = Neighbour(memory(old), cosine)
    candidate = Candidate(new, namespace=fields.get("namespace", "user/facts"), priority="highest")
    return decide(candidate, [neighbour], related=related).action


CASES = [(old, new, action) for action, pairs in PAIRS.items() for old, new in pairs]


@pytest.mark.parametrize("cosine", [None, 0.99])
@pytest.mark.parametrize(("old", "new", "action"), CASES)
def test_decisions(old: str, new: str, action: str, cosine: float | None) -> None:
    """Also where an embedder takes the two for the same: they differ in one word."""
    assert decided(old, new, cosine=cosine) == action


def test_what_is_added_beside_its_like_is_linked_by_its_meaning(tmp_path: Path) -> None:
    embedder = GgufEmbedder.open(export_minilm_or_skip(tmp_path))
    pairs = PAIRS["add"]
    scale = asyncio.run(calibrate(embedder))
    old, new = (asyncio.run(embedder.embed([pair[side] for pair in pairs])) for side in (0, 1))
    asyncio.run(embedder.close())
    found = []
    for (was, said), cosine in zip(pairs, np.sum(old * new, axis=1), strict=True):
        candidate = Candidate(said, namespace="user/facts", priority="highest")
        found.append(decide(candidate, [Neighbour(memory(was), float(cosine))], related=scale.related))
    assert {decision.action for decision in found} == {"add"}
    assert sum(decision.linked == (1,) for decision in found) > 0.9 * len(pairs)


SUBJECTS = (
    "The user's sister",
    "The user's brother",
    "The staging server",
    "The production server",
    "The red bike",
    "It",
)
SAID = ("runs on", "is in", "is not in", "has", "lives in", "costs", "is called", "likes", "does not like")
VALUES = ("8080", "9090", "May", "June", "Lyon", "a shed", "two sheds", "Rex")
DENIED = ({"is in", "is not in"}, {"likes", "does not like"})
TAILS = ("", " with Anna", " on Mondays", " behind the old house")
said = st.tuples(*map(st.sampled_from, (SUBJECTS, SAID, VALUES, TAILS)))


@given(said, said)
def test_nothing_that_was_said_is_lost(was: tuple[str, ...], now: tuple[str, ...]) -> None:
    """Another subject ends nothing; what is left out is said by what stays, or cannot be as well."""
    old, new = ("{} {} {}{}.".format(*parts) for parts in (was, now))
    action = decided(old, new)
    if was[0] != now[0]:
        assert action == "add"
    if action == "noop":
        assert new.rstrip(".") in old
    if action == "replace":
        assert old.rstrip(".") in new
    if action == "end":
        is_denied = {was[1], now[1]} in DENIED  # not in Lyon: nor there with Anna
        assert was[3] == now[3] or is_denied
        assert was[1] == now[1] or stems(was[2]) & stems(now[2])


def test_a_correction_ends_what_says_the_wrong_value_and_takes_its_subject() -> None:
    neighbours = [Neighbour(memory("The server listens on port 8080.")), Neighbour(memory("Rex is a dog.", number=2))]
    candidate = Candidate("It is 8081, not 8080.", namespace="user/facts", priority="highest")
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id) == ("end", 1)
    assert decision.content == "The server listens on port 8081."


def test_a_correction_with_a_subject_stands_for_itself() -> None:
    neighbours = [Neighbour(memory("The path is /a.")), Neighbour(memory("The tool is in /a too.", number=2))]
    candidate = Candidate("The path is /b, not /a.", namespace="user/facts", priority="highest")
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id, decision.content) == ("end", 1, None)


def test_a_correction_keeps_what_else_was_said() -> None:
    neighbours = [
        Neighbour(memory("The staging server runs on 8080 and is backed up by Anna.")),
        Neighbour(memory("The production server runs on 8080.", number=2)),
    ]
    candidate = Candidate("Staging is on 9090, not 8080.", namespace="user/facts", priority="highest")
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id) == ("end", 1)
    assert decision.content == "The staging server runs on 9090 and is backed up by Anna."


def test_a_correction_ends_a_statement_and_the_same_with_its_context() -> None:
    alone, longer = "Four stools, 26 inches to the seat.", "Four stools, 26 inches to the seat. Our cabin is grey."
    for said in ([alone, longer], [longer, alone]):
        neighbours = [Neighbour(memory(text, number=number)) for number, text in enumerate(said, 1)]
        candidate = Candidate("Seats at 29, not 26.", namespace="user/facts", priority="highest")
        decision = decide(candidate, neighbours, related=0.5)
        assert (decision.id, decision.also) == (said.index(longer) + 1, (said.index(alone) + 1,))
        assert decision.content == "Four stools, 29 inches to the seat. Our cabin is grey."


def test_a_correction_in_other_words_ends_what_alone_says_the_wrong_value_of_the_same_thing() -> None:
    said = ("I put the garlic in on the 2nd of November along the south wall.", "The exam is on the 2nd of November.")
    neighbours = [Neighbour(memory(text, number=number)) for number, text in enumerate(said, 1)]
    candidate = Candidate(
        "The garlic went in on the 5th of November, not the 2nd.", namespace="user/facts", priority="highest"
    )
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id) == ("end", 1)
    assert decision.content == said[0].replace("2nd", "5th")
    paid = Neighbour(memory("I paid for the garlic on the 2nd of November.", number=3))
    assert decide(candidate, [*neighbours, paid], related=0.5).action == "add"


def test_a_correction_of_what_two_things_have_ends_neither() -> None:
    said = ("Four stools, 26 inches to the seat.", "The bench is 26 inches to the seat.")
    neighbours = [Neighbour(memory(text, number=number)) for number, text in enumerate(said, 1)]
    candidate = Candidate("Seats at 29, not 26.", namespace="user/facts", priority="highest")
    assert decide(candidate, neighbours, related=0.5).id is None


def test_a_correction_of_what_nobody_said_ends_nothing() -> None:
    neighbours = [Neighbour(memory("The production server runs on 8080."))]
    candidate = Candidate("Staging is on 9090, not 8080.", namespace="user/facts", priority="highest")
    assert decide(candidate, neighbours, related=0.5).action == "add"


@pytest.mark.parametrize(
    ("known", "said", "action"),
    [
        ("The user gets the 42 bus to work.", "No more bus for the user, the user cycles to work.", "end"),
        ("CI is Jenkins on build01.", "No more Jenkins, it's all Actions.", "end"),
        ("The user's tea is in the tin.", "No more tea, the user plays chess.", "add"),
        ("The user's tea is in the tin.", "No more tea.", "add"),
    ],
)
def test_what_is_given_up_for_something_else_is_ended(known: str, said: str, action: str) -> None:
    candidate = Candidate(said, namespace="user")
    assert decide(candidate, [Neighbour(memory(known))], related=0.5).action == action


def test_other_projects_are_left_alone() -> None:
    assert decided("The port is 80.", "The port is 81.", namespace="project/shop/facts") == "add"


def test_what_no_longer_holds_is_no_neighbour() -> None:
    over = Memory(1, "The user likes tea.", "semantic", "user", "low", "api", 0.0, 0.0, 0.0, 0.0, valid_to=1.0)
    candidate = Candidate("The user likes tea.", namespace="user")
    assert decide(candidate, [Neighbour(over)], related=0.5).action == "add"


def test_what_is_about_the_same_is_linked() -> None:
    neighbours = [Neighbour(memory("Ada walks her dog."), 0.6), Neighbour(memory("Snow fell.", number=2), 0.1)]
    candidate = Candidate("The puppy needs exercise.", namespace="user")
    assert decide(candidate, neighbours, related=0.5).linked == (1,)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_are_compared(old: str, new: str) -> None:
    decided(old, new)


@given(st.lists(st.sampled_from([case[0] for case in CASES]), max_size=8), st.sampled_from([c[1] for c in CASES]))
def test_only_a_neighbour_is_ever_closed(known: list[str], new: str) -> None:
    neighbours = [Neighbour(memory(text, number=number)) for number, text in enumerate(known, 1)]
    decision = decide(Candidate(new, namespace="user/facts"), neighbours, related=0.5)
    assert (decision.id is None) == (decision.action == "add")
    assert decision.id is None or decision.id <= len(known)
