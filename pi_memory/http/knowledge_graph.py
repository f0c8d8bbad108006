"""The nine tools of the reference memory server of MCP, over our memories.

Each observation and each relation is a memory, written as a sentence, so that it is recalled like any other; what it is
in the graph stands in its source and topics. A memory that came another way is an entity, named by its beginning.
What the tools delete no longer holds: it can be listed and undone.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import msgspec

from pi_memory.errors import NotFound
from pi_memory.parts import Parts
from pi_memory.store.memories import Filter
from pi_memory.types import Candidate, Memory

URI = "memory://knowledge-graph"
MOST = 5_000
"""Memories that the graph is made of, the newest; the reference server hands out all it has."""
NAME = 80
"""Characters of a memory that name it as an entity."""
ENTITY, OBSERVATION, RELATION = "graph.entity", "graph.observation", "graph.relation"

Json = dict[str, Any]


class GraphEntity(msgspec.Struct, rename="camel"):
    name: str
    entity_type: str
    observations: list[str]


class GraphRelation(msgspec.Struct, frozen=True):
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    kind: str = msgspec.field(name="relationType")


class EntityObservations(msgspec.Struct, rename="camel"):
    entity_name: str
    contents: list[str]


class ObservationDeletion(msgspec.Struct, rename="camel"):
    entity_name: str
    observations: list[str]


class NewEntities(msgspec.Struct):
    entities: list[GraphEntity]


class GraphRelations(msgspec.Struct):
    relations: list[GraphRelation]


class NewObservations(msgspec.Struct):
    observations: list[EntityObservations]


class EntityNames(msgspec.Struct, rename="camel"):
    entity_names: list[str]


class ObservationDeletions(msgspec.Struct):
    deletions: list[ObservationDeletion]


class WholeGraph(msgspec.Struct):
    pass


class NodeQuery(msgspec.Struct):
    query: str


class NodeNames(msgspec.Struct):
    names: list[str]


class ToolResult(msgspec.Struct, frozen=True):
    """The result of a tool: the object; the part of it that is shown as text, or a sentence in its place."""

    structured: Json
    listed: Any = None
    text: str = ""


class Node(msgspec.Struct):
    """An entity and the memories that it is made of: `own` ones, and each observation's."""

    entity: GraphEntity
    own: list[int] = msgspec.field(default_factory=list)
    observed: dict[str, list[int]] = msgspec.field(default_factory=dict)

    @property
    def memories(self) -> list[int]:
        return [*self.own, *(number for numbers in self.observed.values() for number in numbers)]


class Graph(msgspec.Struct):
    nodes: dict[str, Node] = msgspec.field(default_factory=dict)
    relations: dict[GraphRelation, list[int]] = msgspec.field(default_factory=dict)

    def shown(self, names: Iterable[str] | None = None) -> Json:
        """The entities of these names and the relations that touch one, as the reference server has them."""
        chosen = set(self.nodes if names is None else names)
        entities = [node.entity for name, node in self.nodes.items() if name in chosen]
        touching = [r for r in self.relations if names is None or r.source in chosen or r.target in chosen]
        built: Json = msgspec.to_builtins({"entities": entities, "relations": touching})
        return built


async def load(parts: Parts) -> Graph:
    newest = await parts.memories.some(Filter(), limit=MOST)
    return await parts.worker.run(_graph, newest)


def _graph(newest: Sequence[Memory]) -> Graph:
    graph = Graph()
    for memory in reversed(newest):
        _place(graph, memory)
    return graph


def _place(graph: Graph, memory: Memory) -> None:
    marks = dict(topic.split("=", 1) for topic in memory.topics[1:] if "=" in topic)
    name = memory.topics[0] if memory.topics else ""
    if memory.source == RELATION and {"to", "relation"} <= marks.keys():
        graph.relations.setdefault(GraphRelation(name, marks["to"], marks["relation"]), []).append(memory.id)
    elif memory.source == ENTITY and name:
        node = _node(graph, name, marks.get("type", ""))
        node.entity.entity_type = marks.get("type", "")
        node.own.append(memory.id)
    elif memory.source == OBSERVATION and name:
        _observe(_node(graph, name, ""), memory.content.removeprefix(f"{name}: "), memory.id)
    else:
        name = memory.content.partition("\n")[0][:NAME]
        _observe(_node(graph, name, memory.type), memory.content, memory.id)


def _node(graph: Graph, name: str, kind: str) -> Node:
    return graph.nodes.setdefault(name, Node(GraphEntity(name, kind, [])))


def _observe(node: Node, text: str, number: int) -> None:
    if text not in node.observed:
        node.entity.observations.append(text)
    node.observed.setdefault(text, []).append(number)


async def create_entities(parts: Parts, asked: NewEntities) -> ToolResult:
    graph, made = await load(parts), []
    for entity in asked.entities:
        if entity.name in graph.nodes:
            continue
        _node(graph, entity.name, entity.entity_type)
        marks = (entity.name, f"type={entity.entity_type}")
        await _add(parts, f"{entity.name} is of the type {entity.entity_type}", ENTITY, marks)
        for text in dict.fromkeys(entity.observations):
            await _add(parts, f"{entity.name}: {text}", OBSERVATION, (entity.name,))
        made.append(entity)
    return _several("entities", made)


async def create_relations(parts: Parts, asked: GraphRelations) -> ToolResult:
    graph = await load(parts)
    new = [relation for relation in dict.fromkeys(asked.relations) if relation not in graph.relations]
    for one in new:
        marks = (one.source, f"to={one.target}", f"relation={one.kind}")
        await _add(parts, f"{one.source} {one.kind} {one.target}", RELATION, marks)
    return _several("relations", new)


async def add_observations(parts: Parts, asked: NewObservations) -> ToolResult:
    graph, results = await load(parts), []
    for one in asked.observations:
        if one.entity_name not in graph.nodes:
            raise NotFound(f"Entity with name {one.entity_name} not found")
    for one in asked.observations:
        known = graph.nodes[one.entity_name].observed
        new = [text for text in dict.fromkeys(one.contents) if text not in known]
        for text in new:
            await _add(parts, f"{one.entity_name}: {text}", OBSERVATION, (one.entity_name,))
            known[text] = []
        results.append({"entityName": one.entity_name, "addedObservations": new})
    return _several("results", results)


async def delete_entities(parts: Parts, asked: EntityNames) -> ToolResult:
    graph, gone = await load(parts), set(asked.entity_names)
    own = [number for name in gone & graph.nodes.keys() for number in graph.nodes[name].memories]
    related = [n for r, numbers in graph.relations.items() if gone & {r.source, r.target} for n in numbers]
    return await _closed(parts, own + related, "Entities deleted successfully")


async def delete_observations(parts: Parts, asked: ObservationDeletions) -> ToolResult:
    graph = await load(parts)
    gone = [
        number
        for one in asked.deletions
        if one.entity_name in graph.nodes
        for text in one.observations
        for number in graph.nodes[one.entity_name].observed.get(text, [])
    ]
    return await _closed(parts, gone, "Observations deleted successfully")


async def delete_relations(parts: Parts, asked: GraphRelations) -> ToolResult:
    graph = await load(parts)
    gone = [number for relation in asked.relations for number in graph.relations.get(relation, [])]
    return await _closed(parts, gone, "Relations deleted successfully")


async def read(parts: Parts, asked: WholeGraph | None = None) -> ToolResult:
    shown = (await load(parts)).shown()
    return ToolResult(shown, shown)


async def search_nodes(parts: Parts, asked: NodeQuery) -> ToolResult:
    graph, query = await load(parts), asked.query.casefold()

    def matches(entity: GraphEntity) -> bool:
        return any(query in text.casefold() for text in (entity.name, entity.entity_type, *entity.observations))

    shown = graph.shown([name for name, node in graph.nodes.items() if matches(node.entity)])
    return ToolResult(shown, shown)


async def open_nodes(parts: Parts, asked: NodeNames) -> ToolResult:
    graph = await load(parts)
    shown = graph.shown([name for name in asked.names if name in graph.nodes])
    return ToolResult(shown, shown)


async def _add(parts: Parts, content: str, source: str, topics: tuple[str, ...]) -> None:
    candidate = Candidate(content, source=source, topics=topics)
    if source == OBSERVATION:
        await parts.learner.add(candidate, origin="api")  # it may end an older one
    else:
        await parts.memories.add(candidate, origin="api", durable=True)


async def _closed(parts: Parts, numbers: Sequence[int], message: str) -> ToolResult:
    for number in dict.fromkeys(numbers):
        await parts.memories.close(number, origin="api", durable=True)
    return ToolResult({"success": True, "message": message}, text=message)


def _several(name: str, made: Sequence[Any]) -> ToolResult:
    built = msgspec.to_builtins(made)
    return ToolResult({name: built}, built)


TEXT: Json = {"type": "string"}
TEXTS: Json = {"type": "array", "items": TEXT}


def _object(**fields: Json) -> Json:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _many(fields: Json) -> Json:
    return {"type": "array", "items": fields}


ONE_ENTITY = _object(name=TEXT, entityType=TEXT, observations=TEXTS)
ONE_RELATION = _object(**{"from": TEXT, "to": TEXT, "relationType": TEXT})
ENTITIES, RELATIONS = _object(entities=_many(ONE_ENTITY)), _object(relations=_many(ONE_RELATION))
WHOLE = _object(entities=_many(ONE_ENTITY), relations=_many(ONE_RELATION))
RESULTS = _object(results=_many(_object(entityName=TEXT, addedObservations=TEXTS)))
DONE = _object(success={"type": "boolean"}, message=TEXT)


class GraphTool(msgspec.Struct, frozen=True):
    """`takes` is the type of its arguments; `given` and `gives` are the schemas of these and of its result."""

    name: str
    title: str
    description: str
    run: Callable[[Parts, Any], Awaitable[ToolResult]]
    takes: type
    given: Json
    gives: Json
    reads: bool = False
    deletes: bool = False

    @property
    def shown(self) -> Json:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.given,
            "outputSchema": self.gives,
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.reads,
                "destructiveHint": self.deletes,
                "idempotentHint": self.reads or self.deletes,
                "openWorldHint": False,
            },
        }


def _tool(name: str, description: str, run: Callable[[Parts, Any], Awaitable[ToolResult]], *types: Any) -> GraphTool:
    takes, given, gives = types
    reads, deletes = name.startswith(("read_", "search_", "open_")), name.startswith("delete_")
    title = name.replace("_", " ").title()
    return GraphTool(name, title, description, run, takes, given, gives, reads=reads, deletes=deletes)


OBSERVATIONS = _object(observations=_many(_object(entityName=TEXT, contents=TEXTS)))
DELETIONS = _object(deletions=_many(_object(entityName=TEXT, observations=TEXTS)))

GRAPH = (
    _tool(
        "create_entities",
        "Create new entities in the knowledge graph",
        create_entities,
        NewEntities,
        ENTITIES,
        ENTITIES,
    ),
    _tool(
        "create_relations",
        "Create new relations between entities, in active voice",
        create_relations,
        *(GraphRelations, RELATIONS, RELATIONS),
    ),
    _tool(
        "add_observations",
        "Add new observations to existing entities",
        add_observations,
        *(NewObservations, OBSERVATIONS, RESULTS),
    ),
    _tool(
        "delete_entities",
        "Delete entities and their relations",
        delete_entities,
        *(EntityNames, _object(entityNames=TEXTS), DONE),
    ),
    _tool(
        "delete_observations",
        "Delete observations of entities",
        delete_observations,
        *(ObservationDeletions, DELETIONS, DONE),
    ),
    _tool("delete_relations", "Delete relations", delete_relations, GraphRelations, RELATIONS, DONE),
    _tool("read_graph", "Read the entire knowledge graph", read, WholeGraph, _object(), WHOLE),
    _tool(
        "search_nodes", "Search for nodes by a text that they have", search_nodes, NodeQuery, _object(query=TEXT), WHOLE
    ),
    _tool("open_nodes", "Open nodes by their names", open_nodes, NodeNames, _object(names=TEXTS), WHOLE),
)
