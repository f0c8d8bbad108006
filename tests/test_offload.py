import pytest

from pi_memory.model.offload import Offload, OffloadedState, common


def parked(*tokens: list[int], most_bytes: int = 100) -> OffloadedState:
    made = OffloadedState(most_bytes)
    for some in tokens:
        made.put(Offload(some, bytes(10 * len(some))))
    return made


def test_the_one_that_has_most_in_common_is_taken() -> None:
    away = parked([1, 2, 3], [1, 2, 9, 9], [5])
    assert away.best([1, 2, 3, 4]) == 3
    assert away.take([1, 2, 3, 4]).tokens == [1, 2, 3]
    assert away.best([1, 2, 3, 4]) == 2
    assert away.bytes == 50


def test_nothing_is_found_where_nothing_is() -> None:
    assert parked().best([1]) == 0
    with pytest.raises(ValueError, match="empty"):
        parked().take([1])


def test_what_was_put_away_first_gives_way() -> None:
    away = parked([1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3])
    assert [away.best([number] * 4) for number in (1, 2, 3)] == [0, 4, 4]
    assert away.bytes == 80


def test_what_goes_on_takes_the_place_of_its_beginning() -> None:
    assert parked([1, 2], [1, 2, 3], [1, 2, 3]).bytes == 30


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    assert parked([1] * 20).bytes == 0


@pytest.mark.parametrize(
    ("one", "other", "shared"), [([], [1], 0), ([1, 2], [1, 2, 3], 2), ([1, 3], [1, 2], 1), ([1, 2], [1], 1)]
)
def test_common(one: list[int], other: list[int], shared: int) -> None:
    assert common(one, other) == shared
