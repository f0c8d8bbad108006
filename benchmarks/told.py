"""What is told and kept of corrections by words alone: whether the new value is in it, and the old one is not.

The corrections of `benchmarks/texts/changes.jsonl` and `worlds.jsonl`, each with the statement that it corrects.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks import _measure as measure
from benchmarks.asked import rows
from benchmarks.everyday import has
from pi_memory.config import Config
from pi_memory.merging.remainder import merged
from pi_memory.retrieval.ended import what_holds
from pi_memory.text import language
from pi_memory.text.persons import about_user
from pi_memory.text.sentences import stems


class Correction(NamedTuple):
    """`said` corrects `known`; `new` are the wordings of what holds now that it has, and `old` those of what did."""

    said: str
    known: str
    question: str
    new: list[str]
    old: list[str]


def corrections() -> Iterator[Correction]:
    for name, place, fact, text, corrects in (
        ("changes.jsonl", "place", "fact", "text", "fact"),
        ("worlds.jsonl", "world", "fact", "says", "corrects"),
    ):
        given = rows(name)
        told = {(row[place], row[fact]): row[text] for row in given if fact in row and "old" not in row}
        for row in given:
            if "old" in row:
                said = about_user(row[text])
                new = [value for value in row["new"] if has(said, [value])]
                known = about_user(told[row[place], row[corrects]])
                yield Correction(said, known, row.get("question", ""), new, row["old"])


def figures(verbose: bool) -> dict[str, Any]:
    given = [each for each in corrections() if each.new]
    lost, kept_lost, kept_old, old_told, kept = 0, 0, 0, 0, 0
    for each in given:
        told = what_holds(each.said, [each.known], stems(each.question))
        lost += not has(told, each.new)
        old_told += has(told, each.old)
        if verbose and not has(told, each.new):
            print(f"told: {each.said} -> {told}")
        if (text := merged(each.said, each.known)) is not None:
            kept += 1
            kept_lost += not has(text, each.new)
            kept_old += has(text.replace(each.said, ""), each.old)
            if verbose and not has(text, each.new):
                print(f"kept: {each.said} | {each.known} -> {text}")
    return {
        "corrections": len(given),
        "told_without_new": lost / len(given),
        "told_with_old": old_told / len(given),
        "kept_with_more": kept,
        "kept_without_new": kept_lost / kept,
        "kept_with_old": kept_old / kept,
    }


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--verbose", action="store_true", help="list what went wrong")
    options = parser.parse_args()
    language.use(Config())
    measure.show(figures(options.verbose), as_json=options.json)


if __name__ == "__main__":
    main()
