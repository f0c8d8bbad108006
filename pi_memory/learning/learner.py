"""Stores the user's statements at once, and what a session taught when it is over; nothing twice, nothing forgotten.

One decision is one transaction: a crash leaves the state before it or the state after.
"""

import asyncio
import logging
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.errors import Forgotten, NotFound, RequestError
from pi_memory.event_bus import TextForgotten
from pi_memory.judges.asked import Asked
from pi_memory.judges.heads import by_odds
from pi_memory.judges.plain_facts import SOURCE, Facts, PlainFacts
from pi_memory.judges.replacement import LEAST_CHANCE, READ, Replacement, Said
from pi_memory.judges.worth import Worth
from pi_memory.learning import forget_requests
from pi_memory.learning.dedup import Decision, Neighbour, about, as_written, decide
from pi_memory.learning.extraction import extract, grounded, not_private, of_fact, of_statement
from pi_memory.learning.neighbours import Nearby, NeighbourSearch
from pi_memory.learning.remainder import by_itself, has_other_value, in_context, merged
from pi_memory.learning.statements import statements
from pi_memory.learning.unkept import Recall, Unkept, as_candidate
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.memories.namespaces import Scope, covers, named, scope
from pi_memory.memories.redaction import Gone
from pi_memory.memories.said_on import undated
from pi_memory.memories.validation import checked
from pi_memory.protocols import Embedder
from pi_memory.retrieval import called
from pi_memory.store.conflicts import DOUBTFUL, LIKELY, POSSIBLE
from pi_memory.store.memories import Embedding
from pi_memory.store.messages import ASIDE, REMARK
from pi_memory.tasks import Tasks
from pi_memory.text.fact import facts, states, stems
from pi_memory.text.language import pattern
from pi_memory.text.persons import about_user, by_user
from pi_memory.text.secrets import secret_in
from pi_memory.text.sentences import sentences
from pi_memory.types import NO_MEMORY, Candidate, Exchange, Memory, Numbered, Statement, Vectors
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
SITTING = 900.0
"""Seconds within which a person tells one thing after the other in a conversation: of these, one ends another or it
does not; no doubt is recorded. It does if it says that something changed or was wrong, or has another value in its
place.
"""
RECENT = 256
"""Exchanges whose conversations are known, for that."""
ODDS_BESIDE = 0.3
"""How much less likely by the odds a memory is untrue when what may make it so ends another one: a correction is mostly
about one thing.
"""
NOTHING_CHANGED = "Your last message changed no memory that can be as it was; `pi-memory history` shows what changed."
MOST_DOUBTS = 3
"""Most memories that one is recorded to make possibly untrue."""
BELONGS = 0.2
"""The cosine to what a message corrects from which on a sentence of it belongs to the correction."""
SPLIT = 6
"""How many memories are taken apart into what each says, one by one: each of that has to be embedded."""
LEAST_CHANCE_OF_REMARK = 0.75
"""How likely what may be a remark has to make a memory untrue to end it."""
OF_CONTEXT = 0.25
"""The chance of a sentence before from which on it may be that which is untrue, and not what is said behind it."""
SUBJECT = 25
"""Characters by which a content is longer than its quote when it has its subject from the sentence before."""

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
        self._replacement = Replacement(heads)
        self._worker = worker
        self._talks: OrderedDict[int, str] = OrderedDict()
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
        self._replacement.let_go()

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
                    lines.append(await self._forget(statement, scope(named(project))))
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
        self._talks[exchange_id] = exchange.conversation_id
        if len(self._talks) > RECENT:
            self._talks.popitem(last=False)
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
        if chance >= POSSIBLE and kept and not any(each.instead_of or each.doubted for each in kept):
            # `The Crown is shut. We play at the Swan.`: what holds instead comes last.
            await self._memories.doubt(kept[-1].memory.id, doubted, chance)
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
        if any(_is_learned(whole, neighbour.memory) for neighbour in around.neighbours):
            return True, 0, 0.0
        ended, chance = _made_untrue(await self._chances(whole, around))
        is_one = around.vector is not None and chance >= LEAST_CHANCE and await self._is_one(ended, facts, exchange)
        return is_one, ended, chance

    async def _is_one(self, ended: int, facts: Facts, exchange: Exchange) -> bool:
        """Whether no sentence of a message is about another thing than the memory that all of it corrects."""
        for part in facts.parts:
            placed, found = _placed(part, exchange), await self._around.of(part.content, quote=part.quote)
            chances = await self._chances(placed, found)
            other, its_chance = _made_untrue(chances)
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
        known = (n.memory for n in found.neighbours if stated.instead_of and _may_end(n, candidate))
        old = next((memory for memory in known if _says(memory, stated.instead_of)), None)
        if old is None:
            return None
        content = old.content.replace(stated.instead_of, candidate.content)
        decision = Decision("end", old.id, content=content if content != old.content else None)
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
        known = [n.memory for n in found.neighbours if _is_learned(candidate, n.memory)]
        if any(memory.source != SOURCE or candidate.source != RESOLVED for memory in known):
            return None
        if not known and candidate.source != RESOLVED and any(_is_part(candidate, n.memory) for n in found.neighbours):
            return None
        if await self._is_out_of_date(candidate, found):
            return None
        is_written = origin not in (EXTRACTION, NOTICE)
        if candidate.source in OF_USER:
            found = replace(found, unkept=await self._unkept.near(candidate, found))
        least = LEAST_CHANCE if is_sure or found.vector is None else LEAST_CHANCE_OF_REMARK
        decision = await self._decision(candidate, found, known, is_written=is_written, least=least)
        if not is_sure and decision.id is None and max((chance for _, chance in decision.doubts), default=0.0) < LIKELY:
            return None
        if decision.linked and self._llm is not None and candidate.priority != "highest" and not is_written:
            linked = [n for n in found.neighbours if n.memory.id in decision.linked]
            decision = await self._llm.judge(candidate, linked)
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

    async def _decision(
        self, candidate: Candidate, found: Nearby, known: Sequence[Memory], *, is_written: bool, least: float
    ) -> Decision:
        """What the rules say of a candidate (`decide`), and for one that they would add, what the learned judge says:
        which memory it ends, from `least` a chance on, or may make untrue. `known` are memories that rest on its very
        words.
        """
        decision = await self._worker.run(decide, candidate, found.neighbours, related=found.scale.related)
        if known:  # a plain fact that turns out to be what resolved an error
            decision = Decision("replace", known[0].id)
        if is_written:
            decision = as_written(decision, candidate, found.neighbours)
        if decision.action == "add" and (is_written or candidate.source in COMPARED):
            chances = await self._chances(candidate, found)
            ended, chance = _made_untrue(chances)
            if chance >= least:
                alone = self._by_themselves(candidate, found, ended, chances)
                whole = _with_context(candidate, found, ended, apart={id_ for id_, text in alone.items() if text})
                decision = _ending(candidate, found, whole, chances, await self._by_clause(candidate, found, whole))
                decision = _restating(decision, alone)
            over = {decision.id, *decision.also}
            others = {id_: its for id_, its in chances.items() if id_ not in over}
            if decision.id is not None:
                others = {id_: by_odds(its, ODDS_BESIDE) for id_, its in others.items()}
            doubts = [(id_, its) for id_, its in others.items() if id_ > 0 and its >= POSSIBLE]
            decision = replace(decision, doubts=tuple(sorted(doubts, key=lambda each: -each[1])[:MOST_DOUBTS]))
        elif decision.action == "end" and decision.id is not None:
            decision = _restating(decision, self._by_themselves(candidate, found, decision.id, {}))
        return decision

    def _by_themselves(
        self, candidate: Candidate, found: Nearby, ended: int, chances: Mapping[int, float]
    ) -> dict[int, str]:
        """What the memories to which the one `ended` was only the context say by themselves, by id; "" for one about
        what was put right.
        """
        known = {n.memory.id: n.memory for n in _comparable(candidate, found)}
        alone = dict[int, str]()
        for memory in known.values() if ended in known else ():
            if memory.id > 0 and _has(memory, known[ended]) and chances.get(memory.id, 0.0) < LEAST_CHANCE:
                content = undated(memory.content)
                claims = self._replacement.claims(content, own=memory.quote)
                text = by_itself(candidate.content, content, undated(known[ended].content), claims)
                alone |= {} if text is None else {memory.id: text}
        return alone

    async def _by_clause(self, candidate: Candidate, found: Nearby, memory: Memory) -> dict[str, float]:
        """How likely a candidate makes each clause of a memory untrue; none for one with a single clause."""
        clauses = self._replacement.clauses(undated(memory.content))
        texts = [by_user(text) for text in in_context(clauses)]
        if len(texts) < 2 or len({*texts}) < len(texts):
            return {}
        vectors = [None] * len(texts) if found.vector is None else await self._around.vectors(texts)
        new, said = Said(_in_own_words(candidate), found.vector), [*map(Said, texts, vectors)]
        read = await self._read(new, said)
        judged = self._worker.run(self._replacement.chances, new, said, embedder=found.space, read=read)
        return dict(zip(clauses, (await judged).tolist(), strict=True))

    async def _is_out_of_date(self, candidate: Candidate, found: Nearby) -> bool:
        """Whether a memory that is newer than a candidate makes it untrue."""
        known = [(n, _said(n)) for n in _comparable(candidate, found)]
        mine = Said(_in_own_words(candidate), found.vector)
        for newer, said in known:
            if newer.memory.valid_from > (candidate.said_at or math.inf):
                beside = [mine, *(other for one, other in known if one is not newer)]
                read = await self._around.read(said.text, [mine.text])
                judged = self._worker.run(self._replacement.chances, said, beside, embedder=found.space, read=read)
                if (await judged)[0] >= LEAST_CHANCE:
                    return True
        return False

    async def _chances(self, candidate: Candidate, found: Nearby) -> dict[int, float]:
        """How likely a candidate makes each memory untrue, by id, by all that the memory says or by one thing of it."""
        chances = await self._chances_of(_comparable(candidate, replace(found, unkept=())), candidate, found)
        if found.unkept:  # judged beside all memories, which are judged without what nobody kept
            with_unkept = await self._chances_of(_comparable(candidate, found), candidate, found)
            chances |= {id_: chance for id_, chance in with_unkept.items() if id_ < 0}
        return chances

    async def _chances_of(self, old: Sequence[Neighbour], candidate: Candidate, found: Nearby) -> dict[int, float]:
        """How likely a candidate makes each of some memories untrue, beside each other, by id."""
        new = Said(_in_own_words(candidate), found.vector)
        claims = await self._claims(old)
        read = await self._read(new, [*map(_said, old), *(claim for each in claims.values() for claim in each)])
        chances = await self._worker.run(self._likely, new, old, claims, embedder=found.space, read=read)
        told = [n.memory for n in old if n.memory.content in candidate.content]  # it refers back to it
        chances |= {memory.id: 0.0 for memory in told}
        if candidate.said_at is None:
            return chances
        just_said = [n.memory for n in old if self._are_of_one_sitting(candidate, n.memory)]
        puts_right = self._replacement.says_change(_in_own_words(candidate))
        beside = [
            m
            for m in just_said
            if chances[m.id] < LEAST_CHANCE
            or _go_on_from_the_same(candidate, m)
            or not (puts_right or has_other_value(candidate.content, m.content))
        ]
        return chances | {memory.id: 0.0 for memory in beside}

    async def _read(self, new: Said, olds: Sequence[Said]) -> dict[str, Vectors]:
        """What the embedder reads in a statement and the nearest of others, by the other's text."""
        if new.vector is None:
            return {}
        cosines = {old.text: float(new.vector @ old.vector) for old in olds if old.vector is not None}
        return await self._around.read(new.text, sorted(cosines, key=lambda text: -cosines[text])[:READ])

    def _likely(
        self,
        new: Said,
        old: Sequence[Neighbour],
        claims: Mapping[int, Sequence[Said]],
        *,
        embedder: str,
        read: Mapping[str, Vectors],
    ) -> dict[int, float]:
        """How likely `new` makes each of the old memories untrue, by id: one that says several things by the likeliest
        of its `claims`, or as a whole where the sentence before, which it was kept with, is not what is meant.
        """
        longer = [n for n in old if any(_has(n.memory, other.memory) for other in old)]
        plain = [n for n in old if n not in longer]
        # Judged beside all, as the nearest of many is most often what is meant; but not beside its own words.
        companies = [(plain, plain)] + [([n], [n, *_apart(n, old)]) for n in longer]
        chances: dict[int, float] = {}
        for judged, beside in companies:
            likely = self._replacement.chances(new, list(map(_said, beside)), embedder=embedder, read=read)
            chances |= {n.memory.id: float(chance) for n, chance in zip(judged, likely, strict=False)}
        if not claims:
            return chances
        said = {n.memory.id: claims.get(n.memory.id, [_said(n)]) for n in old}
        alone = {claim.text: claim for each in said.values() for claim in each}
        likely = self._replacement.chances(new, [*alone.values()], embedder=embedder, read=read)
        by_claim = dict(zip(alone, likely.tolist(), strict=True))
        by_one = {id_: max(by_claim[claim.text] for claim in said[id_]) for id_ in claims}
        of_any = {id_: max(chance, by_one.get(id_, 0.0)) for id_, chance in chances.items()}
        before = {n.memory.id: [o.memory.id for o in old if _has(n.memory, o.memory)] for n in longer}
        for id_ in claims:
            # The sentence before is a memory of its own, and may be what is meant.
            is_of_own = all(of_any[context] < OF_CONTEXT for context in before.get(id_, ()))
            chances[id_] = of_any[id_] if is_of_own else by_one[id_]
        return chances

    async def _claims(self, old: Sequence[Neighbour]) -> dict[int, list[Said]]:
        """What a memory says, one by one, by its id; of the nearest that say several things, as each is embedded."""
        nearest = sorted(old, key=lambda n: -(n.cosine or 0.0))[:SPLIT]
        said = {n.memory.id: by_user(_in_own_words(n.memory)) for n in nearest}
        claims = {n.memory.id: self._replacement.claims(said[n.memory.id], own=n.memory.quote) for n in nearest}
        several = {id_: texts for id_, texts in claims.items() if texts != (said[id_],)}
        texts = list(dict.fromkeys(text for claims in several.values() for text in claims))
        has_vectors = all(n.vector is not None for n in old)
        vectors = await self._around.vectors(texts) if texts and has_vectors else [None] * len(texts)
        known = {text: Said(text, vector) for text, vector in zip(texts, vectors, strict=True)}
        return {id_: [known[text] for text in claims] for id_, claims in several.items()}

    def _are_of_one_sitting(self, candidate: Candidate, memory: Memory) -> bool:
        talk = self._talks.get(candidate.exchange_id or 0)
        is_same = talk is not None and talk == self._talks.get(memory.exchange_id or 0)
        return is_same and abs((candidate.said_at or math.inf) - memory.valid_from) < SITTING

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
            if candidate.priority == "highest" and before.priority != "highest":
                before = await self._memories.change(before.id, origin=origin, durable=durable, priority="highest")
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
        changed: dict[int, None] = {}
        for new in reversed(self._last.pop(session, [])):
            event = await self._memories.beginning(new)
            try:
                done = await self._memories.undo(event.id, origin=NOTICE)
            except RequestError as error:
                return f"Not taken back: {error.message}. {error.hint}"
            changed |= dict.fromkeys(change.memory_id for change in done)
        found = await self._memories.several(list(changed))
        lines = [f"{'Holds again' if memory.is_valid else 'Taken back'}: {memory.content}" for memory in found]
        return "\n".join(lines) or NOTHING_CHANGED

    def _note(self, session: str | None, new: Sequence[int], *, goes_on: bool) -> None:
        """Note the memories that the last message of a conversation made; it `goes_on` with what it stated."""
        self._last[session] = [*(self._last.pop(session, []) if goes_on else []), *new]
        if len(self._last) > RECENT:
            self._last.popitem(last=False)

    async def _forget(self, stated: Statement, seen: Scope) -> str:
        """Forget what a statement means. Returns lines for the user; "" if it may have been a manner of speaking."""
        what, surely = stated.content, not pattern("forget_loosely").search(stated.quote)
        if what == forget_requests.WHICH:
            return forget_requests.NOTHING_YET
        if numbers := forget_requests.numbers(what):
            return " ".join([await self._forget_number(number) for number in numbers])
        if numbers := forget_requests.exchanges(what):
            return " ".join([await self._forget_exchange(number) for number in numbers])
        around = await self._around.of(what)
        known = [n for n in around.neighbours if covers(n.memory.namespace, seen)]
        found, clear = await self._worker.run(forget_requests.meant, what, known, same=around.scale.same)
        if clear and surely and not self._says_more(found[0].memory, what):
            return await self._forget_memory(found[0].memory, what)
        said = await self._memories.said(what)
        if not found and not said:
            return f"I remember nothing of that: {what}" if surely else ""
        if not found and surely and (line := await self._forget_said(said)):
            return line
        return _asked(found, said)

    def _says_more(self, memory: Memory, than: str) -> bool:
        """Whether a memory also has a clause of which no word was asked for, as about somebody else."""
        claims = self._replacement.claims(by_user(_in_own_words(memory)), own=memory.quote)
        return any(stems(than).isdisjoint(stems(claim)) for claim in claims)

    async def _forget_memory(self, memory: Memory, what: str) -> str:
        """Also what was asked for in other words, when they say as much."""
        line = await self._forget_number(memory.id)
        if stems(what) >= stems(memory.content):
            await self._memories.forget_text(what, origin="notice")
        left = await self._memories.said(what)
        return f"{line}\n{_asked([], left)}" if left else line

    async def _forget_said(self, said: Sequence[Gone]) -> str:
        """Forget what was said and never learned, if it is one fact; "" when it may be one of several."""
        plainest = min((one.text for one in said), key=lambda text: len(stems(text)))
        keys = frozenset(fact.key for fact in facts(plainest))
        if not all(states(one.text, keys.__contains__) for one in said):
            return ""
        done = await self._memories.forget_text(plainest, origin="notice")
        many = len(done.exchange_ids)
        return f"Forgotten, in {many} exchange{'s' if many > 1 else ''}."

    async def _forget_number(self, number: int) -> str:
        try:
            memory = await self._memories.get(number)
        except NotFound:
            return f"There is no memory {number}."
        if memory.forgotten_at is None:
            await self._memories.forget(number, origin="notice")
        return f"Forgotten: memory {number}."

    async def _forget_exchange(self, number: int) -> str:
        try:
            await self._memories.erase([number], origin="notice")
        except NotFound:
            return f"There is no exchange {number}."
        return f"Forgotten: exchange {number}."


def _asked(found: Sequence[Neighbour], said: Sequence[Gone]) -> str:
    """The question which of these to forget; what a memory rests on is no other one."""
    known = [text.strip() for n in found for text in (n.memory.content, n.memory.quote) if text.strip()]
    others = [one for one in said if not any(text in one.text for text in known)][: forget_requests.MOST]
    listed = [f"- memory {n.memory.id}: {n.memory.content}" for n in found]
    listed += [f"- exchange {one.id}: {one.text}" for one in others]
    first = listed[0].removeprefix("- ").partition(":")[0]
    if len(listed) == 1:
        return "\n".join([f"{forget_requests.IS_IT_THIS} “forget {first}”:", *listed])
    return "\n".join([f"{forget_requests.IS_IT_ONE} “forget {first}”, or another:", *listed])


def _is_among(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another candidate rests on the same words."""
    return any(o.exchange_id == candidate.exchange_id and candidate.quote in o.quote for o in others)


def _is_learned(candidate: Candidate, memory: Memory) -> bool:
    """Whether a memory, one that holds or not, rests on the very words of the candidate."""
    is_same = (memory.exchange_id, memory.quote) == (candidate.exchange_id, candidate.quote)
    return is_same and candidate.exchange_id is not None


def _is_part(candidate: Candidate, memory: Memory) -> bool:
    """Whether a memory rests on several sentences of a message, the candidate's among them."""
    if candidate.exchange_id is None or memory.exchange_id != candidate.exchange_id:
        return False
    return candidate.quote.rstrip(" .!") in (each.rstrip(" .!") for each in sentences(memory.quote))


def _placed(candidate: Candidate, exchange: Exchange) -> Candidate:
    return replace(candidate, namespace=of_fact(candidate.quote, exchange.project))


def _has(memory: Memory, part: Memory) -> bool:
    """Whether one memory says another one word by word, and more."""
    return memory.id != part.id and undated(part.content).rstrip(".") in memory.content


def _made_untrue(chances: Mapping[int, float]) -> tuple[int, float]:
    """The id of the memory that a candidate most likely makes untrue, and how likely; (0, 0) without any."""
    return max(chances.items(), key=lambda each: each[1], default=(0, 0.0))


def _with_context(candidate: Candidate, found: Nearby, ended: int, *, apart: Set[int]) -> Memory:
    """The longest memory that has what the one `ended` says: a sentence by itself, and with the one that refers to it,
    are two memories. None of those that are told `apart`.
    """
    known = {n.memory.id: n.memory for n in _comparable(candidate, found) if n.memory.id not in apart}
    longer = [memory for memory in known.values() if _has(memory, known[ended])]
    return max([known[ended], *longer], key=lambda memory: len(undated(memory.content)))


def _ending(
    candidate: Candidate, found: Nearby, whole: Memory, chances: Mapping[int, float], likely: Mapping[str, float]
) -> Decision:
    """The end of a memory, and of the parts of it that are memories as far as they are made untrue too. What else it
    says is kept: `likely` is how likely each of its clauses is untrue now.
    """
    known = undated(whole.content)
    said = called.introduced(candidate.content, known)
    content = merged(said, known, [*likely.values()] or None, [*likely]) or (
        said if said != candidate.content else None
    )
    kept = content or candidate.content
    parts = (n.memory for n in _comparable(candidate, found) if _has(whole, n.memory))
    gone = [memory for memory in parts if undated(memory.content).rstrip(".") not in kept]
    also = tuple(
        m.id
        for m in gone
        if m.id > 0 and (chances.get(m.id, 0.0) >= DOUBTFUL or _is_put_right(m, candidate.content, kept))
    )
    return Decision("end", whole.id, content=content, also=also)


def _restating(decision: Decision, alone: Mapping[int, str]) -> Decision:
    """A decision with what other memories say by themselves, and the end of those that are about what was put right."""
    others = {id_: text for id_, text in alone.items() if id_ not in (decision.id, *decision.also)}
    ended = tuple(id_ for id_, text in others.items() if not text)
    restated = tuple((id_, text) for id_, text in others.items() if text)
    return replace(decision, also=(*decision.also, *ended), restated=restated)


def _is_put_right(part: Memory, said: str, kept: str) -> bool:
    """Whether what is kept says a part with another value in it."""
    found = merged(said, part.content)
    return found is not None and found.rstrip(".") in kept


def _apart(one: Neighbour, others: Sequence[Neighbour]) -> list[Neighbour]:
    """The others that neither are in one nor have it in them."""
    mine = one.memory
    return [n for n in others if n is not one and not _has(mine, n.memory) and not _has(n.memory, mine)]


def _says(memory: Memory, sentence: str) -> bool:
    """Whether a memory says what a sentence that was quoted of it, or of the message it rests on, says."""
    return sentence in memory.content or sentence == memory.quote or about_user(sentence) == memory.content


def _said(neighbour: Neighbour) -> Said:
    return Said(_in_own_words(neighbour.memory), neighbour.vector)


def _in_own_words(said: Candidate | Memory) -> str:
    """The user's own words, where there are any that say as much."""
    content = undated(said.content)
    return said.quote if said.quote and len(content) < len(said.quote) + SUBJECT else content


def _comparable(candidate: Candidate, found: Nearby) -> list[Neighbour]:
    """The memories that a candidate may end, or that may end it; with vectors all of them, or none."""
    old = [n for n in (*found.neighbours, *found.unkept) if _may_end(n, candidate)]
    # One that was stored a moment ago may not have its vector yet: then words must do for all.
    return [replace(n, vector=None) for n in old] if any(n.vector is None for n in old) else old


def _may_end(neighbour: Neighbour, candidate: Candidate) -> bool:
    """Whether a candidate may end a memory: one of its place that holds, and that was not said with it."""
    memory = neighbour.memory
    is_apart = memory.exchange_id is None or memory.exchange_id != candidate.exchange_id
    return memory.is_valid and is_apart and _place_of(memory) == _place_of(candidate)


def _go_on_from_the_same(candidate: Candidate, memory: Memory) -> bool:
    """Whether both begin with the sentence before, that they refer back to: then most words of theirs are the same."""
    mine, theirs = sentences(candidate.content), sentences(memory.content)
    return len(mine) > 1 and len(theirs) > 1 and mine[0] == theirs[0]


def _place_of(said: Candidate | Memory) -> tuple[str, ...]:
    """The place of a memory: `user` and `global` are one, each project is another."""
    parts = said.namespace.split("/")
    return tuple(parts[:2]) if parts[0] == "project" else ()


async def _no_topics(session: str | None, text: str) -> tuple[str, ...]:
    return ()
