"""The time that a query asks about: "in May", "two weeks ago", "last Saturday". English. Pure.

Events are told afterwards, so a window reaches further after what is named than before it.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pi_memory.text.query_terms import NUMBER_WORDS

MONTH_NAMES = "january february march april may june july august september october november december"
DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS, DAYS = MONTH_NAMES.split(), DAY_NAMES.split()
UNITS = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}
"""Days of each."""
SLACK = {"day": 1, "week": 4, "month": 16, "year": 180}
"""Days by which "n units ago" may be meant otherwise, on either side."""

MONTH = rf"(?P<month>{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
YEAR = r"(?P<year>(?:19|20)\d\d)"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
COUNT = rf"(?P<count>\d{{1,3}}|an?|one|couple of|a couple of|few|a few|several|{'|'.join(NUMBER_WORDS)})"
UNIT = r"(?P<unit>day|week|month|year)s?"


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """From `begin` to `end`, Unix times."""

    begin: float
    end: float


def asked(query: str, at: float) -> TimeWindow | None:
    """The time that `query`, asked at Unix time `at`, is about; None when it names none."""
    now, text = datetime.fromtimestamp(at).astimezone(), query.lower()
    for pattern, read in READERS:
        if found := pattern.search(text):
            try:
                begin, end = read(found, now)
                return TimeWindow(begin.timestamp(), end.timestamp())
            except (ValueError, OverflowError):  # 31 February, or a time before all calendars
                continue
    return None


Span = tuple[datetime, datetime]


def _date(found: re.Match[str], now: datetime) -> Span:
    day = _latest(now, found["year"], month=_month_number(found["month"]), day=int(found["day"]))
    return day - timedelta(days=2), day + timedelta(days=9)


def _iso(found: re.Match[str], now: datetime) -> Span:
    day = _midnight(now).replace(year=int(found["year"]), month=int(found["month"]), day=int(found["day"]))
    return day - timedelta(days=2), day + timedelta(days=9)


def _month(found: re.Match[str], now: datetime) -> Span:
    first = _latest(now, found["year"], month=_month_number(found["month"]), day=1)
    days = monthrange(first.year, first.month)[1]
    return first - timedelta(days=3), first + timedelta(days=days + 10)


def _ago(found: re.Match[str], now: datetime) -> Span:
    back, slack = _count(found["count"]) * UNITS[found["unit"]], SLACK[found["unit"]]
    return now - timedelta(days=back + slack), now - timedelta(days=back - slack)


def _past(found: re.Match[str], now: datetime) -> Span:
    return now - timedelta(days=_count(found["count"] or "one") * UNITS[found["unit"]] + 1), now


def _weekday(found: re.Match[str], now: datetime) -> Span:
    today = _midnight(now)
    back = (today.weekday() - DAYS.index(found["weekday"])) % 7 or 7
    return today - timedelta(days=back + 1), today - timedelta(days=back - 2)


def _weekend(found: re.Match[str], now: datetime) -> Span:
    monday = _monday(now)
    saturday = monday + timedelta(days=5) if found["which"] == "this" else monday - timedelta(days=2)
    return saturday - timedelta(days=1), saturday + timedelta(days=3)


def _week(found: re.Match[str], now: datetime) -> Span:
    monday = _monday(now) - timedelta(days=0 if found["which"] == "this" else 7)
    return monday - timedelta(days=1), monday + timedelta(days=8)


def _this_month(found: re.Match[str], now: datetime) -> Span:
    first = _midnight(now).replace(day=1)
    if found["which"] == "last":
        first = (first - timedelta(days=1)).replace(day=1)
    return first, first + timedelta(days=monthrange(first.year, first.month)[1])


def _this_year(found: re.Match[str], now: datetime) -> Span:
    return _whole_year(now, now.year - (found["which"] == "last"))


def _year(found: re.Match[str], now: datetime) -> Span:
    return _whole_year(now, int(found["year"]))


def _yesterday(found: re.Match[str], now: datetime) -> Span:
    day = _midnight(now) - timedelta(days=1)
    return day, day + timedelta(days=2)


READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        # What is named outright goes before what is counted from now.
        (r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b", _iso),
        (rf"\b{MONTH}\.? {DAY}(?!\d)(?:,? {YEAR})?\b", _date),
        (rf"\b{DAY} (?:of )?{MONTH}\b\.?(?:,? {YEAR})?", _date),
        (
            rf"\b(?:in|of|during|since|early|late|mid|throughout|last|this)[ -]{MONTH}\b\.?(?:,? (?:of )?{YEAR})?",
            _month,
        ),
        (rf"\b{MONTH},? {YEAR}\b", _month),
        (rf"\b{COUNT} {UNIT} ago\b", _ago),
        (rf"\b(?:past|last) {COUNT} {UNIT}\b", _past),
        (r"\bpast (?P<count>)(?P<unit>day|week|month|year)\b", _past),
        (rf"\blast (?P<weekday>{'|'.join(DAYS)})\b", _weekday),
        (r"\b(?P<which>this|last) weekend\b", _weekend),
        (r"\b(?P<which>this|last) week\b", _week),
        (r"\b(?P<which>this|last) month\b", _this_month),
        (r"\b(?P<which>this|last) year\b", _this_year),
        (r"\byesterday\b", _yesterday),
        (rf"\b(?:in|of|during|since) {YEAR}\b", _year),
    )
)


def _latest(now: datetime, year: str | None, *, month: int, day: int) -> datetime:
    """A day; of a year that is not named, the last one that has been."""
    found = _midnight(now).replace(year=int(year) if year else now.year, month=month, day=day)
    return found if year or found <= now else found.replace(year=now.year - 1)


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word in NUMBER_WORDS:
        return int(NUMBER_WORDS[word])
    return 2 if "couple" in word else 3 if word in ("few", "a few", "several") else 1


def _whole_year(now: datetime, year: int) -> Span:
    first = _midnight(now).replace(year=year, month=1, day=1)
    return first, first.replace(year=year + 1)


def _monday(now: datetime) -> datetime:
    return _midnight(now) - timedelta(days=now.weekday())


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
