"""The search index in RAM: ids of texts, their namespaces and threads, their vectors. The texts stay on disk."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy

import numpy as np
from msgspec import Struct

from pi_memory.embedding.quantized import Ids, Matrix, Packed
from pi_memory.retrieval import scoring
from pi_memory.retrieval.scoring import Field
from pi_memory.types import Flags, Vectors


class Item(Struct, frozen=True):
    """A text: its id, the thread it stands in, the namespace it belongs to, its length in characters, its vectors, when
    it was said, as Unix time, whether it is no answer to a question, and by what it is chosen besides its namespace.
    """

    id: int
    thread: int
    namespace: str
    length: int
    packed: Packed | None = None
    at: float = 0.0
    aside: bool = False
    labels: tuple[str, ...] = ()


class View(Struct, frozen=True):
    """The part of an index that a query may see, in the order of threads and ids."""

    ids: Ids
    field: Field
    asides: Flags
    _place_of: Ids
    """For each id from 0 on its place in this view, -1 for those that it does not have. The last one of it stands for
    all ids behind it.
    """

    def rows(self, ids: Sequence[int] | Ids) -> Ids:
        """Where these ids are in this view; those that it does not have are left out."""
        places = self._places(np.asarray(ids, np.int32))
        return places[places >= 0]

    def spread(self, ids: Ids, values: Vectors) -> Vectors:
        """The largest of the values of each id of this view, 0 where there is none."""
        spread = np.zeros(len(self.ids), np.float32)
        places = self._places(ids)
        here = places >= 0
        if not here.all():
            ids, places, values = ids[here], places[here], values[here]
        if (ids[1:] > ids[:-1]).all():  # one for each
            spread[places] = np.maximum(values, 0.0)
        else:
            np.maximum.at(spread, places, values)
        return spread

    def _places(self, ids: Ids) -> Ids:
        places: Ids = self._place_of[np.minimum(ids, len(self._place_of) - 1)]
        return places


class RamIndex:
    """Texts by their ids. One thread changes it; others read a `snapshot`.

    `messages` says that the texts are messages, of which those with odd ids are replies.
    """

    def __init__(self, *, messages: bool = False) -> None:
        self.matrix: Matrix | None = None
        """The vectors, once there is an embedder."""
        self._messages = messages
        self._views: dict[bytes, View] = {}
        """The last view that was asked for, by the places it sees; a change of the texts begins it anew."""
        self._times = np.empty(0, np.float32)  # to two minutes
        self._asides = np.empty(0, np.bool_)
        self._ids, self._threads = np.empty(0, np.int32), np.empty(0, np.int32)
        self._places, self._lengths = np.empty(0, np.int32), np.empty(0, np.int32)
        self._known: dict[tuple[str, tuple[str, ...]], int] = {}
        """The number of each place: a namespace and labels."""

    def __len__(self) -> int:
        return len(self._ids)

    def snapshot(self) -> "RamIndex":
        """The index as it is now, whatever becomes of it: its arrays are replaced, never written to."""
        now = copy(self)
        now._known = self._known.copy()
        now.matrix = None if self.matrix is None else self.matrix.snapshot()
        return now

    @property
    def ids(self) -> Ids:
        """Of all texts, in ascending order."""
        return self._ids

    def counts(self) -> dict[str, int]:
        """The number of texts of each namespace that has some, without asides."""
        counts = np.bincount(self._places[~self._asides], minlength=len(self._known)).tolist()
        found = Counter[str]()
        for (namespace, _), place in self._known.items():
            found[namespace] += counts[place]
        return dict(+found)

    def put(self, items: Sequence[Item]) -> None:
        """Add texts, or put them in the place of what has the same id."""
        items = sorted(items, key=lambda item: item.id)
        self.remove([item.id for item in items])
        ids = np.array([item.id for item in items], np.int32)
        at = np.searchsorted(self._ids, ids)
        self._ids = np.insert(self._ids, at, ids)
        self._threads = np.insert(self._threads, at, [item.thread for item in items])
        self._places = np.insert(self._places, at, [self._place(item) for item in items])
        self._lengths = np.insert(self._lengths, at, [item.length for item in items])
        self._times = np.insert(self._times, at, [item.at for item in items])
        self._asides = np.insert(self._asides, at, [item.aside for item in items])
        self._views = {}
        embedded = [(item.id, item.packed) for item in items if item.packed is not None]
        if self.matrix is not None and embedded:
            numbers, packed = zip(*embedded, strict=True)
            rows = np.repeat(np.array(numbers, np.int32), [len(each.codes) for each in packed])
            codes, scales = (np.concatenate([getattr(each, name) for each in packed]) for name in ("codes", "scales"))
            self.matrix.append(rows, Packed(codes, scales))

    def embed(self, id_: int, packed: Packed) -> None:
        """Give a text that has none its vectors; without an embedder, or for a text that has gone, nothing happens."""
        place = int(np.searchsorted(self._ids, id_))
        if self.matrix is not None and place < len(self._ids) and self._ids[place] == id_:
            self.matrix.append([id_] * len(packed.codes), packed)

    def load(self, ids: Sequence[int], packed: Packed) -> None:
        """As `embed`, for many texts with one vector each."""
        here = np.isin(ids, self._ids)
        if self.matrix is not None:
            self.matrix.append(np.asarray(ids, np.int32)[here], Packed(packed.codes[here], packed.scales[here]))

    def remove(self, ids: Collection[int]) -> None:
        gone = np.isin(self._ids, np.fromiter(ids, np.int32, len(ids)))
        if not gone.any():
            return
        kept = ~gone
        self._ids, self._threads = self._ids[kept], self._threads[kept]
        self._places, self._lengths, self._times = self._places[kept], self._lengths[kept], self._times[kept]
        self._asides = self._asides[kept]
        self._views = {}
        if self.matrix is not None:
            self.matrix.remove(list(ids))

    def view(self, sees: Callable[[str], bool], *, having: frozenset[str] = frozenset()) -> View:
        """What is in the namespaces that `sees` says yes to, and has all these labels."""
        seen = np.array([having <= {*labels} and sees(namespace) for namespace, labels in self._known], np.bool_)
        known = self._views.get(seen.tobytes())
        if known is None:
            known = self._view(seen)
            self._views.clear()
            self._views[seen.tobytes()] = known
        return known

    def _view(self, seen: Flags) -> View:
        rows = np.flatnonzero(seen[self._places]) if len(self._ids) else np.empty(0, np.intp)
        order = np.argsort(self._threads[rows], kind="stable")
        in_order = rows[order]
        ids, threads, lengths = self._ids[in_order], self._threads[in_order], self._lengths[in_order]
        replies = ids & 1 == 1 if self._messages else np.zeros(len(ids), np.bool_)
        field = scoring.field(threads, lengths, replies, self._times[in_order])
        place_of = np.full(int(ids.max(initial=-1)) + 2, -1, np.int32)
        place_of[ids] = np.arange(len(ids), dtype=np.int32)
        return View(ids, field, self._asides[in_order], place_of)

    def cosines(self, view: View, query: Vectors) -> Vectors:
        """The largest cosine of the vectors of each text of `view`, at least 0, shape (n,)."""
        if self.matrix is None:
            return np.zeros(len(view.ids), np.float32)
        return view.spread(self.matrix.ids, self.matrix.cosines(query))

    def without_vectors(self, ids: Sequence[int]) -> list[int]:
        """Those of these ids that have none."""
        if self.matrix is None or not ids:
            return list(ids)
        wanted = np.array(ids, np.int32)
        found: list[int] = wanted[~np.isin(wanted, self.matrix.ids)].tolist()
        return found

    def _place(self, item: Item) -> int:
        return self._known.setdefault((item.namespace, item.labels), len(self._known))
