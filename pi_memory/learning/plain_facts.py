"""Facts that a message states in passing, where no rule says "remember": things, places, numbers, people, how-tos.

Each becomes a candidate of low priority, which fades unless it is used, with the sentence that it rests on.
"""

import re
from collections.abc import Callable, Sequence, Set
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.embedding import reading
from pi_memory.errors import EmbedderError
from pi_memory.judges.antecedents import Antecedents, only_names
from pi_memory.judges.asked import Asked, may_ask
from pi_memory.judges.heads import by_odds
from pi_memory.judges.worth import Worth
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.text import intent
from pi_memory.text.contrast import plainly, renewed
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import about_user, finished
from pi_memory.text.secrets import secret_in
from pi_memory.text.sentences import clauses, has_verb, stems, with_apostrophes
from pi_memory.text.user_text import Sentence, is_quotation, sentences
from pi_memory.types import Candidate, Exchange, Statement, Vectors
from pi_memory.worker import Worker

SOURCE = "said"
"""Source of such candidates: the user said it to be so."""

LEAST_CHANCE = 0.2
"""From here on a sentence is kept. Low, as a remark that is kept fades, and a fact that is not is lost: of 93 people,
on some of whom it was chosen, 97 % of 2,502 facts have it, and 4.6 % of 1,086 sentences of remarks.
"""
LEAST_CHANCE_UNSURE = 0.75
"""The same where no embedder reads: of authors that the judge was not fitted on 78 % of facts and 10 % of others have
0.78.
"""
LEAST_CHANCE_BESIDE_QUESTION = 0.4
"""The same in a message that asks something, of which some only says why: `The radiators are cold. Who do I ring?` Of
what 53 people say beside questions 129 of 139 facts have it, and 39 of 184 other sentences. What is not kept is found
as a message.
"""
LEAST_OWN, LEAST_CHANCE_BESIDE_OWN = 0.95, 0.93
"""How likely a message asks for what only its user can have told, from which on what stands beside says why it asks,
but for what is as likely a fact as this. By an earlier fit, of what thirty-three people say beside questions 108 of 113
reasons stand there and 10 of 161 facts; 1 of these reasons and 6 of these facts are as likely.
"""
LEAST_OWN_ALONE = 0.2
"""The same of its question by itself: `They have moved to Bern. What do people bring to a housewarming?` asks for
nothing of theirs. Of what fifty-nine people say so, three more of fifteen facts are kept by it, none of 191 reasons.
"""
REMARK, REASON = 0.1, 0.2
"""Below this nothing is stated that lasts: 2 of 748 messages with a fact and 206 of 363 others (up to 0.15 6 and 221);
beside a question 5 of 139 facts and 136 of 184 other sentences.
"""
ODDS_OF_DECISIONS = 2.5
"""By how much likelier than the judge thinks a decision is a fact: it was fitted on few."""
ODDS_OF_LAUGHTER = 0.1
"""The same if it begins or ends with laughter: `Haha he told her he was 29.`"""
ODDS_OF_TITLED = 30.0
"""The same if it names somebody with a title: `I see Mrs Dale about my hearing aid.` No remark of 266 does."""
LEAST_UNSURE = 0.03
"""From here on a sentence may be one: `Dinner is at six now.`"""
SHORTEST_PASSWORD = 4
FEWEST_WORDS, MOST_WORDS = 2, 60
LONG, SHORTEST_CLAUSE = 14, 4
"""Words of a sentence from which on its clauses are judged too, and of a clause: of 31 of 780 facts that are lost else
4 are kept, and 2 of 312 remarks.
"""
MOST = 12
"""Most facts of one message: with more the user is dictating, or pasting."""
MOST_TOGETHER, LONGEST_TOGETHER = 3, 200
"""Sentences and characters of a message that may be one correction."""

Aside = Literal["", "reason", "remark"]
"""A `reason` only says why its message asks for what the user told, or names that; a `remark` is of a moment, or may be
a reason.
"""


class Facts(Struct, frozen=True):
    """The plain facts of a message; sentences that may be some, which count if they correct something; and all of a
    short message of several sentences, as one of them may say what is over and the next what holds instead.
    """

    sure: tuple[Candidate, ...] = ()
    unsure: tuple[Candidate, ...] = ()
    whole: Candidate | None = None

    @property
    def parts(self) -> tuple[Candidate, ...]:
        return *self.sure, *self.unsure


UPDATES = 2
"""Clauses that are told apart."""


class PlainFacts:
    """Finds facts in what users say, by what an embedder reads in it or, without one, by signs of their words."""

    def __init__(self, worth: Worth, asked: Asked, embedder: Loader[Embedder], *, worker: Worker) -> None:
        self._worth = worth
        self._asked = asked
        self._embedder = embedder
        self._worker = worker
        self._antecedents = Antecedents(worth)

    async def of(self, exchange_id: int, exchange: Exchange, *, stated: Sequence[Statement] = ()) -> Facts:
        """Candidates of an exchange, numbered `exchange_id`, in the order in which they were said; without what was
        `stated` in it.
        """
        said = await self._worker.run(_told, exchange.user)
        if any(statement.kind == "private" for statement in stated) or await self.asks(exchange.user):
            return Facts()
        quotes = {statement.quote for statement in stated}
        possible = await self._worker.run(self._possible, said, exchange, exchange_id, quotes)
        if not possible:
            self._antecedents.remember(exchange.conversation_id, said)
            return Facts()
        chances, least = await self._chances([text for text, _ in possible])
        made = [
            (candidate, chance)
            for (_, candidate), chance in zip(possible, chances, strict=True)
            if not _only_gives_value(candidate.content)
        ]
        gives_reasons = await self._gives_reasons(said, exchange.user)
        if any(map(intent.is_asking, said)):
            least = max(least, LEAST_CHANCE_BESIDE_OWN if gives_reasons else LEAST_CHANCE_BESIDE_QUESTION)
        least_unsure = least if gives_reasons else LEAST_UNSURE
        whole = None if quotes or not _is_short(said, exchange) else self._whole(said, exchange_id, exchange)
        self._antecedents.remember(exchange.conversation_id, said)
        return Facts(
            tuple(each for each, chance in made if chance >= least)[:MOST],
            tuple(each for each, chance in made if least_unsure <= chance < least)[:MOST],
            whole,
        )

    def _possible(
        self, said: Sequence[Sentence], exchange: Exchange, exchange_id: int, quotes: Set[str]
    ) -> list[tuple[str, Candidate]]:
        """What may be facts: the text by which it is weighed, and the candidate. What a request tells of whom it is
        about comes last, unless another one has it.
        """
        found: list[tuple[str, Candidate]] = []
        for before, sentence in zip([None, *said], said, strict=False):
            together = self._antecedents.together(sentence, before, said, exchange.conversation_id)
            stating = replace(sentence, text=together) if together and only_names(sentence) else sentence
            is_stated = any(quote in sentence.text for quote in quotes)
            if _may_be_fact(stating, together or sentence.text) and not is_stated:
                content = together or self._antecedents.complete(sentence, said, exchange.conversation_id)
                found.append((together or sentence.text, _candidate(sentence, content, exchange_id)))
        found = _without_mere_denials(found, exchange.user)
        told = " ".join(candidate.content for _, candidate in found)
        for part, content in (each for sentence in said if intent.bids(sentence) for each in _told_in(sentence)):
            if part.text not in told:  # `Cal, who cuts our hedge, charges 18.`
                found.append((content, _candidate(part, content, exchange_id)))
        return found

    def let_go(self, clean: Callable[..., str]) -> None:
        """Remember no last statement that `clean` takes something from."""
        self._antecedents.let_go(clean)

    async def possible(self, message: str) -> list[str]:
        """The sentences of a message that may be facts, whether they are kept or not."""
        texts = [s.text for s in await self._worker.run(sentences, message) if _may_be_fact(s, s.text)]
        chances, _ = await self._chances(texts)
        return [text for text, chance in zip(texts, chances, strict=True) if chance >= LEAST_UNSURE]

    async def asks(self, message: str) -> bool:
        """Whether a message asks though no rule says so; False where nothing reads it."""
        return may_ask(message) and await self._reads_as_question(message)

    async def _reads_as_question(self, message: str) -> bool:
        read = await self._read([message])
        return read is not None and self._asked.asks(read)

    async def aside(self, exchange: Exchange) -> Aside:
        """What a message is in which nothing is likely to be a fact; "" for another, and where nothing reads it."""
        if intent.is_lookup(exchange.user) and await self._reads_as_question(exchange.user):
            return "reason"
        said, chance = await self._likeliest(exchange)
        if chance >= LEAST_CHANCE_BESIDE_OWN:
            return ""
        if await self._gives_reasons(said, exchange.user):
            return "reason" if chance < LEAST_CHANCE_BESIDE_QUESTION else "remark"
        return "remark" if chance < (REASON if any(map(intent.is_asking, said)) else REMARK) else ""

    async def _likeliest(self, exchange: Exchange) -> tuple[Sequence[Sentence], float]:
        """The sentences of a message, and the chance of the likeliest fact among them; 1 for what is not judged."""
        said, stated = await self._worker.run(_stated, exchange.user)
        if stated and all(intent.supposes(s.text) for s in stated):
            return said, 0.0  # `If we won, we would move.`
        if not stated or not await self._worker.run(_may_be_facts, stated):
            return said, 1.0
        chances, least = await self._chances([s.text for s in stated])
        return said, max(chances) if least == LEAST_CHANCE else 1.0

    async def _gives_reasons(self, said: Sequence[Sentence], message: str) -> bool:
        """Whether a message asks for what only its user can have told, so that what else it says says why; not where it
        says how something is now.
        """
        stated = [s.text for s in said if not intent.is_asking(s)]
        if not 0 < len(stated) < len(said) or any(map(pattern("as_of_now").search, stated)):
            return False
        if await self._own([message]) < LEAST_OWN:
            return False
        return await self._own([s.text for s in said if intent.is_asking(s)]) >= LEAST_OWN_ALONE

    async def _own(self, texts: Sequence[str]) -> float:
        """How likely one of some texts asks for what only its user can have told; 0 where nothing reads them."""
        read = await self._read(texts)
        if read is None:
            return 0.0
        return max(self._asked.own(text, read[at : at + 1]) for at, text in enumerate(texts))

    async def _chances(self, texts: Sequence[str]) -> tuple[list[float], float]:
        """How likely each text is a fact, or the likeliest clause of a long one, and from which chance on it is
        kept.
        """
        apart = await self._worker.run(_apart, texts)
        every = [clause for of_text in apart for clause in of_text]
        read = await self._read(every)
        found = await self._worker.run(self._chances_of, every, read)
        chances = [max(map(found.__getitem__, of_text)) for of_text in apart]
        return chances, LEAST_CHANCE_UNSURE if read is None else LEAST_CHANCE

    def _chances_of(self, texts: Sequence[str], read: Vectors | None) -> dict[str, float]:
        chances = self._worth.chances(texts, read)
        return {text: _chance(text, float(chance)) for text, chance in zip(texts, chances, strict=True)}

    async def _read(self, texts: Sequence[str]) -> Vectors | None:
        """What the embedder reads in sentences, shape (n, dimensions); None if it does not, or fails."""
        try:
            return await reading.read(self._embedder.now, [(text,) for text in texts], "sentences")
        except EmbedderError:
            return None

    def _whole(self, said: Sequence[Sentence], exchange_id: int, exchange: Exchange) -> Candidate:
        """All of a short message, with the sentence that its first one refers back to."""
        told = [self._antecedents.complete(said[0], said, exchange.conversation_id), *(s.text for s in said[1:])]
        content = " ".join(about_user(text) for text in told)
        return Candidate(content, source=SOURCE, quote=exchange.user.strip(), exchange_id=exchange_id)


def _without_mere_denials(found: Sequence[tuple[str, Candidate]], message: str) -> list[tuple[str, Candidate]]:
    """The candidates without what only denies what the next one puts right, which then rests on both: `Our plumber is
    no longer Bo.`, and `Our plumber is no longer Bo. It's Ida.`
    """
    left: list[tuple[str, Candidate]] = []
    for text, candidate in found:
        before = left[-1][1] if left else None
        if before and candidate.content.startswith(before.content) and _puts_right(candidate, before):
            left.pop()
            both = f"{before.quote} {candidate.quote}"
            candidate = replace(candidate, quote=both) if both in message else candidate
        left.append((text, candidate))
    return left


def _puts_right(candidate: Candidate, before: Candidate) -> bool:
    return plainly(candidate.content) != candidate.content and plainly(before.content) == before.content


def _only_gives_value(content: str) -> bool:
    """Whether a text that nothing completes only says that it is some number, day or name: `No, it's 8820 now.`, `No,
    12.`, `No, it's Ida.`
    """
    known = words("stop_words") | words("request_words") | forms("weekday_name").keys() | forms("month_name").keys()
    opened = pattern("correcting").match(content)
    said = content[opened.end() :] if opened else content
    named = pattern("says_it_is").match(said) if opened else None
    if named and pattern("name_at_end").fullmatch(said[named.end() :].strip(" .!")):
        return True
    is_value = pattern("gives_value").match(content) or (opened and not has_verb(said))
    return bool(is_value) and known.issuperset(re.findall(r"[^\W\d_]+", content.casefold()))


def _told_in(request: Sentence) -> list[tuple[Sentence, str]]:
    """What a request tells of whom it is about, as it was said and as a sentence: `a text to Desmond who does our
    boiler`.
    """
    found = pattern("told_in_request").finditer(request.text)
    return [
        (
            Sentence(each[0][each.start("whom") - each.start() :]),
            finished(f"{each['whom']} {'is ' * bool(each['is'])}{each['does']}"),
        )
        for each in found
        if secret_in(each[0]) is None
    ]


def _told(message: str) -> list[Sentence]:
    """The sentences of a message; one that tells of two things how they are now is two: `The bins go out on Monday now,
    and the key's in the tin from now on.`
    """
    return [part for sentence in sentences(message) for part in _updates(sentence)]


def _updates(sentence: Sentence) -> list[Sentence]:
    parts = pattern("clause_end").split(sentence.text)
    apart = (
        len(parts) == UPDATES and not pattern("said_of_same").match(parts[1]) and not stems(parts[0]) & stems(parts[1])
    )
    if not apart or not all(map(has_verb, parts)):
        return [sentence]  # Bo again, 29 May now
    if pattern("of_persons").match(parts[1]) or any(map(pattern("says_over").search, parts)):
        return [sentence]
    if not all(pattern("since_when").search(part) or pattern("changes").search(part) for part in parts):
        return [sentence]
    return [replace(sentence, text=part) for part in parts]


def _candidate(fact: Sentence, content: str, exchange_id: int) -> Candidate:
    quote = content if secret_in(fact.text) else fact.text  # a password of the wifi: the sentence before says so
    return Candidate(about_user(renewed(content)), source=SOURCE, quote=quote, exchange_id=exchange_id)


def _chance(text: str, judged: float) -> float:
    """How likely a text is a fact, by the judge and by what the judge does not know."""
    if _gives_access(text):
        return 1.0
    if pattern("has_died").search(text):
        judged = max(judged, LEAST_CHANCE)
    is_over = any(pattern(name).match(text) for name in ("has_done", "cannot_come")) or intent.tells_past(text)
    if is_over or pattern("as_of_now").search(text):
        judged = max(judged, LEAST_UNSURE)  # it may have been to be done, or have been so, or otherwise
    odds = ODDS_OF_DECISIONS if pattern("decided").search(text) else 1.0
    odds *= ODDS_OF_LAUGHTER if pattern("laughs").search(text) else 1.0
    return by_odds(judged, odds * (ODDS_OF_TITLED if pattern("titled").search(text) else 1.0))


def _apart(texts: Sequence[str]) -> list[list[str]]:
    return [_clauses(with_apostrophes(intent.without_courtesy(text))) for text in texts]


def _clauses(text: str) -> list[str]:
    """A sentence, and if it is long those of its clauses that are no mere phrases."""
    if len(text.split()) < LONG:
        return [text]
    return [text, *(clause for clause in clauses(text) if len(clause.split()) >= SHORTEST_CLAUSE)]


def _gives_access(text: str) -> bool:
    """Whether a sentence gives the password that everybody in a house is given: `the wifi password is mango77`."""
    has_value = any(len(word) >= SHORTEST_PASSWORD and any(map(str.isdigit, word)) for word in text.split())
    named = pattern("secret_named").finditer(text)
    return has_value and any(pattern("household").search(text[: each.start()]) for each in named)


def _stated(message: str) -> tuple[Sequence[Sentence], list[Sentence]]:
    """The sentences of a message, and those of them that ask nothing."""
    said = sentences(message)
    return said, [sentence for sentence in said if not intent.is_asking(sentence)]


def _may_be_facts(said: Sequence[Sentence]) -> bool:
    return all(_may_be_fact(sentence, sentence.text) for sentence in said)


def _may_be_fact(sentence: Sentence, complete: str) -> bool:
    is_of_length = FEWEST_WORDS <= len(complete.split()) <= MOST_WORDS
    return is_of_length and _states(sentence) and not secret_in(complete)


def _states(sentence: Sentence) -> bool:
    """Whether it neither asks nor bids, says something that is so, and is the user's own."""
    text = sentence.text
    asks = intent.is_asking(sentence) or intent.names_only(text)
    is_idle = intent.says_nothing(text) or intent.supposes(text)
    is_idle = is_idle or any(pattern(name).match(text) for name in ("exclaims", "of_assistant", "only_mistaken"))
    is_idle = is_idle or pattern("reports_error").search(text) is not None
    bids = pattern("request").search(text) is not None
    return not asks and not is_idle and not bids and not is_quotation(text)


def _is_short(said: Sequence[Sentence], exchange: Exchange) -> bool:
    """Whether a message says in two or three sentences what is so, and asks nothing."""
    text = exchange.user.strip()
    is_short = 1 < len(said) <= MOST_TOGETHER and len(text) <= LONGEST_TOGETHER
    return is_short and all(map(_states, said)) and not secret_in(text)
