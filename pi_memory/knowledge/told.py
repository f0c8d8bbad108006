"""What is recalled as the model reads it: under headings by what it is, within a number of tokens (seed 003). Pure."""

from collections.abc import Callable, Sequence

from pi_memory.turn import Recalled

TITLE = "## Relevant Memories"
LONGEST = 600
"""Characters that are told of one verbatim message."""


def block(found: Sequence[Recalled], *, tokens: int, count: Callable[[str], int]) -> tuple[str, tuple[Recalled, ...]]:
    """The best of `found`, which comes best first, that fit into `tokens` together; and the text they make."""
    chosen: list[Recalled] = []
    for result in found:
        if count(_text([*chosen, result])) <= tokens:
            chosen.append(result)
    return (_text(chosen), tuple(chosen)) if chosen else ("", ())


def _text(chosen: Sequence[Recalled]) -> str:
    groups: dict[str, list[str]] = {}
    for result in chosen:
        groups.setdefault(_heading(result), []).append(f"- {_line(result)}")
    return "\n\n".join([TITLE, *(f"### {heading}\n" + "\n".join(lines) for heading, lines in groups.items())])


def _heading(result: Recalled) -> str:
    root, _, rest = (result.namespace or "").partition("/")
    if result.kind == "exchange":
        return "Said Before"
    if result.type == "procedural":
        return "Patterns"
    if result.type == "episodic":
        return "Past Fixes"
    if root == "project":
        return f"Project Knowledge ({rest.partition('/')[0]})"
    return "About the User" if root == "user" else "Knowledge"


def _line(result: Recalled) -> str:
    """One line, so that no content can look like a heading of ours."""
    text = " ".join(result.content.split())
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()}…"
    return f'{result.role}: "{shown}"' if result.kind == "exchange" else shown
