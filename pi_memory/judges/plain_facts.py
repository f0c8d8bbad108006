"""Facts that a message states in passing, where no rule says "remember": things, places, numbers, people, how-tos.

Each becomes a candidate of low priority, which fades unless it is used, with the sentence that it rests on.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.embedding import reading
from pi_memory.errors import EmbedderError
from pi_memory.judges.asked import Asked, may_ask
from pi_memory.judges.heads import by_odds
from pi_memory.judges.worth import Worth
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.text import intent
from pi_memory.text.contrast import with_subject
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import about_user, finished
from pi_memory.text.secrets import is_of_household, secret_in
from pi_memory.text.sentences import clauses, has_verb, stems
from pi_memory.text.user_text import Sentence, is_quotation, sentences
from pi_memory.types import Candidate, Exchange, Statement, Vectors
from pi_memory.worker import Worker

SOURCE = "said"
"""Source of such candidates: the user said it to be so."""

LEAST_CHANCE = 0.15
"""From here on a sentence is kept. Low, as a remark that is kept fades, and a fact that is not is lost: of 45 people
who talk as people do, on whom it was chosen, 98 % of 1,250 facts have it, and 4 % of 452 remarks.
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
REMARK, REASON = 0.05, 0.2
"""Below this nothing is stated that lasts: 10 of 1,004 facts and 86 % of 452 remarks, and beside a question 5 of 139
facts and 136 of 184 other sentences.
"""
ODDS_OF_DECISIONS = 2.5
"""By how much likelier than the judge thinks a decision is a fact: it was fitted on few."""
ODDS_OF_TITLED = 30.0
"""The same if it names somebody with a title: `I see Mrs Dale about my hearing aid.` No remark of 266 does."""
LEAST_UNSURE = 0.1
"""From here on a sentence may be one."""
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
SESSIONS = 256
"""Sessions whose last statement is remembered, for what refers back to it."""


Aside = Literal["", "reason", "remark"]
"""A `reason` only says why its message asks for what the user told; a `remark` is of a moment, or may be a reason."""


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
        self._last: OrderedDict[str, str] = OrderedDict()
        self._asked_last: set[str] = set()
        """Conversations whose last message asked: `it` is what it asked about."""

    async def of(self, exchange_id: int, exchange: Exchange, *, stated: Sequence[Statement] = ()) -> Facts:
        """Candidates of an exchange, numbered `exchange_id`, in the order in which they were said; without what was
        `stated` in it.
        """
        said = await self._worker.run(_told, exchange.user)
        if any(statement.kind == "private" for statement in stated) or await self.asks(exchange.user):
            return Facts()
        quotes = {statement.quote for statement in stated}
        possible = self._possible(said, exchange, exchange_id, quotes)
        if not possible:
            self._remember(exchange.conversation_id, said)
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
        self._remember(exchange.conversation_id, said)
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
            together = _with_access(sentence, before) or self._elliptical(sentence, before, said, exchange)
            together = together or _of_whom_it_was_asked(sentence, before)
            stating = replace(sentence, text=together) if together and _only_names(sentence) else sentence
            is_stated = any(quote in sentence.text for quote in quotes)
            if _may_be_fact(stating, together or sentence.text) and not is_stated:
                content = together or self._complete(sentence, said, exchange)
                found.append((together or sentence.text, _candidate(sentence, content, exchange_id)))
        told = " ".join(candidate.content for _, candidate in found)
        for part, content in (each for sentence in said if _bids(sentence) for each in _told_in(sentence)):
            if part.text not in told:  # `Cal, who cuts our hedge, charges 18.`
                found.append((content, _candidate(part, content, exchange_id)))
        return found

    def let_go(self, clean: Callable[..., str]) -> None:
        """Remember no last statement that `clean` takes something from."""
        self._last = OrderedDict((name, said) for name, said in self._last.items() if clean(said) == said)
        self._asked_last &= self._last.keys()

    async def possible(self, message: str) -> list[str]:
        """The sentences of a message that may be facts, whether they are kept or not."""
        texts = [s.text for s in await self._worker.run(sentences, message) if _may_be_fact(s, s.text)]
        chances, _ = await self._chances(texts)
        return [text for text, chance in zip(texts, chances, strict=True) if chance >= LEAST_UNSURE]

    async def asks(self, message: str) -> bool:
        """Whether a message asks though no rule says so; False where nothing reads it."""
        if not may_ask(message):
            return False
        read = await self._read([message])
        return read is not None and self._asked.asks(read)

    async def aside(self, exchange: Exchange) -> Aside:
        """What a message is in which nothing is likely to be a fact; "" for another, and where nothing reads it."""
        said, chance = await self._likeliest(exchange)
        if chance >= LEAST_CHANCE_BESIDE_OWN:
            return ""
        if await self._gives_reasons(said, exchange.user):
            return "reason" if chance < LEAST_CHANCE_BESIDE_QUESTION else "remark"
        return "remark" if chance < (REASON if any(map(intent.is_asking, said)) else REMARK) else ""

    async def _likeliest(self, exchange: Exchange) -> tuple[Sequence[Sentence], float]:
        """The sentences of a message, and the chance of the likeliest fact among them; 1 for what is not judged."""
        said = await self._worker.run(sentences, exchange.user)
        stated = [s for s in said if not intent.is_asking(s)]
        if not stated or not all(_may_be_fact(s, s.text) for s in stated):
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
        apart = [_clauses(intent.without_courtesy(text)) for text in texts]
        every = [clause for of_text in apart for clause in of_text]
        read = await self._read(every)
        found = await self._worker.run(self._worth.chances, every, read)
        of_each = {clause: _chance(clause, float(chance)) for clause, chance in zip(every, found, strict=True)}
        chances = [max(map(of_each.__getitem__, of_text)) for of_text in apart]
        return chances, LEAST_CHANCE_UNSURE if read is None else LEAST_CHANCE

    async def _read(self, texts: Sequence[str]) -> Vectors | None:
        """What the embedder reads in sentences, shape (n, dimensions); None if it does not, or fails."""
        try:
            return await reading.read(self._embedder.now, [(text,) for text in texts], "sentences")
        except EmbedderError:
            return None

    def _complete(self, fact: Sentence, said: Sequence[Sentence], exchange: Exchange) -> str:
        """What a sentence says, with the one that it refers back to."""
        content = intent.without_courtesy(fact.text)
        if not (self._worth.refers_back(content) or _points_back(content)):
            return content
        saying = [s for s in said if s is fact or not intent.says_nothing(s.text)]
        before = self._before(fact, saying, exchange.conversation_id)
        return f"{finished(before)} {finished(content)}" if before else content

    def _elliptical(
        self, sentence: Sentence, before: Sentence | None, said: Sequence[Sentence], exchange: Exchange
    ) -> str:
        """A sentence without a subject of its own with the one before it, which names what it is said of: `New hearing
        aid. Takes a 13.`, or brings up whom it names: `We've found a sitter! Tamsin, nineteen.`; "" for another one.
        """
        text = intent.without_courtesy(sentence.text)
        only_value = pattern("value_first").match(text) and not pattern("finite").search(text)
        if before is None or not _may_be_subject(before):
            return ""
        if not (only_value or _says_who(sentence, before.text) or pattern("subjectless").match(text)):
            return ""
        return f"{finished(self._complete(before, said, exchange))} {finished(text)}"

    def _before(self, fact: Sentence, said: Sequence[Sentence], conversation: str) -> str:
        """The statement before a sentence that names something, of the same message, else of the conversation; the one
        right before it for `it`, which may be anything, and where none names anything; the question right before it
        that it goes on about: `How long do quinces keep? I get them from Bern.`; none for `it` behind a request:
        `Can you find me a recipe? It is for Bo.`
        """
        place = said.index(fact)
        earlier = _with_names([s for s in said[:place] if _may_be_subject(s)])
        naming, last = [text for text in earlier if _names(text)], self._last.get(conversation, "")
        if not words("of_a_person").isdisjoint(re.findall(r"\w+", fact.text.casefold())):
            naming = [text for text in earlier if pattern("somebody").search(text)] or naming
        things, said_words = words("of_things"), re.findall(r"\w+", fact.text.casefold())
        if earlier and not things.isdisjoint(said_words):
            return earlier[-1]
        asked = _question(said[place - 1], fact) if place else ""
        was_asked = _bids(said[place - 1]) if place else conversation in self._asked_last
        if was_asked and not things.isdisjoint(said_words[:2]):
            return asked
        if naming:
            return naming[-1]
        return asked or (last if _names(last) or not earlier else earlier[-1])

    def _whole(self, said: Sequence[Sentence], exchange_id: int, exchange: Exchange) -> Candidate:
        """All of a short message, with the sentence that its first one refers back to."""
        told = [self._complete(said[0], said, exchange), *(s.text for s in said[1:])]
        content = " ".join(about_user(text) for text in told)
        return Candidate(content, source=SOURCE, quote=exchange.user.strip(), exchange_id=exchange_id)

    def _names_anew(self, text: str) -> bool:
        """Whether a sentence may be what the next ones are about: no `She is six`, but `That is what Anna says`."""
        names = pattern("of_that").match(text) and pattern("name_inside").search(text)
        return names is not None or not self._worth.refers_back(text)

    def _remember(self, conversation: str, said: Sequence[Sentence]) -> None:
        """Keep the last statement of a message that names something, or the first of any, for what the next one may
        refer to; one that points back itself with the one before it.
        """
        self._asked_last.discard(conversation)
        if conversation in self._last and said and all(map(intent.is_asking, said)):
            self._asked_last.add(conversation)
        stated = _with_names([s for s in said if _may_be_subject(s) and self._names_anew(s.text)])
        last = self._last.get(conversation, "")
        if last:
            others = "is_of_whom", "about_that"
            stated = [text for text in stated if not any(pattern(name).search(text) for name in others)]
        naming = [text for text in stated if _names(text)]
        if naming or (stated and not _names(last)):
            for text in naming or stated[-1:]:
                together = f"{finished(last)} {text}" if last and _points_back(text) else ""
                last = together if 0 < len(together) <= LONGEST_TOGETHER else text
            self._last[conversation] = last
            self._last.move_to_end(conversation)
        if len(self._last) > SESSIONS:
            self._asked_last.discard(self._last.popitem(last=False)[0])


def _of_whom_it_was_asked(fact: Sentence, before: Sentence | None) -> str:
    """What is said of whom the request before it is about: `Can you thank Derek next door? He feeds the cat.`, `Write
    to the mill. Our flour comes from them.`; "" where it is of none.
    """
    content = intent.without_courtesy(fact.text)
    pronoun = pattern("said_of_same").match(content) or pattern("object_pronoun").search(content)
    if before is None or pronoun is None or not _bids(before):
        return ""
    found = [each["whom"] for each in pattern("requested_for").finditer(before.text)]
    is_person = words("of_things").isdisjoint({pronoun[0].casefold()})
    whom = [each for each in found if is_person or pattern("owning").match(each)]
    if not whom:
        return ""
    if pronoun.start():
        return finished(f"{content[: pronoun.start()]}{whom[0]}{content[pronoun.end() :]}")
    return finished(with_subject(content, whom[0] + "," * (", " in whom[0])))


def _with_access(fact: Sentence, before: Sentence | None) -> str:
    """A password with the sentence before it that names what everybody in a house is given it for: `The wifi is new.
    The password is mango77.`; "" for another one.
    """
    return f"{before.text} {fact.text}" if before and is_of_household(fact.text, before.text) else ""


def _question(before: Sentence, fact: Sentence) -> str:
    """The question before a sentence, if that may go on about it: about somebody only if it names one, and not if it
    asks the assistant to do something; else "".
    """
    said, asked = (set(re.findall(r"[\w']+", each.text.casefold())) for each in (fact, before))
    goes_on = intent.is_asking(before) and pattern("follows_on").search(fact.text) is not None
    is_named = said.isdisjoint(words("of_a_person")) or pattern("name_inside").search(before.text) is not None
    return before.text if goes_on and is_named and asked.isdisjoint(words("addressed")) else ""


def _only_gives_value(content: str) -> bool:
    """Whether a text that nothing completes only says that it is some number or day: `No, it's 8820 now.`"""
    known = words("stop_words") | words("request_words") | forms("weekday_name").keys() | forms("month_name").keys()
    said = re.findall(r"[^\W\d_]+", content.casefold())
    return pattern("gives_value").match(content) is not None and known.issuperset(said)


def _bids(sentence: Sentence) -> bool:
    is_request = pattern("request").search(sentence.text) or pattern("begins_task").match(sentence.text)
    return intent.is_asking(sentence) or is_request is not None


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
    if not apart or pattern("of_persons").match(parts[1]) or any(map(pattern("says_over").search, parts)):
        return [sentence]
    if not all(pattern("since_when").search(part) or pattern("changes").search(part) for part in parts):
        return [sentence]
    return [replace(sentence, text=part) for part in parts]


def _candidate(fact: Sentence, content: str, exchange_id: int) -> Candidate:
    quote = content if secret_in(fact.text) else fact.text  # a password of the wifi: the sentence before says so
    return Candidate(about_user(content), source=SOURCE, quote=quote, exchange_id=exchange_id)


def _chance(text: str, judged: float) -> float:
    """How likely a text is a fact, by the judge and by what the judge does not know."""
    if _gives_access(text):
        return 1.0
    odds = ODDS_OF_DECISIONS if pattern("decided").search(text) else 1.0
    return by_odds(judged, odds * (ODDS_OF_TITLED if pattern("titled").search(text) else 1.0))


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


def _only_names(sentence: Sentence) -> bool:
    return pattern("only_names").match(sentence.text) is not None and not has_verb(sentence.text)


def _says_who(sentence: Sentence, before: str) -> bool:
    """Whether a sentence only names whom the one before it brings up."""
    return _only_names(sentence) and pattern("brings_up").search(before) is not None


def _with_names(said: Sequence[Sentence]) -> list[str]:
    """The texts of sentences; one that brings somebody up is one with the next that only says who that is."""
    texts: list[str] = []
    for sentence in said:
        if texts and _says_who(sentence, texts[-1]):
            texts[-1] = f"{finished(texts[-1])} {finished(sentence.text)}"
        else:
            texts.append(sentence.text)
    return texts


def _points_back(text: str) -> bool:
    """Whether a sentence says `there`, `from them` or `her` of what only an earlier one names: `The code there is 12.`,
    `I pay her 12 an hour.`, `Ground floor flat, she has a garden.`
    """
    begun = pattern("begun_without").match(text)
    if begun and not has_verb(begun["before"]):
        return True
    done = pattern("does_to").match(text)
    if done and not pattern("name_inside").search(done[0]):
        return True
    there, them = pattern("place_before").search(text), pattern("object_pronoun").search(text)
    found = them if them and "," not in text[: them.start()] else there
    before = text[: found.start()] if found else ""
    return found is not None and not any(
        pattern(name).search(before) for name in ("at_place", "to_place", "name_inside")
    )


def _may_be_subject(sentence: Sentence) -> bool:
    """Whether another sentence may refer back to it, and be kept with it: not to a request, or a secret."""
    return not _bids(sentence) and not intent.says_nothing(sentence.text) and not secret_in(sentence.text)


def _names(text: str) -> bool:
    """Whether a sentence names something that the next one may be about: `Good kid, can't get up.` does not."""
    if any(pattern(name).search(text) for name in ("name_inside", "names_thing")):
        return True
    first = re.match(r"\W*[A-ZÄÖÜÉ]\w+ ", text)
    return first is not None and pattern("says_now").match(text, first.end()) is not None


def _may_be_fact(sentence: Sentence, complete: str) -> bool:
    is_of_length = FEWEST_WORDS <= len(complete.split()) <= MOST_WORDS
    return is_of_length and _states(sentence) and not secret_in(complete)


def _states(sentence: Sentence) -> bool:
    """Whether it neither asks nor bids, says something that is so, and is the user's own."""
    text = sentence.text
    asks = intent.is_asking(sentence) or intent.names_only(text)
    is_idle = intent.says_nothing(text) or intent.supposes(text) or pattern("exclaims").match(text)
    bids = pattern("request").search(text) is not None
    return not asks and not is_idle and not bids and not is_quotation(text)


def _is_short(said: Sequence[Sentence], exchange: Exchange) -> bool:
    """Whether a message says in two or three sentences what is so, and asks nothing."""
    text = exchange.user.strip()
    is_short = 1 < len(said) <= MOST_TOGETHER and len(text) <= LONGEST_TOGETHER
    return is_short and all(map(_states, said)) and not secret_in(text)
