"""Stores the user's statements at once, and what a session taught when it is over; nothing twice, nothing forgotten.

One decision is one transaction: a crash leaves the state before it or the state after.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.errors import Forgotten, RequestError
from pi_memory.event_bus import TextForgotten
from pi_memory.judges.asked import Asked
from pi_memory.judges.replacement import LEAST_CHANCE
from pi_memory.judges.worth import Worth
from pi_memory.learning.extraction import extract, grounded, not_private, of_fact, of_statement
from pi_memory.learning.forget_requests import ForgetRequests
from pi_memory.learning.plain_facts import SOURCE, Facts, PlainFacts
from pi_memory.learning.statements import statements
from pi_memory.learning.unkept import Recall, Unkept, as_candidate
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.memories.namespaces import Scope, covers, named, scope
from pi_memory.memories.validation import checked
from pi_memory.merging.corrections import Corrections, may_end
from pi_memory.merging.dedup import Decision, Neighbour, about, as_written, decide
from pi_memory.merging.neighbours import Nearby, NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.store.conflicts import DOUBTFUL, LIKELY, POSSIBLE
from pi_memory.store.memories import Embedding
from pi_memory.store.messages import ASIDE, REMARK
from pi_memory.tasks import Tasks
from pi_memory.text.persons import about_user
from pi_memory.text.secrets import secret_in
from pi_memory.text.sentences import sentences
from pi_memory.types import NO_MEMORY, Candidate, Exchange, Memory, Numbered, Priority, Statement
from pi_memory.worker import Worker

if TYPE_CHECKING:  # imported with the choice of it
    from pi_memory.learning.llm_extraction import LlmExtraction

Topics = Callable[[str | None, str], Awaitable[tuple[str, ...]]]
"""Returns the topics of something learned in a session, by its text."""

NOTICE, EXTRACTION = "notice", "extraction"
"""Origins: the user stated it to us; it was found in what was said."""
OF_USER = ("user_stated", SOURCE)
"""Sources of the user's own statements: a new one may end an older one."""
COMPARED = (*OF_USER, "discovery")
"""Sources of what is weighed against memories, besides what programs write."""
RESOLVED = "error_resolution"
RECENT = 256
"""Conversations of which is known what the last message made."""
NOTHING_CHANGED = (
    "Your last message changed no memory that can be as it was. Ask me “what changed”, or `pi-memory history`;"
    " `pi-memory undo` takes any change back."
)
BELONGS = 0.2
"""The cosine to what a message corrects from which on a sentence of it belongs to the correction."""
LEAST_CHANCE_OF_REMARK = 0.75
"""How likely what may be a remark has to make a memory untrue to end it."""

logger = logging.getLogger(__name__)


class Outcome(Struct, frozen=True):
    """The result for a candidate: the memory that states it now, the one that it replaced, and the id of one that it
    may make untrue.
    """

    memory: Memory
    instead_of: Memory | None = None
    is_new: bool = True
    doubted: int | None = None


class Learner:
    """Turns statements, facts and sessions into memories.

    `llm`, if given, has the model name candidates besides those of the rules, and decide where these are in
    doubt. `loaded` is set when memories can be compared by their vectors, or there are none. `heads` is the folder of
    the learned judges (`heads.py`). `topics` names the topics of something learned in a session, also from its text.
    """

    def __init__(
        self,
        memories: Memories,
        neighbours: NeighbourSearch,
        *,
        recall: Recall,
        loaded: asyncio.Event,
        heads: Path,
        embedder: Loader[Embedder],
        worker: Worker,
        topics: Topics | None = None,
        llm: "LlmExtraction | None" = None,
    ) -> None:
        self._llm = llm
        self._topics = topics or _no_topics
        self._memories = memories
        self._around = neighbours
        self._loaded = loaded
        self._plain_facts = PlainFacts(Worth(heads), Asked(heads), embedder, worker=worker)
        self._unkept = Unkept(memories, neighbours, self._plain_facts, recall)
        self._corrections = Corrections(heads, neighbours, worker=worker)
        self._forget_requests = ForgetRequests(memories, neighbours, self._corrections, worker=worker)
        self._worker = worker
        self._last: OrderedDict[str | None, list[int]] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()
        self._tasks = Tasks()
        memories.events.subscribe(TextForgotten, self._let_go)

    async def state(
        self,
        stated: Sequence[Statement],
        *,
        session: str | None = None,
        project: str | None = None,
        exchange_id: int | None = None,
    ) -> list[str]:
        """Store, durably, or forget what the user states. Returns a line about each, for the user.

        Raises `StoreError`.
        """
        # Done to its end: the client may leave, or the daemon stop.
        return await self._tasks.run(self._state(stated, session, project, exchange_id))

    async def add(self, candidate: Candidate, *, origin: str, within: Scope | None = None) -> Outcome:
        """Store, durably, what a program writes as a memory, unless it is there; it ends what it makes untrue, `within`
        the namespaces that the program sees.

        Raises `RequestError`, naming the field, for an invalid one, `Forgotten` and `StoreError`.
        """
        return await self._tasks.run(self._add(checked(candidate), origin, within))

    async def _add(self, candidate: Candidate, origin: str, within: Scope | None) -> Outcome:
        async with self._one_at_a_time:
            found = await self._around.of(candidate.content, quote=candidate.quote)
            if within is not None:
                known = tuple(n for n in found.neighbours if covers(n.memory.namespace, within))
                found = replace(found, neighbours=known)
            taken = await self._take(candidate, found, origin=origin)
        assert taken is not None
        return taken

    def _let_go(self, forgotten: TextForgotten) -> None:
        self._plain_facts.let_go(forgotten.clean)
        self._corrections.let_go()

    async def finish(self) -> None:
        """Wait until all statements are stored or forgotten."""
        await self._tasks.finish()

    async def _state(
        self, stated: Sequence[Statement], session: str | None, project: str | None, exchange_id: int | None
    ) -> list[str]:
        lines, new = [], list[int]()
        async with self._one_at_a_time:
            for statement in stated:
                if statement.kind == "private":
                    lines.append("Nothing is learned from this message.")
                elif statement.kind == "undo":
                    lines.append(await self._take_back(session))
                elif statement.kind == "forget":
                    lines.append(await self._forget_requests.forget(statement, scope(named(project))))
                else:
                    candidate = await self._filed(of_statement(statement, project, exchange_id), session)
                    line, made = await self._remember(statement, candidate)
                    lines.append(line)
                    new += made
            self._note(session, new, goes_on=False)
        return [line for line in lines if line]

    async def link_statements(self, exchange_id: int, exchange: Exchange) -> None:
        """Set the source exchange of memories that were stored before it. Idempotent."""
        if quotes := [s.quote for s in statements(exchange) if s.kind not in NO_MEMORY]:
            await self._memories.link_statements(quotes, exchange_id)

    @property
    def is_ready(self) -> bool:
        """Whether `keep` need not wait for the embedder."""
        return self._loaded.is_set()

    async def keep(self, exchange_id: int, exchange: Exchange) -> list[Memory]:
        """Store the plain facts of an exchange numbered `exchange_id`. Returns the memories that are new, or that
        replaced older ones. Waits for the embedder: by words alone half of the facts would not be told from other
        sentences. Idempotent. Raises `StoreError`.
        """
        await self._loaded.wait()
        self._corrections.heard(exchange_id, exchange.conversation_id)
        facts = await self._plain_facts.of(exchange_id, exchange, stated=statements(exchange))
        doubted, chance = 0, 0.0
        if facts.whole is not None:
            is_one, doubted, chance = await self._of_whole(facts.whole, facts, exchange)
            together = Facts(sure=(facts.whole,)) if facts.sure else Facts(unsure=(facts.whole,))
            facts = together if is_one else facts
        kept: list[Outcome] = []
        for fact in facts.parts:
            candidate = await self._filed(_placed(fact, exchange), exchange.conversation_id)
            async with self._one_at_a_time:
                around = await self._around.of(candidate.content, quote=candidate.quote)
                taken = await self._take(candidate, around, said_at=exchange.at, is_sure=fact in facts.sure)
            kept += [taken] if taken else []
        new = [each.memory.id for each in kept if each.is_new]
        self._note(exchange.conversation_id, new, goes_on=bool(exchange.stated))
        if chance >= POSSIBLE and new and not any(each.instead_of or each.doubted for each in kept):
            # `The Crown is shut. We play at the Swan.`: what holds instead comes last.
            await self._memories.doubt(new[-1], doubted, chance)
        return [each.memory for each in kept if each.is_new]

    async def aside(self, exchange: Exchange) -> int:
        """What a message that states nothing is: `ASIDE` if it asks, and says at most why, `REMARK` if it is of a
        moment; 0 for another.
        """
        if statements(exchange):
            return 0
        if await self._plain_facts.asks(exchange.user):
            return ASIDE
        return {"": 0, "reason": ASIDE, "remark": REMARK}[await self._plain_facts.aside(exchange)]

    async def _of_whole(self, whole: Candidate, facts: Facts, exchange: Exchange) -> tuple[bool, int, float]:
        """Whether the sentences of a message correct one memory together, and none is about another thing, which words
        alone do not tell; the id of that memory, and how likely.
        """
        whole = replace(_placed(whole, exchange), said_at=exchange.at)
        around = await self._around.of(whole.content, quote=whole.quote)
        if _on_the_same_words(whole, around):
            return True, 0, 0.0
        ended, chance = await self._corrections.made_untrue(whole, around)
        is_one = around.vector is not None and chance >= LEAST_CHANCE and await self._is_one(ended, facts, exchange)
        return is_one, ended, chance

    async def _is_one(self, ended: int, facts: Facts, exchange: Exchange) -> bool:
        """Whether no sentence of a message is about another thing than the memory that all of it corrects."""
        for part in facts.parts:
            placed, found = _placed(part, exchange), await self._around.of(part.content, quote=part.quote)
            other, its_chance = await self._corrections.made_untrue(placed, found)
            nearness = next((n.cosine or 0.0 for n in found.neighbours if n.memory.id == ended), 0.0)
            if other != ended if its_chance >= LEAST_CHANCE else (part in facts.sure and nearness < BELONGS):
                return False
        return True

    async def learn(self, said: Sequence[Numbered], before: Sequence[Numbered] = ()) -> list[Memory]:
        """Learn from exchanges of one session with their ids. Returns the new memories. Idempotent. What came `before`
        was learned from already: see `extract`.

        Raises `StoreError`.
        """
        new: list[Memory] = []
        for number, exchange in said:
            if exchange.source == "import":  # the others came by the inbox
                new += await self.keep(number, exchange)
        candidates = await self._worker.run(extract, said, before)  # a long session takes a Pi seconds
        if self._llm is not None:
            said = not_private(said)
            named = [c for c in await self._llm.ask(said) if not _is_among(c, candidates)]
            candidates = await self._worker.run(grounded, [*candidates, *named], [*not_private(before), *said])
        candidates = [await self._filed(c, said[0][1].conversation_id) for c in candidates]
        when = {number: exchange.at for number, exchange in (*before, *said)}
        # All neighbours first: each search writes the index of what was added before it.
        around = [(c, await self._around.of(c.content, quote=c.quote)) for c in candidates]
        for candidate, found in around:
            # Not for all of them at once: a model may be asked, and a chat that states something must not wait for it.
            async with self._one_at_a_time:
                found = await self._by_now(found, new)
                taken = await self._take(candidate, found, said_at=when[candidate.exchange_id or 0])
            new += [taken.memory] if taken and taken.is_new else []
        return new

    async def related(self, memory: Memory) -> tuple[int, ...]:
        """Ids of other memories about the same that hold: in no case was it clear enough that one ends the other.

        Raises `StoreError`.
        """
        found = await self._around.of(memory.content, quote=memory.quote, write=False)
        others = [neighbour for neighbour in found.neighbours if neighbour.memory.id != memory.id]
        return await self._worker.run(about, memory, others, related=found.scale.related)

    async def _by_now(self, found: Nearby, new: Sequence[Memory]) -> Nearby:
        """The neighbours found, with what has been learned since."""
        around = {memory.id: Neighbour(memory) for memory in new} | {n.memory.id: n for n in found.neighbours}
        known = await self._memories.several(list(around))
        return replace(found, neighbours=tuple(replace(around[memory.id], memory=memory) for memory in known))

    async def _filed(self, candidate: Candidate, session: str | None) -> Candidate:
        return replace(candidate, topics=candidate.topics or await self._topics(session, candidate.content))

    async def _remember(self, stated: Statement, candidate: Candidate) -> tuple[str, list[int]]:
        """Returns a line for the user, and the id of the memory that is new."""
        if stated.kind != "remember" and (kind := secret_in(stated.quote) or secret_in(candidate.content)):
            return f"Not kept, as there is {kind} in it; say “remember” if I should.", []
        try:
            found = await self._around.of(candidate.content, quote=candidate.quote)
            taken = await self._put_right(stated, candidate, found) or await self._take(candidate, found, origin=NOTICE)
        except Forgotten:
            return "Not kept: this was to be forgotten.", []
        except RequestError as error:
            return f"Not kept: {error.message}.", []
        if taken is None or not taken.is_new:
            return f"I knew that: {(taken.memory.content if taken else candidate.content)}", []
        instead = f" (instead of: {taken.instead_of.content})" if taken.instead_of else ""
        return f"Remembered: {taken.memory.content}{instead}", [taken.memory.id]

    async def _put_right(self, stated: Statement, candidate: Candidate, found: Nearby) -> Outcome | None:
        """End the memory that a statement puts right, where it is known which; None where it is not, or holds no more.
        Raises `RequestError`.
        """
        known = (n.memory for n in found.neighbours if stated.instead_of and may_end(candidate, n.memory))
        old = next((memory for memory in known if _says(memory, stated.instead_of)), None)
        if old is None:
            return None
        content = old.content.replace(stated.instead_of, candidate.content)
        decision = Decision("end", old.id, content=content if content != old.content else None)
        decision = self._corrections.with_dependents(decision, candidate, found)
        return await self._carry_out(decision, candidate, old, origin=NOTICE, embedding=found.embedding)

    async def _take(
        self,
        candidate: Candidate,
        found: Nearby,
        *,
        origin: str = EXTRACTION,
        said_at: float | None = None,
        is_sure: bool = True,
    ) -> Outcome | None:
        """Store a candidate as the rules decide; None for one that was learned before, is out of date by now, or not
        `is_sure` to state anything and corrects nothing.

        What is extracted (background) was `said_at` some time, and is skipped if it is refused. Somebody waits for what
        has another `origin`: it is stored durably, and a refusal is raised: `Forgotten` or another `RequestError`.
        """
        candidate = replace(candidate, said_at=said_at)
        if _is_learned(candidate, found) or await self._corrections.is_out_of_date(candidate, found):
            return None
        if candidate.source in OF_USER:
            found = replace(found, unkept=await self._unkept.near(candidate, found))
        decision = await self._decision(candidate, found, origin=origin, is_sure=is_sure)
        if decision is None:
            return None
        known = [n.memory for n in (*found.neighbours, *found.unkept)]
        before = next((memory for memory in known if memory.id == decision.id), None)
        if before is not None and said_at is not None and said_at < before.valid_from and decision.action != "noop":
            return None
        try:
            if before is not None and before.id < 0:
                before = await self._memories.add(as_candidate(before), origin=origin)
            return await self._carry_out(decision, candidate, before, origin=origin, embedding=found.embedding)
        except RequestError as error:
            if origin != EXTRACTION:
                raise
            logger.info("A candidate is left out: %s", error.message)
            return None

    async def _decision(self, candidate: Candidate, found: Nearby, *, origin: str, is_sure: bool) -> Decision | None:
        """What the rules say of a candidate (`decide`), and of one that they would add what the learned judge says, or
        the model. None for one that is not `is_sure` to state anything and corrects nothing.
        """
        is_written = origin not in (EXTRACTION, NOTICE)
        decision = await self._worker.run(decide, candidate, found.neighbours, related=found.scale.related)
        same = next((memory for memory in _on_the_same_words(candidate, found) if memory.is_valid), None)
        if same is not None:  # a plain fact that turns out to be what resolved an error
            decision = Decision("replace", same.id)
        if is_written:
            decision = as_written(decision, candidate, found.neighbours)
        if decision.action == "add" and (is_written or candidate.source in COMPARED):
            least = LEAST_CHANCE if is_sure or found.vector is None else LEAST_CHANCE_OF_REMARK
            decision = await self._corrections.weighed(decision, candidate, found, least=least, is_written=is_written)
        elif decision.action == "end":
            decision = self._corrections.with_dependents(decision, candidate, found)
        if not is_sure and decision.id is None and max((chance for _, chance in decision.doubts), default=0.0) < LIKELY:
            return None
        if decision.linked and self._llm is not None and candidate.priority != "highest" and not is_written:
            linked = [n for n in found.neighbours if n.memory.id in decision.linked]
            judged = await self._llm.judge(candidate, linked)
            doubts = tuple(each for each in decision.doubts if each[0] != judged.id)
            return replace(judged, doubts=doubts)
        return decision

    async def _carry_out(
        self,
        decision: Decision,
        candidate: Candidate,
        before: Memory | None,
        *,
        origin: str,
        embedding: Embedding | None,
    ) -> Outcome:
        durable = origin != EXTRACTION
        if before is not None and decision.action == "noop":
            matters_more = get_args(Priority).index(candidate.priority) < get_args(Priority).index(before.priority)
            if matters_more and durable:
                before = await self._memories.change(
                    before.id, origin=origin, durable=True, priority=candidate.priority
                )
            return Outcome(before, is_new=False)
        picked_up = origin == EXTRACTION and candidate.source not in OF_USER
        if before is None or (before.priority == "highest" and candidate.priority != "highest" and picked_up):
            # What was only picked up does not end what was stated.
            added = await self._memories.add(candidate, origin=origin, vector=embedding, durable=durable)
            await self._doubt(added, decision.doubts)
            return Outcome(added, doubted=next((id_ for id_, chance in decision.doubts if chance >= DOUBTFUL), None))
        if decision.content is not None:
            candidate, embedding = replace(candidate, content=decision.content), None
        if before.priority == "highest":
            candidate = replace(candidate, priority="highest")
        new = await self._memories.supersede(
            before.id,
            candidate,
            also=decision.also,
            restated=decision.restated,
            origin=origin,
            vector=embedding,
            durable=durable,
        )
        await self._doubt(new, decision.doubts)
        return Outcome(new, instead_of=before)

    async def _doubt(self, newer: Memory, doubts: Sequence[tuple[int, float]]) -> None:
        for older, chance in doubts:
            await self._memories.doubt(newer.id, older, chance)

    async def _take_back(self, session: str | None) -> str:
        """Take back what the last message of a conversation changed. Returns a line about each memory."""
        made, changed, refused = self._last.get(session, []), dict[int, None](), list[str]()
        while made and not refused:
            event = await self._memories.beginning(made[-1])
            try:
                done = await self._memories.undo(event.id, origin=NOTICE)
            except RequestError as error:
                refused = [f"Not taken back: {error.message}. {error.hint}"]
            else:
                made.pop()
                changed |= dict.fromkeys(change.memory_id for change in done)
        found = await self._memories.several(list(changed))
        lines = [f"{'Holds again' if memory.is_valid else 'Taken back'}: {memory.content}" for memory in found]
        return "\n".join([*lines, *refused]) or NOTHING_CHANGED

    def _note(self, session: str | None, new: Sequence[int], *, goes_on: bool) -> None:
        """Note the memories that the last message of a conversation made; it `goes_on` with what it stated."""
        before = self._last.pop(session, [])
        self._last[session] = [*(before if goes_on else []), *new]
        if len(self._last) > RECENT:
            self._last.popitem(last=False)


def _is_among(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another candidate rests on the same words."""
    return any(o.exchange_id == candidate.exchange_id and candidate.quote in o.quote for o in others)


def _is_learned(candidate: Candidate, found: Nearby) -> bool:
    """Whether a memory, one that holds or not, rests on the candidate's words; but what resolved an error takes the
    place of the plain fact of the same words.
    """
    same = _on_the_same_words(candidate, found)
    if candidate.source == RESOLVED:
        return any(memory.source != SOURCE for memory in same)
    return bool(same) or any(_is_part(candidate, neighbour.memory) for neighbour in found.neighbours)


def _on_the_same_words(candidate: Candidate, found: Nearby) -> list[Memory]:
    if candidate.exchange_id is None:
        return []
    mine = candidate.exchange_id, candidate.quote
    return [n.memory for n in found.neighbours if (n.memory.exchange_id, n.memory.quote) == mine]


def _is_part(candidate: Candidate, memory: Memory) -> bool:
    """Whether a memory rests on several sentences of a message, the candidate's among them."""
    if candidate.exchange_id is None or memory.exchange_id != candidate.exchange_id:
        return False
    return candidate.quote.rstrip(" .!") in (each.rstrip(" .!") for each in sentences(memory.quote))


def _placed(candidate: Candidate, exchange: Exchange) -> Candidate:
    return replace(candidate, namespace=of_fact(candidate.quote, exchange.project))


def _says(memory: Memory, sentence: str) -> bool:
    """Whether a memory says what a sentence that was quoted of it, or of the message it rests on, says."""
    return sentence in memory.content or sentence == memory.quote or about_user(sentence) == memory.content


async def _no_topics(session: str | None, text: str) -> tuple[str, ...]:
    return ()
