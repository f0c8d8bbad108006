"""What every command is given: a function that reads the settings, with the command's own flags in front."""

from collections.abc import Callable, Mapping

import click

from pi_memory.settings import Settings

Load = Callable[[Mapping[str, object]], Settings]
"""Settings from flags keyed by setting, such as `PI_MEMORY_PORT`; None stands for not given."""

pass_load = click.make_pass_decorator(object)
