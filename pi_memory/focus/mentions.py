"""Topics that a text calls by their names. Pure."""

import re
from collections.abc import Callable

from pi_memory.focus.topics import normalise

MOST_WORDS = 100
"""Of the text's beginning that are looked at."""
LONGEST = 3
"""Words of a name; the separator of `area/detail` may be any."""


def mentioned(text: str, *, knows: Callable[[str], bool], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """The known topics in the order of their mention, each under its canonical name."""
    words = [word.strip(".") for word in re.findall(r"[\w.+#-]+", text)[:MOST_WORDS]]
    found = [name for start in range(len(words)) for name in _names(words[start : start + LONGEST]) if name]
    return tuple(dict.fromkeys(name for name in map(canonical, found) if knows(name)))


def _names(words: list[str]) -> list[str | None]:
    """What the first words may name together, and those of two levels."""
    joined = [normalise(" ".join(words[:count])) for count in range(1, len(words) + 1)]
    return [*joined, normalise("/".join(words[:2]))]
