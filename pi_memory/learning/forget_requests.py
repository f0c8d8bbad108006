"""Forgets what the user asks to forget in a chat, or asks which memory is meant.

Forgetting cannot be undone: a memory counts as meant only if it contains nearly all that was said.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from pi_memory.errors import Forgotten, NotFound
from pi_memory.judges.comparison import stems
from pi_memory.memories.memories import Memories
from pi_memory.memories.namespaces import Scope, covers
from pi_memory.memories.redaction import Gone
from pi_memory.merging.corrections import Corrections
from pi_memory.merging.dedup import Neighbour
from pi_memory.merging.kept_beside import untouched
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.merging.one_gone import without_item
from pi_memory.text import fact
from pi_memory.text.language import pattern
from pi_memory.text.persons import finished
from pi_memory.text.sentences import stems as all_stems
from pi_memory.types import Candidate, Memory, Statement
from pi_memory.worker import Worker

COVERED = 0.99
"""Share of the request's words that a meant memory contains; so high that a name must be in it."""
NEARLY = 0.6
"""Share from which on a memory may be meant: then the user is asked."""
MOST = 5
IS_IT_THIS = "Is this to be forgotten? Say yes, or"
"""How the question begins that a yes answers."""
IS_IT_PIECE = "Is only this to be forgotten:"
"""The same of a piece of what a memory says."""
IS_IT_ONE = "Is one of these to be forgotten? Say"
"""How the one begins that a yes does not answer."""
WHICH = "?"
"""What such a yes forgets."""
NOTHING_YET = "Nothing was forgotten: say which, as in the list."
ORIGIN = "notice"


class ForgetRequests:
    def __init__(
        self, memories: Memories, neighbours: NeighbourSearch, corrections: Corrections, *, worker: Worker
    ) -> None:
        self._memories = memories
        self._around = neighbours
        self._corrections = corrections
        self._worker = worker

    async def forget(self, stated: Statement, seen: Scope) -> str:
        """Forget what a statement means, of what is `seen`. Returns lines for the user; "" if it may have been a manner
        of speaking. Raises `StoreError`.
        """
        what = stated.content
        if (of_whom := pattern("said_of_same").match(what)) and all_stems(what[of_whom.end() :]):
            what = what[of_whom.end() :].strip()  # that he hates fish
        surely = not pattern("forget_loosely").search(stated.quote)
        if what == WHICH:
            return NOTHING_YET
        if ids := numbers(what):
            return " ".join([await self._forget_number(number) for number in ids])
        if ids := exchanges(what):
            return " ".join([await self._forget_exchange(number) for number in ids])
        around = await self._around.of(what)
        known = [n for n in around.neighbours if covers(n.memory.namespace, seen)]
        found, clear = await self._worker.run(meant, what, known, same=around.scale.same)
        if clear and surely:
            memory = found[0].memory
            left = await self._worker.run(_left, what, memory.content)
            if left or not self._corrections.says_more(memory, what):
                return await self._forget_memory(memory, what, seen, left=left)
        said = await self._memories.said(what, seen)
        if not found and not said:
            return f"I remember nothing of that: {what}" if surely else ""
        if clear and len(found) == 1 and (left := await self._worker.run(_left, what, found[0].memory.content)):
            return _asked_of_piece(what, found[0].memory, left)
        if not found and surely and (line := await self._forget_said(said)):
            return line
        return _asked(found, said)

    async def _forget_memory(self, memory: Memory, what: str, seen: Scope, *, left: str) -> str:
        """Also what was asked for in other words, when they say as much; what is `left` of the memory, as it is about
        something else, is kept as one of its own.
        """
        line = await self._forget_number(memory.id)
        if left:
            rest = Candidate(finished(left), memory.type, memory.namespace, memory.priority, memory.source)
            await self._memories.let_in(rest.content)
            with suppress(Forgotten):
                kept = await self._memories.add(replace(rest, said_at=memory.valid_from), origin=ORIGIN)
                line = f"{line} What else it says is kept: {kept.content}"
        if not left and fact.stems(what) >= fact.stems(memory.content):
            await self._memories.forget_text(what, origin=ORIGIN)
        others = await self._memories.said(what, seen)
        return f"{line}\n{_asked([], others)}" if others else line

    async def _forget_said(self, said: Sequence[Gone]) -> str:
        """Forget what was said and never learned, if it is one fact; "" when it may be one of several."""
        plainest = min((one.text for one in said), key=lambda text: len(fact.stems(text)))
        keys = frozenset(each.key for each in fact.facts(plainest))
        if not all(fact.states(one.text, keys.__contains__) for one in said):
            return ""
        done = await self._memories.forget_text(plainest, origin=ORIGIN)
        many = len(done.exchange_ids)
        return f"Forgotten, in {many} exchange{'s' if many > 1 else ''}."

    async def _forget_number(self, number: int) -> str:
        try:
            memory = await self._memories.get(number)
        except NotFound:
            return f"There is no memory {number}."
        if memory.forgotten_at is None:
            await self._memories.forget(number, origin=ORIGIN)
        return f"Forgotten: memory {number}."

    async def _forget_exchange(self, number: int) -> str:
        try:
            await self._memories.erase([number], origin=ORIGIN)
        except NotFound:
            return f"There is no exchange {number}."
        return f"Forgotten: exchange {number}."


def _left(what: str, known: str) -> str:
    """What a memory says besides what is to be forgotten: the rest of a list, or the pieces about something else."""
    return without_item(known, all_stems(what)) or untouched(what, known)


def confirmed(message: str, lines: Sequence[str]) -> str:
    """What a yes to the question among `lines` of the reply before forgets, `memory 12`; `WHICH` if it asked which, ""
    for nothing.
    """
    asked = next((line for line in lines if line.startswith((IS_IT_THIS, IS_IT_PIECE, IS_IT_ONE))), "")
    if not asked or not pattern("agrees").match(message):
        return ""
    found = re.search(r"“([^”]+)”" if asked.startswith(IS_IT_PIECE) else r"“forget ([^”]+)”", asked)
    return WHICH if asked.startswith(IS_IT_ONE) or found is None else found[1]


def numbers(what: str) -> list[int]:
    """`memory 12`, `12 and 13`: ids; none when something else is said."""
    return _ids(what, pattern("memory_numbers"))


def exchanges(what: str) -> list[int]:
    """`exchange 12`: ids; none when something else is said."""
    return _ids(what, pattern("exchange_numbers"))


def _ids(what: str, expression: re.Pattern[str]) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", what)] if expression.match(what.strip()) else []


def meant(what: str, neighbours: Sequence[Neighbour], *, same: float) -> tuple[list[Neighbour], bool]:
    """The memories that may be meant, the likeliest first, and whether the first is, with
    what states the same.

    `same` is the embedder's calibrated cosine of two texts that say the same.
    """
    if not stems(what):
        return [], False
    said = _words(what)
    valid = [n for n in neighbours if n.memory.is_valid]
    shares = {n.memory.id: len(said & _words(n.memory.content)) / len(said) for n in valid}
    near = [n for n in valid if shares[n.memory.id] >= NEARLY or (n.cosine or 0.0) >= same]
    near.sort(key=lambda n: (-shares[n.memory.id], -(n.cosine or 0.0), n.memory.id))
    clear = [n for n in near if shares[n.memory.id] >= COVERED]
    return near[:MOST], bool(clear) and _state_the_same([n.memory.content for n in clear])


def _state_the_same(contents: Sequence[str]) -> bool:
    """Whether all of them state one fact."""
    keys = frozenset(each.key for each in fact.facts(min(contents, key=lambda content: len(stems(content)))))
    return all(fact.states(content, keys.__contains__) for content in contents)


def _asked(found: Sequence[Neighbour], said: Sequence[Gone]) -> str:
    """The question which of these to forget; what a memory rests on is no other one."""
    known = [text.strip() for n in found for text in (n.memory.content, n.memory.quote) if text.strip()]
    others = [one for one in said if not any(text in one.text for text in known)][:MOST]
    listed = [f"- memory {n.memory.id}: {n.memory.content}" for n in found]
    listed += [f"- exchange {one.id}: {one.text}" for one in others]
    first = listed[0].removeprefix("- ").partition(":")[0]
    if len(listed) == 1:
        return "\n".join([f"{IS_IT_THIS} “forget {first}”:", *listed])
    return "\n".join([f"{IS_IT_ONE} “forget {first}”, or another:", *listed])


def _asked_of_piece(what: str, memory: Memory, left: str) -> str:
    """The question whether only a piece of a memory is to be forgotten, with what is left then."""
    return "\n".join(
        [
            f"{IS_IT_PIECE} “{what}”? Say yes, and it says: {finished(left)}",
            f"For all of it say “forget memory {memory.id}”: {memory.content}",
        ]
    )


def _words(text: str) -> frozenset[str]:
    """`my number` is not the number of somebody else."""
    return stems(text) | ({"the user"} if "the user" in text.casefold() else set())
