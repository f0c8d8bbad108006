"""Says which memory a candidate makes untrue, and what of it still holds.

A learned judge (`judges/replacement.py`) says how likely the candidate makes each of the memories untrue that are like
it. `Decision` is what follows from it.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from msgspec.structs import replace

from pi_memory.judges.heads import by_odds
from pi_memory.judges.holding import has_other_value, subject_of
from pi_memory.judges.pair_signs import Said
from pi_memory.judges.replacement import LEAST_CHANCE, READ, Replacement
from pi_memory.memories.namespaces import place
from pi_memory.memories.said_on import undated
from pi_memory.merging.dedup import Decision, Neighbour
from pi_memory.merging.kept_beside import by_itself, in_context, matter, with_untouched
from pi_memory.merging.neighbours import Nearby, NeighbourSearch
from pi_memory.merging.one_gone import with_one_gone, with_one_more
from pi_memory.merging.put_right import denies, with_value_alone
from pi_memory.merging.remainder import loses_one, merged
from pi_memory.merging.slots import with_denied
from pi_memory.merging.swapped_over import with_two_swapped
from pi_memory.merging.values import kinds_of_values
from pi_memory.retrieval import called
from pi_memory.store.conflicts import DOUBTFUL, POSSIBLE
from pi_memory.text.contrast import renewed
from pi_memory.text.fact import stems
from pi_memory.text.language import pattern, remembered
from pi_memory.text.persons import about_user, by_user
from pi_memory.text.sentences import sentences
from pi_memory.types import Candidate, Memory, Vectors
from pi_memory.worker import Worker

Chances = Mapping[int, float]
"""How likely each memory is untrue now, by its id."""

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
PUT_RIGHT_ALONE = 0.8
"""At least how likely the nearest memory is untrue of which what was said says by itself what holds now."""
MOST_DOUBTS = 3
"""Most memories that one is recorded to make possibly untrue."""
SPLIT = 6
"""How many memories are taken apart into what each says, one by one: each of that has to be embedded."""
OF_CONTEXT = 0.25
"""The chance of a sentence before from which on it may be that which is untrue, and not what is said behind it."""
MOST_SENTENCES = 8
"""Sentences of what a program wrote that are judged by themselves."""
COVERED = 0.4
"""Share of the words of a clause that a request has when it is about that clause too."""
MOST_OF_COUNT = 8
"""Words of a statement that only says how many or how much of a thing there is."""
SUBJECT = 25
"""Characters by which a content is longer than its quote when it has its subject from the sentence before."""


class Corrections:
    """Weighs candidates against the memories that are like them. `heads` is the folder of the judges (`heads.py`)."""

    def __init__(self, heads: Path, neighbours: NeighbourSearch, *, worker: Worker) -> None:
        self._replacement = Replacement(heads)
        self._around = neighbours
        self._worker = worker
        self._conversations: OrderedDict[int, str] = OrderedDict()

    def let_go(self) -> None:
        """Forget what is held of texts only to save time."""
        self._replacement.let_go()

    def heard(self, exchange_id: int, conversation_id: str) -> None:
        """Know in which conversation an exchange was said: see `SITTING`."""
        self._conversations[exchange_id] = conversation_id
        if len(self._conversations) > RECENT:
            self._conversations.popitem(last=False)

    async def weighed(
        self, decision: Decision, candidate: Candidate, found: Nearby, *, least: float, is_written: bool = False
    ) -> Decision:
        """What becomes of a decision to add a candidate: the end of the memory that it most likely makes untrue, from
        `least` a chance on, or the same decision; with the doubts about other memories. `is_written`: by a program.
        """
        chances = await self._chances(candidate, found)
        if is_written:
            chances = await self._by_sentence(candidate, found, chances)
        ended, chance = _likeliest(chances)
        known = next((n.memory for n in _comparable(candidate, found) if n.memory.id == ended), None)
        if known and chance >= least and not loses_one(candidate.content, undated(known.content)):
            alone = self._by_themselves(candidate, found, ended, chances)
            whole = _longest_with(candidate, found, ended, apart={id_ for id_, text in alone.items() if text})
            named = called.with_thing(candidate.content, undated(whole.content))
            meant = candidate if named == candidate.content else replace(candidate, content=named, quote="")
            by_clause = await self._by_clause(meant, found, whole)
            ending = await self._worker.run(_ending, candidate, found, whole, chances, by_clause)
            decision = _restating(ending, alone)
        return replace(decision, doubts=_doubts(chances, decision))

    async def made_untrue(self, candidate: Candidate, found: Nearby) -> tuple[int, float]:
        """The id of the memory that a candidate most likely makes untrue, and how likely; (0, 0) without any."""
        return _likeliest(await self._chances(candidate, found))

    def with_dependents(self, decision: Decision, candidate: Candidate, found: Nearby) -> Decision:
        """The end of a memory, with what else that says, and what becomes of others to which it was the context."""
        known = next((n.memory for n in found.neighbours if n.memory.id == decision.id), None)
        if known is not None and decision.content is None:
            decision = replace(decision, content=with_untouched(candidate.content, undated(known.content)))
        return _restating(decision, self._by_themselves(candidate, found, decision.id or 0, {}))

    async def is_out_of_date(self, candidate: Candidate, found: Nearby) -> bool:
        """Whether a memory that is newer than a candidate makes it untrue."""
        if candidate.said_at is None:  # it is said now
            return False
        known = [(n, _said(n)) for n in _comparable(candidate, found)]
        mine = Said(_in_own_words(candidate), found.vector)
        for newer, said in known:
            if newer.memory.valid_from > candidate.said_at:
                beside = [mine, *(other for one, other in known if one is not newer)]
                read = await self._around.read(said.text, [mine.text])
                chances = await self._worker.run(
                    self._replacement.chances, said, beside, embedder=found.space, read=read
                )
                if chances[0] >= LEAST_CHANCE:
                    return True
        return False

    def says_more(self, memory: Memory, than: str) -> bool:
        """Whether a memory has a clause without a word of a text, as about somebody else, or one of several of which a
        text has hardly a word: `my mother's birthday`, of `My mother turns 76. Her birthday is in May.`
        """
        claims = self._replacement.claims(by_user(_in_own_words(memory)), own=memory.quote)
        asked, said = stems(than), [*map(stems, claims)]
        least = 0.0 if len(said) == 1 else COVERED
        return any(len(asked & each) <= least * len(each) for each in said)

    async def _chances(self, candidate: Candidate, found: Nearby) -> dict[int, float]:
        """How likely a candidate makes each memory untrue, by id; also what was said and nobody kept."""
        read = dict[str, Vectors]()
        chances = await self._judged(_comparable(candidate, replace(found, unkept=())), candidate, found, read)
        if found.unkept:  # judged beside all memories, which are judged without what nobody kept
            with_unkept = await self._judged(_comparable(candidate, found), candidate, found, read)
            chances |= {id_: chance for id_, chance in with_unkept.items() if id_ < 0}
        return chances

    async def _judged(
        self, old: Sequence[Neighbour], candidate: Candidate, found: Nearby, known: dict[str, Vectors]
    ) -> dict[int, float]:
        """The chances of some memories, judged beside each other: the nearest of many is most often what is meant. What
        is read for it is added to what is `known` by reading, and not read again.
        """
        new = Said(_in_own_words(candidate), found.vector)
        claims = await self._claims(old)
        olds = [*map(_said, old), *(claim for each in claims.values() for claim in each)]
        read = await self._read(new, olds, known)
        chances = await self._worker.run(self._chances_of, new, old, claims, embedder=found.space, read=read)
        chances |= {n.memory.id: 0.0 for n in old if self._holds_anyway(candidate, n.memory, chances)}
        return chances | await self._worker.run(_put_right_alone, candidate, old, chances)

    async def _by_sentence(self, candidate: Candidate, found: Nearby, chances: dict[int, float]) -> dict[int, float]:
        """The chances, where a program wrote several sentences no greater than that of one of them by itself: what a
        letter is about is not put right by all that it tells, `Letter from my brother. He lives in Bremen now.`
        """
        said = sentences(candidate.content)
        old = [n for n in _comparable(candidate, found) if chances.get(n.memory.id, 0.0) >= POSSIBLE]
        if len(said) < 2 or not old:
            return chances
        by_itself = [each for each in said[:MOST_SENTENCES] if not pattern("said_of_same").match(each)]
        vectors = [None] * len(by_itself) if found.vector is None else await self._around.vectors(by_itself)
        alone = [
            await self._judged(old, replace(candidate, content=text, quote=""), replace(found, vector=vector), {})
            for text, vector in zip(by_itself, vectors, strict=True)
        ]
        most = {n.memory.id: max((each[n.memory.id] for each in alone), default=0.0) for n in old}
        return chances | {id_: min(chances[id_], chance) for id_, chance in most.items()}

    def _holds_anyway(self, candidate: Candidate, memory: Memory, chances: Chances) -> bool:
        """Whether a memory holds whatever the judge says: the candidate refers back to it, or was told after it in one
        sitting and puts nothing of it right.
        """
        said, known = undated(candidate.content), undated(memory.content)
        if known in said or _only_refers_to(candidate, memory):
            return True
        changes = self._replacement.says_change(_in_own_words(candidate)) or pattern("says_over").search(said)
        puts_right = changes or denies(said, known)
        if not self._are_of_one_sitting(candidate, memory):
            return not puts_right and _counts_another_thing(said, known)
        if chances[memory.id] < LEAST_CHANCE or _go_on_from_the_same(candidate, memory):
            return True
        if puts_right:
            return False
        about, its = (matter(pattern("rate").sub("", text)) for text in (said, known))
        return not has_other_value(said, [known]) or about.isdisjoint(its) or _counts_another_thing(said, known)

    def _are_of_one_sitting(self, candidate: Candidate, memory: Memory) -> bool:
        if candidate.said_at is None:
            return False
        mine, its = (self._conversations.get(said.exchange_id or 0) for said in (candidate, memory))
        return mine is not None and mine == its and abs(candidate.said_at - memory.valid_from) < SITTING

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

    async def _read(self, new: Said, olds: Sequence[Said], known: dict[str, Vectors]) -> dict[str, Vectors]:
        """What the embedder reads in a statement and the nearest of others, by the other's text."""
        if new.vector is None:
            return {}
        cosines = {old.text: float(new.vector @ old.vector) for old in olds if old.vector is not None}
        nearest = sorted(cosines, key=lambda text: -cosines[text])[:READ]
        known |= await self._around.read(new.text, [text for text in nearest if text not in known])
        return {text: known[text] for text in nearest if text in known}

    def _chances_of(
        self,
        new: Said,
        old: Sequence[Neighbour],
        claims: Mapping[int, Sequence[Said]],
        *,
        embedder: str,
        read: Mapping[str, Vectors],
    ) -> dict[int, float]:
        """The judge's chances. A memory that says several things is as likely untrue as the likeliest of its `claims`,
        or as it is as a whole, unless the sentence before, which it was kept with, may be what is meant.
        """

        def chances(olds: Sequence[Said]) -> list[float]:
            return [*map(float, self._replacement.chances(new, olds, embedder=embedder, read=read))]

        context = {n.memory.id: [o.memory.id for o in old if _has(n.memory, o.memory)] for n in old}
        plain = [n for n in old if not context[n.memory.id]]
        whole = dict(zip([n.memory.id for n in plain], chances([*map(_said, plain)]), strict=True))
        for longer in (n for n in old if context[n.memory.id]):  # not beside its own words
            whole[longer.memory.id] = chances([*map(_said, [longer, *_apart(longer, old)])])[0]
        if not claims:
            return whole
        alone = {one.text: one for n in old for one in claims.get(n.memory.id, [_said(n)])}
        by_text = dict(zip(alone, chances([*alone.values()]), strict=True))
        by_claim = {id_: max(by_text[claim.text] for claim in said) for id_, said in claims.items()}
        of_any = {id_: max(chance, by_claim.get(id_, 0.0)) for id_, chance in whole.items()}
        is_meant = {id_: all(of_any[other] < OF_CONTEXT for other in context[id_]) for id_ in claims}
        return whole | {id_: of_any[id_] if is_meant[id_] else by_claim[id_] for id_ in claims}

    def _by_themselves(self, candidate: Candidate, found: Nearby, ended: int, chances: Chances) -> dict[int, str]:
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
        read = await self._read(new, said, {})
        chances = await self._worker.run(self._replacement.chances, new, said, embedder=found.space, read=read)
        return dict(zip(clauses, chances.tolist(), strict=True))


def may_end(candidate: Candidate, memory: Memory) -> bool:
    """Whether a candidate may end a memory: one of its place that holds, and that was not said with it."""
    is_apart = memory.exchange_id is None or memory.exchange_id != candidate.exchange_id
    return memory.is_valid and is_apart and place(memory.namespace) == place(candidate.namespace)


def _put_right_alone(candidate: Candidate, old: Sequence[Neighbour], chances: Chances) -> dict[int, float]:
    """At least how likely a candidate makes the nearest memory untrue of those that can be put right by it alone: a
    list of which one item is over, or that has one more, two that swapped, or what has another value now.
    """
    said = undated(candidate.content)
    forms = with_one_gone, with_one_more, with_two_swapped, with_value_alone, with_denied
    apart = [(n, undated(n.memory.content)) for n in old]
    found = [n for n, known in apart if known not in said and any(form(said, known) for form in forms)]
    nearest = max(found, key=lambda n: n.cosine or 0.0, default=None)
    return {nearest.memory.id: max(chances[nearest.memory.id], PUT_RIGHT_ALONE)} if nearest else {}


def _likeliest(chances: Chances) -> tuple[int, float]:
    return max(chances.items(), key=lambda each: each[1], default=(0, 0.0))


def _doubts(chances: Chances, decision: Decision) -> tuple[tuple[int, float], ...]:
    """What a candidate may make untrue besides what it ends, each with how likely, the likeliest first."""
    others = {id_: chance for id_, chance in chances.items() if id_ > 0 and id_ not in (decision.id, *decision.also)}
    if decision.id is not None:
        others = {id_: by_odds(chance, ODDS_BESIDE) for id_, chance in others.items()}
    possible = [(id_, chance) for id_, chance in others.items() if chance >= POSSIBLE]
    return tuple(sorted(possible, key=lambda each: -each[1])[:MOST_DOUBTS])


def _longest_with(candidate: Candidate, found: Nearby, ended: int, *, apart: Set[int]) -> Memory:
    """The longest memory that has what the one `ended` says: a sentence by itself, and with the one that refers to it,
    are two memories. None of those that are told `apart`.
    """
    known = {n.memory.id: n.memory for n in _comparable(candidate, found) if n.memory.id not in apart}
    longer = [memory for memory in known.values() if _has(memory, known[ended])]
    return max([known[ended], *longer], key=lambda memory: len(undated(memory.content)))


def _ending(
    candidate: Candidate, found: Nearby, whole: Memory, chances: Chances, by_clause: Mapping[str, float]
) -> Decision:
    """The end of a memory, and of the parts of it that are memories as far as they are made untrue too. What else it
    says is kept: `by_clause` is how likely each of its clauses is untrue now.
    """
    known = undated(whole.content)
    said = called.introduced(candidate.content, known)
    content = merged(said, known, [*by_clause.values()] or None, [*by_clause], context=_context(whole)) or (
        said if said != candidate.content else None
    )
    kept = content or candidate.content
    parts = [n.memory for n in _comparable(candidate, found) if n.memory.id > 0 and _has(whole, n.memory)]
    gone = [part for part in parts if undated(part.content).rstrip(".") not in kept]
    also = tuple(
        part.id
        for part in gone
        if chances.get(part.id, 0.0) >= DOUBTFUL or _is_put_right(part, candidate.content, kept)
    )
    return Decision("end", whole.id, content=content, also=also)


def _only_refers_to(candidate: Candidate, memory: Memory) -> bool:
    """Whether a candidate has the sentence that a memory rests on only as what it refers back to, and says nothing of
    that itself: `Dr Orr has retired, it's Dr Ode now. He needs no stick any more.`
    """
    own, its = about_user(candidate.quote), about_user(memory.quote).rstrip(" .!")
    is_context = bool(its) and its in undated(candidate.content) and its not in own
    return is_context and bool(matter(own)) and matter(own).isdisjoint(matter(f"{memory.content} {memory.quote}"))


def _counts_another_thing(said: str, known: str) -> bool:
    """Whether a number is said of something that a memory has no word of: `The balance is 900`, of a deposit of 200."""
    have_numbers = all("number" in kinds_of_values(text) for text in (said, known))
    is_plain = len(said.split()) <= MOST_OF_COUNT and pattern("clause_joint").search(said) is None
    is_plain = is_plain and pattern("since_when").search(said) is None
    about = matter(pattern("of_what").split(subject_of(said))[0])
    return have_numbers and is_plain and bool(about) and not about <= matter(known)


def _context(memory: Memory) -> str:
    """What a memory begins with that its own sentence refers back to; "" for another one."""
    known, own = undated(memory.content).rstrip("."), about_user(memory.quote).rstrip(".")
    return known.removesuffix(own).strip() if own and known.endswith(own) else ""


def _restating(decision: Decision, alone: Mapping[int, str]) -> Decision:
    """A decision with what other memories say by themselves, and the end of those that are about what was put right."""
    others = {id_: text for id_, text in alone.items() if id_ not in (decision.id, *decision.also)}
    ended = tuple(id_ for id_, text in others.items() if not text)
    restated = tuple((id_, text) for id_, text in others.items() if text)
    return replace(decision, also=(*decision.also, *ended), restated=restated)


def _is_put_right(part: Memory, said: str, kept: str) -> bool:
    """Whether what is kept says a part with another value in it."""
    found = merged(said, undated(part.content))
    return found is not None and found.rstrip(".") in kept


def _has(memory: Memory, part: Memory) -> bool:
    """Whether one memory says another one word by word, and more."""
    said = undated(part.content).rstrip(".")
    if memory.id == part.id or said not in memory.content:
        return False
    return re.search(rf"{re.escape(said)}(?!\w)", memory.content) is not None  # no code 12 in a code 123


def _apart(one: Neighbour, others: Sequence[Neighbour]) -> list[Neighbour]:
    """The others that neither are in one nor have it in them."""
    mine = one.memory
    return [n for n in others if n is not one and not _has(mine, n.memory) and not _has(n.memory, mine)]


def _said(neighbour: Neighbour) -> Said:
    return Said(_in_own_words(neighbour.memory), neighbour.vector)


def _in_own_words(said: Candidate | Memory) -> str:
    """The user's own words, where there are any that say as much and do not ask to remember it besides."""
    return _own_words(said.content, said.quote) if said.quote else undated(said.content)


@remembered(512)
def _own_words(content: str, quote: str) -> str:
    content, quote = undated(content), renewed(quote)
    says_as_much = len(content) < len(quote) + SUBJECT and not pattern("remember").match(quote)
    says_most = 2 * len(stems(content) & stems(about_user(quote))) >= len(stems(content))  # no `it's 8820 now`
    return quote if says_as_much and says_most else content


def _comparable(candidate: Candidate, found: Nearby) -> list[Neighbour]:
    """The memories that a candidate may end, or that may end it; with vectors all of them, or none."""
    old = [n for n in (*found.neighbours, *found.unkept) if may_end(candidate, n.memory)]
    # One that was stored a moment ago may not have its vector yet: then words must do for all.
    return [replace(n, vector=None) for n in old] if any(n.vector is None for n in old) else old


def _go_on_from_the_same(candidate: Candidate, memory: Memory) -> bool:
    """Whether both begin with the sentence before, that they refer back to: then most words of theirs are the same."""
    mine, theirs = sentences(candidate.content), sentences(memory.content)
    return len(mine) > 1 and len(theirs) > 1 and mine[0] == theirs[0]
