"""Topics that a text calls by their names. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence

from pi_memory.topics.names import normalise

MOST_WORDS = 100
"""Of the text's beginning that are looked at."""
LONGEST = 3
"""Words of a name; the separator of `area/detail` may be any."""
WORD = re.compile(r"[\w.+#-]+")


def mentioned(text: str, *, knows: Callable[[str], bool], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """The known topics in the order of their mention, each under its canonical name."""
    words = [level for word in WORD.findall(text)[:MOST_WORDS] if (level := normalise(word))]
    names = dict.fromkeys(name for start in range(len(words)) for name in _names(words[start : start + LONGEST]))
    return tuple(dict.fromkeys(name for name in map(canonical, names) if knows(name)))


def _names(words: Sequence[str]) -> Iterator[str]:
    """What the first words, which are normalised, may name together, and those of two levels."""
    yield words[0]
    for count in range(2, len(words) + 1):
        yield "-".join(words[:count])
    yield "/".join(words[:2])
