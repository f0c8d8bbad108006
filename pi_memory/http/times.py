"""Times in requests and responses."""

from typing import Any, TypeVar

import msgspec

from pi_memory import clock
from pi_memory.clock import iso
from pi_memory.errors import RequestError

T = TypeVar("T", bound=msgspec.Struct)


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
    if (at := clock.unix(value)) is None:
        raise RequestError(f"{name}: not a time", hint="ISO 8601 such as 2026-02-22T14:30:00Z, or Unix seconds.")
    return at
