"""The day that a memory adds to what was said, where it counts days: `I have the flu. (Said on 2026-02-22.)`"""

import re
from contextlib import suppress
from datetime import UTC, datetime

MARK = re.compile(r" \(Said on [\d-]{10}\.\)$")


def dated(text: str, at: float) -> str:
    """A text with the day of a time in seconds, UTC; as it is if that is no day of the calendar."""
    with suppress(ValueError, OverflowError, OSError):
        return f"{text} (Said on {datetime.fromtimestamp(at, UTC).date().isoformat()}.)"
    return text


def undated(text: str) -> str:
    return MARK.sub("", text)
