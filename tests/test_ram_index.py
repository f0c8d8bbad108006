"""What is searched, in RAM: seen by namespace, in the order of threads, whatever came first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.embedding.quantized import Matrix, pack
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.retrieval.scoring import NEAR, Emphasis, weigh
from pi_memory.retrieval.time_window import TimeWindow


def index(*items: tuple[int, int, str]) -> RamIndex:
    made = RamIndex()
    made.matrix = Matrix(2)
    vectors = pack(np.eye(2, dtype=np.float32))
    for id_, thread, namespace in items:
        made.put([Item(id_, thread, namespace, 10, vectors)])
    return made


def test_a_view_has_what_it_may_see_thread_by_thread() -> None:
    view = index((5, 1, "user"), (2, 2, "user"), (1, 1, "user"), (3, 1, "project/x")).view(lambda n: n == "user")
    assert view.ids.tolist() == [1, 5, 2]
    assert view.field.threads.tolist() == [1, 1, 2]
    assert view.rows([2, 3, 5, 99]).tolist() == [2, 1]


def test_a_view_has_only_what_has_all_labels() -> None:
    made = index()
    for number, labels in enumerate([(), ("red",), ("red", "big"), ("big",)]):
        made.put([Item(number, number, "user", 10, labels=labels)])
    assert made.view(lambda namespace: True, having=frozenset({"red"})).ids.tolist() == [1, 2]
    assert made.view(lambda namespace: True, having=frozenset({"red", "big"})).ids.tolist() == [2]
    assert made.counts() == {"user": 4}


def test_an_empty_view_has_no_rows() -> None:
    view = index().view(lambda namespace: True)
    assert view.rows([1]).tolist() == []
    assert not len(weigh(view.field, [view.rows([1])], None).similarity)


def test_the_best_of_several_vectors_counts() -> None:
    made = index((1, 1, "user"), (2, 1, "user"))
    view = made.view(lambda namespace: True)
    assert made.cosines(view, np.array([0.6, 0.8], np.float32)).tolist() == pytest.approx([0.8, 0.8], abs=0.01)


@pytest.mark.parametrize("order", [[9, 4, 7], [4, 7, 9], [7, 4, 7, 9, 9]])
def test_a_text_has_its_own_cosine_in_whatever_order_vectors_came(order: list[int]) -> None:
    made = RamIndex()
    made.matrix = Matrix(2)
    made.put([Item(id_, 10 - id_, "user", 10) for id_ in (4, 7, 9)])
    for id_ in order:
        made.embed(id_, pack(np.array([[id_ / 10, 1.0]], np.float32) / np.hypot(id_ / 10, 1)))
    view = made.view(lambda namespace: True)
    made.put([Item(12, 0, "user", 10, pack(np.array([[1.0, 0.0]], np.float32)))])  # the view does not have it yet
    assert view.ids.tolist() == [9, 7, 4]
    expected = [id_ / 10 / np.hypot(id_ / 10, 1) for id_ in (9, 7, 4)]
    assert made.cosines(view, np.array([1.0, 0.0], np.float32)).tolist() == pytest.approx(expected, abs=0.01)
    assert view.rows([4, 8, 9, 12]).tolist() == [2, 0]


def test_a_text_that_is_put_again_is_there_once() -> None:
    made = index((1, 1, "user"), (1, 1, "project/x"))
    assert len(made) == 1
    assert made.view(lambda namespace: namespace == "user").ids.tolist() == []


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 20)), max_size=40))
def test_any_changes_leave_what_they_should(changes: list[tuple[bool, int]]) -> None:
    made, expected = index(), set[int]()
    for put, id_ in changes:
        if put:
            made.put([Item(id_, id_ % 3, "user", 10, pack(np.ones((1, 2), np.float32)))])
            expected.add(id_)
        else:
            made.remove([id_])
            expected.discard(id_)
    assert made.ids.tolist() == sorted(expected)
    assert made.matrix is not None
    assert sorted(made.matrix.ids.tolist()) == sorted(expected)
    assert sorted(made.view(lambda namespace: True).ids.tolist()) == sorted(expected)


def test_a_term_counts_for_the_messages_beside_it_in_its_conversation() -> None:
    view = index(*((number, number // 3, "user") for number in range(6))).view(lambda namespace: True)
    words = weigh(view.field, [view.rows([2])], None).words
    assert words.tolist() == pytest.approx([NEAR**2, NEAR, 1.0, 0.0, 0.0, 0.0])


def test_rare_words_count_more_and_long_texts_less() -> None:
    made = RamIndex()
    made.put([Item(1, 1, "user", 50, None), Item(2, 2, "user", 5000, None), Item(3, 3, "user", 50, None)])
    view = made.view(lambda namespace: True)
    words = weigh(view.field, [view.rows([1, 2]), view.rows([3])], None).words
    assert words[2] > words[0] > words[1] > 0


def test_a_snapshot_stays_as_it_was_whatever_becomes_of_the_index() -> None:
    index, vectors = RamIndex(), np.eye(4, dtype=np.float32)
    index.matrix = Matrix(4)
    index.put([Item(n, n, "user", 9, pack(vectors[n : n + 1])) for n in range(3)])
    before = index.snapshot()
    index.remove([0])
    index.put([Item(3, 3, "user/other", 9, pack(vectors[3:])), Item(2, 2, "user", 9, pack(vectors[:1]))])
    view = before.view(lambda namespace: True)
    assert view.ids.tolist() == [0, 1, 2]
    assert [before.cosines(view, vector).argmax() for vector in vectors[:3]] == [0, 1, 2]
    assert index.view(lambda namespace: True).ids.tolist() == [1, 2, 3]


def test_a_snapshot_without_vectors_gets_none_later() -> None:
    index = RamIndex()
    index.matrix = Matrix(4)
    index.put([Item(1, 1, "user", 9)])
    before = index.snapshot()
    index.embed(1, pack(np.eye(4, dtype=np.float32)[:1]))
    assert before.without_vectors([1]) == [1]
    assert index.without_vectors([1, 2]) == [2]


def said(thread: int, *lengths: int) -> list[Item]:
    """A conversation of exchanges: a message and a reply in turns, of these lengths."""
    return [Item(100 * thread + row, thread, "user", length) for row, length in enumerate(lengths)]


def test_each_conversation_is_of_its_own_kind() -> None:
    made = RamIndex(messages=True)
    made.put([*said(1, 80, 90, 70, 80), *said(2, 60, 900, 80, 1200), *said(3, 50)])
    view = made.view(lambda namespace: True)
    assert dict(zip(view.field.threads.tolist(), view.field.at_length.tolist(), strict=True)) == {
        1: False,
        2: True,
        3: True,  # with nothing to go by, it is like the others on the whole
    }


def test_memories_have_no_replies() -> None:
    made = RamIndex()
    made.put(said(1, 60, 900, 80, 1200))
    assert not made.view(lambda namespace: True).field.at_length.any()


def test_one_long_conversation_about_a_word_does_not_make_it_common() -> None:
    made = RamIndex(messages=True)
    made.put([item for thread in range(1, 31) for item in said(thread, *[60, 900] * 5)])
    view = made.view(lambda namespace: True)
    often = view.rows([100 + row for row in range(10)])  # ten times, in one conversation
    twice = view.rows([200, 300])
    words = weigh(view.field, [often, twice], None).words
    assert words[view.rows([100])[0]] > words[view.rows([200])[0]]


def test_what_was_said_in_the_time_asked_about_comes_first() -> None:
    made = RamIndex(messages=True)
    made.put([Item(2 * day, day, "user", 40, None, at=day * 86_400.0) for day in range(1, 10)])
    view = made.view(lambda namespace: True)
    window = TimeWindow(3.5 * 86_400, 5.5 * 86_400)
    scores = weigh(view.field, [view.rows(view.ids)], None, Emphasis(period=window)).similarity
    assert set(np.flatnonzero(scores == scores.max()).tolist()) == {3, 4}
