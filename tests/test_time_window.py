"""The time that a query asks about."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.retrieval import time_window

NOW = datetime(2023, 5, 17, 15, 30).astimezone()


def window(query: str) -> tuple[str, str] | None:
    found = time_window.period(query, NOW.timestamp())
    if found is None:
        return None
    days = (datetime.fromtimestamp(time).astimezone() for time in (found.begin, found.end))
    begin, end = (f"{day:%Y-%m-%d}" for day in days)
    return begin, end


@pytest.mark.parametrize(
    ("query", "begin", "end"),
    [
        ("What did I buy on January 23?", "2023-01-21", "2023-02-01"),
        ("Where was she on 23rd of December", "2022-12-21", "2023-01-01"),
        ("Who came on Dec 3rd, 2021?", "2021-12-01", "2021-12-12"),
        ("the log of 2022-03-04", "2022-03-02", "2022-03-13"),
        ("Which race did I run in May 2022?", "2022-04-28", "2022-06-11"),
        ("What did I plant in June?", "2022-05-29", "2022-07-11"),
        ("What did we fix two weeks ago?", "2023-04-29", "2023-05-07"),
        ("I met somebody 3 days ago", "2023-05-13", "2023-05-15"),
        ("What did I bake in the past two weeks?", "2023-05-02", "2023-05-17"),
        ("the trips of the last three months", "2023-02-14", "2023-05-17"),
        ("What did I get last Saturday?", "2023-05-12", "2023-05-15"),
        ("What did I do last weekend?", "2023-05-12", "2023-05-16"),
        ("How much did I run last week?", "2023-05-07", "2023-05-16"),
        ("weddings this year", "2023-01-01", "2024-01-01"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("What did she study in 2019?", "2019-01-01", "2020-01-01"),
        ("Whom did I call yesterday?", "2023-05-16", "2023-05-18"),
        ("Was geschah am 23. Dezember?", "2022-12-21", "2023-01-01"),
        ("Was habe ich im Juni gepflanzt?", "2022-05-29", "2022-07-11"),
        ("Was haben wir vor zwei Wochen repariert?", "2023-04-29", "2023-05-07"),
        ("die Reisen der letzten drei Monate", "2023-02-14", "2023-05-17"),
        ("Was habe ich letzten Samstag gekauft?", "2023-05-12", "2023-05-15"),
        ("Was war letztes Wochenende?", "2023-05-12", "2023-05-16"),
        ("Was habe ich gestern gekocht?", "2023-05-16", "2023-05-18"),
        ("Qui est venu le 3 décembre 2021 ?", "2021-12-01", "2021-12-12"),
        ("Qu'avons-nous réparé il y a deux semaines ?", "2023-04-29", "2023-05-07"),
        ("les voyages des trois derniers mois", "2023-02-14", "2023-05-17"),
        ("Combien ai-je couru la semaine dernière ?", "2023-05-07", "2023-05-16"),
        ("Qui ai-je appelé hier ?", "2023-05-16", "2023-05-18"),
        ("¿Quién vino el 3 de diciembre de 2021?", "2021-12-01", "2021-12-12"),
        ("¿Qué reparamos hace dos semanas?", "2023-04-29", "2023-05-07"),
        ("los viajes de los últimos tres meses", "2023-02-14", "2023-05-17"),
        ("¿Qué hice el sábado pasado?", "2023-05-12", "2023-05-15"),
        ("las bodas de este año", "2023-01-01", "2024-01-01"),
        ("¿Qué estudió en 2019?", "2019-01-01", "2020-01-01"),
    ],
)
def test_a_time_that_is_named_is_a_window(query: str, begin: str, end: str) -> None:
    assert window(query) == (begin, end)


def test_a_named_day_goes_before_one_that_is_counted() -> None:
    assert window("What happened last week, before 23 January?") == window("on 23 January")


@pytest.mark.parametrize(
    "query", ["May I ask?", "on February 31", "in the year dot", "", "which march is sung", "Was ist hier los?"]
)
def test_what_names_no_time_has_no_window(query: str) -> None:
    assert window(query) is None


@given(st.text(), st.floats(0, 253_402_300_000))
def test_no_query_is_too_much(query: str, at: float) -> None:
    time_window.period(query, at)


@given(st.integers(0, 999), st.sampled_from(["days", "weeks", "months", "years"]), st.floats(0, 253_402_300_000))
def test_a_window_ends_after_it_begins(count: int, unit: str, at: float) -> None:
    found = time_window.period(f"{count} {unit} ago", at)
    assert found is None or found.begin <= found.end


@pytest.mark.parametrize(
    ("query", "begins", "days"),
    [
        ("What did I tell you yesterday?", -1, 1),
        ("What did I tell you the day before yesterday?", -2, 1),
        ("What did I tell you today?", 0, 1),
        ("Was habe ich dir vorgestern gesagt?", -2, 1),
        ("Qu'est-ce que j'ai dit avant-hier ?", -2, 1),
        ("¿Qué te dije anteayer?", -2, 1),
        (f"What did I tell you on {NOW - timedelta(days=3):%Y-%m-%d}?", -3, 1),
    ],
)
def test_when_something_was_said_is_known_to_the_day(query: str, begins: int, days: int) -> None:
    found = time_window.said_in(query, NOW.timestamp())
    assert found is not None
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
    assert datetime.fromtimestamp(found.begin) == (midnight + timedelta(days=begins)).replace(tzinfo=None)
    assert (found.end - found.begin) / 86_400 == pytest.approx(days, abs=0.05)


def test_a_night_and_a_while_are_times_too() -> None:
    for query, hours in (("What did I tell you last night?", 12), ("What did I tell you lately?", 14 * 24)):
        found = time_window.said_in(query, NOW.timestamp())
        assert found is not None
        assert (found.end - found.begin) / 3600 == pytest.approx(hours, abs=1.1)


def test_a_leap_day_is_the_last_one_that_has_been() -> None:
    found = time_window.said_in("What did I tell you on 29 February?", NOW.timestamp())
    assert found is not None
    day = datetime.fromtimestamp(found.begin)
    assert (day.month, day.day) == (2, 29)
    assert found.begin <= NOW.timestamp()


def test_a_weekday_on_which_something_was_said_is_the_last_one() -> None:
    for query in ("What did I tell you on Saturday?", "What did I tell you last Saturday?"):
        found = time_window.said_in(query, NOW.timestamp())
        assert found is not None
        assert datetime.fromtimestamp(found.begin).weekday() == 5
        assert 0 < NOW.timestamp() - found.begin <= 8 * 86_400
