"""Leaves out of the results what no longer holds. Pure.

A memory that was replaced takes the sentence it rests on with it.
"""

from collections.abc import Iterator, Sequence, Set

from pi_memory.judges.holding import (
    has_other_value,
    instead,
    is_instead,
    says_something,
    subject_of,
    tells_instead,
    values,
    values_replaced,
)
from pi_memory.text.contrast import (
    asserted,
    given_up_for,
    in_cleft,
    leads,
    left_behind,
    plainly,
    with_subject,
    without_left_behind,
    wrong_first,
)
from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.persons import finished
from pi_memory.text.sentences import clauses, is_question, sentences, stems
from pi_memory.text.stems import stem

SAYS = 0.8
"""Share of the words of a memory with which a sentence says the same."""
MOST_OF_ONE = 2
"""Words that name one thing; more may name several."""
VERBS = ("says_now", "happened_once")
"""What a clause begins with that has its subject from the one before."""
LEAST_SAID = 2
"""Words with a meaning of a sentence that is looked for by itself."""


def without(text: str, ended: Sequence[str]) -> str:
    """A message without the sentences that no longer hold; "" when nothing is left."""
    if not ended:
        return text
    for sentence in ended:
        before, said, after = text.partition(sentence)
        if said:
            joined = pattern("next_of_user").match(after) or pattern("also_said").match(after)
            before = _without_end(pattern("joining").sub("", before))
            rest = after[joined.end() :] if joined else after
            text = f"{before}{'' if rest[:1] in ('.', '!', '?') else ' '}{rest}"
    left = " ".join(text.split()).strip(" ,;")
    return " ".join(sentence for sentence in sentences(left) if not _wants_nothing_said(sentence))


def _without_end(before: str) -> str:
    """A text without `and that`, behind which something else was to be said."""
    last = [*pattern("also_said").finditer(f"{before} _")]
    return before[: last[-1].start()] if last and last[-1].end() > len(before) else before


def _wants_nothing_said(sentence: str) -> bool:
    """Whether all is gone that a sentence asks to be said: `Please put that, and that.`"""
    wanted = pattern("wants_said").match(sentence)
    return wanted is not None and not stems(sentence[wanted.end() :])


@remembered(256)
def over(content: str, newer: str) -> tuple[frozenset[str], ...]:
    """The content stems of what a memory said that does not hold any more, as another one holds instead: all of it, and
    the sentence that the other one is about, and does not say.
    """
    new, said = stems(newer), [stems(sentence) - {"user"} for sentence in sentences(content)]
    only_names = [stems(" ".join(values(sentence, known=()))) for sentence in sentences(content)]
    changed = [
        each
        for each, names in zip(said, only_names, strict=True)
        if len(each) >= LEAST_SAID and (not each <= new or each <= names)  # who is named is not said again by that
    ]
    shared = max((len(each & new) for each in changed), default=0)
    return stems(content), *(each for each in changed if shared and len(each & new) == shared)


def without_sentences(content: str, gone: Sequence[Set[str]]) -> str:
    """A memory without the sentences that are over, of which the content stems are given; all of it if none is left."""
    said = sentences(content) if gone else ()
    kept = [sentence for sentence in said if stems(sentence) not in gone]
    return content if len(kept) in (0, len(said)) else " ".join(kept)


def unsaid(text: str, gone: Sequence[Set[str]]) -> str:
    """A message without its sentences that say what one of the memories said that are over, of which the content stems
    are given; "" when nothing is left.
    """
    said = sentences(text) if gone else ()
    kept = [sentence for sentence in said if not _says_one(stems(sentence), gone)]
    return text if len(kept) == len(said) else "\n".join(kept)


def _says_one(said: Set[str], contents: Sequence[Set[str]]) -> bool:
    return any(len(said & content) >= SAYS * len(content) for content in contents if content)


def what_holds(text: str, corrected: Sequence[str], asked: Set[str] = frozenset()) -> str:
    """A text that corrected those contents, without what it only says to be over: `I quit the bakery. I work at the
    library.` All of it where nothing else would be left, where what is left is about something else (`The bike got
    sold. I take the bus.`), or where what would go is `asked` for, of which the stems are given.
    """
    if not corrected:
        return text
    plain = pattern("also_mistaken").sub("", pattern("interjects").sub("", text))
    left = _what_holds(plain, tuple(corrected))
    left = finished(pattern("begins_joined").sub("", left))
    if left == finished(plain) or _loses_all_that_is_new(left, text, corrected):
        return text
    return text if _asks_for_what_goes(asked, left, text, corrected) else left


def _asks_for_what_goes(asked: Set[str], left: str, text: str, corrected: Sequence[str]) -> bool:
    """Whether what is left of a text lacks what is `asked` for: a name or a number that was corrected, or all words."""
    kept, told = stems(left), values(" ".join(corrected), known=())
    replaced = values_replaced(left, text, corrected) | (values(text, known=corrected).keys() & told.keys())
    if gone := stems(" ".join(replaced)) - kept:
        return not gone.isdisjoint(asked)
    return bool((stems(text) - kept) & asked and not kept & asked)


def _loses_all_that_is_new(left: str, text: str, corrected: Sequence[str]) -> bool:
    """Whether what is left of a text has none of the names and numbers that it names and that were not known."""
    known = [text.casefold()]  # the first word of a sentence is no name by that alone
    told = values(" ".join(corrected), known=())
    new = {value for value, kind in values(text, known=known).items() if kind != "day" and value not in told}
    return bool(new) and new.isdisjoint(values(left, known=()))


@remembered(1024)
def may_tell(text: str) -> bool:
    """Whether a text may say of somebody that they left, and who came, or name a value instead of another one."""
    tells = any(pattern(name).search(text) for name in ("has_left", "in_place_of", "takes_over"))
    return tells or plainly(text) != text


def now(text: str, asked: Set[str] = frozenset()) -> str:
    """A text that corrected nothing that is known, without the clauses it begins with that say of somebody that they
    left: `Mr. Idris has quit, the caretaker is Mrs. Pohl`, and without the value that it names another one instead of:
    `It opens at 10 instead of 9`, `It isn't nine, it's ten`; all of it where these are `asked` for, of which the stems
    are given, or the rest does not say whom it is about.
    """
    plain = plainly(text)
    if (stems(text) - stems(plain)).isdisjoint(asked):
        text = plain
    has_left = pattern("has_left").search
    if pattern("in_place_of").search(text):
        text = " ".join(_without_other_value(sentence, asked) for sentence in sentences(text))
    if not has_left(text):
        return text
    over = [each for each in clauses(text) if has_left(each)]
    left = what_holds(text, over, asked)
    beside = [part for each in over for part in pattern("piece_end").split(each) if not has_left(part)]
    names = [part.split()[0].removesuffix("'s") for part in beside if part[:1].isupper()]
    if any(name not in left for name in names):
        return text  # Bo quit so Ida has the bar
    comes_last = text.casefold().rstrip(" .!").endswith(left.casefold().rstrip(" .!"))
    goes_on = any(pattern(name).match(left) for name in ("said_of_same", "said_of_its")) and not in_cleft(left)
    return left if comes_last and not goes_on else text


def without_predecessor(text: str, asked: Set[str] = frozenset()) -> str:
    """A text without why somebody else does now what it says, unless that is `asked` for, of which the stems are given:
    `Ida has taken over the bar.` of `Bo broke his leg, so Ida has taken over the bar.`
    """
    if not pattern("takes_over").search(text):
        return text
    said = sentences(text)
    left = [_successor(sentence, asked) for sentence in said]
    if left != [*said]:  # `Bo rang. He has retired, and Ida has taken on the bar.`
        left = [each for each in left if not pattern("brings_news").search(each) or stems(each) & asked] or left
    return " ".join(left)


def _successor(sentence: str, asked: Set[str]) -> str:
    found = pattern("takes_over").search(sentence)
    is_asked = found is not None and bool(stems(sentence[: found.start()]) & asked)
    return sentence if found is None or is_asked else sentence[found.start("who") :]


def _without_other_value(sentence: str, asked: Set[str]) -> str:
    found = pattern("in_place_of").search(sentence.rstrip(" .!"))
    wrong, comma, rest = found["wrong"].partition(",") if found else ("", "", "")
    if found is None or not values(wrong, known=()) or stems(wrong) & asked:
        return sentence
    return finished(f"{sentence[: found.start()]}{comma}{rest}")


@remembered(256)
def _what_holds(text: str, corrected: tuple[str, ...]) -> str:
    old = frozenset().union(*map(stems, corrected))
    said = [*_held(sentences(text), old, corrected)]
    gone = [each for each, is_over in said if is_over]
    holding = [each for each, is_over in said if not is_over]
    is_about_it = any(stems(each) & old for each in holding)
    is_about_it = is_about_it or any(is_instead(each, before, corrected) for before in gone for each in holding)
    left = [h for h, is_over in said if not is_over or (not is_about_it and pattern("is_gone").search(h))]
    is_told = len(stems(" ".join(each for each in left if not is_question(each)))) >= LEAST_SAID
    held = " ".join(left if is_told else [held for held, _ in said])
    return held if held != " ".join(sentences(text)) else _behind_what_was_told(text, old, corrected) or text


def _behind_what_was_told(text: str, old: frozenset[str], corrected: Sequence[str]) -> str:
    """What a text says that corrected something, behind what only has words of that: `Bo is old news. My tutor is
    Ida.`; "" if it does not say by itself what is so instead.
    """
    said = sentences(text)
    for place in range(1, len(said)):
        before, after = " ".join(said[:place]), " ".join(said[place:])
        if tells_instead(said[place], before, corrected, old=old):
            return after
    for place, sentence in enumerate(said):
        opened = pattern("correcting").match(sentence)
        begin = opened.end() if opened else 0
        for cut in pattern("clause_end").finditer(sentence, begin):
            before, after = sentence[begin : cut.start()], sentence[cut.end() :]
            if held := tells_instead(after, before, corrected, old=old):
                return " ".join([*said[:place], finished(held), *said[place + 1 :]])
    return ""


def _held(said: Sequence[str], old: frozenset[str], corrected: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What each sentence says that holds, and whether it only says what is over; one about what is over and the next
    one, about the same, may say it together: `It isn't in the tin any more. It's in the urn.`
    """
    place = 0
    while place < len(said):
        sentence, after = said[place], "".join(said[place + 1 : place + 2])
        was_said = [each for content in corrected for each in sentences(content)]
        is_kept = sentence in was_said and not _is_over(sentence, old)  # beside what was corrected
        if is_kept or any(_is_written_anew(sentence, each) for each in was_said):
            yield sentence, False
            place += 1
            continue
        held, is_over, place = _without_over(sentence, old, corrected), _is_over(sentence, old), place + 1
        if is_over and pattern("said_of_same").match(after) and not in_cleft(after):
            together = f"{sentence.rstrip(' .!')}, {after[0].lower()}{after[1:]}"
            if (alone := _without_over(together, old, corrected)) != together:
                held, place = alone, place + 1
            is_over = alone == together and not pattern("mistaken").search(sentence)
        is_over = is_over and held == sentence and not has_other_value(sentence, corrected)
        yield held, is_over and not _says_more(sentence, old)


def _is_written_anew(sentence: str, before: str) -> bool:
    """Whether a sentence is the one that was corrected, with another value: `They drop the crates on Fridays, so keep
    the yard clear` says of no crates that they are over.
    """
    said, old = stems(sentence), stems(before)
    if pattern("denial").search(sentence) or asserted(sentence) != sentence:
        return False
    is_same = min(len(said), len(old)) and len(said & old) >= SAYS * max(len(said), len(old))
    return bool(is_same and said - old and before.split()[0] == sentence.split()[0] and before[:-1] not in sentence)


def _says_more(sentence: str, old: frozenset[str]) -> bool:
    """Whether a clause of a sentence about what is over says what is so now: `Sold the van, we have a lorry.`"""
    begins = [(0, ""), *((cut.end(), cut[0]) for cut in pattern("clause_end").finditer(sentence))]
    ends = [*(cut.start() for cut in pattern("clause_end").finditer(sentence)), len(sentence)]
    parts = [(sentence[begin:end], joint) for (begin, joint), end in zip(begins, ends, strict=True)]
    return any(
        (pattern("says_now").search(clause) or pattern("therefore").search(joint))
        and not any(pattern(name).search(clause) for name in ("says_over", "has_left"))
        and not pattern("subordinate").match(clause)
        and stems(clause) - old
        for clause, joint in parts
    )


def _without_over(sentence: str, old: frozenset[str], corrected: Sequence[str]) -> str:
    """A sentence without its clause about what is over, if the other one says by itself what holds instead."""
    opened = pattern("correcting").match(sentence)
    said = sentence[opened.end() :] if opened else sentence
    if (found := wrong_first(said)) and stems(found.wrong) & old:
        return finished(found.right)
    if (given_up := pattern("no_more").match(said)) and stems(given_up["wrong"]) & old and stems(given_up["instead"]):
        return finished(given_up["instead"])
    if (why := pattern("why_left").search(said)) and stems(why["wrong"]) & old and says_something(said[: why.start()]):
        return finished(said[: why.start()])
    plain = asserted(said)
    if stems(left_behind(plain)) & old:
        plain = without_left_behind(plain)
    if plain != said:
        return finished(plain)
    for cut in pattern("clause_end").finditer(said):
        first, second = said[: cut.start()], said[cut.end() :]
        if _is_all_over(first, old, corrected) and (held := _alone(second, first, old)):
            return finished(held)
        if _is_all_over(second, old, corrected) and _states(first, old):
            return finished(first)
    for cut in pattern("piece_end").finditer(said):
        first, second = said[: cut.start()], said[cut.end() :].strip()
        if pattern("subjectless").match(second) and _is_all_over(first, old, corrected) and subject_of(first):
            return finished(f"{subject_of(first)} {second}")  # `Ida quit the bakery and works at the mill`
        if (who := pattern("of_persons").match(first)) and any(pattern(name).match(second) for name in VERBS):
            held = f"{who[0]} {second}"  # `I sold the Honda and got a Bosch`
            if _is_all_over(first, old, corrected) and tells_instead(held, first, corrected, old=old):
                return finished(held)
    for cut in pattern("clause_end").finditer(said):
        if held := instead(said[cut.end() :], said[: cut.start()], corrected, cut[0]):
            return finished(held)
    known = " ".join(corrected)
    if (another := given_up_for(said, known)) and another.wrong.casefold() in known.casefold():
        held = f"{another.subject} {another.right}{another.more}"
        subject = "" if pattern("of_persons").match(said) else subject_of(said)
        return finished(f"{subject}: {held}" if subject else held)
    return sentence


def _is_over(clause: str, old: frozenset[str]) -> bool:
    """Whether a clause says that something old is over, and not when or why."""
    if stems(clause).isdisjoint(old) or pattern("subordinate").match(clause):
        return False
    return any(pattern(name).search(clause) for name in ("says_over", "retracts", "has_left"))


def _is_all_over(clause: str, old: frozenset[str], corrected: Sequence[str]) -> bool:
    """Whether a clause says that something old is over, and nothing of what is so instead."""
    return _is_over(clause, old) and not has_other_value(clause, corrected) and not _says_more(clause, old)


def _states(clause: str, old: frozenset[str]) -> bool:
    """Whether a clause says by itself what holds of something old."""
    is_whole = pattern("has_subject").match(clause) and not pattern("subordinate").match(clause)
    has_verb = pattern("says_now").search(clause) or pattern("happened_once").search(clause)
    return bool(is_whole and has_verb and stems(clause) & old) and not pattern("says_over").search(clause)


def _alone(clause: str, before: str, old: frozenset[str]) -> str:
    """A clause as a sentence, if need be with the subject of the one before it; "" if it does not say what holds."""
    if pattern("happened_once").search(clause) or in_cleft(clause) or not says_something(clause):
        return ""
    if not (pronoun := pattern("said_of_same").match(clause)):
        if _states(clause, old):
            return clause
        if not _is_in_its_place(clause, before):
            return ""
        subject = "" if pattern("of_persons").match(before) else subject_of(before)
        return f"{subject}: {clause}" if subject else clause
    subject, rest = subject_of(before), clause[pronoun.end() :]
    is_name = subject[-1:] and subject.split()[-1][0].isupper()
    is_of_it = bool(pattern("is_somewhere").search(clause) or stems(rest) & old or leads(rest) & leads(before))
    is_of_it = is_of_it or _verb(rest) in map(stem, before.split()) or _is_what_is_denied(rest, before)
    if is_of_it and before.casefold().startswith((f"{pronoun[0]} ", f"{pronoun[0]}'")):
        return clause
    named = pattern("user_named").match(subject)
    is_user = named is not None and not named["of"]  # whom no pronoun stands for
    is_thing = pattern("stops").match(before) is not None  # the iron's stopped, he's on zinc now
    if is_thing and not is_name and pronoun[0].casefold() in words("of_a_person"):
        return ""
    is_one = not subject.endswith("s") and len(subject.split()) <= MOST_OF_ONE
    is_other = is_one and pronoun[0].casefold() in words("of_several")
    if not subject or not is_of_it or is_user or is_other or (is_name and pronoun[0] in words("of_things")):
        return ""
    return with_subject(clause, subject)


def _is_what_is_denied(rest: str, before: str) -> bool:
    """Whether words behind a pronoun say what somebody is in the place of what a clause denies: `Bo isn't vegan, he's
    vegetarian`.
    """
    denial, (verb, what) = pattern("denial").search(before), (*rest.split()[:2], "", "")[:2]
    if denial is None or verb not in {*forms("short_of_be"), *forms("short_of_be").values()}:
        return False
    denied = "".join(before[denial.end() :].split()[:1])
    return denied.endswith("ing") == what.endswith("ing") and not pattern("happened_once").fullmatch(what)


def _is_in_its_place(clause: str, before: str) -> bool:
    """Whether a clause says, with a preposition of the one before it, where, when or with whom it is now: `we no longer
    meet in the hall, we're in the library`.
    """
    has_verb = pattern("says_now").search(clause) or stems(clause) & stems(before)
    return bool(
        pattern("of_persons").match(clause)
        and has_verb
        and not pattern("says_over").search(clause)
        and leads(clause) & leads(before)
    )


def _verb(clause: str) -> str:
    return stem(next(iter(clause.split()), ""))
