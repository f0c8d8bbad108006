"""What a deletion took, or with `dry_run` would take, as clients read it."""

import msgspec
from starlette.responses import Response

from pi_memory.http.endpoint import answer
from pi_memory.http.times import shown
from pi_memory.memories.redaction import Forgetting, Place


class ShownGone(msgspec.Struct):
    """A sentence or text, where it stands, and the id of the memory or exchange that it is of."""

    place: Place
    id: int | None
    text: str


class ShownForgetting(msgspec.Struct):
    """`memories` and `exchanges` are the ids of those that are erased or rewritten."""

    memories: list[int]
    exchanges: list[int]
    gone: list[ShownGone]


DRY_RUN = {"dry_run": "1: erase nothing, and answer 200 with every text that would go"}
ALSO = ((200, "application/json", ShownForgetting),)


def gone(done: Forgetting, *, dry_run: bool) -> Response:
    """204 when it is done; what would go when it is not."""
    if not dry_run:
        return Response(status_code=204)
    texts = [shown(ShownGone, one) for one in done.gone]
    return answer(ShownForgetting(list(done.memory_ids), list(done.exchange_ids), texts))
