"""What every command is given: a function that reads the settings, with the command's own flags in front."""

from collections.abc import Callable, Mapping

import click

from pi_memory.settings import Settings

Load = Callable[[Mapping[str, object]], Settings]
"""Settings from flags keyed by setting, such as `PI_MEMORY_PORT`; None stands for not given."""


def pass_load(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command its `Load` as first argument."""
    return click.pass_obj(command)
