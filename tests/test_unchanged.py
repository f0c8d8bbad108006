"""What holds beside a newer statement, as it is of something or somebody else."""

import pytest

from pi_memory.judges.replacement import LEAST_CHANCE
from pi_memory.learning.learner import LEAST_CHANCE_OF_REMARK
from pi_memory.store.conflicts import DOUBTFUL, LIKELY, POSSIBLE
from tests.test_replacement import VET, chance, chances


def test_who_somebody_of_the_family_is_holds_beside_what_happens_to_them() -> None:
    husband = "My husband is Leif."
    assert chances("A Mr Dane has taken Leif on now, and he lets him sing.", husband, VET)[0] == 0
    assert chances("My husband is Arne now.", husband, VET)[0] >= LEAST_CHANCE
    assert chances("Wilma moved to Basel.", "My sister Wilma lives in Bern.", VET)[0] >= LEAST_CHANCE
    assert chances("Wilma moved to Basel.", "My sister Wilma is in Bern.", VET)[0] >= LEAST_CHANCE


def test_what_something_is_called_holds_beside_what_it_does_and_not_beside_another_name() -> None:
    named = "Our goat is called Bix."
    assert chances("The goat no longer eats from the bucket.", named, VET)[0] == 0
    assert chances("The goat is called Moss now.", named, VET)[0] >= LEAST_CHANCE
    sings = "I sing bass in a glee club called the Larks."
    assert chances("I no longer sing bass, they've made me a baritone.", sings, VET)[0] >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Ada has moved to Ludlow.", "Ada's son lives in Ludlow."),
        ("The blue sledge is in the loft.", "The red sledge is in the shed."),
        ("Next Monday the class is in room 9.", "The class is in room 4 on Mondays."),
        ("The drill used to be in the cellar.", "The drill is in the shed."),
        ("Die Leiter war früher im Keller.", "Die Leiter ist im Schuppen."),
        ("The sledge needs new ropes.", "The sledge is in the shed."),
        ("If it rains we meet in the barn.", "We meet in the yard."),
        ("Rosa may stay up until nine on Saturdays.", "Rosa has ballet on Tuesdays."),
        ("I parked the van on level 3.", "The van needs 5W-30 oil."),
        ("In the pump project, migrations are run by hand.", "We deploy the pump project with Helm."),
        ("I hate Mondays.", "My work days are Tuesdays, Thursdays and Fridays."),
        ("I keep the spare key of the loft in box 12.", "I keep the spare key of the shed in box 9."),
        ("Box 12 is on shelf 16.", "Box 5 is on shelf 12."),
        ("Key 7 opens the shed.", "Key 3 opens the shed."),
        ("Schrank 3 ist für die Farben.", "Schrank 2 ist für die Schrauben."),
        ("The code for the gate is 4417.", "The code for the back door is 5820."),
        ("The oven has tripped again.", "If the oven trips, flip breaker 6 and wait a minute."),
        ("Lena is allergic to shellfish.", "Lena is allergic to nuts."),
        ("Lena plays the flute.", "Lena plays the drums."),
        ("pump.py again: the old bug is still there.", "Now change valve.py the way we discussed."),
        ("The tests of search.py take two minutes.", "The tests of cart.py take ten minutes."),
        (
            "To roll back, revert the merge; the old image is there for a week.",
            "The backup is a dump at three, restored on Sundays.",
        ),
        ("Um den Kessel neu zu starten, halte den Knopf jetzt zehn Sekunden.", "Das Tor geht mit dem Knopf auf."),
        (
            "got psycopg2 SSL EOF, turned out pgbouncer server_lifetime was too low, bumped it to 3600",
            "runs on postgres 15 behind pgbouncer on port 6432",
        ),
        ("upgraded to esp-idf 5.3", "flash with idf.py -p /dev/ttyUSB1 flash monitor"),
        ("flash with idf.py -p /dev/ttyUSB1 flash monitor", "firmware is esp-idf 5.1 on an esp32-c3"),
    ],
)
def test_what_may_hold_beside_an_older_one_does_not_end_it(new: str, old: str) -> None:
    assert chance(new, old) < LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The bakery over at Hythe is shut on Mondays now.", "Our bakery is open every day but Sunday."),
        ("The head cook at Moss Hall has handed in her notice.", "My head cook is Wilma."),
        ("Bo's brother drives a tram now.", "My neighbour Bo drives a lorry."),
        ("I've moved the old towels into the porch.", "The dog biscuits are in the box under the sink."),
    ],
)
def test_what_is_said_of_another_one_is_in_doubt_at_most(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] < LIKELY


@pytest.mark.parametrize(
    ("new", "old", "is_doubted"),
    [
        ("Odile has the harp in the quartet.", "Bo plays the harp in the quartet.", True),
        ("Ida carries our post.", "Bo carries our post, so the van is his.", True),
        ("Ida also carries our post.", "Bo carries our post.", False),
        ("Ida has a van.", "Bo has a van.", False),
    ],
)
def test_who_does_what_another_one_did_with_the_same_thing_is_in_doubt(new: str, old: str, *, is_doubted: bool) -> None:
    assert (LIKELY > chances(new, old, VET)[0] > DOUBTFUL) == is_doubted


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Yoga is at six today.", "Yoga is at seven on Wednesdays."),
        ("The choir is off this week.", "The choir is on Mondays."),
        ("Choir's cancelled tonight.", "Choir is on Mondays at seven."),
        ("The bins aren't being collected this week.", "The bins go out on Tuesday."),
        ("I'm working from home this week.", "I work at the mill in Ulm."),
    ],
)
def test_what_is_so_for_once_ends_no_habit(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] < POSSIBLE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The staging cache is c9.ada.example.", "The staging database is db9.ada.example."),
        ("Tracing moved from Jaeger to Tempo at http://tempo.ada.example:3200.", "The ledger listens on port 9500."),
        ("We moved from Bern to Ulm.", "Mum goes to Bern on Sundays."),
    ],
)
def test_an_address_of_something_else_ends_nothing(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] < LEAST_CHANCE


def test_what_something_costs_now_is_not_said_of_who_does_it() -> None:
    sweep, paid = "The sweep is Tom, 0170 5551.", "The sweep charges twelve pounds."
    assert chances("The sweep has raised his price to 15.", sweep, VET)[0] < POSSIBLE
    assert chances("Tom's put his prices up to 60.", sweep, VET)[0] < POSSIBLE
    assert chances("The sweep wants 15 now.", paid, VET)[0] >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The new place opposite opens at 7.", "We open at 8 and close at 4."),
        ("At my mum's the bins are on Tuesdays now.", "The bins go out on a Thursday at the flat."),
        ("My mate Kev's rent has gone up to 1300.", "Rent's 950 a month, it goes out on the 1st."),
        ("Mum keeps her spare key under the pot now.", "I keep the spare key in the tin."),
        ("The alarm code at Gareth's garage is 8080.", "The alarm code is 4417."),
    ],
)
def test_what_is_somebody_elses_ends_nothing_of_ones_own(new: str, old: str) -> None:
    assert chances(new, old, VET)[0] < LEAST_CHANCE


def test_a_day_off_for_once_ends_no_habit() -> None:
    assert chance("Thursday's deploy is off this week.", "Deploys are Tuesday and Thursday.") < LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("we ran out of metformin", "Mum takes metformin and a water tablet."),
        ("Maureen had a fall on Thursday.", "Dad had a fall on Tuesday."),
        ("Dad fell again on Saturday.", "Dad fell on Tuesday."),
        ("Ida can't do Fridays any more, so Bo does.", "Ida is Dad's carer and does mornings at 9."),
        ("Ida has left, it's Bo now.", "Ida has a daughter called Lil."),
        ("ida comes at 12", "bo comes at 9"),
        ("Silke does 30 hours now.", "Silke gets 16 an hour."),
        ("Okafor gave me 50.", "Brandt owes me 240 for the wheelset, Okafor owes 95."),
        ("Once they give me a knee I ski again.", "I can't ski with this knee."),
        ("We finished the oat milk.", "I drink oat milk and Bo drinks tea."),
        ("Bo and Kit swapped days.", "Bo cooks on Mondays and Kit on Fridays."),
        ("The choir is off this week.", "The choir meets on Tuesday at seven in the hall."),
    ],
)
def test_what_is_to_be_had_again_or_says_not_which_ends_nothing(new: str, old: str) -> None:
    assert chance(new, old) < LEAST_CHANCE_OF_REMARK
