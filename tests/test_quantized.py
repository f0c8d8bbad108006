"""Vectors as int8: as near to each other as they were, found as one by one, whatever was added and taken out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.embedding.quantized import BLOCK_ROWS, FEW, WORD, Matrix, pack, unpack
from pi_memory.types import Vectors

DIMENSIONS = 48


def unit(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    normal: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return normal


def test_a_vector_comes_back_from_its_bytes() -> None:
    packed = pack(unit(3))
    again = unpack(packed.to_bytes(), DIMENSIONS)
    assert np.array_equal(again.codes, packed.codes)
    assert np.array_equal(again.scales, packed.scales)


def test_bytes_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        unpack(pack(unit(1)).to_bytes()[:-1], DIMENSIONS)


def test_a_vector_of_zeros_is_near_nothing() -> None:
    matrix = Matrix(DIMENSIONS)
    matrix.append([1], pack(np.zeros((1, DIMENSIONS), np.float32)))
    assert matrix.cosines(unit(1)[0]).tolist() == [0.0]


def test_cosines_are_those_of_the_floats() -> None:
    vectors, query = unit(2 * BLOCK_ROWS + 7), unit(1, seed=1)[0]
    matrix = Matrix(DIMENSIONS)
    matrix.append(range(len(vectors)), pack(vectors))
    assert np.abs(matrix.cosines(query) - vectors @ query).max() < 0.01


def test_nothing_is_near_in_an_empty_matrix() -> None:
    assert not len(Matrix(DIMENSIONS).cosines(unit(1)[0]))


def test_a_vector_costs_its_dimensions_and_eight_bytes() -> None:
    matrix = Matrix(DIMENSIONS)
    matrix.append(range(4 * BLOCK_ROWS), pack(unit(4 * BLOCK_ROWS)))
    assert matrix.bytes == 4 * BLOCK_ROWS * (DIMENSIONS + 8)


def test_vectors_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="dimensions"):
        Matrix(DIMENSIONS + 1).append([1], pack(unit(1)))


CHANGES = st.lists(
    st.tuples(st.sampled_from(["append", "remove"]), st.lists(st.integers(0, 30), max_size=3 * BLOCK_ROWS)),
    max_size=6,
)


@given(CHANGES)
def test_any_changes_leave_what_they_should(changes: list[tuple[str, list[int]]]) -> None:
    vectors, matrix, expected = unit(31), Matrix(DIMENSIONS), list[int]()
    for change, ids in changes:
        if change == "append":
            matrix.append(ids, pack(vectors[ids]))
            expected += ids
        else:
            matrix.remove(ids)
            expected = [id_ for id_ in expected if id_ not in ids]
    assert matrix.ids.tolist() == expected
    assert len(matrix) == len(expected)
    if expected:
        assert np.abs(matrix.cosines(vectors[5]) - vectors[expected] @ vectors[5]).max() < 0.02


def test_of_many_the_nearest_are_exact_and_the_others_estimates() -> None:
    chance, count, dimensions = np.random.default_rng(0), 3 * FEW, 2 * WORD
    middles = chance.standard_normal((count // 20, dimensions))
    near = middles[chance.integers(0, len(middles), count)] + 0.5 * chance.standard_normal((count, dimensions))
    vectors = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
    matrix = Matrix(dimensions)
    matrix.append(range(count), pack(vectors))
    exact, found = vectors @ vectors[7], matrix.cosines(vectors[7])
    best = np.argsort(-exact)[:10]
    assert set(np.argsort(-found)[:10].tolist()) == set(best.tolist())
    assert np.abs(found[best] - exact[best]).max() < 0.01
    assert np.abs(found - exact).mean() < 0.1
