"""A statement in parts: its words with their kinds and stems, the place of its verb, and what its phrases say.

The words and phrases are those of `replacement.toml` and of `config/language`. Pure, but for reading them.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal

from msgspec import Struct

from pi_memory.text.contrast import with_subject
from pi_memory.text.language import pattern, words
from pi_memory.text.sentences import clauses, has_verb
from pi_memory.text.stems import stem

Kind = Literal["day", "number", "name", "word"]

QUANTITY = re.compile(r"[£$€]?\d+(?:[.,]\d+)?[a-z]{1,2}|\d+(?:min|hrs?|st|nd|rd|th)")
"""A number with its unit: 40s, 15kg, £5k."""
GIVEN_UP = 5
"""Tokens after a word that says that something is over, which say what."""
TOKEN = re.compile(r"[\w'’£$€]+(?:[.:/@-]\w+)*")
LONGEST_THING = 4
"""Words of a thing at the end of a clause."""
LEAST_SAID = 2
"""Words with a meaning of a clause that says something by itself."""
SAYS_CHANGE = frozenset({"changes", "has_changed", "corrects"})
"""That something is otherwise now, by its word or as what has happened, or was wrong: `I've hung it in the porch.`"""
WHERE_LEFT = frozenset({"did", "places"})
"""That somebody put something somewhere."""
REMEMBERED, WORDS = 256, 1024
"""Statements whose parts are kept, and words whose kinds are: each is held against many."""


class Parsed(Struct, frozen=True, dict=True):
    """Tokens of a statement, with kinds and stems; `verb` is the place of the verb that its subject stands before, or
    the middle where no verb is known.

    `content` are the stems of all but stop words; `given_up` those of what it says to be over: `not on Tuesdays`, `quit
    the bakery`; `says` the names of the phrases in it; `done` what somebody did: `parked`; `condition` those of when it
    counts: `if the boiler beeps`, `purpose` those of what it is for: `to reset the boiler, ...`; `files` the files
    that it is about; `of_what` what a thing is said to be of or for, by its stem: the two words behind `key of`.
    """

    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    stems: tuple[str, ...]
    content: frozenset[str]
    verb: int
    given_up: frozenset[str]
    says: frozenset[str]
    done: str = ""
    condition: frozenset[str] = frozenset()
    purpose: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    of_what: Mapping[str, frozenset[str]] = {}

    @cached_property
    def subject(self) -> frozenset[str]:
        return frozenset(self.stems[: self.verb]) & self.content

    @cached_property
    def predicate(self) -> frozenset[str]:
        return frozenset(self.stems[self.verb + 1 :]) & self.content

    @cached_property
    def says_change(self) -> bool:
        """Whether it says that something is otherwise now, or was wrong."""
        return bool(SAYS_CHANGE & self.says)

    @cached_property
    def says_change_surely(self) -> bool:
        """Whether it says that something was wrong, or surely has changed."""
        return bool({"corrects", "changes_surely"} & self.says)

    @cached_property
    def owners(self) -> frozenset[str]:
        """Whose things are spoken of: `Anna's son`."""
        owned = (s for s, t in zip(self.stems, self.tokens, strict=True) if t.endswith(("'s", "’s")))
        return frozenset(owned) & self.content

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(s for s, kind in zip(self.stems, self.kinds, strict=True) if kind == "name")

    @cached_property
    def name(self) -> str:
        """The name of whom it is about: a word that its verb, or who it is, follows, or the first name; "" for none."""
        is_described = self.verb > 1 and pattern("owning").match(f"{self.tokens[1]} ")  # `Tom the baker lives in Ulm`
        if (self.verb == 1 or is_described) and self.content & {self.stems[0]}:
            return self.tokens[0]
        first = next((place for place, kind in enumerate(self.kinds) if kind == "name"), len(self.kinds))
        last = next((p for p in range(first, len(self.kinds)) if self.kinds[p] != "name"), len(self.kinds))
        is_whole = first == 1 and last == self.verb and self.stems[0] in self.content  # `Bo Crane has a van`
        return " ".join(self.tokens[0 if is_whole else first : last])

    @cached_property
    def values(self) -> frozenset[str]:
        """The days, numbers and names that it has."""
        return frozenset(s for s, kind in zip(self.stems, self.kinds, strict=True) if kind != "word") & self.content

    @cached_property
    def matter(self) -> frozenset[str]:
        """What it has besides numbers and days."""
        return self.content - {s for s, kind in zip(self.stems, self.kinds, strict=True) if kind in ("number", "day")}

    @cached_property
    def values_behind(self) -> frozenset[str]:
        """Those behind the verb that it does not give up."""
        return self.values & self.predicate - self.given_up

    def only(self, other: "Parsed") -> list[int]:
        """Places of the content that another statement lacks."""
        lacking = self.content - other.content
        return [place for place, stem in enumerate(self.stems) if stem in lacking]

    def has(self, kind: Kind, places: list[int]) -> bool:
        return any(self.kinds[place] == kind for place in places)

    def frames(self, places: list[int]) -> frozenset[tuple[str, Kind]]:
        """The word before each value at one of the places, with the value's kind: `room 212`."""
        return frozenset((self.stems[p - 1], self.kinds[p]) for p in places if p and self.kinds[p] != "word")


def were_left(one: Parsed, other: Parsed) -> bool:
    """Whether both say where somebody put something: `I parked the van on level 7.`"""
    return one.says & other.says >= WHERE_LEFT


def owners_of(statement: Parsed) -> frozenset[str]:
    """Whose thing a statement is about: `Kev`, of `Kev's rent is ...`, no `rent`, of `My rent's gone up`."""
    subject = [*zip(statement.tokens, statement.stems, statement.kinds, strict=True)][: statement.verb]
    owned = (
        its
        for (token, its, _), (thing, thing_its, kind) in pairwise(subject)
        if token.endswith(("'s", "’s")) and kind == "word" and not pattern("goes_on_from_is").match(thing)
        if thing_its in statement.content or pattern("owning").match(f"{thing} ")
    )
    return frozenset(owned) & statement.content


class Parser:
    """Parses statements by the words and phrases of a table, and remembers the last ones."""

    def __init__(self, table: Path) -> None:
        self._path = table
        self.parsed = functools.lru_cache(REMEMBERED)(self._parse)
        self.claims = functools.lru_cache(REMEMBERED)(self._claims_of)
        self.kind_of_value = functools.lru_cache(WORDS)(self._kind_of_value)

    def named(self, found: re.Match[str] | None, *names: str) -> list[frozenset[str]]:
        """The content of what is named in a phrase, by its groups; of none where it was not found."""
        idle = self.stemmed("idle")
        return [self.parsed(found[name] or "").content - idle if found else frozenset() for name in names]

    def let_go(self) -> None:
        """Remember no statement, and no word of one."""
        for remembering in (self.parsed, self.claims, self.kind_of_value):
            remembering.cache_clear()

    def listed(self, name: str) -> frozenset[str]:
        return self._words[name]

    def stemmed(self, name: str) -> frozenset[str]:
        """The stems of the words of a list."""
        return self._stems[name]

    def without(self, name: str, text: str) -> str:
        """The text without a phrase."""
        return self._patterns[name].sub("", text)

    def _kind_of_value(self, token: str) -> str:
        """`weekday`, `month`, `number` or `code`; "" for a word."""
        plain = token.lower()
        for kind in ("weekday", "month"):
            if {plain, plain.rstrip("s")} & self._words[f"{kind}s"]:
                return kind
        digits = sum(c.isdigit() for c in token)
        is_code = digits > 2 or (digits and any(c.isalpha() for c in token) and not QUANTITY.fullmatch(plain))
        return "code" if is_code else "number" if digits or plain in self._words["numbers"] else ""

    def _parse(self, text: str) -> Parsed:
        tokens = tuple(TOKEN.findall(text))
        kinds = tuple(self._kind(token, first=not place) for place, token in enumerate(tokens))
        bare = tuple(self.without("short_verb", token.lower()) for token in tokens)
        places = [p for p, t in enumerate(tokens) if bare[p] != t.lower() or (p and t.lower() in self._words["verbs"])]
        stems = tuple(stem(each.replace("’", "'").removesuffix("'s")) for each in bare)
        content = frozenset(s for s, each in zip(stems, bare, strict=True) if each not in words("stop_words"))
        surely = self._patterns["on_condition"].sub("", text)
        changed = self._patterns["of_mind"].sub("", surely)
        says = {name for name, phrase in self._patterns.items() if phrase.search(changed)}
        says |= {"on_condition"} if surely != text else set()
        done, verb = self._patterns["did"].match(text), places[0] if places else len(tokens) // 2
        return Parsed(
            tokens, kinds, stems, content, verb,
            frozenset(each for place in self._over(text, tokens) for each in stems[place + 1 : place + 1 + GIVEN_UP]),
            frozenset(says),
            done["what"] if done else "",
            self._of_phrase("on_condition", text) & content,
            self._of_phrase("purpose", text) & content,
            frozenset(filter(self._patterns["file"].fullmatch, tokens[:verb])),
            self._of_what(tokens, stems, content),
        )  # fmt: skip

    def _of_what(
        self, tokens: tuple[str, ...], stems: tuple[str, ...], content: frozenset[str]
    ) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for place, token in enumerate(tokens[1:], 1):
            behind = [each for each in stems[place + 1 : place + 4] if each in content][:2]  # without articles
            if token.lower() in self._words["of"] and behind and stems[place - 1] in content:
                found.setdefault(stems[place - 1], frozenset(behind))
        return found

    def _of_phrase(self, name: str, text: str) -> frozenset[str]:
        """The stems of the phrases of this name."""
        said = " ".join(found[0] for found in self._patterns[name].finditer(text))
        return frozenset(stem(token.lower()) for token in TOKEN.findall(said))

    def _over(self, text: str, tokens: tuple[str, ...]) -> list[int]:
        """Places of the words behind which stands what is over."""
        over = [place for place, token in enumerate(tokens) if self._gives_up(token.lower().replace("’", "'"))]
        if tokens and text.startswith(f"{tokens[0]},"):
            over = [place for place in over if place]  # "No, ..." gives up what was said before
        left = self._patterns["from_to"].finditer(text)
        return over + [len(TOKEN.findall(text[: found.start()])) for found in left]

    def _claims_of(self, text: str, own: str) -> tuple[str, ...]:
        """What a text says, one by one, each with what a pronoun at its begin stands for: `My son is called Max. He is
        six, and his bike is red.` says three things, the last one that `Max's bike is red`. Of a text that ends with
        what is its `own`, as what stands before only names the subject, that alone.
        """
        found = self.clauses(text)
        if 0 < len(own) < len(text):
            found = found[-len(clauses(own)) :]
        several = [claim for claim in found if len(self.parsed(claim).content) >= LEAST_SAID]
        return tuple(several) or (text,)

    def clauses(self, text: str) -> list[str]:
        """The clauses of a text that begin anew, each with what a pronoun at its begin stands for."""
        found, before, of_others = [], "", ""
        for clause in (each.strip(" ,;") for each in clauses(text)):
            is_thing = not words("of_things").isdisjoint(clause.casefold().replace("'", " ").split()[:1])
            found.append(self._with_object(self._resolved(clause, before if is_thing else of_others), of_others))
            is_of_user = pattern("of_persons").match(clause) is not None
            if found[-1] != clause or not (is_of_user or has_verb(clause)):  # `Ikenna, a quiet lad`: he is Ikenna
                continue
            before = clause
            if pattern("said_of_same").match(clause):  # of whom is not known
                continue
            # `She` is not who says `I should be obliged`, but may be whom `I have a lodger, Anna` names.
            if not is_of_user or (not of_others and (self.parsed(clause).name or self._relative(clause))):
                of_others = clause
        return found

    def _resolved(self, clause: str, before: str) -> str:
        """A clause with what its first word stands for, which the one before it names."""
        is_its = pattern("said_of_its").match(clause)
        pronoun = is_its or pattern("said_of_same").match(clause)
        if not pronoun or not before:
            return clause
        parsed = self.parsed(before)
        name = parsed.name
        is_it = pronoun[0].lower() in words("of_things")
        is_thing = is_it or not name
        subject = " ".join(parsed.tokens[: parsed.verb]) if is_thing else name
        if not is_it and not name and pattern("of_persons").match(before):
            is_thing, subject = False, self._relative(before)  # `We sail, as my mother wants. She lives in Bern.`
        elif not is_it:
            subject = subject.partition("'s ")[0]  # `Poppy's birthday is in May. She likes otters.`
        elif pattern("of_persons").match(before):
            subject = name if len(parsed.names) == 1 else _last_thing(before)  # `I took the attic, it costs 400.`
        if is_it and not self.listed("kin").isdisjoint(subject.lower().split()):
            return clause  # `Aunt Ida takes her pill at six, and it has to be with food.`
        is_of_one = not is_thing and " " not in subject and not subject.endswith("s")
        if is_of_one and pronoun[0].casefold() in words("of_several"):
            return clause  # `Anna has the clinic on Monday. They do it in Bern.`
        if not is_it and pattern("is_of_whom").match(before):
            return clause  # `Dr. Ode is her dentist. She is three.`
        if not subject or (is_thing and not parsed.subject and not name):
            return clause
        if is_its:
            return f"{subject}'s".replace("'s's", "'s") + f" {clause[is_its.end() :].strip()}"
        return with_subject(clause, subject)

    def _relative(self, clause: str) -> str:
        """The one of the family whom a clause names: `my mother`; "" for none, or several."""
        pairs = {pair for pair in pairwise(TOKEN.findall(clause)) if pair[1].lower() in self.listed("kin")}
        named = ["the " * (whose == "user's") + f"{whose} {kin}" for whose, kin in pairs]
        own = [each for each in named if pattern("owning").match(each) and not pattern("said_of_its").match(each)]
        return own[0] if len(own) == 1 else ""

    def _with_object(self, clause: str, before: str) -> str:
        """What the user does with him or her, with whom the clause before is about: `I pay the window cleaner 14.`"""
        found = pattern("does_to").match(clause) if before and not pattern("of_persons").match(before) else None
        parsed = self.parsed(before) if found else None
        if found is None or parsed is None or not parsed.subject:
            return clause
        subject = (parsed.name or " ".join(parsed.tokens[: parsed.verb])).partition("'s ")[0]
        return f"{found['does']} {subject}{clause[found.end() :]}"

    def _gives_up(self, plain: str) -> bool:
        return plain in self._words["gives_up"] or plain.endswith("n't")

    def _kind(self, token: str, *, first: bool) -> Kind:
        plain = token.lower()
        if {plain, plain.rstrip("s")} & self._words["days"]:
            return "day"
        if any(c.isdigit() for c in token) or plain in self._words["numbers"]:
            return "number"
        is_name = token[0].isupper() and not first and not plain.startswith(("i'", "i’")) and plain != "i"
        return "name" if is_name else "word"

    @cached_property
    def _table(self) -> dict[str, dict[str, str]]:
        return tomllib.loads(self._path.read_text(encoding="utf-8"))

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(words.split()) for name, words in self._table["words"].items()}

    @cached_property
    def _stems(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(map(stem, words)) for name, words in self._words.items()}

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        return {name: re.compile(phrase, re.IGNORECASE) for name, phrase in self._table["patterns"].items()}


def _last_thing(clause: str) -> str:
    """The thing at the end of a clause: `the attic room` of `I took the attic room`; "" for none."""
    found = [*pattern("names_thing").finditer(clause)]
    thing = clause[found[-1].start() :] if found else ""
    return thing if len(thing.split()) <= LONGEST_THING else ""
