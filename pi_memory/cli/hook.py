"""`pi-memory hook`: handles an event of a coding agent, and installs itself in the agent's settings."""

import difflib
import json
import shlex
import shutil
import sys
from pathlib import Path

import click

from pi_memory.agents import hook
from pi_memory.agents.hook_settings import undone, with_hooks
from pi_memory.atomic_file import commit, prepare
from pi_memory.cli.options import Load, pass_load
from pi_memory.cli.plain import plain
from pi_memory.errors import PiMemoryError, RequestError
from pi_memory.settings import Settings


@click.command("hook")
@click.option("--install", "does", flag_value="install", help="Have Claude Code run it: shows the change, and asks.")
@click.option("--uninstall", "does", flag_value="uninstall", help="Take out what --install put in.")
@click.option("--project", is_flag=True, help="In the project here (.claude/settings.json) instead of for you.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_load
def command(load: Load, does: str | None, project: bool, yes: bool) -> None:
    """Report one event of a coding agent to the daemon, given as JSON on standard input.

    It prints what the agent should know. It always exits with 0: an agent goes on without its memory.

    \b
    Examples:
      pi-memory hook --install
      echo '{"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/srv/app"}' | pi-memory hook
    """
    if does is None:
        if project or yes:
            raise click.UsageError("--project and --yes go with --install or --uninstall.")
        hook.main()
        return
    file = Path(hook.agent_settings_file(project=project)).resolve()
    settings = load({})
    before = _read(file)
    ours = _command(project)
    after = with_hooks(before, ours) if does == "install" else undone(before, ours, _read(_backup(file)))
    if _agreed(file, before, after, yes=yes):
        _replace(file, before, after)
    if does == "install":
        _keep_address(settings)
    elif not project:
        Path(hook.installed_file()).unlink(missing_ok=True)


def _agreed(file: Path, before: str, after: str, *, yes: bool) -> bool:
    """Show the change. Returns whether there is one and the user agrees."""
    if before == after:
        click.echo(f"{file} needs no change.")
        return False
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    click.echo(plain("".join(difflib.unified_diff(old, new, f"{file}", f"{file} (new)"))))
    if not yes:
        click.confirm("Write this?", abort=True)
    return True


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"Cannot read {file}: {error}", hint="It must be UTF-8 text that you may read.") from error


def _backup(file: Path) -> Path:
    return file.with_name(f"{file.name}.backup")


def _replace(file: Path, before: str, after: str) -> None:
    """Write the settings and keep the old ones beside them. Raises `PiMemoryError`."""
    if _read(file) != before:
        raise PiMemoryError(f"{file} was changed meanwhile", hint="Nothing was written; try again.")
    try:
        written = prepare(file, after)
        if file.exists():
            shutil.copy2(file, _backup(file))
            shutil.copymode(file, written)
        commit(written, file)
    except OSError as error:
        raise PiMemoryError(f"Cannot write {file}: {error}", hint="Nothing was changed.") from error
    click.echo(f"Written to {file}.")


def _keep_address(settings: Settings) -> None:
    """Write the daemon's address for the hook, which has no time to read the settings. Mode 0600: it may hold the
    token.
    """
    file, server = Path(hook.installed_file()), settings.server
    known = {"host": server.host, "port": server.port, "token": server.token, "data_dir": str(settings.data_dir)}
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.chmod(0o600)
        file.write_text(json.dumps(known), encoding="utf-8")
    except OSError as error:
        raise PiMemoryError(f"Cannot write {file}: {error}", hint="The hook needs it to find the daemon.") from error
    click.echo(f"The hook finds the daemon at {server.host}:{server.port}, says {file}.")


def _command(project: bool) -> str:
    """The command that the agent runs; for a project, whose settings others share, the bare name of the program if that
    is enough.
    """
    if project and shutil.which("pi-memory"):
        return "pi-memory hook"
    script = Path(sys.executable).with_name("pi-memory")
    if script.exists():
        return f"{shlex.quote(str(script))} hook"
    # -P: the agent runs it in the project's directory, whose modules are not ours.
    return f"{shlex.quote(sys.executable)} -P -m pi_memory hook"
