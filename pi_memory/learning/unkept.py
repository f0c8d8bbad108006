"""What the user said that nobody kept, each sentence as if it were a memory: what is said later may correct it."""

from collections.abc import Awaitable, Callable

from pi_memory.learning.plain_facts import SOURCE, PlainFacts
from pi_memory.memories import namespaces
from pi_memory.memories.memories import Memories
from pi_memory.merging.dedup import Neighbour
from pi_memory.merging.neighbours import Nearby, NeighbourSearch
from pi_memory.retrieval.candidates import Kind
from pi_memory.retrieval.search import SearchRequest
from pi_memory.text.persons import about_user, by_user
from pi_memory.types import Candidate, Memory, Recalled

ONLY_SAID: tuple[Kind, ...] = ("exchange",)
Recall = Callable[[SearchRequest], Awaitable[list[Recalled]]]

MESSAGES = 6
"""Messages that are looked through, those most like a correction."""
SENTENCES = 8
"""Most sentences of them that are compared: each is embedded."""


class Unkept:
    """`recall` searches what was said, `facts` tells which of it may be a fact."""

    def __init__(self, memories: Memories, neighbours: NeighbourSearch, facts: PlainFacts, recall: Recall) -> None:
        self._memories = memories
        self._around = neighbours
        self._facts = facts
        self._recall = recall

    async def near(self, candidate: Candidate, found: Nearby) -> tuple[Neighbour, ...]:
        """Sentences of what the user said in the candidate's place before it, that may be facts and are no memories: as
        memories, with ids below 0. None without vectors. Raises `StoreError`.
        """
        if found.vector is None or candidate.said_at is None:
            return ()
        place = namespaces.place(candidate.namespace)
        request = SearchRequest(
            candidate.content, (place,), candidate.said_at, k=MESSAGES, kinds=ONLY_SAID, only="answers"
        )
        said = [each for each in await self._recall(request) if _is_before(each, candidate)]
        kept = await self._memories.quotes([each.id for each in said])
        possible = {
            text: each
            for each in said
            for text in await self._facts.possible(each.content)
            if not any(text in quote or quote in text for quote in kept.get(each.id, ()))
        }
        texts = list(possible)[:SENTENCES]
        vectors = await self._around.vectors([by_user(text) for text in texts])
        return tuple(
            Neighbour(_as_memory(-number, text, possible[text], f"{place}/facts"), None, vector)
            for number, (text, vector) in enumerate(zip(texts, vectors, strict=True), 1)
            if vector is not None
        )


def as_candidate(unkept: Memory) -> Candidate:
    """What is to be stored of one when something ends it."""
    return Candidate(
        unkept.content,
        namespace=unkept.namespace,
        source=unkept.source,
        quote=unkept.quote,
        exchange_id=unkept.exchange_id,
        said_at=unkept.valid_from,
    )


def _is_before(said: Recalled, candidate: Candidate) -> bool:
    is_kept = said.role == "user" and said.strength > 0
    return is_kept and said.id != candidate.exchange_id and said.at <= (candidate.said_at or 0.0)


def _as_memory(number: int, text: str, said: Recalled, namespace: str) -> Memory:
    return Memory(
        id=number,
        content=about_user(text),
        type="semantic",
        namespace=namespace,
        priority="low",
        source=SOURCE,
        created_at=said.at,
        updated_at=said.at,
        last_accessed_at=said.at,
        valid_from=said.at,
        quote=text,
        exchange_id=said.id,
    )
