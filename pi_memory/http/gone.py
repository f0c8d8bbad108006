"""The response of a deletion: what it erased, or with `dry_run` would erase."""

import msgspec
from starlette.responses import Response

from pi_memory.http.endpoint import answer
from pi_memory.http.times import shown
from pi_memory.memories.redaction import Forgetting, Place


class ShownGone(msgspec.Struct):
    """A sentence or text, its place, and the id of its memory or exchange."""

    place: Place
    id: int | None
    text: str


class ShownForgetting(msgspec.Struct):
    """`memories` and `exchanges` are ids of what is erased or rewritten."""

    memories: list[int]
    exchanges: list[int]
    gone: list[ShownGone]


DRY_RUN = {"dry_run": "1: erase nothing, and answer 200 with every text that would go"}
ALSO = ((200, "application/json", ShownForgetting),)


def gone(done: Forgetting, *, dry_run: bool) -> Response:
    """204 after a deletion; what it would erase for a dry run."""
    if not dry_run:
        return Response(status_code=204)
    texts = [shown(ShownGone, one) for one in done.gone]
    return answer(ShownForgetting(list(done.memory_ids), list(done.exchange_ids), texts))
