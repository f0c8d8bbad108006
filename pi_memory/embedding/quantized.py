"""Vectors as int8 and their cosines to a query: a matrix that grows in small blocks and needs no index.

A vector of 384 dimensions is stored as 384 int8 and one scale, a quarter of its size as float32. A search of many
converts few of them to floats: the signs of all components are compared first, 64 at a time, and the nearest tenth is
compared in full. The cosines that are estimated for the others have a standard error of 0.06 (Charikar, 2002,
"Similarity estimation techniques from rounding algorithms").
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from pi_memory.types import Vectors

Ids = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int8]
Signs = npt.NDArray[np.uint64]

BLOCK_ROWS = 2_000
"""Rows of a block, which are allocated together; the pages of rows that are not used yet are not resident."""
AT_ONCE = 250
"""Rows that are converted to floats at once: 384 kB at 384 dimensions, which fit the processor's cache."""
FEW = 4_000
"""Rows of a matrix all of which are compared in full."""
IN_FULL = 0.1
"""The share of the rows of a larger one that is compared in full."""
WORD = 64
"""Signs that are compared at once."""

LARGEST = 127
SCALE_BYTES = 4


class Packed(Struct, frozen=True):
    """Vectors as int8, shape (n, dimensions), with one scale each, shape (n,): vector = codes x scale."""

    codes: Codes
    scales: Vectors

    def to_bytes(self) -> bytes:
        """The format of the store: each vector's scale, then its codes."""
        return b"".join(scale.tobytes() + code.tobytes() for scale, code in zip(self.scales, self.codes, strict=True))


def pack(vectors: Vectors) -> Packed:
    """Quantise each vector of shape (n, dimensions) symmetrically by its own largest component."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), np.finfo(np.float32).tiny) / LARGEST
    return Packed(np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32))


def unpack(kept: bytes, dimensions: int) -> Packed:
    """The inverse of `Packed.to_bytes`. Raises `ValueError` when the bytes are not vectors of so many dimensions."""
    rows = np.frombuffer(kept, np.uint8).reshape(-1, SCALE_BYTES + dimensions)
    scales = np.ascontiguousarray(rows[:, :SCALE_BYTES]).view(np.float32).reshape(-1)
    return Packed(np.ascontiguousarray(rows[:, SCALE_BYTES:]).view(np.int8), scales)


def is_unit(kept: bytes) -> bool:
    """Whether `kept` is a unit vector, within the precision of int8."""
    packed = unpack(kept, len(kept) - SCALE_BYTES)
    return abs(float(np.linalg.norm(packed.codes.astype(np.float32)) * packed.scales[0]) - 1) < 0.1


class Matrix:
    """Vectors of one space, each with an id. An id may have several.

    Costs 9/8 `dimensions` + 8 bytes of RAM a vector. One thread changes it; others read a `snapshot`.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._blocks: list[_Block] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def snapshot(self) -> "Matrix":
        """The matrix as it is now; later changes do not affect it, as existing rows are never overwritten."""
        copy = Matrix(self.dimensions)
        copy._blocks, copy._size = self._blocks.copy(), self._size
        return copy

    @property
    def ids(self) -> Ids:
        """The id of each row, shape (n,)."""
        return self._gathered([block.ids for block in self._blocks], np.int32)

    @property
    def bytes(self) -> int:
        """RAM of the vectors, their scales and ids."""
        return sum(block.bytes for block in self._blocks)

    def append(self, ids: Sequence[int] | Ids, packed: Packed) -> None:
        """Add rows. Raises `ValueError` for vectors of another size."""
        if packed.codes.shape != (len(ids), self.dimensions):
            raise ValueError(
                f"Vectors of shape {packed.codes.shape} for {len(ids)} ids of {self.dimensions} dimensions"
            )
        start = 0
        while start < len(ids):
            row = self._size % BLOCK_ROWS  # behind the last row that a snapshot knows
            if row == 0:
                self._blocks.append(_Block.empty(self.dimensions))
            count = min(BLOCK_ROWS - row, len(ids) - start)
            self._blocks[-1].fill(row, ids[start : start + count], packed, start)
            self._size += count
            start += count

    def remove(self, ids: Sequence[int] | Ids) -> None:
        """Remove every row of these ids; later rows move up."""
        kept = ~np.isin(self.ids, np.asarray(ids, np.int32))
        first = int(np.argmin(kept)) if not kept.all() else self._size
        rest = self._blocks[first // BLOCK_ROWS :] if first < self._size else []
        if not rest:
            return
        start = first // BLOCK_ROWS * BLOCK_ROWS
        del self._blocks[first // BLOCK_ROWS :]
        size, self._size = self._size, start
        for number, block in enumerate(rest):
            begin = start + number * BLOCK_ROWS
            keep = np.flatnonzero(kept[begin : min(begin + BLOCK_ROWS, size)])
            self.append(block.ids[keep], Packed(block.codes[keep], block.scales[keep]))

    def cosines(self, query: Vectors) -> Vectors:
        """The cosine of a unit vector of shape (dimensions,) to each row, shape (n,). Of a large matrix, those of the
        nearest are exact and the others estimates.
        """
        if self._size <= FEW or self.dimensions % WORD:
            return self._all_cosines(query)
        different = self._different_signs(query)
        expected = np.cos(np.pi / self.dimensions * np.arange(self.dimensions + 1)).astype(np.float32)
        found: Vectors = expected[different]
        last = np.searchsorted(np.cumsum(np.bincount(different)), IN_FULL * self._size)
        near = np.flatnonzero(different <= last)
        ends = np.searchsorted(near, np.arange(len(self._blocks) + 1) * BLOCK_ROWS)
        for number, block in enumerate(self._blocks):
            rows = near[ends[number] : ends[number + 1]]
            found[rows] = block.some_cosines(query, rows - number * BLOCK_ROWS)
        return found

    def _all_cosines(self, query: Vectors) -> Vectors:
        found = np.empty(len(self._blocks) * BLOCK_ROWS, np.float32)
        for start, block in zip(range(0, len(found), BLOCK_ROWS), self._blocks, strict=True):
            block.cosines(query, out=found[start : start + BLOCK_ROWS])
        return found[: self._size]

    def _different_signs(self, query: Vectors) -> npt.NDArray[np.uint16]:
        """In how many components each row has another sign than the query, shape (n,)."""
        signs = _signs(query[None])
        found = np.empty(len(self._blocks) * BLOCK_ROWS, np.uint16)
        for start, block in zip(range(0, len(found), BLOCK_ROWS), self._blocks, strict=True):
            different = np.bitwise_count(block.signs ^ signs)
            np.sum(different, axis=0, dtype=np.uint16, out=found[start : start + BLOCK_ROWS])
        return found[: self._size]

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """Unit vectors of those of `ids` that there are, each of shape (dimensions,); the last one of an id."""
        rows = np.flatnonzero(np.isin(self.ids, np.asarray(ids, np.int32)))
        found = {}
        for row in rows.tolist():
            block, place = self._blocks[row // BLOCK_ROWS], row % BLOCK_ROWS
            found[int(block.ids[place])] = block.codes[place] * block.scales[place]
        return found

    def _gathered(self, parts: list[npt.NDArray], kind: type) -> npt.NDArray:  # type: ignore[type-arg]
        return np.concatenate(parts)[: self._size] if parts else np.empty(0, kind)


class _Block(Struct, frozen=True):
    """`signs` has a column for each row: whether each component is positive, 64 to a number."""

    codes: Codes
    scales: Vectors
    ids: Ids
    signs: Signs

    @classmethod
    def empty(cls, dimensions: int) -> "_Block":
        codes = np.zeros((BLOCK_ROWS, dimensions), np.int8)
        signs = np.zeros((dimensions // WORD, BLOCK_ROWS), np.uint64)
        return cls(codes, np.zeros(BLOCK_ROWS, np.float32), np.zeros(BLOCK_ROWS, np.int32), signs)

    @property
    def bytes(self) -> int:
        return sum(each.nbytes for each in (self.codes, self.scales, self.ids, self.signs))

    def fill(self, row: int, ids: Sequence[int] | Ids, packed: Packed, start: int) -> None:
        """Put `ids` and their vectors, which begin at `start` of `packed`, from `row` on."""
        end, stop = row + len(ids), start + len(ids)
        self.codes[row:end], self.scales[row:end] = packed.codes[start:stop], packed.scales[start:stop]
        self.ids[row:end] = ids
        if len(self.signs):
            self.signs[:, row:end] = _signs(packed.codes[start:stop])

    def cosines(self, query: Vectors, *, out: Vectors) -> None:
        floats = np.empty((AT_ONCE, len(query)), np.float32)
        for start in range(0, len(out), AT_ONCE):
            np.copyto(floats, self.codes[start : start + AT_ONCE])
            np.dot(floats, query, out=out[start : start + AT_ONCE])
        out *= self.scales

    def some_cosines(self, query: Vectors, rows: npt.NDArray[np.intp]) -> Vectors:
        found: Vectors = (self.codes[rows].astype(np.float32) @ query) * self.scales[rows]
        return found


def _signs(vectors: Codes | Vectors) -> Signs:
    """Of vectors of shape (n, dimensions), shape (dimensions / 64, n)."""
    used = vectors.shape[1] // WORD * WORD
    return np.ascontiguousarray(np.packbits(vectors[:, :used] > 0, axis=1).view(np.uint64).T)
