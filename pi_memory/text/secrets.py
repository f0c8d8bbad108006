"""Keys, tokens, passwords and card numbers in a text: what is kept only when the user asks for it. Pure.

Hashes, UUIDs, paths and plain words are none. There is a library for it (detect-secrets), but it has had no release in
two years and brings an HTTP client along.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from pi_memory.text.language import pattern

LONGEST = 10_000
"""Characters of a text that are searched; a candidate has some hundreds."""

MASK = "****"
"""What stands for a secret; it looks like none."""

BEFORE = 80
"""Characters before `password` in which the wifi may be named: everybody in a house is given its password."""

TYPED = (15, 16)
"""Digits of a card's number, of which a checksum need not tell it."""
LEAST_TURNS = 0.4
"""Share of neighbouring characters of another class from which on a blob is random: 0.6 expected, names have 0.2."""


def secret_in(text: str) -> str | None:
    """The kind of secret in the text, such as `a password`, as the user sees it; None when there is none."""
    return next((kind for kind, _, _ in _secrets(text[:LONGEST])), None)


def is_of_household(secret: str, before: str) -> bool:
    """Whether a sentence gives the password of what the one before it names, which everybody in a house is given: `The
    wifi is new. The password is mango77.`
    """
    return secret_in(secret) is not None and secret_in(f"{before} {secret}") is None


def masked(text: str) -> str:
    """`text` with its secrets hidden; what is behind its first `LONGEST` characters is left out if there are any."""
    spans = sorted((start, end) for _, start, end in _secrets(text[:LONGEST]))
    if not spans:
        return text
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], MASK] if start >= at else []
        at = max(at, end)
    return "".join([*parts, text[at:LONGEST]])


def _secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Each secret: its kind, where it begins and where it ends."""
    if found := pattern("private_key").search(text):
        yield "a private key", found.start(), len(text)  # its lines follow
    yield from (("an access token", *found.span()) for found in pattern("access_token").finditer(text))
    for found in pattern("password_in_url").finditer(text):
        yield "a password", text.index(":", text.index("//", found.start())) + 1, found.end() - 1
    yield from (("a password", *f.span("value")) for f in pattern("password").finditer(text) if _is_password(f))
    if any(map(str.isdigit, text)):
        yield from _with_digits(text)


def _with_digits(text: str) -> Iterator[tuple[str, int, int]]:
    """The secrets of kinds that have a digit in them; most texts have none at all."""
    for found in pattern("pin").finditer(text):
        yield "a password", found.end() - len(found[0]) + len(found[0].rstrip("0123456789")), found.end()
    yield from (("a password", *span) for span in _taken_back(text))
    yield from (("a card number", *found.span()) for found in pattern("card_number").finditer(text) if _is_card(found))
    yield from (("a key", *found.span()) for found in pattern("random_key").finditer(text) if _is_random(found[0]))


def _is_password(found: re.Match[str]) -> bool:
    """`password=hunter2`; but not `the password is wrong`, nor where it is taken from, nor the one for guests."""
    value = found["value"].rstrip(".!?)")
    named = (
        found.string[max(0, found.start() - BEFORE) : found.start()],
        found.string[found.start() : found.start("sign")],
    )
    if any(map(pattern("household").search, named)) or pattern("household_behind").match(found.string, found.end()):
        return False
    if pattern("placeholder").match(value) or len(value.strip("\"'`")) < 4:
        return False
    if value[0] in "\"'`" or "=" in found["sign"]:
        return True
    is_path = value.startswith(("/", "~", "./", "http"))
    return not is_path and not value.replace("-", "").isalpha()


def _taken_back(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand that another one takes the place of: `the password is ..., not hunter2`."""
    if not (pattern("secret_named").search(text) or pattern("pin").search(text)) or _is_of_household(text):
        return
    for found in pattern("other_secret").finditer(text):
        value = found["value"].rstrip(".!?")
        if any(c.isdigit() for c in value) and "/" not in value and ":" not in value:
            yield found.start("value"), found.start("value") + len(value)


def _is_of_household(text: str) -> bool:
    """Whether all passwords that a text names are those that everybody in a house is given."""
    named = [*pattern("secret_named").finditer(text), *pattern("pin").finditer(text)]
    return all(pattern("household").search(text[max(0, one.start() - BEFORE) : one.start()]) for one in named)


def _is_card(found: re.Match[str]) -> bool:
    """By its first digit, and its checksum (ISO/IEC 7812, Luhn) or, as one may be mistyped, what it is said to be."""
    number = [int(digit) for digit in found[0] if digit.isdigit()]
    if number[0] not in (3, 4, 5, 6) or len(set(number)) == 1:
        return False
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(number))]
    before = found.string[max(0, found.start() - BEFORE) : found.start()]
    return sum(doubled) % 10 == 0 or (len(number) in TYPED and pattern("payment_card").search(before) is not None)


def _is_random(blob: str) -> bool:
    kinds = ["a" if c.islower() else "A" if c.isupper() else "0" for c in blob if c.isalnum()]
    if {*kinds} != {"a", "A", "0"} or kinds.count("0") < 2:
        return False
    return sum(one != other for one, other in pairwise(kinds)) >= LEAST_TURNS * len(kinds)
