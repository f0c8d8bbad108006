"""Limits on what is read of an exchange to tag it: an agent may send megabytes, and everybody else would wait. Pure."""

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.tagging.paths import snake
from pi_memory.text.language import pattern
from pi_memory.types import Exchange, ToolCall

TEXT = 20_000
"""Most characters of the user's message, of the reply and of one argument."""
ARGUMENTS = 40_000
"""Most characters of all arguments together, without the contents of files, which are not searched."""
CALLS = 64
ITEMS = 200
"""Most members of one list, and most files taken from it."""
DEPTH = 8


def trimmed(exchange: Exchange) -> Exchange:
    """The exchange cut to the limits, the newest calls first; arguments nested too deep become None."""
    budget = _Budget(ARGUMENTS)
    newest = [budget.call(call) for call in reversed(exchange.tool_calls[-CALLS:])]
    return replace(
        exchange,
        user=exchange.user[:TEXT],
        reply=exchange.reply[:TEXT],
        tool_calls=tuple(reversed(newest)),
        file_paths=exchange.file_paths[-ITEMS:],
    )


class _Budget(Struct):
    left: int

    def call(self, call: ToolCall) -> ToolCall:
        arguments = {key[:TEXT]: self._cut(value, key, depth=1) for key, value in islice(call.arguments.items(), ITEMS)}
        return ToolCall(call.name, arguments)

    def _cut(self, value: object, key: str, *, depth: int) -> object:
        if isinstance(value, str):
            return self._text(value, key)
        if depth >= DEPTH:
            return None
        if isinstance(value, Mapping):
            items = islice(value.items(), ITEMS)
            return {str(name): self._cut(item, str(name), depth=depth + 1) for name, item in items}
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return [self._cut(item, key, depth=depth + 1) for item in value[:ITEMS]]
        return value

    def _text(self, text: str, key: str) -> str:
        if pattern("content_argument").fullmatch(snake(key)):
            return text[:TEXT]
        text = text[: min(TEXT, self.left)]
        self.left -= len(text)
        return text
