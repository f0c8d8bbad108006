"""What an installation takes on the card: this package and all that it requires, without extras."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks import _measure as measure


def required(name: str, known: set[str]) -> Iterator[Distribution]:
    """A distribution and those that it requires here, each once."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in known:
        return
    known.add(name)
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    yield found
    for line in found.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from required(requirement.name, known)


def megabytes(found: Distribution) -> float:
    """Files as they were installed, without bytecode."""
    paths = [Path(str(file.locate())) for file in found.files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    sizes = {one.metadata["Name"]: megabytes(one) for one in required("pi-memory", set())}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:4]
    figures = {
        "packages": len(sizes),
        "install_mb": sum(sizes.values()),
        "largest": ", ".join(f"{name} {sizes[name]:.0f}" for name in largest),
    }
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
