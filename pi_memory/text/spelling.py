"""How far two spellings are from each other. Pure.

A row of the table of distances is the bits of an integer, as in H. Hyyrö, A bit-vector algorithm for computing
Levenshtein and Damerau edit distances (2003), and Bit-parallel LCS-length computation revisited (2004).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence


def typos(one: str, other: str) -> int:
    """Least number of typos that turn one text into the other.

    A typo is a character wrong, missing or too many, or two neighbours swapped (optimal string alignment).
    """
    return [*_distances(one, other, anywhere=False)][-1] if one else len(other)


def typos_within(part: str, text: str) -> int:
    """Least number of typos that turn `part` into some passage of `text`."""
    return min(_distances(part, text, anywhere=True))


def likeness(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Share of both texts' characters (or words), in [0, 1], in the longest sequence that both have in this order."""
    places = _places(one)
    row = whole = (1 << len(one)) - 1
    for character in other:
        here = row & places.get(character, 0)
        row = ((row + here) | (row - here)) & whole
    return 2 * (len(one) - row.bit_count()) / (len(one) + len(other)) if one or other else 1.0


def _distances(part: str, text: str, *, anywhere: bool) -> Iterator[int]:
    """Typos between `part` and the text up to each character; `anywhere`: and the nearest passage that ends there."""
    yield (distance := len(part))
    places, whole, last = _places(part), (1 << len(part)) - 1, 1 << len(part) >> 1
    more, less, same, before = whole, 0, 0, 0
    for character in text:
        here = places.get(character, 0)
        swapped = ((~same & here) << 1) & before
        same = (((here & more) + more) ^ more) | here | less | swapped
        up, down = (less | ~(same | more)) & whole, same & more
        distance += bool(up & last) - bool(down & last)
        up, down = up << 1 | (not anywhere), down << 1
        more, less, before = (down | ~(same | up)) & whole, up & same & whole, here
        yield distance


def _places(text: Iterable[Hashable]) -> dict[Hashable, int]:
    """The places of each character, as bits."""
    places: dict[Hashable, int] = {}
    for number, character in enumerate(text):
        places[character] = places.get(character, 0) | 1 << number
    return places
