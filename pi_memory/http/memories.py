"""`/memories`: lists memories, and adds, changes, closes or forgets one by hand."""

from typing import Any, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.errors import NotFound, RequestError
from pi_memory.http import gone
from pi_memory.http.clients import allow, client_of, seen
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, body, choice, flag, number
from pi_memory.http.events import ShownFields, shown_fields
from pi_memory.http.times import shown
from pi_memory.learning.learner import Outcome
from pi_memory.memories import namespaces, undo
from pi_memory.memories.changes import PastChange
from pi_memory.memories.memories import SUPERSEDED, fades_at, strength
from pi_memory.parts import Parts
from pi_memory.store.memories import Filter
from pi_memory.types import Candidate, Memory, MemoryType, Priority

MOST = 500


class NewMemory(msgspec.Struct, forbid_unknown_fields=True):
    """`project` stands for `namespace` `project/NAME`; `supersedes` is the memory that no longer holds. Without
    `topics` they follow from the content and from the session's attention. `anyway` lifts a tombstone of the content.
    """

    content: str
    type: MemoryType = "semantic"
    namespace: str | None = None
    project: str | None = None
    priority: Priority = "medium"
    source: str = "api"
    quote: str = ""
    topics: list[str] | None = None
    session_id: str | None = None
    supersedes: int | None = None
    anyway: bool = False


class MemoryChange(msgspec.Struct, forbid_unknown_fields=True):
    """A field that is not given stays as it is."""

    content: str | msgspec.UnsetType = msgspec.UNSET
    type: MemoryType | msgspec.UnsetType = msgspec.UNSET
    namespace: str | msgspec.UnsetType = msgspec.UNSET
    priority: Priority | msgspec.UnsetType = msgspec.UNSET
    topics: list[str] | msgspec.UnsetType = msgspec.UNSET


class ShownMemory(msgspec.Struct):
    id: int
    content: str
    type: MemoryType
    namespace: str
    priority: Priority
    source: str
    strength: float
    accesses: int
    created_at: str
    updated_at: str
    last_accessed_at: str
    valid_from: str
    valid_to: str | None
    superseded_by: int | None
    is_valid: bool
    forgotten_at: str | None
    quote: str
    exchange_id: int | None
    topics: tuple[str, ...]
    fades_at: str | None


class ShownAdded(ShownMemory, omit_defaults=True):
    """`supersedes` is the memory that this one ended, `conflicts_with` one that may not hold beside it; each is there
    only if there is one.
    """

    supersedes: int | None = None
    conflicts_with: int | None = None


class ShownAlone(ShownMemory):
    """`related` are the other memories about the same that hold."""

    related: tuple[int, ...]


class ShownMemories(msgspec.Struct):
    """`total` is None with a `topic`: counting would read all."""

    memories: list[ShownMemory]
    total: int | None


class ShownMemoryChange(msgspec.Struct):
    """`instead_of` is the memory whose place this one took by it."""

    event_id: int
    at: str
    kind: str
    origin: str
    undoes: int | None
    before: ShownFields | None
    after: ShownFields | None
    instead_of: int | None


class ShownMemoryHistory(msgspec.Struct):
    memory: ShownMemory
    history: list[ShownMemoryChange]


async def show(request: Request, parts: Parts) -> Response:
    if "ids" in request.query_params:
        own = seen(request, None)
        known = [one for one in await parts.memories.several(_ids(request)) if _is_seen(one, own)]
        return answer(ShownMemories([shown_memory(memory, parts.clock()) for memory in known], len(known)))
    limit, offset = number(request, "limit", 50, most=MOST), number(request, "offset", 0)
    which = _filter(request)
    found = await parts.memories.some(which, limit=limit, offset=offset)
    return answer(ShownMemories([shown_memory(memory, parts.clock()) for memory in found], await _total(which, parts)))


async def _total(which: Filter, parts: Parts) -> int | None:
    """How many there are; by namespace the index in RAM knows it."""
    if which.topic is not None:
        return None
    if which == Filter(which.namespaces, before=which.before):
        counts, seen = parts.search.namespaces(), which.namespaces
        return sum(count for name, count in counts.items() if seen is None or namespaces.covers(name, seen))
    return (await parts.memories.listed(which, limit=0))[1]


async def add(request: Request, parts: Parts) -> Response:
    new = await body(request, NewMemory)
    namespace = _namespace(request, new)
    if new.anyway or new.supersedes is not None:
        allow(request, "all", "POST /memories")
    if new.anyway:
        await parts.memories.let_in(new.content, new.quote)
    topics = await _topics(request, parts, new) if new.topics is None else tuple(new.topics)
    candidate = Candidate(
        content=new.content,
        type=new.type,
        namespace=namespace,
        priority=new.priority,
        source=new.source,
        quote=new.quote,
        topics=topics,
    )
    added = await _added(request, parts, candidate, supersedes=new.supersedes)
    memory, before = added.memory, added.instead_of
    shown_added = shown(
        ShownAdded,
        memory,
        **_computed(memory, parts.clock()),
        supersedes=before and before.id,
        conflicts_with=added.doubted,
    )
    return answer(shown_added, status=201, headers={"Location": f"/memories/{memory.id}"})


async def _added(request: Request, parts: Parts, candidate: Candidate, *, supersedes: int | None) -> Outcome:
    if supersedes is None:
        return await parts.learner.add(candidate, origin="api", within=seen(request, None))
    before = await parts.memories.get(_known(supersedes))
    return Outcome(await parts.memories.supersede(before.id, candidate, origin="api", durable=True), before)


async def show_one(request: Request, parts: Parts) -> Response:
    memory = await parts.memories.get(_id(request))
    related = await parts.learner.related(memory)
    return answer(shown(ShownAlone, memory, **_computed(memory, parts.clock()), related=related))


async def change(request: Request, parts: Parts) -> Response:
    wanted = await body(request, MemoryChange)
    given = {name: getattr(wanted, name) for name in wanted.__struct_fields__}
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not msgspec.UNSET}
    if "topics" in fields:
        fields["topics"] = tuple(fields["topics"])
    memory = await parts.memories.change(_id(request), origin="api", durable=True, **fields)
    return answer(shown_memory(memory, parts.clock()))


async def drop(request: Request, parts: Parts) -> Response:
    dry_run = flag(request, "dry_run")
    if flag(request, "forget"):
        return gone.gone(await parts.memories.forget(_id(request), dry_run=dry_run), dry_run=dry_run)
    if dry_run:
        raise RequestError("dry_run: only what is forgotten goes", hint="Ask for ?forget=1&dry_run=1.")
    await parts.memories.close(_id(request), origin="api", durable=True)
    return Response(status_code=204)


async def history(request: Request, parts: Parts) -> Response:
    memory = await parts.memories.get(_id(request))
    changed = [
        shown(
            ShownMemoryChange,
            one.event,
            event_id=one.event.id,
            before=shown_fields(one.before),
            after=shown_fields(one.after),
            instead_of=_instead_of(memory.id, one),
        )
        for one in await parts.memories.history(memory.id)
    ]
    return answer(ShownMemoryHistory(shown_memory(memory, parts.clock()), changed))


def _instead_of(number: int, change: PastChange) -> int | None:
    """The older memory of an event that put another one in its place, for that other one; not for what ended too."""
    older, ended = undo.memory_id(change.event), (change.after or {}).get("superseded_by")
    return older if change.event.kind == SUPERSEDED and older != number and not ended else None


def shown_memory(memory: Memory, now: float) -> ShownMemory:
    return shown(ShownMemory, memory, **_computed(memory, now))


def _computed(memory: Memory, now: float) -> dict[str, Any]:
    fades = fades_at(memory)
    return {"strength": round(strength(memory, now), 4), "fades_at": None if fades is None else iso(fades)}


def _filter(request: Request) -> Filter:
    asked = request.query_params
    return Filter(
        seen(request, namespaces.chosen(asked.get("namespace"), asked.get("project"))),
        choice(request, "type", get_args(MemoryType)),
        choice(request, "priority", get_args(Priority)),
        topic=asked.get("topic"),
        before=number(request, "before", LARGEST),
        valid=None if flag(request, "all") else "valid" not in asked or flag(request, "valid"),
    )


async def _topics(request: Request, parts: Parts, new: NewMemory) -> tuple[str, ...]:
    client = client_of(request)
    # What is worked on outside of its namespace is not for the client to see.
    return () if client and client.namespace else await parts.attention.topics(new.session_id, new.content)


def _is_seen(memory: Memory, own: namespaces.Scope | None) -> bool:
    return own is None or namespaces.covers(memory.namespace, own)


def _namespace(request: Request, new: NewMemory) -> str:
    if new.namespace is not None and new.project is not None:
        raise RequestError("project: there is a namespace as well", hint="Give one of the two.")
    if new.project is not None:
        chosen = namespaces.of_project(new.project)
    else:
        chosen = (seen(request, None) or ("user",))[0] if new.namespace is None else namespaces.parse(new.namespace)
    return (seen(request, (chosen,)) or (chosen,))[0]


def _ids(request: Request) -> list[int]:
    names = request.query_params["ids"].split(",")
    if not all(name.isdecimal() and name.isascii() and len(name) < 20 for name in names) or len(names) > MOST:
        raise RequestError(f"ids: expected at most {MOST} numbers", hint="For example ?ids=3,14.")
    return [int(name) for name in names if int(name) <= LARGEST]


def _id(request: Request) -> int:
    return _known(request.path_params["id"])


def _known(memory_id: int) -> int:
    if not 0 < memory_id <= LARGEST:
        raise NotFound(f"There is no memory {memory_id}", hint="GET /memories lists them.")
    return memory_id


ONE = "/memories/{id:int}"

ENDPOINTS = [
    Endpoint(
        "GET",
        "/memories",
        show,
        "What has been learned, the newest first.",
        within_namespace=True,
        answer=ShownMemories,
        query={
            "namespace": "only this one and what is below it",
            "project": "only what is seen in this project: global, user and the project's own",
            "type": "semantic, episodic or procedural",
            "priority": "highest, high, medium or low",
            "topic": "only what is filed under it",
            "valid": "0: only what no longer holds",
            "all": "1: also what no longer holds",
            "limit": f"most memories, up to {MOST} (50)",
            "offset": "memories to skip",
            "before": "only memories with a smaller id, though `total` counts all",
            "ids": "instead of all that: these, also what no longer holds, by id; separated by commas",
        },
    ),
    Endpoint(
        "POST",
        "/memories",
        add,
        "Remember something; it ends what it makes untrue. The very same memory is kept once.",
        needs="chat",
        within_namespace=True,
        body=NewMemory,
        answer=ShownAdded,
        status=201,
    ),
    Endpoint("GET", ONE, show_one, "A memory.", answer=ShownAlone),
    Endpoint("PATCH", ONE, change, "Change a memory.", body=MemoryChange, answer=ShownMemory),
    Endpoint(
        "DELETE",
        ONE,
        drop,
        "A memory no longer holds; or forget it.",
        status=204,
        also=gone.ALSO,
        query={
            "forget": "1: erase it for good, and whatever states the same, and never take it up again",
            "dry_run": "1 with forget=1: erase nothing, and answer 200 with every text that would go",
        },
    ),
    Endpoint("GET", ONE + "/history", history, "What became of a memory, the newest first.", answer=ShownMemoryHistory),
]
