"""Makes the role markers of chat models mere text, so that nothing that was said can forge a role. Pure.

A model in this process reads content with control tokens off and needs none of this. A server, or an agent elsewhere,
may read them in any text.
"""

import re

MARKER = re.compile(
    r"""<[|｜][^<>\s|｜]{1,40}[|｜]> | <</?SYS>> | \[/?[A-Z_]{0,20}(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS)\]
    | </?s> | <(?:start|end)_of_turn> | <\|?/?(?:system|user|assistant|im_start|im_end)\|?>""",
    re.VERBOSE,
)
"""Of ChatML, Llama, Mistral, Gemma, DeepSeek, Phi, and of our own form for models without a template."""


def inert(text: str) -> str:
    """`text` with role markers as HTML entities: a model still reads what was meant."""
    return MARKER.sub(lambda found: entity(found[0]), text)


def entity(marker: str) -> str:
    """A marker whose first character is an entity."""
    return ("&lt;" if marker[0] == "<" else f"&#{ord(marker[0])};") + marker[1:]
