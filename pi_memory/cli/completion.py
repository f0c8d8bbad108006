"""`pi-memory completion`: prints the script for a shell, and completes words that only the daemon knows."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

import click
from click.shell_completion import CompletionItem, get_completion_class

from pi_memory import settings
from pi_memory.agents.hook import Daemon
from pi_memory.cli.mcp import point_to
from pi_memory.cli.plain import plain
from pi_memory.config import Config
from pi_memory.errors import PiMemoryError

SECONDS = 0.3
"""Longest that a person who presses Tab waits for the daemon."""
FEW, MANY = 50, 200

Found = Iterable[tuple[str, str]]
"""Words with what they mean."""
Ask = Callable[[str], Any]
"""The daemon's answer to a GET."""
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), default="bash")
def command(shell: str) -> None:
    """Print the script with which SHELL completes commands, options, topics, projects, agents and ids.

    \b
    Example:
      pi-memory completion bash > ~/.local/share/bash-completion/completions/pi-memory
    """
    found = get_completion_class(shell)
    assert found is not None, shell
    click.echo(found(click.get_current_context().find_root().command, {}, "pi-memory", "_PI_MEMORY_COMPLETE").source())


def _completing(words: Callable[[Ask], Found]) -> Complete:
    """Complete by `words`; by nothing where no daemon answers in time."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        given = context.find_root().params
        try:
            found = settings.load({"PI_MEMORY_DATA_DIR": given.get("data_dir")}, env_file=given.get("env_file"))
            point_to(found)
            daemon = Daemon(seconds=SECONDS)
            items = list(words(lambda path: json.loads(daemon.ask("GET", path))))
        except (OSError, ValueError, PiMemoryError):
            return []
        return [CompletionItem(plain(word), help=_line(help_)) for word, help_ in items if word.startswith(incomplete)]

    return complete


def _line(text: str) -> str:
    return " ".join(plain(text).split())[:80]


def _topics(ask: Ask) -> Iterator[tuple[str, str]]:
    for topic in ask("/focus?all=1")["topics"]:
        yield topic["topic"], topic["status"]


def _namespaces(ask: Ask) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys(memory["namespace"] for memory in ask(f"/memories?limit={MANY}")["memories"]):
        yield name, ""


def _projects(ask: Ask) -> Iterator[tuple[str, str]]:
    said_in = (one["project"] for one in ask(f"/conversations?limit={MANY}")["conversations"])
    known_in = (name.removeprefix("project/") for name, _ in _namespaces(ask) if name.startswith("project/"))
    for name in dict.fromkeys([*filter(None, said_in), *known_in]):
        yield name, ""


def _conversations(ask: Ask) -> Iterator[tuple[str, str]]:
    for one in ask(f"/conversations?limit={FEW}")["conversations"]:
        yield one["conversation_id"], f"{one['last_at'][:10]}, {one['exchanges']} exchanges"


def _memories(ask: Ask) -> Iterator[tuple[str, str]]:
    for memory in ask(f"/memories?limit={FEW}")["memories"]:
        yield f"m{memory['id']}", memory["content"]


def _exchanges(ask: Ask) -> Iterator[tuple[str, str]]:
    for exchange in ask(f"/exchanges?limit={FEW}")["exchanges"]:
        yield f"e{exchange['id']}", exchange["user"]


def _events(ask: Ask) -> Iterator[tuple[str, str]]:
    for event in ask(f"/events?limit={FEW}&kind={quote('memory.')}")["events"]:
        yield str(event["id"]), f"{event['kind']} {event['subject']}"


def _tokens(ask: Ask) -> Iterator[tuple[str, str]]:
    for token in ask("/tokens")["tokens"]:
        yield token["name"], token["scope"]


def _agents(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    try:
        agents = Config(settings.load().paths.config_dir).personas()
    except (OSError, PiMemoryError):
        return []
    return [CompletionItem(agent) for agent in agents if agent.startswith(incomplete)]


AGENT = _agents
TOPIC, NAMESPACE, PROJECT = _completing(_topics), _completing(_namespaces), _completing(_projects)
TOKEN = _completing(_tokens)
CONVERSATION, EVENT, MEMORY_IDS = _completing(_conversations), _completing(_events), _completing(_memories)
IDS = _completing(lambda ask: [*_memories(ask), *_exchanges(ask)])
