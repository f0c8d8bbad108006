"""A chat template reduced to five literals: the texts before, between and behind the messages of a conversation.

A GGUF's Jinja template is not rendered for each turn. It is rendered a few times at the start, with placeholders as
messages, and taken apart. So a turn's text is the same in all later prompts, whatever the template does with the
history, and a message can never be read as a part of the template.
"""

import json
import re
from datetime import datetime
from typing import Any, NoReturn

from msgspec import Struct

Messages = list[dict[str, str]]


class Form(Struct, frozen=True):
    """The literals of a conversation: `first`, user, `opening`, reply, `closing`, user, `opening`, reply ...

    `system` precedes a system text and `after_system` follows it, in place of `first`; None when the model has no
    system role. `stops` are texts that end a reply besides the model's own end token.
    """

    first: str
    opening: str
    closing: str
    system: str | None
    after_system: str
    stops: tuple[str, ...] = ()


TAGS = ("<system>", "</system>", "<user>", "</user>", "<assistant>", "</assistant>")

XML = Form(
    first="<user>\n",
    opening="\n</user>\n<assistant>\n",
    closing="\n</assistant>\n\n<user>\n",
    system="<system>\n",
    after_system="\n</system>\n\n<user>\n",
    stops=TAGS,
)
"""For models without a template."""


class UnusableTemplate(Exception):
    """The reason why a template cannot be used."""


def learn(source: str, *, bos: str, eos: str, now: datetime) -> Form:
    """The form of a Jinja template.

    `now` is the date for templates that print one. It is that of the start: a prefix that changes with the clock would
    be evaluated again each time. Raises `UnusableTemplate`.
    """
    render = _renderer(source, bos=bos, eos=eos, now=now)
    first, opening, closing, *rest = _literals(render, ["user", "assistant", "user", "assistant", "user"])
    if rest[:2] != [opening, closing]:
        raise UnusableTemplate("it writes the same turn in different ways")
    opening = _opening(opening, rest[2])
    if not opening.strip():
        raise UnusableTemplate("it does not mark where a reply begins")
    try:
        system, after_system, *_, following, _ = _literals(render, ["system", "user", "assistant", "user"])
    except UnusableTemplate:
        return Form(first, opening, closing, system=None, after_system="")
    if following != closing:
        return Form(first, opening, closing, system=None, after_system="")
    return Form(first, opening, closing, system=system, after_system=after_system)


def _opening(in_history: str, at_the_end: str) -> str:
    """The literal before a reply. The form used for generation is kept in the history.

    Thinking templates open a thought, or an empty one, only before the newest reply. The history would lose it, and
    everything behind it would be evaluated again.
    """
    if in_history.startswith(at_the_end) and in_history[len(at_the_end) :].strip():
        return in_history  # it ignores `add_generation_prompt`
    if at_the_end.rstrip().endswith("<think>"):
        return at_the_end.rstrip() + "\n\n</think>\n\n"  # it forces a thought: an empty one costs nothing
    return at_the_end


def _literals(render: Any, roles: list[str]) -> list[str]:
    """The literals around one message of each role, in this order: one more than there are roles."""
    # Private characters: no template writes them, and none changes them.
    contents = [f"\ue000{index}\ue001" for index in range(len(roles))]
    text = render([{"role": role, "content": content} for role, content in zip(roles, contents, strict=True)])
    literals = re.split("|".join(contents), text)
    if re.findall("|".join(contents), text) != contents or "\ue000" in "".join(literals):
        raise UnusableTemplate("it leaves messages out, repeats them or changes their order")
    return literals


def _renderer(source: str, *, bos: str, eos: str, now: datetime) -> Any:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals |= {"raise_exception": _refuse, "strftime_now": now.strftime}
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, ensure_ascii=False, **options)
    # Marks for training that Jinja does not know.
    source = re.sub(r"\{%-?\s*(end)?generation\s*-?%\}", "", source)

    def render(messages: Messages) -> str:
        # Thinking is switched off by whatever name the template knows it: a thought is tokens that nobody reads.
        options = {"enable_thinking": False, "thinking": False, "tools": None, "documents": None}
        try:
            return environment.from_string(source).render(
                messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=eos, **options
            )
        except (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise UnusableTemplate(str(error)) from error
        except (RecursionError, MemoryError) as error:
            raise UnusableTemplate("it is nested too deeply, or too large") from error

    return render


def _refuse(message: str = "") -> NoReturn:
    raise UnusableTemplate(message or "it refuses the conversation")
