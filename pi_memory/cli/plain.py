"""Makes text of others safe for a terminal."""

import re
from typing import Any

STEERING = re.compile(
    r"""
    (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]?            # CSI: colours, cursor, erasing
    | (?: \x1b[]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c\n]* (?: \x07 | \x1b\\ | \x9c )?  # OSC: title
    | \x1b [ -/]* [0-~]?                                # other escapes
    | [\x00-\x08\x0b-\x1f\x7f-\x9f]                     # control characters but tab and line feed
    | [\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]    # what turns the direction of writing
    """,
    re.VERBOSE,
)


def plain(text: str) -> str:
    """`text` without escape sequences, control characters and characters that disguise text."""
    return STEERING.sub("", text)


def plain_json(value: Any) -> Any:
    """The same for every string in a decoded JSON value."""
    match value:
        case str():
            return plain(value)
        case list():
            return [plain_json(item) for item in value]
        case dict():
            return {plain(key): plain_json(item) for key, item in value.items()}
    return value
