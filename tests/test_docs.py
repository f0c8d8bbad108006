"""The documentation equals the code.

`python -m tests.test_docs` writes what is generated: `.env.example`, and the table of `docs/settings.md`.
"""

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click
from dotenv import dotenv_values

from pi_memory import __version__, settings
from pi_memory.cli import main
from pi_memory.settings import Option, Settings

ROOT = Path(__file__).parents[1]
ENV_EXAMPLE = ROOT / ".env.example"
SETTINGS_PAGE = ROOT / "docs" / "settings.md"
CLI_PAGE = ROOT / "docs" / "cli.md"

REWRITE = "python -m tests.test_docs writes it anew"

ENV_HEAD = """\
# Settings of pi-memory. Copy this file to ~/.config/pi-memory/env, or for scripts/run to .env beside it, and remove the
# number sign before a setting that you change. An unknown PI_MEMORY_ key is an error. docs/settings.md says more.
"""

TABLE_HEAD = """\
| Setting | Type | Default | Meaning |
|---|---|---|---|
"""


def test_env_example_has_every_setting() -> None:
    assert ENV_EXAMPLE.read_text(encoding="utf-8") == env_example(), REWRITE


def test_env_example_with_every_default_uncommented_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "all.env"
    file.write_text(re.sub(r"^#([A-Z])", r"\1", ENV_EXAMPLE.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
    assert settings.build(dotenv_values(file), environ={}) == settings.build({}, environ={})


def test_the_settings_page_has_every_setting() -> None:
    assert table() in SETTINGS_PAGE.read_text(encoding="utf-8"), REWRITE


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[(.+?)\]", changelog, flags=re.M)
    assert heads[0] == __version__


def test_every_command_has_help_with_an_example_that_names_it() -> None:
    for name, command in commands():
        assert command.help, name
        assert re.search(rf"Examples?:\n.*{re.escape(name)}", command.help, flags=re.S), name


def test_every_option_has_help() -> None:
    for name, command in commands():
        for option in command.params:
            assert not isinstance(option, click.Option) or option.help, f"{name} {option.name}"


def test_the_page_of_the_command_line_has_the_commands_and_no_others() -> None:
    assert list(sections()) == [name for name, _ in commands()]


def test_the_page_of_the_command_line_has_their_options_and_no_others() -> None:
    for name, command in commands():
        written = set(re.findall(r"^\\| `(--[a-z0-9-]+)", sections()[name], flags=re.M))
        assert written == set(long_options(command)), name


def test_the_page_of_the_command_line_has_an_example_of_each() -> None:
    for name, section in sections().items():
        assert re.search(rf"```sh\n.*{re.escape(name)}\b.*```", section, flags=re.S), name


def test_every_link_between_files_leads_to_a_file() -> None:
    for page in pages():
        for target in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_every_test_that_a_page_names_is_there() -> None:
    for page in pages():
        for file, name in re.findall(r"(tests/\w+\.py)(?:::(\w+))?", page.read_text(encoding="utf-8")):
            text = (ROOT / file).read_text(encoding="utf-8")
            assert not name or f"def {name}(" in text, f"{page.relative_to(ROOT)} names {file}::{name}"


def test_the_message_that_is_followed_by_hand_goes_through_functions_that_are_there() -> None:
    page = ROOT / "docs" / "authors" / "architecture.md"
    row = re.compile(r"^\| [A-Z] \| (?:[^|]+ \| )?(\*\*)?\[[^]]+\]\(([^)]+)\)(?:\*\*)? ([^|]+) \|", flags=re.MULTILINE)
    rows = row.findall(page.read_text(encoding="utf-8"))
    for _, file, names in rows:
        code = (page.parent / file).read_text(encoding="utf-8")
        for owner, name in re.findall(r"`(?:(\w+)\.)?(\w+)`", names):
            assert f"def {name}(" in code, f"{file} has no {name}"
            assert not owner or f"class {owner}" in code, f"{file} has no {owner}"
    assert [bool(bold) for bold, _, _ in rows] == [True] * 8 + [False] * (len(rows) - 8)
    assert len(rows) == len(re.findall(r"^\| [A-Z] \|", page.read_text(encoding="utf-8"), flags=re.MULTILINE))


def test_the_readme_lists_every_page() -> None:
    linked = set(re.findall(r"\]\((docs/[^)#]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked == {page.relative_to(ROOT).as_posix() for page in pages() if page.parent != ROOT}


def test_pages_for_authors_say_so_below_their_title() -> None:
    for page in (ROOT / "docs" / "authors").glob("*.md"):
        assert page.read_text(encoding="utf-8").splitlines()[2].startswith("*For authors"), page.name


def pages() -> Iterator[Path]:
    """The README and every page of the documentation."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, as `pi-memory --help` lists them; first `pi-memory` itself."""
    yield from _below("pi-memory", main, click.Context(main))


def _below(name: str, command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None, sub
            yield from _below(f"{name} {sub}", found, context)


def long_options(command: click.Command) -> Iterator[str]:
    """The long name of each option but `--help`, which every command has."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield next(name for name in parameter.opts if name.startswith("--"))


def sections() -> dict[str, str]:
    """The page of the command line: what stands under each heading that is a command."""
    _, *found = re.split(r"^#+ `(pi-memory.*?)`$", CLI_PAGE.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(found[::2], found[1::2], strict=True))


def env_example() -> str:
    text = ENV_HEAD
    for group, options in groupby(settings.options(), lambda option: option.group):
        text += f"\n# {group_title(group)}\n"
        for option in options:
            text += "\n" + textwrap.fill(option.help, 118, initial_indent="# ", subsequent_indent="# ")
            text += f"\n#{option.key}={default(option)}\n"
    return text


def group_title(group: str) -> str:
    """The docstring of a group of settings, without the full stop."""
    return (type(getattr(Settings(), group)).__doc__ or "").rstrip(".")


def table() -> str:
    return TABLE_HEAD + "".join(_row(option) for option in settings.options())


def _row(option: Option) -> str:
    shown = f"`{default(option)}`" if default(option) else ""
    return f"| `{option.key}` | {settings.kind(option)} | {shown} | {option.help} |\n"


def default(option: Option) -> str:
    """A setting's default as one would write it; empty for none."""
    if option.default is None:
        return ""
    if isinstance(option.default, bool):
        return str(option.default).lower()
    return f"{option.default:g}" if isinstance(option.default, float) else str(option.default)


def rewrite() -> None:
    ENV_EXAMPLE.write_text(env_example(), encoding="utf-8")
    before, _, rest = SETTINGS_PAGE.read_text(encoding="utf-8").partition(TABLE_HEAD)
    after = re.sub(r"\A(\|.*\n)*", "", rest)
    SETTINGS_PAGE.write_text(before + table() + after, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
