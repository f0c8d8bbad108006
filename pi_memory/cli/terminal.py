"""`pi-memory chat` in a terminal: lines with their history, commands, Ctrl-C."""

import contextlib
import readline
from collections.abc import Callable, Iterator
from uuid import uuid4

import click
from click.exceptions import BadParameter
from msgspec.structs import replace

from pi_memory.cli import forget, memories, recall
from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import MEMORY_OR_EXCHANGE
from pi_memory.cli.plain import plain
from pi_memory.cli.reply import Talk, last_conversation, reply_to
from pi_memory.cli.table import print_list
from pi_memory.errors import PiMemoryError
from pi_memory.settings import Settings

PROMPT = "you> "
LINES, LISTED = 100, 15

HELP = """\
/new             begin another conversation
/continue [ID]   go on with the last conversation, or with this one
/memories [...]  what was learned last, or what is known about these words
/forget ID       erase a memory (m12) or what was said (e3) for good; asks first
/quit            leave; so does Ctrl-D
Ctrl-C stops a reply. The arrow keys bring back what you said."""


def talk(settings: Settings, talk: Talk) -> None:
    """Talk until /quit or Ctrl-D."""
    Terminal(settings, talk).run()


class Terminal:
    """A talk in a terminal, with its commands."""

    def __init__(self, settings: Settings, talk: Talk) -> None:
        self._settings = settings
        self._talk = talk
        self._named: str | None = None
        """The conversation whose id was shown last."""
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": lambda _: click.echo(HELP),
            "/new": self._new,
            "/continue": self._continue,
            "/memories": self._memories,
            "/forget": self._forget,
        }

    def run(self) -> None:
        readline.parse_and_bind("tab: complete")
        readline.set_completer(self._complete)
        self._remember_lines()
        click.echo("/help lists the commands; Ctrl-D leaves.")
        self._name()
        for line in _lines():
            command, _, rest = line.partition(" ")
            if command == "/quit":
                break
            with self._errors():
                if command.startswith("/") and command in self._commands:
                    self._commands[command](rest.strip())
                elif command.startswith("/") and "/" not in command[1:]:
                    click.echo(f"There is no {plain(command)}; /help lists the commands.")
                else:
                    self._say(line)
        if self._talk.conversation:
            click.echo("`pi-memory chat --continue` goes on here.")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Print an error and go on: the daemon may come back."""
        try:
            yield
        except PiMemoryError as error:
            click.echo(plain(f"{error.message}. {error.hint}"), err=True)
        except click.Abort:
            click.echo("Nothing was forgotten.")
        except KeyboardInterrupt:
            click.echo("[stopped]")

    def _say(self, message: str) -> None:
        # Named here, so that it is the same conversation after a reply that was stopped.
        self._talk = replace(self._talk, conversation=self._talk.conversation or str(uuid4()))
        with daemon(self._settings) as client:
            reply_to(client, self._talk, message, tells=True)
        self._name()

    def _name(self) -> None:
        """Show the id of the conversation, once."""
        if self._talk.conversation and self._talk.conversation != self._named:
            self._named = self._talk.conversation
            click.echo(f"[conversation {plain(self._named)}]")

    def _new(self, _: str) -> None:
        self._talk = replace(self._talk, conversation=None)
        click.echo("A new conversation begins with what you say next.")

    def _continue(self, name: str) -> None:
        if not name:
            with daemon(self._settings) as client:
                name = last_conversation(client)
        self._talk, self._named = replace(self._talk, conversation=name), None
        self._name()

    def _memories(self, words: str) -> None:
        with daemon(self._settings) as client:
            if words:
                results = recall.found(client, {"q": words, "kind": "memory"})["results"]
                rows, head, nothing = recall.rows_of(results), recall.HEAD, recall.NOTHING
            else:
                page = checked(client.get("/memories", params={"limit": str(LISTED)}))["memories"]
                rows, head, nothing = memories.rows_of(page[::-1]), memories.HEAD, memories.NOTHING
        print_list({}, rows, head=head, nothing=nothing, as_json=False)

    def _forget(self, which: str) -> None:
        try:
            chosen = MEMORY_OR_EXCHANGE.convert(which, None, None)
        except BadParameter as error:
            click.echo(plain(f"/forget: {error.message}. /memories shows ids."))
            return
        with daemon(self._settings) as client:
            if forget.is_forgotten(client, chosen):
                click.echo(f"Memory {chosen} is forgotten already.")
                return
            path = forget.path_of(chosen)
            click.echo("\n".join(forget.texts(forget.would_go(client, path))))
            click.confirm("Forget this for good?", abort=True)
            checked(client.delete(path))
        self._remember_lines()
        click.echo("Forgotten.")

    def _remember_lines(self) -> None:
        """Fill the history with what was said, as the daemon has it: what is forgotten is not in it."""
        readline.clear_history()
        with self._errors(), daemon(self._settings) as client:
            said = checked(client.get("/exchanges", params={"limit": str(LINES)}))["exchanges"]
            for exchange in said[::-1]:
                if exchange["user"]:
                    readline.add_history(" ".join(exchange["user"].split()))

    def _complete(self, text: str, state: int) -> str | None:
        found = [command for command in (*self._commands, "/quit") if command.startswith(text)]
        return found[state] if text.startswith("/") and state < len(found) else None


def _lines() -> Iterator[str]:
    """What is typed, without empty lines, until Ctrl-D."""
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:
            click.echo("\nCtrl-D or /quit leaves.")
            continue
        if line:
            yield line
