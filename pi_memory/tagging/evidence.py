"""Scores of areas from the files and words of an exchange. Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct, field

from pi_memory.tagging.keywords import REPEATED, keyword_scores, mentioned, prose, stated
from pi_memory.tagging.path_topics import names_of_file
from pi_memory.tagging.paths import commands, file_paths, without_bare
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.text.language import pattern
from pi_memory.topics.names import area_of
from pi_memory.types import Exchange, ToolCall, Topic

WRITTEN, NAMED, READ, REPLIED = 3.0, 2.0, 1.0, 0.5
"""Weights of a file: changed, named by the user, read, mentioned in the reply."""

STATED = 2.0
"""Score when the user says what they work on."""
HELD, HELD_BY_ACTIVITY = 0.8, 0.5
"""Score when a known topic holds all of the files; less for an activity, such as testing, which says little of what
comes next.
"""
HELD_SUGGESTS = 0.5
"""Factor on the names in a file's path when a known topic holds it: the user may call the work something else."""
MENTIONED = 0.6
"""Score when the user uses the name of a known topic, or of a touched directory or file."""
STAY = 0.5
"""Score of the session's current topic: one word of another topic does not outweigh it, a word and a file do."""
STAY_AFTER_TURN = 0.25
"""The same when no tool ran and the message is far from the session's topic or refers back to nothing: then one word
outweighs it.
"""

MOST_FILES = 200
"""Most files of an exchange, those with the highest weights."""


class Scene(Struct, frozen=True):
    """The input of scoring.

    `weights` has the exchange's files with their weights, `known` the active topics by name, `current` the session's
    topic so far, `base` the directory of relative paths, `holders` the known topics that hold each file. `repeated`
    marks the same user message as in the exchange before.
    """

    exchange: Exchange
    weights: Mapping[str, float]
    known: Mapping[str, Topic]
    current: str | None = None
    base: str | None = None
    holders: Mapping[str, Collection[str]] = field(default_factory=dict)
    repeated: bool = False


def said_and_done(scene: Scene, patterns: Patterns) -> dict[str, float]:
    """Scores of areas by files and words, without regard to the session's topic."""
    user = prose(scene.exchange.user)
    areas = {area_of(name) for name in scene.known}
    scores = _by_names(scene, patterns, areas)
    heard = MENTIONED * (REPEATED if scene.repeated else 1.0)
    used = mentioned(_without_paths(user, scene.weights), {*scores, *areas})
    add(scores, {name: heard * (1.0 if name in areas else scores[name]) for name in used})
    for name, share in shares_of(scene).items():
        area = area_of(name)
        add(scores, {area: share * (HELD_BY_ACTIVITY if area in patterns.activities else HELD)})
    commands = _commands(scene.exchange)
    add(scores, keyword_scores(user, scene.exchange.reply, commands, patterns=patterns, repeated=scene.repeated))
    if not scene.repeated and (said := stated(user)) is not None:
        add(scores, {_said_area(said, {*scores, *areas, *patterns.topics}, patterns): STATED})
    return scores


def _by_names(scene: Scene, patterns: Patterns, areas: Collection[str]) -> dict[str, float]:
    """Scores of areas by the names in the files' paths."""
    scores: dict[str, float] = {}
    total = sum(scene.weights.values())
    for path, weight in scene.weights.items():
        names = names_of_file(path, patterns, base=scene.base)
        new = HELD_SUGGESTS if scene.holders.get(path) else 1.0
        add(scores, {n: share * weight / total * (1.0 if n in areas else new) for n, share in names.items()})
    return scores


def _without_paths(text: str, paths: Iterable[str]) -> str:
    for path in paths:
        text = text.replace(path, " ")
    return text


def add(scores: dict[str, float], more: Mapping[str, float]) -> None:
    """Add `more` to `scores`, in place."""
    for name, score in more.items():
        scores[name] = scores.get(name, 0.0) + score


def _said_area(said: str, areas: Collection[str], patterns: Patterns) -> str:
    """`memory` for `memory-extraction` where that is a known area, else the whole name."""
    name = patterns.canonical(said)
    words = name.split("-")
    heads = ("-".join(words[:length]) for length in range(len(words) - 1, 0, -1))
    return name if name in areas else next((head for head in map(patterns.canonical, heads) if head in areas), name)


def weights_of(exchange: Exchange, *, known: Callable[[str], bool] = lambda path: False) -> dict[str, float]:
    """The files of an exchange, in order, each with its highest weight.

    Files in a reply of ours that are `known` from the focus in its prompt weigh nothing.
    """
    given = ToolCall("", {"file_paths": exchange.file_paths})
    replied = [path for path in file_paths(exchange.reply) if exchange.source != "chat" or not known(path)]
    sources = [(file_paths(exchange.user), NAMED), (replied, REPLIED)]
    sources += [(file_paths(tool_calls=[given]), NAMED)]
    sources += [(file_paths(tool_calls=[call]), WRITTEN if _writes(call) else READ) for call in exchange.tool_calls]
    weights: dict[str, float] = {}
    for paths, weight in sources:
        weights |= {path: max(weight, weights.get(path, 0.0)) for path in paths}
    named = without_bare(weights)
    heaviest = {*sorted(named, key=lambda path: -weights[path])[:MOST_FILES]}
    return {path: weights[path] for path in named if path in heaviest}


def is_idle(call: ToolCall) -> bool:
    """Whether a tool call only passes the time: `sleep 5`."""
    run = commands(call)
    return bool(run) and all(isinstance(command, str) and pattern("idle_command").match(command) for command in run)


def _writes(call: ToolCall) -> bool:
    return any(word in call.name.lower() for word in ("write", "edit", "patch", "create", "replace", "insert", "save"))


def _commands(exchange: Exchange) -> str:
    values = [[call.arguments.get("query"), *commands(call)] for call in exchange.tool_calls]
    lists = (value if isinstance(value, list | tuple) else [value] for of_call in values for value in of_call)
    texts = (" ".join(item for item in items if isinstance(item, str)) for items in lists)
    return "\n".join(text[:300] for text in texts)


def shares_of(scene: Scene) -> dict[str, float]:
    """Known topics by the share of the files' weight that they hold; a file held by several is divided."""
    total = sum(scene.weights.values())
    shares: dict[str, float] = {}
    for path, weight in scene.weights.items():
        held = scene.holders.get(path, ())
        add(shares, {name: weight / total / len(held) for name in held})
    return shares
