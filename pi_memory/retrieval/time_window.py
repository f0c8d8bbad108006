"""The time that a query asks about: "in May", "two weeks ago", "last Saturday". Pure.

The words are in `config/language`. People report events afterwards, so a window reaches further after a
date than before it.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct

from pi_memory.text.language import forms, pattern
from pi_memory.text.sentences import WORD

UNITS = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}
"""Days of each."""
SLACK = {"day": 1, "week": 4, "month": 16, "year": 180}
"""Days by which "n units ago" may be meant otherwise, on either side."""

EVENING, MORNING = 17, 5
"""Hours at which a night begins, and ends."""
LATELY = 14
"""Days that are meant by it."""
LEAP_YEARS = 9
"""Years among which there is a 29 February."""

Span = tuple[datetime, datetime]


class TimeWindow(Struct, frozen=True):
    """From `begin` to `end`, Unix times."""

    begin: float
    end: float


def period(query: str, at: float) -> TimeWindow | None:
    """The time that `query`, asked at Unix time `at`, is about; None when it names none."""
    return _read(query, at, READERS)


def said_in(query: str, at: float) -> TimeWindow | None:
    """The time in which something was said, to the day: `what did I tell you yesterday`; None when none is named."""
    return _read(query, at, SAID | {name: read for name, read in READERS.items() if name not in SAID})


def _read(query: str, at: float, readers: Mapping[str, "Reader"]) -> TimeWindow | None:
    now = datetime.fromtimestamp(at).astimezone()
    for name, read in readers.items():
        if found := pattern(name).search(query):
            try:
                begin, end = read(found[0].casefold(), now)
                return TimeWindow(begin.timestamp(), end.timestamp())
            except (ValueError, OverflowError):  # 31 February, or a time before all calendars
                continue
    return None


def _iso_date(text: str, now: datetime) -> Span:
    year, month, day = map(int, text.split("-"))
    return _around(_midnight(now).replace(year=year, month=month, day=day))


def _date(text: str, now: datetime) -> Span:
    return _around(_latest(text, now, day=next(number for number in _numbers(text) if number < 100)))


def _month(text: str, now: datetime) -> Span:
    first = _latest(text, now, day=1)
    return first - timedelta(days=3), first + timedelta(days=_length(first) + 10)


def _ago(text: str, now: datetime) -> Span:
    (unit,) = _those(text, "time_unit")
    back, slack = _count(text) * UNITS[unit], SLACK[unit]
    return now - timedelta(days=back + slack), now - timedelta(days=back - slack)


def _past(text: str, now: datetime) -> Span:
    (unit,) = _those(text, "time_unit")
    return now - timedelta(days=_count(text) * UNITS[unit] + 1), now


def _weekday(text: str, now: datetime) -> Span:
    (weekday,) = _those(text, "weekday_name")
    today = _midnight(now)
    back = (today.weekday() - int(weekday)) % 7 or 7
    return today - timedelta(days=back + 1), today - timedelta(days=back - 2)


def _weekend(_: str, now: datetime, *, back: int = 0) -> Span:
    saturday = _monday(now) + timedelta(days=5 - 7 * back)
    return saturday - timedelta(days=1), saturday + timedelta(days=3)


def _week(_: str, now: datetime, *, back: int = 0) -> Span:
    monday = _monday(now) - timedelta(days=7 * back)
    return monday - timedelta(days=1), monday + timedelta(days=8)


def _this_month(_: str, now: datetime) -> Span:
    first = _midnight(now).replace(day=1)
    return first, first + timedelta(days=_length(first))


def _last_month(_: str, now: datetime) -> Span:
    return _this_month("", now.replace(day=1) - timedelta(days=1))


def _this_year(_: str, now: datetime, *, back: int = 0) -> Span:
    return _year(str(now.year - back), now)


def _year(text: str, now: datetime) -> Span:
    first = _midnight(now).replace(year=_numbers(text)[0], month=1, day=1)
    return first, first.replace(year=first.year + 1)


def _yesterday(_: str, now: datetime) -> Span:
    day = _midnight(now) - timedelta(days=1)
    return day, day + timedelta(days=2)


def _day(_: str, now: datetime, *, back: int = 0) -> Span:
    return _days_from(_midnight(now) - timedelta(days=back))


def _on_iso_date(text: str, now: datetime) -> Span:
    year, month, day = _numbers(text)
    return _days_from(_midnight(now).replace(year=year, month=month, day=day))


def _on_date(text: str, now: datetime) -> Span:
    return _days_from(_latest(text, now, day=next(number for number in _numbers(text) if number < 100)))


def _days_from(day: datetime, days: int = 1) -> Span:
    return day, day + timedelta(days=days)


def _last_night(_: str, now: datetime) -> Span:
    yesterday = _midnight(now) - timedelta(days=1)
    return yesterday + timedelta(hours=EVENING), yesterday + timedelta(hours=24 + MORNING)


def _lately(_: str, now: datetime) -> Span:
    return now - timedelta(days=LATELY), now


def _on_weekday(text: str, now: datetime) -> Span:
    (weekday,) = _those(text, "weekday_name")
    return _day("", now, back=(now.weekday() - int(weekday)) % 7 or 7)


def _days_of_week(_: str, now: datetime, *, back: int = 0) -> Span:
    return _days_from(_monday(now) - timedelta(days=7 * back), days=7)


Reader = Callable[[str, datetime], Span]
READERS: dict[str, Reader] = {
    # What is named outright goes before what is counted from now.
    "iso_date": _iso_date,
    "on_date": _date,
    "in_month": _month,
    "ago": _ago,
    "past": _past,
    "last_weekday": _weekday,
    "this_weekend": _weekend,
    "last_weekend": partial(_weekend, back=1),
    "this_week": _week,
    "last_week": partial(_week, back=1),
    "this_month": _this_month,
    "last_month": _last_month,
    "this_year": _this_year,
    "last_year": partial(_this_year, back=1),
    "yesterday": _yesterday,
    "in_year": _year,
}
"""How the text that a pattern of this name found, in small letters, is read at a time."""
SAID: dict[str, Reader] = {
    "iso_date": _on_iso_date,
    "on_date": _on_date,
    "last_night": _last_night,
    "day_before_yesterday": partial(_day, back=2),
    "yesterday": partial(_day, back=1),
    "today": _day,
    "on_weekday": _on_weekday,
    "last_weekday": _on_weekday,
    "this_week": _days_of_week,
    "last_week": partial(_days_of_week, back=1),
    "lately": _lately,
}
"""The same where it is known when something was said: not told days later, as what happened is."""


def _around(day: datetime) -> Span:
    return day - timedelta(days=2), day + timedelta(days=9)


def _latest(text: str, now: datetime, *, day: int) -> datetime:
    """A day of the month in a text; of a year that is not named, the last one that has been."""
    (month,) = _those(text, "month_name")
    year = next((number for number in _numbers(text) if number > 99), None)
    years = [year] if year else range(now.year, now.year - LEAP_YEARS, -1)
    for each in years:
        if day <= monthrange(each, int(month))[1]:
            found = _midnight(now).replace(year=each, month=int(month), day=day)
            if year or found <= now:
                return found
    raise ValueError(text)  # 31 February


def _count(text: str) -> int:
    """The number of units, 1 where there is none; `a couple` is 2."""
    words = [*_those(text, "how_many"), *_those(text, "small_numbers")]
    return max([*map(int, words), *_numbers(text)], default=1)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _those(text: str, name: str) -> list[str]:
    """The forms of those words of a text that have this name in `config/language`."""
    known = forms(name)
    return [known[word] for word in WORD.findall(text) if word in known]


def _length(first: datetime) -> int:
    return monthrange(first.year, first.month)[1]


def _monday(now: datetime) -> datetime:
    return _midnight(now) - timedelta(days=now.weekday())


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
