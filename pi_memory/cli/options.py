"""What commands have in common: the settings, `--json`, and the ids of memories and exchanges."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import click
from msgspec import Struct

from pi_memory.settings import Settings

Load = Callable[[Mapping[str, object]], Settings]
"""Reads the settings. Flags are keyed by setting, such as `PI_MEMORY_PORT`; None means not given."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def pass_load(command: Callable[..., None]) -> Callable[..., None]:
    """Pass a command its `Load` as first argument."""
    return click.pass_obj(command)


def report(data: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the result of a command: `data` as JSON, or `text` for people."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False) if as_json else text)


class Id(Struct, frozen=True):
    """The id of a memory (`m12`) or of an exchange (`e3`)."""

    kind: Literal["memory", "exchange"]
    number: int

    def __str__(self) -> str:
        return f"{'e' if self.kind == 'exchange' else 'm'}{self.number}"

    @property
    def path(self) -> str:
        return f"/memories/{self.number}" if self.kind == "memory" else f"/exchanges/{self.number}"


class IdType(click.ParamType[Id]):
    """`m12`, `e3`, or a number alone, which is the id of a memory. `letters` are those that are accepted."""

    name = "id"

    def __init__(self, letters: str) -> None:
        self._letters = letters

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Id:
        if isinstance(value, Id):
            return value
        found = re.fullmatch(rf"([{self._letters}]?)([0-9]{{1,18}})", str(value).strip().lower())
        if not found or not int(found[2]):
            examples = " or ".join({"m": "m12", "e": "e3"}[letter] for letter in self._letters)
            self.fail(f"{value!r} is no id, such as {examples}", param, ctx)
        return Id("exchange" if found[1] == "e" else "memory", int(found[2]))


MEMORY, MEMORY_OR_EXCHANGE = IdType("m"), IdType("me")
