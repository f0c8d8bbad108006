"""What a person notices: everyday facts told, asked back in other words, again, corrected; through chats of a daemon.

Invented people of `benchmarks/people/`; no chat model takes part. Those whose file says `held_out` were written by
others, after the rules.
"""

import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from benchmarks import _measure as measure
from benchmarks._listener import Listener
from pi_memory.app import create_app
from pi_memory.parts import Parts
from pi_memory.settings import build

PEOPLE = Path(__file__).parent / "people"
EMBEDDER = Path(sys.prefix) / "share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf"
TIMES = 3
"""How often each question is asked, in a conversation of its own each time."""
ABOUT = 3
"""Answers that a broad question has to bring."""
DAY = 86_400.0

Scores = dict[str, list[float]]
"""By figure, a value for each case, from 0 to 1."""


def seen() -> list[dict[str, Any]]:
    """The people that are not held out, as they are written down."""
    told = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(PEOPLE.glob("*.json"))]
    return [person for person in told if not person.get("held_out")]


@dataclass
class Clock:
    now: float = 1_771_770_600.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Talk:
    """A daemon in this process, and somebody who talks with it."""

    client: TestClient
    clock: Clock
    verbose: bool
    count: int = 0
    missed: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Until nothing is left to do after the replies."""
        assert self.client.portal is not None
        self.client.portal.call(self.parts.inbox.drain)
        self.client.portal.call(self.parts.reflection.drain)

    @property
    def parts(self) -> Parts:
        found: Parts = self.client.app.state.parts  # type: ignore[attr-defined]
        return found

    def conversation(self, messages: Sequence[str]) -> list[str]:
        """Say the messages in a conversation of their own, which then ends; the replies."""
        self.count += 1
        replies = []
        for message in messages:
            body = {"message": message, "conversation_id": f"talk-{self.count}"}
            replies.append(str(self.client.post("/chat", json=body).raise_for_status().json()["reply"]))
            self.clock.now += 20
        self.settle()
        self.client.delete(f"/conversations/talk-{self.count}")
        self.settle()
        self.clock.now += 600
        return replies

    def ask(self, question: str) -> str:
        return self.conversation([question])[0]

    def note(self, what: str, text: str) -> None:
        if self.verbose:
            self.missed.append(f"{what}: {text}")


def has(text: str, answers: Sequence[str]) -> bool:
    """Whether any of the answers stands in the text, as words of their own; a word of five letters or more also with an
    ending, such as `Wednesdays`.
    """
    plain = " ".join(text.casefold().split())
    return any(re.search(_word(" ".join(answer.casefold().split())), plain) for answer in answers)


def _word(answer: str) -> str:
    ending = "" if len(answer) >= 5 and answer.isalpha() else r"(?!\w)"
    return rf"(?<!\w){re.escape(answer)}{ending}"


def first_line(reply: str) -> str:
    return next((line for line in reply.splitlines() if line.strip()), "")


@contextmanager
def talk(folder: Path, *, verbose: bool, model: Any = None, **values: object) -> Iterator[Talk]:
    clock = Clock()
    given = {"PI_MEMORY_DATA_DIR": folder / "data", "PI_MEMORY_PROVIDER": "extractive"}
    given |= {"PI_MEMORY_EMBEDDER": "gguf", "PI_MEMORY_EMBEDDER_MODEL": str(EMBEDDER.resolve()), **values}
    app = create_app(build(given, environ={}), clock=clock, **({"model": model} if model else {}))
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        assert client.portal is not None
        client.portal.call(app.state.parts.embedder.ready)
        client.portal.call(app.state.parts.message_index.ready)
        yield Talk(client, clock, verbose)


def told(talk: Talk, person: dict[str, Any]) -> None:
    """Everything that a person says before they are asked anything, a conversation a day."""
    for conversation in person["conversations"]:
        talk.conversation(conversation["messages"])
        talk.clock.now += DAY


def held(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    """Of the memories of what was told, those that hold when nothing has been corrected, or that another one says."""
    params = {"all": 1, "limit": 500}
    every = talk.client.get("/memories", params=params).raise_for_status().json()["memories"]
    words = {memory["id"]: set(re.findall(r"\w+", memory["content"].casefold())) for memory in every}
    for memory in every:
        is_said = words[memory["id"]] <= words.get(memory["superseded_by"], set())
        scores["held"].append(memory["is_valid"] or is_said)
        if not scores["held"][-1]:
            instead = [other["content"] for other in every if other["id"] == memory["superseded_by"]]
            talk.note("held", f"{memory['content']} -> {instead}")


def questions(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    for fact in person["facts"]:
        for question in fact["questions"]:
            replies = [talk.ask(question) for _ in range(TIMES)]
            hits = [has(reply, fact["answer"]) for reply in replies]
            scores["first"].append(hits[0])
            scores["again"].append(all(hits))
            scores["first_line"].append(has(first_line(replies[0]), fact["answer"]))
            if not all(hits) or not scores["first_line"][-1]:
                talk.note(
                    "first" if not hits[0] else "again" if not all(hits) else "first_line",
                    f"{question} -> {replies[0]!r} | {replies[-1]!r} want {fact['answer']}",
                )
        reply = talk.ask(fact["spoken"])
        scores["spoken"].append(has(reply, fact["answer"]))
        if not scores["spoken"][-1]:
            talk.note("spoken", f"{fact['spoken']} -> {reply!r} want {fact['answer']}")


def follow_ups(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    """An unrelated message after a question that recalled something brings nothing of it again."""
    for number, message in enumerate(person["follow_ups"]):
        fact = person["facts"][number % len(person["facts"])]
        _, reply = talk.conversation([fact["questions"][0], message])
        repeats = any(has(reply, other["answer"]) for other in person["facts"]) and not has(message, fact["answer"])
        scores["repeats"].append(repeats)
        if repeats:
            talk.note("repeats", f"{message} -> {reply!r}")


def broad(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    for case in person["broad"]:
        reply = talk.ask(case["question"])
        scores["about"].append(sum(has(reply, [answer]) for answer in case["any"]) >= min(ABOUT, len(case["any"])))
        if not scores["about"][-1]:
            talk.note("about", f"{case['question']} -> {reply!r} want {case['any']}")


def memories(talk: Talk) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        talk.client.get("/memories", params={"limit": 500}).raise_for_status().json()["memories"]
    )
    return found


def remarks(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    for remark in person["remarks"]:
        before = {m["id"] for m in memories(talk)}
        talk.conversation([remark])
        new = [m for m in memories(talk) if m["id"] not in before]
        scores["remarks_stored"].append(bool(new))
        if new:
            talk.note("remarks_stored", f"{remark} -> {[m['content'] for m in new]}")


def corrections(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    for case in person["corrections"]:
        talk.conversation([case["says"]])
        talk.clock.now += DAY
        reply = talk.ask(case["question"])
        params: dict[str, Any] = {"q": case["question"], "k": 5}
        found = talk.client.get("/memories/search", params=params).raise_for_status().json()["results"]
        stale = any(has(result["content"], case["old"]) and not has(result["content"], case["new"]) for result in found)
        right = has(reply, case["new"]) and not has(reply, case["old"])
        scores["corrections"].append(right)
        scores["stale_in_top_5"].append(stale)
        if not right or stale:
            listed = [result["content"] for result in found] if stale else ""
            wanted = f"want {case['new']} not {case['old']} {listed}"
            talk.note("corrections" if not right else "stale", f"{case['question']} -> {reply!r} {wanted}")


def beside(talk: Talk, person: dict[str, Any], scores: Scores) -> None:
    """What the corrections are not about is still answered when all of them were made."""
    old = [value for case in person["corrections"] for value in case["old"]]
    for fact in person["facts"]:
        if any(has(value, fact["answer"]) for value in old) or any(has(answer, old) for answer in fact["answer"]):
            continue
        question = fact["questions"][0]
        reply = talk.ask(question)
        scores["beside"].append(has(reply, fact["answer"]))
        if not scores["beside"][-1]:
            talk.note("beside", f"{question} -> {reply!r} want {fact['answer']}")


def kept(person: dict[str, Any], scores: Scores, *, verbose: bool, **values: object) -> list[str]:
    """What is left when the transcripts are erased as soon as they have been learned from."""
    with measure.folder() as folder, talk(folder, verbose=verbose, PI_MEMORY_TRANSCRIPT_DAYS=0, **values) as alone:
        told(alone, person)
        alone.clock.now += DAY
        assert alone.client.portal is not None
        alone.client.portal.call(alone.parts.housekeeping.sweep)
        for fact in person["facts"]:
            reply = alone.ask(fact["questions"][0])
            scores["kept"].append(has(reply, fact["answer"]))
            if not scores["kept"][-1]:
                alone.note("kept", f"{fact['questions'][0]} -> {reply!r} want {fact['answer']}")
        return alone.missed


ASIDE = "I looked it up in the almanac of lost umbrellas"
"""What the model replies in front of a question's own words: nothing of it is recalled."""


def prompts(person: dict[str, Any], *, verbose: bool) -> tuple[Scores, list[str]]:
    """What is put in front of a model: the answer, no value that was corrected, none of the model's own replies."""
    scores: Scores = defaultdict(list)
    model = Listener(lambda message: f"{ASIDE}, as you asked: {message}")
    with measure.folder() as folder, talk(folder, verbose=verbose, model=model) as alone:
        told(alone, person)
        for fact in person["facts"]:
            for question in fact["questions"]:
                alone.ask(question)
                _score_prompt(alone, model, scores, fact["answer"], question)
        for case in person["corrections"]:
            alone.conversation([case["says"]])
            alone.clock.now += DAY
            alone.ask(case["question"])
            lines = model.recalled.splitlines()
            stale = any(has(line, case["old"]) and not has(line, case["new"]) for line in lines)
            scores["stale_in_prompt"].append(stale)
            if stale:
                alone.note("stale", f"{case['question']} -> {model.recalled!r}")
            _score_prompt(alone, model, scores, case["new"], case["question"])
        return scores, alone.missed


def _score_prompt(talk: Talk, model: Listener, scores: Scores, answer: Sequence[str], question: str) -> None:
    scores["in_prompt"].append(has(model.recalled, answer))
    scores["replies_in_prompt"].append(ASIDE in model.prompt)
    scores["tokens"].append(model.count(model.recalled))
    if not scores["in_prompt"][-1]:
        talk.note("in_prompt", f"{question} -> {model.recalled!r} want {answer}")


def of_person(person: dict[str, Any], *, verbose: bool, **values: object) -> tuple[Scores, list[str]]:
    scores: Scores = defaultdict(list)
    with measure.folder() as folder, talk(folder, verbose=verbose, **values) as alone:
        told(alone, person)
        steps = (held, questions, follow_ups, broad, remarks, corrections, beside)
        for step in steps:
            partial(step, alone, person)(scores)
    return scores, alone.missed + kept(person, scores, verbose=verbose, **values)


def by_words(person: dict[str, Any], *, verbose: bool) -> tuple[Scores, list[str]]:
    return of_person(person, verbose=verbose, PI_MEMORY_EMBEDDER="none")


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--people", type=Path, default=PEOPLE, help="a folder of people")
    parser.add_argument("--only", help="one person's file, without .json")
    parser.add_argument("--verbose", action="store_true", help="also list what went wrong, but for what is held out")
    parser.add_argument("--prompt", action="store_true", help="what is put in front of a language model, instead")
    parser.add_argument("--words", action="store_true", help="without an embedder")
    options = parser.parse_args()
    if not EMBEDDER.is_file():
        measure.not_possible(f"Needs {EMBEDDER}, which scripts/setup makes.")
    every: Scores = defaultdict(list)
    held_out: Scores = defaultdict(list)
    for file in sorted(options.people.glob("*.json")):
        if options.only and file.stem != options.only:
            continue
        person = json.loads(file.read_text())
        measured = prompts if options.prompt else by_words if options.words else of_person
        scores, missed = measured(person, verbose=options.verbose and not person.get("held_out"))
        for line in missed:
            print(line)
        for name, values in scores.items():
            every[name] += values
            if person.get("held_out"):
                held_out[name] += values
    figures = {name: statistics.mean(map(float, values)) for name, values in every.items()}
    figures |= {f"{name}_heldout": statistics.mean(map(float, values)) for name, values in held_out.items()}
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
