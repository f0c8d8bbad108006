"""Times in requests and responses."""

from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from pi_memory.errors import RequestError

T = TypeVar("T", bound=msgspec.Struct)

LAST = 253_402_300_799.0
"""The end of the year 9999."""


def iso(at: float) -> str:
    """A Unix time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def shown_value(name: str, value: Any) -> Any:
    """A field as clients read it: a time as ISO 8601."""
    is_time = name.rpartition("_")[2] == "at" or name in ("valid_from", "valid_to")
    return iso(value) if is_time and value is not None else value


def shown(kind: type[T], source: object, **given: Any) -> T:
    """A `kind` with the fields that `source` has by the same names, and those that are given."""
    fields = (field.name for field in msgspec.structs.fields(kind) if field.name not in given)
    return kind(**given, **{name: shown_value(name, getattr(source, name)) for name in fields})


def unix(value: str | float, name: str) -> float:
    """Unix seconds from a number or ISO 8601, which is UTC unless it says otherwise. Raises `RequestError`."""
    try:
        at = value if isinstance(value, float | int) else _parsed(value)
        if 0 <= at <= LAST:
            return float(at)
    except (ValueError, OverflowError):
        pass
    raise RequestError(f"{name}: not a time", hint="ISO 8601 such as 2026-02-22T14:30:00Z, or Unix seconds.")


def _parsed(text: str) -> float:
    time = datetime.fromisoformat(text)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
