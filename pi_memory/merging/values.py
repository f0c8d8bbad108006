"""The values of a text: numbers, days, times, codes, names, as they are written, and where they stand in it. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pi_memory.text.contrast import is_number_word
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import stems as all_stems
from pi_memory.text.stems import stem

WHOLES = ("on_date", "nth_day", "part_of_day", "how_often")
"""Expressions of several words that are one value: `the 3rd of May`, `first Friday`, `once a week`."""
CURRENCIES = "£$€"
VERBS = ("says_now", "happened_once", "finite")
SHORTEST_CODE = 6
"""Characters of a word of letters and digits from which on it is a code or a password, whatever its letters."""


def place_of(value: str, text: str, *, as_part: bool = False) -> re.Match[str] | None:
    """The place of a value in a text, as whole words; `as_part`: also in an address: `v1`, of `ada.org/v1`."""
    begin, end = (r"(?<!\w)", r"(?!\w)") if as_part else (r"(?<!\w)(?<!\w[.:/@])", r"(?!\w|[.:/@]\w)")
    return re.search(f"{begin}{re.escape(value)}{end}", text, re.IGNORECASE) if value else None


def values_in(text: str, wholes: Sequence[str] = ()) -> list[str]:
    """The numbers of a text, its days of the week and times of day in words, as they are written; what one of `wholes`
    matches is one, such as a day with its month.
    """
    if wholes:
        whole = pattern(wholes[0])
        return [found[0].rstrip(".") for found in whole.finditer(text)] + values_in(whole.sub("", text), wholes[1:])
    grouped = [found[0] for found in pattern("grouped_number").finditer(text)]
    left = pattern("grouped_number").sub("", text) if grouped else text
    words = [word.strip(".,;:!?()\"'").removesuffix("'s") for word in left.split()]
    found = grouped + [
        word for word in words if any(c.isdigit() for c in word) or day_name(word) in forms("weekday_name")
    ]
    return found + [time[0] for time in pattern("clock_words").finditer(text)]


def kinds_of_values(text: str) -> set[str]:
    """The kinds of the values of a text: days, dates, times of day, and any other numbers."""
    dates = pattern("on_date")
    left = dates.sub("", text)
    kinds = {"date"} if dates.search(text) or months_in(text) else set()
    for value in values_in(left):
        is_time = shape_of(value) == "clock_words" or is_time_of_day(value, left)
        is_date = shape_of(value) == "#th"
        kinds.add("weekday" if shape_of(value) == "weekday" else "date" if is_date else "time" if is_time else "number")
    is_counted = counts_in(left) or any(map(pattern("teens_and_tens").fullmatch, left.casefold().split()))
    return kinds | ({"number"} if is_counted else set())


def shape_of(value: str) -> str:
    """How a value is written: `19th` and `2nd`, `15:40` and `8:05`, `7.20` and `14.50` are written alike."""
    for name in ("clock_words", *WHOLES):
        if pattern(name).fullmatch(value):
            return name
    if not any(c.isdigit() for c in value):
        return "weekday" if day_name(value) in forms("weekday_name") else "clock_words"
    if len(value) >= SHORTEST_CODE and value.isalnum() and not value[0].isdigit():
        return "code"
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", value.casefold())  # 1,020
    return re.sub(r"(?<=#)(?:st|nd|rd|th)$", "th", re.sub(r"\d+", "#", plain))


def day_name(word: str) -> str:
    return word.casefold().removesuffix("s")


def is_weekly(value: str) -> bool:
    return value.endswith("s") and day_name(value) in forms("weekday_name")


def stands_in(place: re.Match[str], name: str, text: str) -> bool:
    """Whether a value is a part of an expression of several words."""
    return any(found.start() <= place.start() < found.end() for found in pattern(name).finditer(text))


def is_time_of_day(value: str, text: str) -> bool:
    """Whether a value of a text is a time of day: `half past two`, `14:30`, `2 o'clock`, `at 2`."""
    place = place_of(value, text)
    if place is None or shape_of(value) == "clock_words" or ":" in value or pattern("half_of_day").fullmatch(value):
        return place is not None
    is_at = value[-1].isdigit() and pattern("at_time").search(text[: place.start()]) is not None
    return is_at or pattern("of_clock").match(text[place.end() :]) is not None


def is_by_so_much(said: str) -> bool:
    """Whether something is said to be more or less by so much, and not how much it is then: `Bo gets 100 more`."""
    values = len(values_in(said)) + len(counts_in(said))
    return values == 1 and pattern("so_much_more").search(said) is not None


def _is_amount(value: str) -> bool:
    """Whether a value is a number: `2.5`, `20`."""
    return value.replace(",", ".").replace(".", "", 1).isdigit()


def is_in_date(value: str, text: str) -> bool:
    """Whether a number of a text is the day of a month that is named beside it: `4`, of `4 May`."""
    place = place_of(value, text) if value.isdigit() else None
    return place is not None and any(
        each.start() <= place.start() < each.end() for each in pattern("on_date").finditer(text)
    )


def _is_year(value: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", value) is not None


def is_alike(new: str, said: str, old: str, known: str) -> bool:
    """Whether a value is written like another one, and may stand in its place: no `4.2 kW` for `8.5 kWp`, no price for
    a year.
    """
    are_times = shape_of(new) != shape_of(old) and is_time_of_day(new, said) and is_time_of_day(old, known)
    unit = _thing_behind(new, said)
    have_unit = all(map(_is_amount, (new, old))) and unit != "" and unit == _thing_behind(old, known)
    are_paid = all(map(_is_amount, (new, old))) and all(pattern("paid").search(text) for text in (said, known))
    is_day = shape_of(new) == "#th" and is_in_date(old, known)  # the 21st, for 14 March
    is_short = _is_price_without_currency(new, old) or _is_dose_without_unit(new, old)
    is_other_shape = not (is_day or is_short or are_times or have_unit or are_paid)
    if shape_of(new) != shape_of(old) and is_other_shape:
        return False
    if (_is_year(old) and not _is_year(new)) or is_in_date(old, known) != (is_in_date(new, said) or is_day):
        return False  # 710 a year, for 1 May
    behind = {_thing_behind(new, said), _thing_behind(old, known)} - {""}
    if are_paid:
        behind = {thing for thing in behind if not pattern("paid").search(thing)}  # 12 quid, for 11.20 an hour
    before = {_thing_before(new, said), _thing_before(old, known)} - {""}
    return is_day or (len(behind) < 2 and len(before) < 2)


def written_like(value: str, old: str) -> str:
    """A day as the one is written in whose place it goes: `every second Monday`, for `it comes on Mondays`; and a price
    with its currency.
    """
    if shape_of(value) == "#th" and old.isdigit():
        return value[:-2]
    if shape_of(value) == "weekday":
        return value.removesuffix("s") + ("s" if old.endswith("s") else "")
    if _is_dose_without_unit(value, old):
        return f"{value}{old.lstrip('0123456789.,')}"
    return f"{old[0]}{value}" if _is_price_without_currency(value, old) else value


def _is_dose_without_unit(value: str, dose: str) -> bool:
    """Whether a number may be one with a unit at its end: `40`, for `20mg`."""
    is_dose = re.fullmatch(r"\d[\d.,]*[a-z]{1,3}", dose) is not None and shape_of(dose) != "#th"
    return value.isdigit() and is_dose and not pattern("half_of_day").fullmatch(dose)


def _is_price_without_currency(value: str, price: str) -> bool:
    """Whether a number has as many digits as a price, and no currency: `815`, for `£780`."""
    return price[0] in CURRENCIES and value.isdigit() and len(value) == len(price[1:].partition(".")[0])


def _thing_behind(value: str, text: str) -> str:
    """The stem of the unit or thing right behind a value: `hive` of `3 hives`; "" for none."""
    place = place_of(value, text)
    rate = pattern("rate").match(text, place.start()) if place else None
    if rate and rate["per"]:
        return f"per {stem(rate['unit'].casefold())}"
    behind = re.match(r" ?([^\W\d_]+)", text[place.end() :]) if place and any(c.isdigit() for c in value) else None
    return next(iter(all_stems(behind[1])), "") if behind else ""


def _thing_before(value: str, text: str) -> str:
    """The stem of what a number belongs to, if it stands right before it: `bus` of `bus 37`; "" for none."""
    place = place_of(value, text) if any(c.isdigit() for c in value) else None
    before = re.search(r"([^\W\d_]+) $", text[: place.start()]) if place else None
    word = before[1].casefold() if before else ""
    if not word or word in words("of_any_number") or any(pattern(name).fullmatch(word) for name in VERBS):
        return ""
    return next(iter(all_stems(word)), "")


def counts_in(text: str) -> set[str]:
    """The number words of a text that are no time of day."""
    other = pattern("one_of_them").sub("", pattern("clock_words").sub("", text))
    return {word.strip(".,;:!?") for word in other.casefold().split()} & forms("small_numbers").keys()


def months_in(text: str) -> set[str]:
    return {number for name, number in forms("month_name").items() if place_of(name, text)}


def amounts_in(text: str) -> dict[str, re.Match[str]]:
    """Where a number of things is said, by the stems of the things: `three hives`, `half a pill`; not where it is
    denied.
    """
    found = (each for each in pattern("amount").finditer(text) if each["part"] or is_counted(each["many"]))
    denied = {each.end() for each in pattern("contrast_not").finditer(text)}
    found = (each for each in found if each["what"].casefold() not in forms("month_name"))
    amounts: dict[str, re.Match[str]] = {}
    for each in found:
        before = amounts.get(what := stem(each["what"].casefold()))
        is_part = before is not None and each.start() < before.end("many")  # a half, of one and a half
        if each.start() not in denied and not is_part:
            amounts[what] = each
    return amounts


def is_counted(text: str) -> bool:
    """Whether a number follows."""
    word = next(iter(text.split()), "").strip(".,;:!?").casefold()
    return word.isdigit() or is_number_word(word)


def names_in(text: str) -> set[str]:
    """The names within a text, and its numbers; no `It` that begins a sentence."""
    found = set[str]()
    for before, after in pairwise(text.split()):
        word = after.strip(f".,;:!?{CURRENCIES}").split("'")[0]
        begins = before.endswith((".", "!", "?")) and word.casefold() in words("stop_words")
        if (word[:1].isupper() and word != "I" and not begins) or any(c.isdigit() for c in word):
            found.add(word)
    return found


def first_value(name: str, text: str) -> str:
    """The first value after a name in a text; "" if it is not there, or has none."""
    place = place_of(name, text)
    return next(iter(values_in(text[place.end() :])), "") if place else ""
