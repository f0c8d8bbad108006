"""Completes a correction that follows an answer and does not say of what: `no, it's 8820 now`. Pure.

What it is about stands in the question and in what was quoted for it. The words are in `config/language`.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from pi_memory.judges.antecedents import is_about_somebody
from pi_memory.merging.kept_beside import untouched
from pi_memory.merging.values import kinds_of_values, place_of
from pi_memory.text.contrast import contrast
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.persons import about_user, finished
from pi_memory.text.sentences import has_verb, stems, with_apostrophes
from pi_memory.text.sentences import sentences as _sentences
from pi_memory.text.spelling import typos

MOST_WORDS = 8
"""A longer text says itself what it is about."""
SUBJECT_AND_VERB = 2
"""Words that a sentence has at least in front of what it says of its subject: `we use`."""
MOST_OF_THING = 3
"""Words of another thing that is named in the place of the last one of a sentence."""
MOST_TYPOS = 2
"""Letters by which a name is spelled otherwise."""
MOST_UNCLEAR = 4
"""Words of another value that stands alone."""
DATE_ENDINGS = ("st", "nd", "rd", "th")
BESIDE = 6
"""Characters between a weekday and its date."""
DATED = ("day", "month", "date")
SAID = ("has_changed", "says_it_is")
LONGEST_SHORT_MONTH = 4
"""Letters of a month that may be another word: `may`."""


class Answered(Struct, frozen=True):
    """The turn before: the question, and what was quoted first for it, "" for nothing; or "" and what the user said
    themselves. `is_sure`: not only the nearest there is.
    """

    question: str
    answer: str
    is_sure: bool = True


class Correction(Struct, frozen=True):
    """What holds now, understandable alone, and the sentence of the answer that it puts right, "" for none."""

    content: str
    instead_of: str = ""


class _Value(Struct, frozen=True):
    """A number, a day, a month or a name in a text; `shape` is that of its digits, or whether a name has a title."""

    kind: str
    begin: int
    end: int
    text: str

    @property
    def shape(self) -> str:
        if self.kind == "name":
            return "titled" if pattern("titled").match(self.text) else ""
        return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", self.text))


def corrected(said: str, before: Answered) -> Correction | None:
    """What a sentence means that only gives another value than the answer before, or the value that was asked for in
    vain, or that refuses a sure answer and says what is so instead, with what else the answer said; None for any other
    sentence.
    """
    found = _corrected(said, before)
    if found is None or not found.instead_of:
        return found
    left = untouched(found.content, about_user(found.instead_of))
    if not left or kinds_of_values(left) & kinds_of_values(found.content):
        return found
    return Correction(f"{finished(found.content)} {finished(left)}", found.instead_of)


def _corrected(said: str, before: Answered) -> Correction | None:
    said_before = sorted(_sentences(before.answer), key=lambda each: -len(stems(each) & stems(before.question)))
    if (left := _without_one(said, before, said_before)) is not None:
        return left
    if (found := _over(said, before, said_before) or _contrasted(said, before, said_before)) is not None:
        return found
    value = _given(said, is_open=not before.is_sure)
    found = _valued(value, before, said_before) if value else None
    return found or _told_anew(said, before, said_before) or _told_instead(said, before, said_before)


def says_no(message: str) -> bool:
    """Whether a message refuses what was said before it: `no, it's 12`; not only `actually`."""
    message = with_apostrophes(message.replace("’", "'"))
    refused = pattern("correcting").match(message)
    names = refused is not None and pattern("name_alone").match(message, refused.end()) is not None  # sorry, Pedersen
    return refused is not None and (names or not pattern("correcting_softly").match(message))


def may_be_over(message: str) -> bool:
    """Whether a short message says of what was named before that it is so no more: `She isn't coming after all`."""
    said = with_apostrophes(message.replace("’", "'"))
    if pattern("has_come").match(said) or (pattern("called_off").match(said) and pattern("said_of_same").match(said)):
        return True
    is_short = len(said.split()) <= MOST_WORDS and not said.rstrip().endswith("?")
    return is_short and bool(_denied_of_it(said))


def is_unclear(said: str) -> bool:
    """Whether a few words, of which `corrected` makes nothing, give another value than the turn before."""
    rest, is_refused = _behind_refusal(with_apostrophes(said.replace("’", "'").strip(" .!")))
    for name in SAID:
        is_said = pattern(name).match(rest)
        rest, is_refused = (
            (rest[is_said.end() :], is_refused or name == "has_changed") if is_said else (rest, is_refused)
        )
    is_brief = 0 < len(rest.split()) <= MOST_UNCLEAR and not has_verb(rest) and not rest.endswith("?")
    return is_refused and is_brief and bool(_values(rest))


def refuses(sentence: str) -> bool:
    """Whether a sentence does nothing but refuse: `Nope, that was the old one.`"""
    rest, is_refused = _behind_refusal(with_apostrophes(sentence.replace("’", "'").strip()))
    return is_refused and not rest


def _without_one(said: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """What a sure answer says without one of several, `not on Fridays any more`; None if that says nothing of it."""
    found = pattern("one_no_more").match(said.strip())
    if found is None or not before.is_sure:
        return None
    value = rf"(?:(?:on|in|at) )?{re.escape(found['what'])}s?(?!\w)"
    for sentence in said_before:
        for joined in (rf"(?:,|,? and) {value}", rf"{value},? and ", rf"{value}, "):
            if (left := re.sub(joined, "", sentence, count=1, flags=re.IGNORECASE)) != sentence:
                return Correction(about_user(left), instead_of=sentence)
    return None


def _over(said: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """What a sure answer says, and that it is over: `The fair is on Friday. It's been cancelled.`; None if nothing says
    so of it.
    """
    if not (before.is_sure and said_before and may_be_over(said)):
        return None
    sentence, text = said_before[0], with_apostrophes(said.replace("’", "'").strip())
    is_of_somebody = not words("of_a_person").isdisjoint(re.findall(r"\w+", text.casefold()))
    if is_of_somebody and not is_about_somebody(sentence):
        return None
    has_come = pattern("has_come").match(text) is not None
    is_dated = pattern("names_time").search(sentence) or any(each.kind in DATED for each in _values(sentence))
    was_to_be = (has_come or pattern("called_off").match(text)) and is_dated
    was_away = has_come and _has_place(sentence)
    denied = _denied_of_it(text)
    if not (
        was_to_be or was_away or (denied and denied <= stems(sentence) and not pattern("negation").search(sentence))
    ):
        return None
    return Correction(f"{about_user(sentence)} {about_user(text[:1].upper() + text[1:])}", instead_of=sentence)


def _contrasted(said: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """What a sure answer says with another value in the place of one that is named as wrong: `it's at 11, not 2.15`."""
    text, _ = _behind_refusal(with_apostrophes(said.replace("’", "'").strip(" .!")))
    found = contrast(text) if before.is_sure else None
    says = pattern("says_it_is").match(f"{found.right} ") if found else None
    if found is None or says is None or pattern("verb").search(found.right[says.end() :]):
        return None
    for sentence in said_before:
        if (place := place_of(found.wrong, sentence)) is not None:
            first, _, rest = found.right[says.end() :].partition(" ")
            is_there = bool(rest) and sentence[: place.start()].casefold().endswith(f" {first.casefold()} ")
            value = rest if is_there else found.right[says.end() :]
            text = f"{sentence[: place.start()]}{value}{sentence[place.end() :]}"
            return Correction(about_user(text), instead_of=sentence)
    return None


def _denied_of_it(said: str) -> frozenset[str]:
    """The stems of what a sentence denies of whom a pronoun at its begin stands for: `She isn't coming at all`."""
    text = pattern("at_all").sub("", pattern("correcting").sub("", said).strip(" .!"))
    is_denied = pattern("said_of_same").match(text) and pattern("negation").search(text)
    return frozenset(stems(text)) if is_denied else frozenset()


def _told_anew(said: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """What the user said a moment ago, with what they say instead behind the same subject and verb: `Scratch that, we
    use Unleash`, of `We use LaunchDarkly for feature flags`.
    """
    rest, is_refused = _behind_refusal(with_apostrophes(said.replace("’", "'").strip(" .!")))
    if not is_refused or before.question or len(said_before) != 1:
        return None
    new, old = rest.split(), said_before[0].split()
    same = next((n for n, (a, b) in enumerate(zip(new, old, strict=False)) if a.casefold() != b.casefold()), 0)
    if same < SUBJECT_AND_VERB or any(map(_leads, new[same:])):
        return None
    behind = next((place for place in range(same, len(old)) if _leads(old[place])), len(old))
    return Correction(about_user(" ".join([*old[:same], *new[same:], *old[behind:]])), instead_of=said_before[0])


def _leads(word: str) -> bool:
    """Whether a word begins a place, a time or a purpose."""
    return pattern("lead").match(f"{word} ") is not None


def _told_instead(said: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """`That's wrong, I buy from Ida these days.`; with the question in front, if it does not say itself of what."""
    rest, is_refused = _behind_refusal(with_apostrophes(said.replace("’", "'").strip()))
    if not (is_refused and before.question and before.is_sure and said_before) or rest.endswith("?"):
        return None
    if any(pattern(name).match(rest) for name in ("other_meant", "says_it_is")):
        return None
    has_place = pattern("asks_place").search(before.question) and _has_place(rest)
    if not (pattern("specific").search(f" {rest}") or has_place):
        return None
    if not (has_verb(rest) or any(pattern(name).search(rest) for name in ("of_persons", "finite"))):
        return None
    sentence, rest = said_before[0], rest[:1].upper() + rest[1:]
    if stems(rest) & stems(before.question):
        return Correction(about_user(rest), instead_of=sentence)
    return Correction(about_user(f"{before.question.rstrip(' .?!')}? {rest}"), instead_of=sentence)


def _valued(value: str, before: Answered, said_before: Sequence[str]) -> Correction | None:
    """`8820`, of `No, it's 8820 now.`"""
    sentence = said_before[0] if said_before else ""
    asks_place = pattern("asks_place").search(with_apostrophes(before.question)) is not None
    is_of_place = asks_place or (not before.question and _has_place(sentence))
    if is_of_place and pattern("placed").match(value):
        return _at_place(value, before, sentence)
    if (spelled := _spelled_otherwise(sentence, value)) is not None:
        return spelled
    found = _values(value)
    if not before.question and not found and len(value.split()) <= MOST_OF_THING:
        return _with_last_name(sentence, value)
    if not found or not _says_no_more(value, found, stems(before.question) | stems(before.answer)):
        return None
    for sentence in said_before if before.is_sure else ():
        if text := _replaced(sentence, found) or _replaced_in_piece(sentence, found, before.question):
            return Correction(about_user(text), instead_of=sentence)
    about = _from_question(before.question, value)
    return Correction(about) if about else None


def _spelled_otherwise(sentence: str, value: str) -> Correction | None:
    """A sentence with a name as it is spelled: `My vet is Ms Pedersen`, of `Ms Petersen`, and `sorry, Pedersen, with a
    d`.
    """
    name = pattern("name_alone").match(value)
    for known in re.findall(r"(?<=[a-zäöüß.,] )[A-ZÄÖÜÉ][\w'’-]{3,}", sentence) if name else ():
        if name and 0 < typos(name[0], known) <= MOST_TYPOS:
            return Correction(about_user(sentence.replace(known, name[0], 1)), instead_of=sentence)
    return None


def _with_last_name(sentence: str, value: str) -> Correction | None:
    """`Dad takes his pills with water.`, of `Dad takes his pills with juice`, behind which it was said: `No, it's
    water.`
    """
    ends = pattern("ends_naming").match(sentence)
    if ends is None or pattern("at_place").match(value) or place_of(value, sentence):
        return None
    return Correction(about_user(f"{ends['before']} {value}"), instead_of=sentence)


def _at_place(place: str, before: Answered, sentence: str) -> Correction | None:
    is_answer = before.is_sure and (not before.question or bool(stems(before.question) & stems(sentence)))
    about = _from_question(before.question, place) or (is_answer and _from_answer(sentence, place))
    return Correction(about, instead_of=sentence if is_answer and _has_place(sentence) else "") if about else None


def _has_place(sentence: str) -> bool:
    return pattern("names_place").search(sentence) is not None


def _given(said: str, *, is_open: bool) -> str:
    """The new value of `no, it's 8820 now`; "" unless it is said that something is not so, or is so now, or is so where
    the question is still open.
    """
    text = with_apostrophes(said.replace("’", "'").strip(" .!"))
    if said.rstrip().endswith("?"):
        return ""
    text, is_refused = _behind_refusal(text)
    if is_refused and (found := pattern("said_of_its").match(text)) and found[0].casefold() in words("of_things"):
        text = f"{found[0][:-1]}'s{text[found.end() :]}"  # no thats wrong its water
    goes_on = pattern("clause_end").search(text)
    text = text[: goes_on.start()] if goes_on and pattern("finite").search(text, goes_on.end()) else text
    is_new = pattern("as_of_now").search(text) is not None or pattern("has_changed").match(text) is not None
    rest = pattern("as_of_now").sub("", text).strip(" ,")
    is_said = next((found for name in SAID if (found := pattern(name).match(rest))), None)
    rest = rest[is_said.end() :] if is_said else rest
    value = " ".join(rest.strip(" ,;:–—").split())
    value = value[:1].lower() + value[1:] if pattern("placed").match(value) else value  # `In the pantry now.`
    is_value = len(value.split()) <= MOST_WORDS and not pattern("verb").search(value)
    return value if is_value and (is_refused or is_new or (is_open and is_said)) else ""


def _behind_refusal(text: str) -> tuple[str, bool]:
    """What stands behind `no`, `that's wrong` or `that's the old one`, and whether there is any of that."""
    whole = text
    for name in ("correcting", "calls_it_old"):
        found = pattern(name).match(text)
        text = text[found.end() :] if found else text
    return text, text != whole


def _says_no_more(value: str, found: Sequence[_Value], known: frozenset[str] | set[str]) -> bool:
    """Whether there is nothing in a value but what it gives, words that the turn before has, and small ones."""
    rest = value
    for each in reversed(found):
        rest = rest[: each.begin] + " " + rest[each.end :]
    return all(
        pattern("small_word").fullmatch(word) or stems(word) & known for word in pattern("value_word").findall(rest)
    )


def _values(text: str, *, starts_with_name: bool = True) -> list[_Value]:
    """The values of a text, in their order. A capital letter at its beginning may be no name."""
    found = [_Value("name", *name.span(), name[0]) for name in pattern("titled").finditer(text)]
    for word in pattern("value_word").finditer(text):
        begin = word.start()
        kind = _kind(word[0])
        if kind == "number" and (hour := pattern("part_of_hour").search(text[:begin])):
            begin = hour.start()
        is_known = any(each.begin <= begin < each.end for each in found)
        if kind and not is_known and (kind != "name" or starts_with_name or text[:begin].strip()):
            if kind == "name" and found and found[-1].kind == "name" and text[found[-1].end : begin] == " ":
                begin = found.pop().begin
            found.append(_Value(kind, begin, word.end(), text[begin : word.end()]))
    return sorted(found, key=lambda each: each.begin)


def _kind(word: str) -> str:
    """The kind of value that a word is; "" for none."""
    plain = word.casefold()
    if plain.removesuffix("s") in forms("weekday_name") or plain in forms("weekday_name"):
        return "day"
    if plain in forms("month_name") and (word[0].isupper() or len(plain) > LONGEST_SHORT_MONTH):
        return "month"
    if plain[:-2].isdigit() and plain.endswith(DATE_ENDINGS):
        return "date"
    if plain in forms("small_numbers") or any(letter.isdigit() for letter in word):
        return "number"
    return "name" if word[0].isupper() and len(word) > 1 else ""


def _replaced(answer: str, found: Sequence[_Value]) -> str:
    """The answer with other values in the places of its own; "" where it is not clear which."""
    has = _values(answer, starts_with_name=False)
    taken: dict[_Value, _Value] = {}
    for new in found:
        same = [each for each in has if each.kind == new.kind]
        same = same if len(same) == 1 else [each for each in same if each.shape == new.shape]
        if len(same) != 1 or same[0] in taken:
            return ""
        taken[same[0]] = new
    says_day = "day" in {each.kind for each in found}
    for old in sorted(taken, key=lambda each: -each.begin):
        before = answer[: old.begin] if says_day else _without_weekday(answer[: old.begin], old, has)
        answer = before + taken[old].text + answer[old.end :]
    return answer


def _replaced_in_piece(answer: str, found: Sequence[_Value], question: str) -> str:
    """The answer with other values in its piece that the question is about: `Ada has Bo, Kit has Ida`; "" where it is
    not clear which.
    """
    pieces = pattern("clause_joint").split(answer)
    shared = [len(stems(piece) & stems(question)) for piece in pieces]
    if len(pieces) == 1 or shared.count(max(shared)) > 1:
        return ""
    piece = pieces[shared.index(max(shared))]
    text = _replaced(piece, found)
    return answer.replace(piece, text, 1) if text else ""


def _without_weekday(before: str, date: _Value, has: Sequence[_Value]) -> str:
    """What stands before a date, without its weekday: another date than `Thursday the 3rd` is another day."""
    day = next((each for each in has if each.kind == "day" and 0 <= date.begin - each.end <= BESIDE), None)
    if date.kind != "date" or day is None:
        return before
    return before[: day.begin] + before[day.end :].lstrip(", ")


def _from_question(question: str, value: str) -> str:
    """`What's the code of the gate?` with 8820: `The code of the gate is 8820.`"""
    asked = pattern("asks_what_it_is").match(with_apostrophes(question.replace("’", "'")))
    if asked is None or pattern("verb").search(asked["what"]):
        return ""
    verb = forms("short_of_be").get(asked["be"].strip(), asked["be"].strip())
    return about_user(f"{asked['what']} {verb} {value}")


def _from_answer(answer: str, value: str) -> str:
    """`The key hangs in the hall.` with `behind the door`: `The key hangs behind the door.`"""
    verb = pattern("verb").search(answer) or pattern("says_now").search(answer)
    places = (
        word.start() for word in pattern("value_word").finditer(answer, verb.end() if verb else 0) if word.start()
    )
    begin = next((place for place in places if pattern("placed").match(answer[place:])), 0)
    return about_user(f"{answer[:begin].strip()} {value}") if begin else ""
