"""The tools and resources of `/mcp`. A tool is an endpoint of ours with another door: it is asked as over HTTP."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import Conflict, NotFound
from pi_memory.http import focus, knowledge_graph, memories, search, session
from pi_memory.http.clients import allow
from pi_memory.http.endpoint import Handler
from pi_memory.http.knowledge_graph import GRAPH, GraphTool
from pi_memory.http.named_tokens import TokenScope
from pi_memory.parts import Parts

Arguments = dict[str, Any]
Schema = dict[str, Any]
Shown = tuple[str, Any]
"""What a tool gives: text for the model, and the same as an object."""

TEXT: Schema = {"type": "string"}
FOCUS, SESSION = "pi-memory://recent-focus", "pi-memory://session"


class WrongArguments(Exception):
    """A tool or resource that there is none of, or arguments that it does not take."""


class Door:
    """Asks our endpoints what a tool needs of them, as over HTTP, and with their errors."""

    def __init__(self, request: Request, parts: Parts) -> None:
        self.parts = parts
        self._scope = request.scope

    async def ask(self, handler: Handler, body: Arguments | None = None, *, query: Any = None, **path: Any) -> Any:
        """What an endpoint answers, None when it has nothing to say."""
        text = urlencode({name: str(value) for name, value in (query or {}).items()}).encode()
        sent = {"type": "http.request", "body": msgspec.json.encode(body or {}), "more_body": False}

        async def receive() -> dict[str, Any]:
            return sent

        request = Request({**self._scope, "path_params": path, "query_string": text}, receive)
        response: Response = await handler(request, self.parts)
        return msgspec.json.decode(response.body) if response.body else None

    async def begin(self, given: Arguments) -> None:
        """Have there be a session, when none is named and there has not been any."""
        try:
            self.parts.attention.session(given.get("session_id"))
        except NotFound:
            await self.ask(session.begin, {name: given[name] for name in given if name == "session_id"})


class Tool(msgspec.Struct, frozen=True):
    """`needs` are the arguments that must be there, `takes` all of them with their schemas."""

    name: str
    title: str
    description: str
    run: Callable[[Door, Arguments], Awaitable[Any]]
    takes: Mapping[str, Schema]
    needs: tuple[str, ...] = ()
    reads: bool = False
    destroys: bool = False

    @property
    def shown(self) -> Schema:
        hints = {"readOnlyHint": self.reads, "destructiveHint": self.destroys, "idempotentHint": self.reads}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {"type": "object", "properties": dict(self.takes), "required": list(self.needs)},
            "annotations": {"title": self.title, **hints, "openWorldHint": False},
        }


def _about(kind: str, text: str, **more: Any) -> Schema:
    return {"type": kind, "description": text, **more}


PROJECT = _about("string", "Name of the project that this is about")
SESSION_ID = _about("string", "The session; by default the one that was active last")
MEMORY = _about("integer", "Id of a memory, as recall gives it", minimum=1)


async def _recall(door: Door, given: Arguments) -> Any:
    rest = {name: value for name, value in given.items() if name != "query"}
    return await door.ask(search.search, query={"q": given["query"], "bearing": 1, **rest})


async def _remember(door: Door, given: Arguments) -> Any:
    return await door.ask(memories.add, {"priority": "highest", "source": "user_stated", **given})


async def _forget(door: Door, given: Arguments) -> Any:
    preview = await door.ask(memories.drop, query={"forget": 1, "dry_run": 1}, id=given["id"])
    if given.get("confirm") is not True:
        return {"forgotten": False, "would_go": preview}
    await door.ask(memories.drop, query={"forget": 1}, id=given["id"])
    return {"forgotten": True, "went": preview}


async def _correct(door: Door, given: Arguments) -> Any:
    old = await door.ask(memories.show_one, id=given["id"])
    stated = {"priority": "highest", "source": "user_stated", "quote": given["content"]}
    same = {name: old[name] for name in ("namespace", "type", "topics")}
    return await door.ask(memories.add, {"content": given["content"], "supersedes": given["id"], **stated, **same})


async def _focus(door: Door, given: Arguments) -> Any:
    return await door.ask(focus.show)


async def _set_focus(door: Door, given: Arguments) -> Any:
    await door.begin(given)
    await door.ask(session.focus, given)
    files = list(given.get("related_files", ()))
    known = {one["topic"]: one["file_paths"] for one in (await door.ask(focus.show))["topics"]}
    files = list(dict.fromkeys([*known.get(given["topic"], ()), *files]))
    return await door.ask(focus.put, {"file_paths": files} if files else {}, topic=given["topic"])


async def _session(door: Door, given: Arguments) -> Any:
    return await door.ask(session.show, query=given)


async def _decide(door: Door, given: Arguments) -> Any:
    await door.begin(given)
    return await door.ask(session.decide, given)


async def _apply(door: Door, given: Arguments) -> Any:
    await door.begin(given)
    applied = await door.ask(session.apply, {name: value for name, value in given.items() if name != "helpful"})
    if "helpful" not in given:
        return applied
    return await door.ask(session.judge, {"helpful": given["helpful"]}, id=applied["id"])


TOOLS = (
    Tool(
        "recall",
        "Recall",
        "Search what the user has said and what was learned from it, by meaning and by words; best first. "
        "Nothing comes back when nothing that is known bears on the query.",
        _recall,
        {
            "query": _about("string", "What to look for, in plain words"),
            "k": _about("integer", "Most results", minimum=1, maximum=50),
            "kind": _about("string", "Only memories, or only what was said", enum=["memory", "exchange"]),
            "project": PROJECT,
        },
        needs=("query",),
        reads=True,
    ),
    Tool(
        "remember",
        "Remember",
        "Store something that the user states to be so, as one sentence that stands alone.",
        _remember,
        {
            "content": _about("string", "The sentence"),
            "quote": _about("string", "The user's own words that it rests on"),
            "project": PROJECT,
            "type": _about("string", "What kind of memory", enum=["semantic", "episodic", "procedural"]),
        },
        needs=("content",),
    ),
    Tool(
        "forget",
        "Forget",
        "Erase a memory, and every sentence that states the same, for good. Without `confirm` nothing is erased: the "
        "answer has all that would go, for the user to agree to.",
        _forget,
        {"id": MEMORY, "confirm": _about("boolean", "true: the user has seen what goes, and agrees")},
        needs=("id",),
        destroys=True,
    ),
    Tool(
        "correct",
        "Correct",
        "Say what holds instead of a memory: the old one ends, with its history kept.",
        _correct,
        {"id": MEMORY, "content": _about("string", "What holds now, as a sentence")},
        needs=("id", "content"),
    ),
    Tool(
        "focus",
        "Focus",
        "What the user has been working on for the last weeks, strongest first, with files.",
        _focus,
        {},
        reads=True,
    ),
    Tool(
        "set_focus",
        "Set focus",
        "Say what is being worked on now: a topic of one or two levels, such as memory/extraction.",
        _set_focus,
        {
            "topic": _about("string", "area, or area/detail"),
            "related_files": {"type": "array", "items": TEXT, "description": "Paths of files"},
            "session_id": SESSION_ID,
        },
        needs=("topic",),
    ),
    Tool(
        "session_context",
        "Session context",
        "What the session is in the middle of: focus, decisions, attention, recent work, memories applied.",
        _session,
        {"session_id": SESSION_ID},
        reads=True,
    ),
    Tool(
        "record_decision",
        "Record decision",
        "Note a decision in the session, in a sentence.",
        _decide,
        {"decision": _about("string", "The decision, and why"), "session_id": SESSION_ID},
        needs=("decision",),
    ),
    Tool(
        "log_application",
        "Log application",
        "Note that a memory was put to use, and whether it helped: that reinforces it, or halves its strength.",
        _apply,
        {
            "memory_id": MEMORY,
            "context": _about("string", "What it was used for"),
            "helpful": _about("boolean", "Whether it helped, once that is known"),
            "session_id": SESSION_ID,
        },
        needs=("memory_id",),
    ),
)
RECALL, REMEMBER = TOOLS[:2]
BY_NAME: dict[str, Tool | GraphTool] = {tool.name: tool for tool in (*TOOLS, *GRAPH)}

RESOURCES = [
    {"uri": FOCUS, "name": "RECENT_FOCUS.md", "title": "Recent focus", "mimeType": "text/markdown"},
    {"uri": SESSION, "name": "session", "title": "The session that was active last", "mimeType": "application/json"},
    {
        "uri": "memory://knowledge-graph",
        "name": "Knowledge Graph",
        "title": "Memories as a graph",
        "mimeType": "application/json",
    },
]


def listed() -> list[Schema]:
    return [tool.shown for tool in BY_NAME.values()]


async def call(request: Request, parts: Parts, name: str, given: Arguments) -> Shown:
    """Run a tool. Raises `WrongArguments`, and what its endpoint raises."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise WrongArguments(f"Tool {name} not found")
    _check_enabled(parts)
    scope: TokenScope = "read" if tool.reads else "chat" if tool is REMEMBER else "all"
    allow(request, scope, f"POST /mcp {name}", within_namespace=tool in (RECALL, REMEMBER))
    if isinstance(tool, GraphTool):
        return await _as_text(tool.run(parts, _converted(tool, given)))
    _check(tool, given)
    structured = await tool.run(Door(request, parts), given)
    return json.dumps(structured, ensure_ascii=False), structured


async def read(request: Request, parts: Parts, uri: str) -> tuple[str, str]:
    """The media type and the text of a resource. Raises `WrongArguments`, and what its endpoint raises."""
    _check_enabled(parts)
    allow(request, "read", "POST /mcp resources/read")
    if uri == FOCUS:
        return "text/markdown", parts.focus.text(parts.clock())
    if uri == SESSION:
        return "application/json", json.dumps(await Door(request, parts).ask(session.show))
    if uri == knowledge_graph.URI:
        return "application/json", (await _as_text(knowledge_graph.read(parts)))[0]
    raise WrongArguments(f"There is no resource {uri}")


async def _as_text(graph: Awaitable[knowledge_graph.ToolResult]) -> Shown:
    """As the reference server writes it: the text is a part of the object for some tools."""
    result = await graph
    return result.text or json.dumps(result.listed, indent=2, ensure_ascii=False), result.structured


def _check(tool: Tool, given: Arguments) -> None:
    """Raises `WrongArguments`; what a value may be, the endpoint says."""
    if missing := [name for name in tool.needs if name not in given]:
        raise WrongArguments(f"{missing[0]}: missing in the call of {tool.name}")
    if unknown := [name for name in given if name not in tool.takes]:
        raise WrongArguments(f"{unknown[0]}: {tool.name} takes {', '.join(tool.takes) or 'nothing'}")
    kinds: dict[str, type | tuple[type, ...]] = {"string": str, "integer": int, "boolean": bool, "array": list}
    for name, value in given.items():
        kind = tool.takes[name]["type"]
        if not isinstance(value, kinds[kind]) or (kind == "integer" and isinstance(value, bool)):
            raise WrongArguments(f"{name}: expected {kind}")


def _converted(tool: GraphTool, given: Arguments) -> Any:
    try:
        return msgspec.convert(given, tool.takes)
    except msgspec.ValidationError as error:
        raise WrongArguments(f"{error}") from error


def _check_enabled(parts: Parts) -> None:
    if not parts.settings.memory.enabled:
        raise Conflict("Memory is switched off", hint="Set ENABLE_MEMORY=true and restart.")
