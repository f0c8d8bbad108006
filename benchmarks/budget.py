"""The budget of a Pi (budget.toml): runs the benchmarks that it names, and fails when a figure is over its limit."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from benchmarks import _measure as measure

BUDGET = Path(__file__).with_name("budget.toml")


def figures_of(name: str, options: list[str]) -> dict[str, Any]:
    """What a benchmark prints, run in a process of its own; nothing when it cannot run here."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *options, "--json"]
    done = subprocess.run(command, cwd=BUDGET.parents[1], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == measure.NOT_POSSIBLE:
        return {}
    done.check_returncode()
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--only", help="one benchmark of the budget")
    options = parser.parse_args()
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    chosen = {name: table for name, table in budget.items() if options.only in (None, name)}
    over, shown = [], {}
    for name, table in chosen.items():
        found = figures_of(name, table.get("options", []))
        for figure, most in table["most"].items():
            value = found.get(figure)
            shown[f"{name}.{figure}"] = "not measured" if value is None else value
            if value is not None and value > most:
                over.append(f"{name}.{figure} is {value:.3f}, more than {most}")
    measure.show({**shown, "over": "; ".join(over)}, as_json=options.json)
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
