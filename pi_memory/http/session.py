"""`/session`: shows a session's attention, and lets a client set it."""

from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.attention import sessions
from pi_memory.clock import iso
from pi_memory.errors import RequestError
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, body, client_id
from pi_memory.http.times import shown
from pi_memory.parts import Parts
from pi_memory.topics.names import normalise
from pi_memory.types import Application, FocusPeriod, SessionContext

LONGEST = 1_000
"""Most characters of a decision, of a memory's use, and of a project's name."""
NAME = 80
"""Characters of a memory's content that stand for its name."""


class SessionStart(msgspec.Struct, forbid_unknown_fields=True):
    """Without `session_id` the session gets one; an existing session begins anew."""

    session_id: str | None = None
    project: str | None = None
    directory: str | None = None


class FocusChange(msgspec.Struct, forbid_unknown_fields=True):
    topic: str
    related_files: list[str] = []
    session_id: str | None = None


class NewDecision(msgspec.Struct, forbid_unknown_fields=True):
    decision: str
    session_id: str | None = None


class MemoryUse(msgspec.Struct, forbid_unknown_fields=True):
    memory_id: int
    context: str = ""
    session_id: str | None = None


class UseJudgement(msgspec.Struct, forbid_unknown_fields=True):
    helpful: bool


class CurrentSession(msgspec.Struct, rename="camel"):
    session_id: str
    started_at: str
    project: str | None
    working_directory: str | None


class CurrentFocus(msgspec.Struct, rename="camel"):
    topic: str | None
    since: str | None
    related_files: tuple[str, ...]
    key_decisions: tuple[str, ...]
    memories_applied: tuple[int, ...]


class AttentionWeights(msgspec.Struct):
    weights: dict[str, float]


class RecentEntry(msgspec.Struct, rename="camel"):
    topic: str
    duration: str
    outcome: str | None
    timestamp: str
    memories_used: int


class RecentContext(msgspec.Struct):
    entries: list[RecentEntry]


class ShownApplication(msgspec.Struct, rename="camel"):
    id: int
    memory_id: int
    memory_name: str | None
    applied_at: str
    context: str
    helpful: bool | None


class ApplicationLog(msgspec.Struct):
    applications: list[ShownApplication]


class ShownSession(msgspec.Struct, rename="camel"):
    current_session: CurrentSession
    current_focus: CurrentFocus
    attention_weights: AttentionWeights
    recent_context: RecentContext
    memory_application_log: ApplicationLog


async def show(request: Request, parts: Parts) -> Response:
    return await _shown(parts, parts.attention.session(request.query_params.get("session_id")))


async def begin(request: Request, parts: Parts) -> Response:
    asked = await body(request, SessionStart)
    name = client_id(asked.session_id, "session_id") if asked.session_id is not None else str(uuid4())
    for field in ("project", "directory"):
        _short(getattr(asked, field) or "", field)
    return await _shown(parts, await parts.attention.begin(name, project=asked.project, directory=asked.directory))


async def focus(request: Request, parts: Parts) -> Response:
    asked = await body(request, FocusChange)
    topic = normalise(asked.topic)
    if topic is None:
        raise RequestError("topic: no topic can be called that", hint="For example memory/extraction.")
    return await _shown(parts, await parts.attention.focus(asked.session_id, topic, asked.related_files))


async def decide(request: Request, parts: Parts) -> Response:
    asked = await body(request, NewDecision)
    decision = _short(asked.decision, "decision").strip()
    if not decision:
        raise RequestError("decision: empty", hint="Say what was decided.")
    await parts.memories.refuse_forgotten(decision)
    return await _shown(parts, await parts.attention.decide(asked.session_id, decision))


async def apply(request: Request, parts: Parts) -> Response:
    asked = await body(request, MemoryUse)
    parts.attention.session(asked.session_id)
    await parts.memories.refuse_forgotten(asked.context)
    memory = await parts.memories.get(max(0, min(asked.memory_id, LARGEST)))
    used = await parts.attention.apply(asked.session_id, memory.id, _short(asked.context, "context"))
    return answer(_application(used, memory.content), status=201)


async def judge(request: Request, parts: Parts) -> Response:
    """Record whether a memory helped. The memory is reinforced or weakened before that is stored: a crash in between
    repeats both.
    """
    asked = await body(request, UseJudgement)
    before = await parts.attention.application(min(request.path_params["id"], LARGEST))
    memory = await parts.memories.get(before.memory_id)
    if before.helpful != asked.helpful:
        if asked.helpful:
            await parts.memories.used([memory.id], parts.clock())
        else:
            await parts.memories.weaken(memory.id)
    return answer(_application(await parts.attention.judge(before, helpful=asked.helpful), memory.content))


async def _shown(parts: Parts, session: SessionContext) -> Response:
    applications = await parts.attention.applications(session)
    used = await parts.memories.several([application.memory_id for application in applications])
    contents = {memory.id: memory.content for memory in used}
    session_now = ShownSession(
        current_session=CurrentSession(
            session.session,
            iso(session.started_at),
            session.project and sessions.named(session.project),
            session.directory,
        ),
        current_focus=CurrentFocus(
            topic=session.topic,
            since=iso(session.since) if session.since is not None else None,
            related_files=session.files,
            key_decisions=session.decisions,
            memories_applied=await parts.attention.applied(session),
        ),
        attention_weights=AttentionWeights(_weights(session)),
        recent_context=RecentContext([_entry(entry) for entry in await parts.attention.entries(session)]),
        memory_application_log=ApplicationLog([_application(a, contents.get(a.memory_id, "")) for a in applications]),
    )
    return answer(session_now)


def _weights(session: SessionContext) -> dict[str, float]:
    """The weights, strongest first."""
    strongest = sorted(session.weights, key=lambda name: (-session.weights[name], name))
    return {name: round(session.weights[name], 4) for name in strongest}


def _entry(entry: FocusPeriod) -> RecentEntry:
    duration = "ongoing" if entry.seconds is None else _duration(entry.seconds)
    return RecentEntry(entry.topic, duration, entry.outcome, iso(entry.since), entry.memories)


def _duration(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours}h {minutes}min" if hours else f"{minutes}min"


def _application(used: Application, content: str) -> ShownApplication:
    name = content.partition("\n")[0][:NAME] or None
    return shown(ShownApplication, used, memory_name=name, applied_at=iso(used.at))


def _short(text: str, field: str) -> str:
    if len(text) > LONGEST:
        raise RequestError(f"{field}: longer than {LONGEST} characters", hint="Say it in a sentence or two.")
    return text


WHICH = {"session_id": "by default the session that was active last"}

ENDPOINTS = [
    Endpoint("GET", "/session", show, "What a session is in the middle of.", answer=ShownSession, query=WHICH),
    Endpoint("POST", "/session", begin, "Begin a session.", body=SessionStart, answer=ShownSession),
    Endpoint("POST", "/session/focus", focus, "Turn to a topic.", body=FocusChange, answer=ShownSession),
    Endpoint("POST", "/session/decisions", decide, "Note a decision.", body=NewDecision, answer=ShownSession),
    Endpoint(
        "POST",
        "/session/applications",
        apply,
        "Note that a memory was put to use.",
        body=MemoryUse,
        answer=ShownApplication,
        status=201,
    ),
    Endpoint(
        "PATCH",
        "/session/applications/{id:int}",
        judge,
        "Say whether that helped: it reinforces the memory, or halves its strength.",
        body=UseJudgement,
        answer=ShownApplication,
    ),
]
