"""A year on the daemon's clock: facts asked for at rhythms of their own, corrected, forgotten, with noise between."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks import _measure as measure
from benchmarks._listener import Listener
from benchmarks.everyday import DAY, EMBEDDER, Talk, first_line, has, talk
from pi_memory.model.extractive import NOTHING

YEAR = Path(__file__).parent / "texts" / "year.json"
DAYS = 365
TOLD_A_DAY = 3
LIES_ON = 20
"""The day on which the model replies wrongly to some questions."""
REACHABLE_DAYS = 59


@dataclass
class Fact:
    """What was said, what it is now, and when it is asked for; all days are of the year."""

    row: dict[str, Any]
    told_on: int
    has: list[str] = field(default_factory=list)
    old: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Words that must not be found any more."""

    def __post_init__(self) -> None:
        self.has = self.row["has"]
        self.questions = cycle(self.row["asks"])

    def is_due(self, day: int) -> bool:
        return day > self.told_on and (day - self.told_on) % self.row["every"] == 0


@dataclass
class Year:
    talk: Talk
    model: Listener
    texts: dict[str, Any]
    facts: list[Fact]
    reachable: list[bool] = field(default_factory=list)
    at_first: list[bool] = field(default_factory=list)
    wrong: int = 0
    wrong_after_corrections: int = 0
    lies: dict[str, str] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)

    def live(self, days: int) -> None:
        noise = zip(cycle(self.texts["chatter"]), cycle(self.texts["questions"]), cycle(self.texts["work"]))
        began = self.talk.clock.now
        for day, (chatter, question, work) in zip(range(days), noise, strict=False):
            self.lies = self.texts["wrong_replies"] if day == LIES_ON else {}
            self.model.says = self.lies.get
            self._say([fact for fact in self.facts if fact.told_on == day])
            for fact in self.facts:
                self._change(fact, day)
            for due in (fact for fact in self.facts if fact.is_due(day)):
                self._ask(due, next(due.questions), day)
            for lie in self.lies:
                self.talk.ask(lie)
            self.talk.conversation([chatter, question])
            if day % 2:
                self._work(work, day)
            self.talk.clock.now = began + (day + 1) * DAY
            self._tidy_up()

    def _say(self, new: Sequence[Fact]) -> None:
        if new:
            self.talk.conversation([fact.row["says"] for fact in new])

    def _change(self, fact: Fact, day: int) -> None:
        if (corrected := fact.row.get("corrected")) and corrected["day"] == day:
            self.talk.conversation([corrected["says"]])
            fact.old, fact.has = fact.has, corrected["has"]
        if (forgotten := fact.row.get("forget")) and forgotten["day"] == day:
            self._forget(fact, forgotten)
            fact.gone = forgotten["words"]

    def _forget(self, fact: Fact, forgotten: dict[str, Any]) -> None:
        if "says" in forgotten:
            self.talk.conversation([forgotten["says"]])
            return
        search = {"q": fact.row["says"], "k": 20}
        found = self.talk.client.get("/memories/search", params=search).raise_for_status().json()["results"]
        holding = [each for each in found if forgotten["words"][0] in each["content"].lower()]
        for each in sorted(holding, key=lambda each: each["kind"] != "memory")[:1]:
            path = "memories" if each["kind"] == "memory" else "exchanges"
            self.talk.client.delete(f"/{path}/{each['id']}?forget=1").raise_for_status()

    def _ask(self, fact: Fact, question: str, day: int) -> None:
        reply = self.talk.ask(question)
        if fact.gone:
            context = self.talk.client.post("/context", json={"session_id": f"agent-{day}", "message": question}).text
            self._look("a reply", reply, fact)
            self._look("a prompt", self.model.prompt, fact)
            self._look("a context", context, fact)
            return
        if question in self.lies:
            return
        right = has(reply, fact.has)
        stale = bool(fact.old) and any(has(line, fact.old) and not has(line, fact.has) for line in reply.splitlines())
        wrong = stale or (NOTHING not in reply and not has(first_line(reply), fact.has))
        self.wrong += wrong
        self.wrong_after_corrections += wrong and bool(fact.old)
        if fact.row.get("remember") or fact.row["every"] <= REACHABLE_DAYS:
            self.reachable.append(right)
        if day == fact.told_on + fact.row["every"]:
            self.at_first.append(right)
        if not right or wrong:
            what = "wrong" if wrong else "not reachable"
            self.talk.note(f"day {day} (every {fact.row['every']}): {what}", f"{question} -> {reply!r} want {fact.has}")

    def _look(self, where: str, text: str, fact: Fact) -> None:
        self.found += [f"{word} in {where}" for word in fact.gone if word in text.lower()]

    def _work(self, work: dict[str, Any], day: int) -> None:
        body = {**work, "session_id": f"work-{day}"}
        self.talk.client.post("/activity?wait=1", json=body).raise_for_status()

    def _tidy_up(self) -> None:
        assert self.talk.client.portal is not None
        self.talk.client.portal.call(self.talk.parts.housekeeping.daily)
        self.talk.client.portal.call(self.talk.parts.housekeeping.sweep)
        self.talk.settle()


def written() -> int:
    """Bytes that this process has given to the kernel."""
    found = re.search(r"wchar: (\d+)", Path("/proc/self/io").read_text())
    assert found
    return int(found[1])


def traces(data: Path, words: Sequence[str]) -> Iterator[str]:
    """The words that stand in any file, or in an index, whose terms the file's bytes may not show."""
    for file in filter(Path.is_file, data.rglob("*")):
        content = file.read_bytes().lower()
        yield from (f"{word} in {file.name}" for word in words if word.encode() in content)
    with closing(sqlite3.connect(f"{(data / 'memory.db').as_uri()}?mode=ro", uri=True)) as db:
        tables = db.execute(
            "select name from sqlite_master where sql like 'create virtual table%using fts5%'"
        ).fetchall()
        for (table,) in tables:
            db.execute(f"create virtual table temp.terms using fts5vocab(main, {table}, row)")
            terms = {term for (term,) in db.execute("select term from temp.terms")}
            yield from (f"{word} in {table}" for word in words if word in terms)
            db.execute("drop table temp.terms")


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--days", type=int, default=DAYS, help=f"how many ({DAYS})")
    parser.add_argument("--verbose", action="store_true", help="also list what went wrong")
    options = parser.parse_args()
    if not EMBEDDER.is_file():
        measure.not_possible(f"Needs {EMBEDDER}, which scripts/setup makes.")
    texts, model = json.loads(YEAR.read_text()), Listener()
    facts = [Fact(row, number // TOLD_A_DAY) for number, row in enumerate(texts["facts"])]
    with measure.folder() as folder:
        with talk(folder, verbose=options.verbose, model=model) as alone:
            before = written()
            year = Year(alone, model, texts, facts)
            year.live(options.days)
            bytes_written = written() - before
        year.found += traces(folder / "data", [word for fact in facts for word in fact.gone])
        size = sum(file.stat().st_size for file in (folder / "data").glob("memory.db*"))
    for line in (*alone.missed, *year.found) if options.verbose else ():
        print(line)
    figures = {
        "days": options.days,
        "facts": len(facts),
        "asked": len(year.reachable),
        "reachable": sum(year.reachable) / len(year.reachable),
        "reachable_at_first": sum(year.at_first) / len(year.at_first),
        "wrong": year.wrong,
        "wrong_after_corrections": year.wrong_after_corrections,
        "forgotten": sum(bool(fact.gone) for fact in facts),
        "forgotten_found": len(year.found),
        "bytes_written": bytes_written,
        "database_bytes": size,
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
