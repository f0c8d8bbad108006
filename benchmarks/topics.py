"""What a tag, the focus file and the prompt's block cost after two years, against a first month."""

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from benchmarks import _measure as measure
from pi_memory.config import Config
from pi_memory.decay import DAY
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.store import exchanges
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.tagging.tagger import EvidenceTagger, TaggerLoader
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Exchange, ToolCall, Topic
from pi_memory.worker import Worker

FEW, MANY = 100, 10_000
DAYS_OF_MANY = 730
TOUCHED_A_DAY = 36
ROUNDS = 200
NOW = 1_771_770_600.0


@dataclass(frozen=True)
class Costs:
    tag: float
    render: float
    block: float
    file_bytes: int
    active: int


def named(number: int) -> str:
    """A word of its own for each number."""
    return "".join(
        f"{'bdfgklmnprstvz'[n % 14]}{'aeiou'[n % 5]}" for n in (number % 70, number // 70 % 70, number // 4_900)
    )


def lived(count: int, days: float) -> list[Topic]:
    """`count` topics that came one after the other, with some dozen of them touched on any day."""
    chance = random.Random(0)
    made = []
    for number in range(count):
        first = NOW - days * DAY * (1 - number / count)
        # People go back to what is recent; a few topics stay with them for long.
        last = min(NOW, first + chance.expovariate(1 / 3) * DAY * (20 if number % 50 == 0 else 1))
        name = named(number)
        folder = f"/home/ada/project{number % 7}/src/{name}/"
        files = tuple(f"{folder}{named(n)}.py" for n in range(chance.randint(1, 12)))
        sessions = chance.randint(1, 9)
        made.append(Topic(name, first, last, files, (folder,), sessions * 3, sessions))
    touched = chance.sample(range(max(0, count - 400), count), min(count, TOUCHED_A_DAY))
    return [replace(t, last_touched_at=NOW - n / count * DAY) if n in touched else t for n, t in enumerate(made)]


async def cost(do: Callable[[int], Awaitable[object]]) -> float:
    """Milliseconds of all threads, the median of many: what else the machine does is not counted."""
    times = []
    for number in range(ROUNDS):
        began = time.process_time()
        await do(number)
        times.append((time.process_time() - began) * 1_000)
    return statistics.median(times)


async def measured(folder: Path, known: list[Topic]) -> Costs:
    db = await Database.open(folder / "m.db", now=NOW)
    for topic in known:
        db.write(partial(rows.save, topic=topic))
    file = folder / "RECENT_FOCUS.md"
    tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")), worker=Worker("compute"))
    focus = RecentFocus(db, file, tagger=TaggerLoader(tagger), clock=lambda: NOW)
    await focus.start()
    chance = random.Random(1)
    used = chance.choices(focus.active(NOW), k=ROUNDS)

    async def tag(number: int) -> None:
        path = used[number].file_paths[-1]
        call = ToolCall("edit", {"file_path": path})
        exchange = Exchange("s", f"please go on with {path}", "done", NOW, tool_calls=(call,), source="activity")
        identity = await db.write(lambda at: exchanges.add(at, exchange))
        await focus.tag(exchange, exchange_id=identity)

    async def render(number: int) -> None:
        focus.text(NOW)

    async def block(number: int) -> None:
        await focus.block(count=lambda text: len(text) // 4, tokens=800)

    costs = Costs(await cost(tag), await cost(render), await cost(block), file.stat().st_size, len(focus.active(NOW)))
    await focus.close()
    await db.close()
    return costs


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    with measure.folder() as one, measure.folder() as other:
        few = asyncio.run(measured(one, lived(FEW, FEW / MANY * DAYS_OF_MANY)))
        many = asyncio.run(measured(other, lived(MANY, DAYS_OF_MANY)))
    figures: dict[str, float | int | str] = {"topics_few": FEW, "topics_many": MANY}
    figures |= {"active_few": few.active, "active_many": many.active}
    for name in ("tag", "render", "block"):
        before, after = getattr(few, name), getattr(many, name)
        figures |= {f"ms_per_{name}_few": before, f"ms_per_{name}_many": after, f"{name}_ratio": after / before}
    figures |= {"file_bytes_few": few.file_bytes, "file_bytes": many.file_bytes}
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
