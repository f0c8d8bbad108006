"""A chat on llama_cpp.Llama as it comes, in a process of its own: a script on stdin, what it cost on stdout, both JSON.

llama.cpp's extra buffers (AMX, repacked weights) crash when a GCC older than 13 built them for a CPU with AMX. They
are off then, here as in the daemon; the high-level class has no option for it.
"""

import dataclasses
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Said:
    """One turn: what the user says, with what was recalled for it; `first`, the oldest exchange still in the window."""

    system: str
    first: int
    text: str


@dataclass(frozen=True)
class Script:
    model: str
    context: int
    batch: int
    reply: int
    instruction: str
    """Asked after each turn, empty for no such question: behind the conversation, or `apart` from it, as memory
    systems do, in a prompt of its own with the exchange."""
    apart: bool
    turns: list[Said]


@dataclass(frozen=True)
class Cost:
    """Of one turn: tokens of the prompt, tokens evaluated for prompt and reply, by the chat and by the tag after it;
    and those of the tag's question.
    """

    prompt: int
    evaluated: int
    tag_evaluated: int
    tag_generated: int
    tag_new: int
    seconds: float


def run(script: Script) -> list[Cost]:
    """In a child process: what it loads and how it may crash is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks._stock"],
        input=json.dumps(dataclasses.asdict(script)),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    if done.returncode:
        raise RuntimeError(f"llama_cpp.Llama ended with {done.returncode}: {done.stderr[-300:]}")
    return [Cost(**cost) for cost in json.loads(done.stdout)]


class Stock:
    def __init__(self, script: Script) -> None:
        self._llama = _open(script)
        self._script = script
        self._replies: list[str] = []
        self._evaluated = 0
        real = self._llama.eval

        def count(tokens: list[int]) -> None:
            self._evaluated += len(tokens)
            real(tokens)

        self._llama.eval = count

    def turn(self, index: int) -> Cost:
        said = self._script.turns[index]
        messages = [{"role": "system", "content": said.system}] if said.system else []
        for number in range(said.first, index):
            messages += [_user(self._script.turns[number].text), _assistant(self._replies[number])]
        messages.append(_user(said.text))
        start, before = time.perf_counter(), self._evaluated
        seconds, text = 0.0, ""
        for part in self._complete(messages, self._script.reply):
            seconds = seconds or time.perf_counter() - start
            text += part
        self._replies.append(text)
        evaluated, generated, new = self._evaluated - before, 0, 0
        prompt = self._prompt
        if self._script.instruction:
            asked = [*messages, _assistant(text), _user(self._script.instruction)]
            if self._script.apart:
                exchange = f"user: {said.text}\n\nassistant: {text}"
                asked = [{"role": "system", "content": self._script.instruction}, _user(exchange)]
            # Ten tokens: what a label takes as JSON.
            generated = sum(1 for _ in self._complete(asked, 10))
            new = self._tokens(_written([_user(self._script.instruction)]))
        return Cost(prompt, evaluated, self._evaluated - before - evaluated, generated, new, seconds)

    def _complete(self, messages: list[dict[str, str]], most: int) -> Any:
        self._prompt = self._tokens(_written(messages))
        for chunk in self._llama.create_chat_completion(messages, max_tokens=most, temperature=0, stream=True):
            if piece := chunk["choices"][0]["delta"].get("content"):
                yield piece

    def _tokens(self, text: str) -> int:
        return len(self._llama.tokenize(text.encode(), False, True))


def _written(messages: list[dict[str, str]]) -> str:
    """A prompt of the synthetic models."""
    said = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    return f"{said}<|im_start|>assistant\n"


def _open(script: Script) -> Any:
    import llama_cpp

    low = llama_cpp.llama_cpp
    if b"AMX_INT8 = 1" in low.llama_print_system_info():
        parameters = low.llama_model_default_params()
        parameters.use_extra_bufts = False
        low.llama_model_default_params = lambda: parameters
    size = {"n_ctx": script.context, "n_batch": script.batch, "n_ubatch": script.batch}
    return llama_cpp.Llama(script.model, **size, n_threads=len(os.sched_getaffinity(0)), verbose=False)


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def main() -> None:
    given = json.load(sys.stdin)
    script = Script(**{**given, "turns": [Said(**said) for said in given["turns"]]})
    stock = Stock(script)
    json.dump([dataclasses.asdict(stock.turn(index)) for index in range(len(script.turns))], sys.stdout)


if __name__ == "__main__":
    main()
