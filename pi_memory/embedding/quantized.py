"""Vectors as int8 and their cosines to a query: a matrix that grows in small blocks and needs no index.

A vector of 384 dimensions is stored as 384 int8 and one scale, a quarter of its size as float32. A search converts
block after block to floats that fit the processor's cache, so RAM is read at a quarter of the cost as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pi_memory.types import Vectors

Ids = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int8]

BLOCK_ROWS = 250
"""Rows of a block: 96 kB at 384 dimensions, 384 kB as floats. Also the most rows that are allocated in excess."""

LARGEST = 127
SCALE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Packed:
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

    Costs `dimensions` + 8 bytes of RAM a vector. One thread changes it; others read a `snapshot`.
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
        return sum(block.codes.nbytes + block.scales.nbytes + block.ids.nbytes for block in self._blocks)

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
        """The cosine of a unit vector of shape (dimensions,) to each row, shape (n,)."""
        found = np.empty(len(self._blocks) * BLOCK_ROWS, np.float32)
        floats = np.empty((BLOCK_ROWS, self.dimensions), np.float32)
        for start, block in zip(range(0, len(found), BLOCK_ROWS), self._blocks, strict=True):
            of_block = found[start : start + BLOCK_ROWS]
            np.copyto(floats, block.codes)
            np.dot(floats, query, out=of_block)
            of_block *= block.scales
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


@dataclass(frozen=True, slots=True)
class _Block:
    codes: Codes
    scales: Vectors
    ids: Ids

    @classmethod
    def empty(cls, dimensions: int) -> "_Block":
        codes = np.zeros((BLOCK_ROWS, dimensions), np.int8)
        return cls(codes, np.zeros(BLOCK_ROWS, np.float32), np.zeros(BLOCK_ROWS, np.int32))

    def fill(self, row: int, ids: Sequence[int] | Ids, packed: Packed, start: int) -> None:
        """Copy `ids` and their vectors, from `start` of `packed` on, to `row` and the rows after it."""
        end, stop = row + len(ids), start + len(ids)
        self.codes[row:end], self.scales[row:end] = packed.codes[start:stop], packed.scales[start:stop]
        self.ids[row:end] = ids
