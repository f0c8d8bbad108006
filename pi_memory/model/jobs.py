"""Jobs of the scheduler besides the chat: questions of memory, and prefill ahead of time.

Each may be interrupted between two steps or within one, and resumes with what is left to evaluate.
"""

from collections.abc import Generator, Mapping, Sequence

from pi_memory.model.engine import Cancelled, Engine
from pi_memory.model.saved_state import Held
from pi_memory.model.scheduler import Steps
from pi_memory.model.tokenizer import Tokens

BATCH = 32
"""Tokens evaluated at a time. A chat that interrupts loses one batch; 32 tokens take a Raspberry Pi 4 about a second.
"""

MISSING = 96
"""Most tokens that a stop may still evaluate: some seconds on a Raspberry Pi 4."""


def choose(engine: Engine, tokens: Tokens, labels: Mapping[tuple[int, ...], str]) -> Steps[str]:
    """The label that most likely follows `tokens`. Each label ends with an end token.

    The labels form a trie of tokens; logits are compared only where it branches. Costs one evaluation of what is new in
    `tokens`, and one for each further branch.
    """
    left, at = list(labels), 0
    try:
        while len(left) > 1:
            if len(options := {spelled[at] for spelled in left}) > 1:
                yield from _read(engine, [*tokens, *left[0][:at]])
                likeliest = engine.likeliest(engine.scratch, sorted(options))
                left = [spelled for spelled in left if spelled[at] == likeliest]
            at += 1
        return labels[left[0]]
    finally:
        engine.drop(engine.scratch)


def write(engine: Engine, tokens: Tokens, grammar: str, cap: int) -> Steps[str]:
    """Generate at most `cap` tokens behind `tokens` by a grammar, without half a character at the end.

    Raises `ValueError` for a malformed grammar.
    """
    rules, written = engine.grammar(grammar), list[int]()
    try:
        while len(written) < cap:
            yield from _read(engine, tokens + written)
            token = engine.draw(engine.scratch, rules)
            if token is None:
                break
            written.append(token)
            yield
        return b"".join(map(engine.vocabulary.piece, written)).decode(errors="ignore")
    finally:
        rules.close()
        engine.drop(engine.scratch)


def drawn(engine: Engine, sequence: int, prompt: Tokens, grammar: str, *, cap: int) -> Generator[int, None, None]:
    """At most `cap` tokens by a grammar that follow `prompt`, which the sequence holds. As `Engine.generate`.

    Raises `ValueError` for a malformed grammar.
    """
    rules, tokens = engine.grammar(grammar), list(prompt)
    try:
        for _ in range(cap):
            token = engine.draw(sequence, rules)
            if token is None:
                return
            yield token
            tokens.append(token)
            engine.prefill(sequence, tokens)
    finally:
        rules.close()


def prepare(engine: Engine, tokens: Tokens) -> Steps[None]:
    """Prefill `tokens` for a later prompt that begins with them."""
    while engine.known(tokens) < len(tokens):
        try:
            yield from engine.steps(engine.sequence_for(tokens), tokens, batch=BATCH)
        except Cancelled:
            yield


def complete(engine: Engine, tokens: Tokens) -> Steps[None]:
    """`prepare`, if few tokens are missing."""
    if len(tokens) - engine.known(tokens) <= MISSING:
        yield from prepare(engine, tokens)


def capture(engine: Engine, prompts: Sequence[Tokens], most_bytes: int) -> Steps[list[Held]]:
    """The evaluated state of each prompt, as far as there is room for it."""
    found = []
    for tokens in prompts:
        held, state = engine.state(tokens, most_bytes=most_bytes)
        if state:
            found.append(Held(held, state))
            most_bytes -= len(state)
        yield
    return found


def _read(engine: Engine, tokens: Tokens) -> Steps[None]:
    """Make the scratch sequence hold `tokens`, forked from the sequence with the longest prefix, with logits for the
    next token.
    """
    while True:
        engine.branch(tokens)
        try:
            yield from engine.steps(engine.scratch, tokens, batch=BATCH)
            return
        except Cancelled:
            yield
