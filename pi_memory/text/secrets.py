"""Keys, tokens, passwords and card numbers in a text: what is kept only when the user asks for it. Pure.

Hashes, UUIDs, paths and plain words are none. There is a library for it (detect-secrets), but it has had no release in
two years and brings an HTTP client along.
"""

import re
from itertools import pairwise

from pi_memory.text.language import pattern

LONGEST = 10_000
"""Characters of a text that are searched; a candidate has some hundreds."""

PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY|AGE-SECRET-KEY-1")
TOKEN = re.compile(
    r"""(?<![\w-])(?:
      sk-[\w-]{20,} | [sr]k_(?:live|test)_\w{16,} | gh[opsur]_\w{30,} | github_pat_\w{30,} | glpat-[\w-]{18,}
    | xox[abeprs]-[\w-]{10,} | xapp-[\w-]{20,} | (?:AKIA|ASIA)[0-9A-Z]{16} | AIza[\w-]{30,} | ya29\.[\w-]{20,}
    | hf_[A-Za-z0-9]{30,} | npm_[A-Za-z0-9]{30,} | pypi-[\w-]{50,} | dop_v1_[0-9a-f]{60,} | SG\.[\w-]{20,}\.[\w-]{20,}
    | eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]* | \d{8,10}:[\w-]{35} | whsec_\w{20,} | tskey-[\w-]{16,}
    )(?![\w])""",
    re.VERBOSE,
)
BEARER = re.compile(r"\b(?:bearer|basic)\s+[\w.~+/=-]{20,}", re.IGNORECASE)
IN_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:(?!\$|<|\*)[^\s/@]{3,120}@", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"[\"'`]?(?:[$<{%*.]|x{3,}|your|none|null|true|false|os\.|env|getenv|process\.|changeme)", re.I
)
DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]?\d)")
BLOB = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9+_=-]{24,}(?![\w/+=-])")
LEAST_TURNS = 0.4
"""Share of neighbouring characters of another class from which on a blob is random: 0.6 expected, names have 0.2."""


def secret_in(text: str) -> str | None:
    """The kind of secret in the text, such as `a password`, as the user sees it; None when there is none."""
    text = text[:LONGEST]
    if PRIVATE_KEY.search(text):
        return "a private key"
    if TOKEN.search(text) or BEARER.search(text):
        return "an access token"
    if IN_URL.search(text) or pattern("pin").search(text) or any(map(_is_password, pattern("password").finditer(text))):
        return "a password"
    if any(_is_card(found[0]) for found in DIGITS.finditer(text)):
        return "a card number"
    if any(_is_random(found[0]) for found in BLOB.finditer(text)):
        return "a key"
    return None


def _is_password(found: re.Match[str]) -> bool:
    """`password=hunter2`; but not `the password is wrong`, nor where it is taken from."""
    value = found["value"].rstrip(".!?)")
    if PLACEHOLDER.match(value) or len(value.strip("\"'`")) < 4:
        return False
    if value[0] in "\"'`" or "=" in found["sign"]:
        return True
    is_path = value.startswith(("/", "~", "./", "http"))
    return not is_path and not value.replace("-", "").isalpha()


def _is_card(digits: str) -> bool:
    """By its first digit and its checksum (ISO/IEC 7812, Luhn)."""
    number = [int(digit) for digit in digits if digit.isdigit()]
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(number))]
    return number[0] in (3, 4, 5, 6) and len(set(number)) > 1 and sum(doubled) % 10 == 0


def _is_random(blob: str) -> bool:
    kinds = ["a" if c.islower() else "A" if c.isupper() else "0" for c in blob if c.isalnum()]
    if {*kinds} != {"a", "A", "0"} or kinds.count("0") < 2:
        return False
    return sum(one != other for one, other in pairwise(kinds)) >= LEAST_TURNS * len(kinds)
