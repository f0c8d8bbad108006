"""What an earlier sentence names that a later one refers to: who `she` is, where `there` is. A fact is kept with it, as
its sentence alone says nothing to somebody who reads it a year later.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import astuple, replace

from pi_memory.judges.worth import Worth
from pi_memory.text import intent
from pi_memory.text.contrast import with_subject
from pi_memory.text.language import pattern, words
from pi_memory.text.persons import finished
from pi_memory.text.secrets import is_of_household, secret_in
from pi_memory.text.sentences import has_verb, stems
from pi_memory.text.user_text import Sentence

LONGEST = 200
"""Characters of two sentences that are remembered together."""
REACH = 8
"""Sentences before one, among which it refers back to one."""
SESSIONS = 256
"""Sessions whose last statement is remembered, for what refers back to it."""


class Named(Struct, frozen=True):
    """What a conversation last named: anything that a sentence may be about, whom `she` and whom `he` may be, and
    several, in the last message, that `they` may be.
    """

    anything: str = ""
    she: str = ""
    he: str = ""
    several: str = ""

    def then(self, text: str) -> "Named":
        """What it has named last with one statement more; one that points back keeps the one before it."""
        points_back = bool(self.anything) and (_points_back(text) or pattern("said_of_same").match(text) is not None)
        together = f"{finished(self.anything)} {text}" if points_back else ""
        is_whom = is_about_somebody(text) and not points_back
        are_several = pattern("several_first").match(text) is not None
        return Named(
            together if 0 < len(together) <= LONGEST else text,
            text if is_whom and may_be(text, "female") else self.she,
            text if is_whom and may_be(text, "male") else self.he,
            text if are_several else self.several,
        )


class Antecedents:
    """Completes sentences by what was said before them, in their message or in their conversation."""

    def __init__(self, worth: Worth) -> None:
        self._worth = worth
        self._last: OrderedDict[str, Named] = OrderedDict()
        self._asked_last: dict[str, str] = {}
        """What the last message of a conversation asked, if it did: `she`, or `it`, is what it asked about."""

    def together(self, sentence: Sentence, before: Sentence | None, said: Sequence[Sentence], conversation: str) -> str:
        """A sentence that says nothing alone, with the one right before it or what that asks for; "" for others."""
        found = _with_access(sentence, before) or self._elliptical(sentence, before, said, conversation)
        return found or _of_whom_it_was_asked(sentence, before)

    def complete(self, fact: Sentence, said: Sequence[Sentence], conversation: str) -> str:
        """What a sentence says, with the one that it refers back to, and the one that this does."""
        content = intent.without_courtesy(fact.text)
        if not self._refers_back(content) or _names_first(content):
            return content
        place = said.index(fact)
        saying = [s for s in said[max(0, place - REACH) : place] if not intent.says_nothing(s.text)] + [fact]
        before = self._before(fact, saying, conversation)
        found = next((s for s in saying[: saying.index(fact)] if s.text == before), None)
        if found and self._refers_back(before):
            first = self._before(found, saying, conversation)
            whole = f"{finished(first)} {finished(before)}" if first else before
            before = whole if len(whole) <= LONGEST else before
        listed = pattern("list_head").match(before)
        if listed and not words("of_a_person").isdisjoint(re.findall(r"\w+", content.casefold())):
            before = listed[0].rstrip(": ")  # whom a list is of, not what it lists
        if before and intent.asks(before) and not before.rstrip().endswith("?"):
            return f"{before.rstrip(' .!')}? {finished(content)}"
        return f"{finished(before)} {finished(content)}" if before else content

    def _refers_back(self, text: str) -> bool:
        return self._worth.refers_back(text) or _points_back(text)

    def _elliptical(
        self, sentence: Sentence, before: Sentence | None, said: Sequence[Sentence], conversation: str
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
        return f"{finished(self.complete(before, said, conversation))} {finished(text)}"

    def _before(self, fact: Sentence, said: Sequence[Sentence], conversation: str) -> str:
        """The statement before a sentence that names something, of the same message, else of the conversation; the one
        right before it for `it`, which may be anything, and where none names anything; the question right before it
        that it goes on about: `How long do quinces keep? I get them from Bern.`; none for `it` behind a request:
        `Can you find me a recipe? It is for Bo.`
        """
        place, named = said.index(fact), self._last.get(conversation, Named())
        earlier = _with_names([s for s in said[:place] if _may_be_subject(s)])
        spoken, things = re.findall(r"\w+", fact.text.casefold()), words("of_things")
        of_one = things | words("of_a_person")
        is_she = not words("she").isdisjoint(spoken)
        gender = "female" if is_she else "male"
        if not words("of_several").isdisjoint(spoken) and of_one.isdisjoint(spoken):
            several = [text for text in earlier if pattern("several_first").match(text)] or [named.several]
            if several[-1]:
                return several[-1]
            is_unnamed = pattern("said_of_its").match(fact.text) or pattern("of_speaker").search(fact.text)
            if spoken[0] not in words("of_several") or (not earlier and is_unnamed):
                return ""  # once they give me a new hip
            if earlier:
                return earlier[-1]  # Bern's nursery shuts at six. They are strict.
        if earlier and not things.isdisjoint(spoken):
            return earlier[-1]
        asked = _question(said[place - 1], fact) if place else ""
        was_asked = intent.bids(said[place - 1]) if place else conversation in self._asked_last
        if was_asked and not things.isdisjoint(spoken[:2]):
            return asked
        if not words("of_a_person").isdisjoint(spoken):
            if not place and (of_whom := _question(Sentence(self._asked_last.get(conversation, "")), fact)):
                return of_whom
            whom = [text for text in earlier if is_about_somebody(text) and may_be(text, gender)]
            if found := (whom or [named.she if is_she else named.he])[-1]:
                return found
        if naming := [text for text in earlier if _names(text)]:
            return naming[-1]
        is_whom = not words("of_a_person").isdisjoint(spoken)
        is_nobody = is_whom and not (_has_name(named.anything) and may_be(named.anything, gender))
        is_other = is_nobody or _points_out(fact.text, named.anything)
        last = "" if is_other else named.anything
        return asked or (last if _names(last) or not earlier else earlier[-1])

    def _names_anew(self, text: str) -> bool:
        """Whether a sentence may be what the next ones are about: no `She is six`, but `That is what Anna says`."""
        names = pattern("of_that").match(text) and pattern("name_inside").search(text)
        return names is not None or not self._worth.refers_back(text)

    def remember(self, conversation: str, said: Sequence[Sentence]) -> None:
        """Keep the last statement of a message that names something, or the first of any, for what the next one may
        refer to; one that points back itself with the one before it.
        """
        self._asked_last.pop(conversation, "")
        if said and all(map(intent.is_asking, said)) and not secret_in(said[-1].text):
            self._asked_last[conversation] = said[-1].text
        stated = _with_names([s for s in said if _may_be_subject(s) and self._names_anew(s.text)])
        last = replace(self._last.get(conversation, Named()), several="")
        if last.anything:
            others = "is_of_whom", "about_that"
            stated = [text for text in stated if not any(pattern(name).search(text) for name in others)]
        naming = [text for text in stated if _names(text)]
        if naming or (stated and not _names(last.anything)):
            for text in naming or stated[-1:]:
                last = last.then(text)
            self._last[conversation] = last
            self._last.move_to_end(conversation)
        for kept in (self._last, self._asked_last):
            if len(kept) > SESSIONS:
                del kept[next(iter(kept))]

    def let_go(self, clean: Callable[..., str]) -> None:
        """Remember no last statement that `clean` takes something from."""
        self._last = OrderedDict(
            (name, named) for name, named in self._last.items() if all(clean(text) == text for text in astuple(named))
        )
        self._asked_last = {name: text for name, text in self._asked_last.items() if clean(text) == text}


def _of_whom_it_was_asked(fact: Sentence, before: Sentence | None) -> str:
    """What is said of whom the request before it is about: `Can you thank Derek next door? He feeds the cat.`, `Write
    to the mill. Our flour comes from them.`; "" where it is of none.
    """
    content = intent.without_courtesy(fact.text)
    pronoun = pattern("said_of_same").match(content) or pattern("object_pronoun").search(content)
    if before is None or pronoun is None or not intent.bids(before):
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


def only_names(sentence: Sentence) -> bool:
    return pattern("only_names").match(sentence.text) is not None and not has_verb(sentence.text)


def _says_who(sentence: Sentence, before: str) -> bool:
    """Whether a sentence only names whom the one before it brings up."""
    return only_names(sentence) and pattern("brings_up").search(before) is not None


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
    if pattern("list_head").match(text):
        return False  # Shop rule: nobody is alone there
    begun = pattern("begun_without").match(text)
    names = begun is not None and re.search(r", [A-ZÄÖÜÉ]\w+, $", begun["before"])  # `a new girl, Ada, she`
    if (begun and not names and not has_verb(begun["before"])) or pattern("one_of_several").match(text):
        return True
    done = pattern("does_to").match(text)
    if done and not pattern("name_inside").search(done[0]):
        return True
    there, them = pattern("place_before").search(text), pattern("object_pronoun").search(text)
    found = them if them and "," not in text[: them.start()] else there
    before = text[: found.start()] if found else ""
    return found is not None and not any(
        pattern(name).search(before) for name in ("at_place", "to_place", "name_inside", "thing_before_clause")
    )


def _may_be_subject(sentence: Sentence) -> bool:
    """Whether another sentence may refer back to it, and be kept with it: not to a request, or a secret."""
    if intent.bids(sentence) or intent.says_nothing(sentence.text) or pattern("correcting").match(sentence.text):
        return False  # Wrong, it's 12
    return not secret_in(sentence.text)


def may_be(text: str, gender: str) -> bool:
    """Whether somebody that a sentence names may be `female`, or `male`: a sister is no `he`."""
    said = set(re.findall(r"[^\W\d_]+", text.casefold()))
    other = "male" if gender == "female" else "female"
    return not words(gender).isdisjoint(said) or words(other).isdisjoint(said)


def _names_first(text: str) -> bool:
    """Whether a sentence names itself whom it then calls `he` or `she`: `I row with Bo, he has the oars.`"""
    mention = re.search(rf"\b(?:{'|'.join(sorted(words('he_or_she')))})\b", text, re.IGNORECASE)
    before = text[: mention.start()] if mention else ""
    is_named = pattern("titled").search(before) is not None or _begins_with_name(before)
    return ("," in before and is_named) or pattern("named_before").search(text) is not None


def _points_out(text: str, before: str) -> bool:
    """Whether a sentence points at something that one of another message did not name: `That Skoda is half ours.`"""
    pointed = pattern("deictic").match(text)
    return pointed is not None and stems(pointed["what"] or "").isdisjoint(stems(before))


def is_about_somebody(text: str) -> bool:
    """Whether a sentence names somebody else than the user: no `I'm an electrician.`"""
    is_named = pattern("somebody").search(text) is not None or _begins_with_name(text)
    return is_named and pattern("is_oneself").search(text) is None


def _names(text: str) -> bool:
    """Whether a sentence names something that the next one may be about: `Good kid, can't get up.` does not."""
    return _has_name(text) or pattern("names_thing").search(text) is not None


def _has_name(text: str) -> bool:
    owner = re.match(r"\W*(?P<name>[A-ZÄÖÜÉ]\w+)['’]s ", text)
    owns = owner is not None and owner["name"].casefold() not in words("stop_words")
    return owns or pattern("name_inside").search(text) is not None or _begins_with_name(text)


def _begins_with_name(text: str) -> bool:
    """Whether a sentence says something of what its first word names: `Ann builds boats.`"""
    first = re.match(r"\W*(?P<name>[A-ZÄÖÜÉ]\w+) ", text)
    if first is None or first["name"].casefold() in words("stop_words"):
        return False
    return any(pattern(name).match(text, first.end()) for name in ("says_now", "does_thing"))
