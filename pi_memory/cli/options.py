"""Options of every command: a function that reads the settings, overridden by the command's own flags."""

from collections.abc import Callable, Mapping

import click

from pi_memory.settings import Settings

Load = Callable[[Mapping[str, object]], Settings]
"""Reads the settings. Flags are keyed by setting, such as `PI_MEMORY_PORT`; None means not given."""


def pass_load(command: Callable[..., None]) -> Callable[..., None]:
    """Pass a command its `Load` as first argument."""
    return click.pass_obj(command)
