"""Of two clauses, one of which says what is over: whether the other says what is so instead. Pure.

It does if it names something of the same kind, such as `Mr. Emsley` behind `Ms. Rautio is no longer my adviser`.
"""

import re
from collections.abc import Iterator, Sequence, Set

from pi_memory.text.contrast import in_cleft, leads, with_subject
from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.sentences import has_verb, is_question, stems

MOST_SUBJECT = 5
"""Words of a subject."""
LEAST_NAME = 3
"""Characters of a word that may be a name."""


def is_instead(now: str, gone: str, corrected: Sequence[str], joint: str = "") -> bool:
    """Whether a clause names something in the place of what another one says to be over, of which `corrected` told;
    `joint` stands between the two.
    """
    is_over = any(pattern(name).search(gone) for name in ("says_over", "retracts", "happened_once"))
    if not (is_over or pattern("therefore").search(joint)) or pattern("mistaken").search(gone):
        return False
    if pattern("says_over").search(now):
        return False
    if any(pattern(name).match(now) for name in ("subordinate", "there_first")):
        return False  # `We brought the boat to Bern, and there she stays.`
    if joint and not says_something(now):
        return False  # `She has a new doctor, a Mrs. Ode, who is strict.`
    replaced = values_replaced(now, gone, corrected)
    if has_other_value(gone, corrected) and (replaced or not has_other_value(now, corrected)):
        return False  # `I get 12 an hour now, so I treat myself`
    if pattern("therefore").search(joint) and _says_anew(now, gone, corrected):
        return True
    is_named = not any(map(str.isdigit, "".join(replaced))) and replaced <= _words(_before_verb(gone))
    if is_named and _goes_on_about(now, gone):
        return False  # `Ada got into the choir, and they have moved to Bern.`
    return replaced.isdisjoint(_words(now)) if replaced else _has_other_subject(now, gone, corrected)


def instead(now: str, gone: str, corrected: Sequence[str], joint: str) -> str:
    """What `now` says as a sentence of its own, with what it is about; "" if it does not say what is so instead."""
    lost, pronoun = pattern("has_no_more").search(gone), re.match(r"\w+", now)
    is_of_thing = pronoun is not None and pronoun[0].casefold() in words("of_things")
    if lost and is_of_thing and pattern("is_somewhere").search(now):
        return with_subject(now, lost["what"])  # `Bo no longer has our key, it's with the baker`
    if not is_instead(now, gone, corrected, joint):
        return ""
    told = frozenset().union(*map(stems, corrected))
    goes_on = pattern("said_of_same").match(now) and not in_cleft(now)
    if not goes_on and stems(now) & told:
        return now
    if not goes_on and not pattern("of_persons").match(now):
        new = values(subject_of(now) or now, known=corrected).keys() - values(" ".join(corrected), known=()).keys()
        return now if new else ""
    topic = next(_topics(gone, corrected, over=values_replaced(now, gone, corrected)), "")
    is_person = now.split()[0].split("'")[0].casefold() in words("of_a_person")
    if topic and goes_on and is_person and pattern("definite").match(topic) is not None:
        return ""  # who is meant is not known
    if topic and goes_on and pattern("is_somewhere").search(now):
        return with_subject(now, topic)
    return f"{topic}: {now}" if not stems(topic) <= stems(now) else now


def tells_instead(now: str, gone: str, corrected: Sequence[str], *, old: Set[str]) -> str:
    """What `now` says by itself of something that was corrected, where `gone` before it has words of that and no other
    value, or says who has left; "" if it does not say what is so instead. `old` are the content stems of what was
    corrected.
    """
    said, told, known = stems(now), values(" ".join(corrected), known=()), [*corrected, gone, now]
    if not stems(gone) & (old - said) or not said - old or is_question(now) or not says_something(now):
        return ""
    is_over = any(pattern(name).search(gone) for name in ("says_over", "has_left"))
    if (stems(gone) <= old and not is_over) or any(pattern("subordinate").match(clause) for clause in (gone, now)):
        return ""
    if any(pattern(name).search(now) for name in ("says_over", "mistaken", "place_before")):
        return ""
    others = (values(gone, known=known) | _plain_values(gone)).items() - told.items()
    if any(kind != "name" for _, kind in others) or (others and not said & (old - stems(gone))):
        return ""  # `Ida moved to Bern. The bins go out on Mondays.`
    is_of_user = pattern("of_persons").match(now) is not None
    is_theirs = is_of_user and pattern("own_world").search(now) is not None
    is_idle = pattern("of_persons").match(gone) is not None and pattern("but_it").match(f", {now}") is not None
    is_idle = is_idle and not pattern("mistaken").search(gone)
    rest = now.partition(" ")[2] if is_theirs or is_idle else now
    meant = (words("of_a_person") | words("of_things") | words("of_several")).intersection(_words(rest))
    thing = subject_of(gone) if is_of_user and (meant == {"it"} or not (meant or said & old)) else ""
    thing = "" if pattern("of_persons").match(thing) else thing
    if (meant and not thing) or (pattern("mistaken").search(gone) and pattern("said_of_same").match(now)):
        return ""  # who is meant stands in what went before
    new = values(now if is_of_user else subject_of(now), known=known).keys() - told.keys()
    places = leads(now) if is_over else leads(now) & leads(gone)
    is_so_now = any(pattern(name).search(now) for name in ("since_when", "as_of_now"))
    if is_over:
        is_instead = bool(new or said & old or (is_of_user and places) or is_so_now)
    else:
        is_named = pattern("has_subject").match(now) and values(now, known=known).keys() - told.keys()
        is_new = (is_named or pattern("generic_they").match(now)) and not pattern("happened_once").search(now)
        is_instead = bool(is_new and said & (old - stems(gone)))
    return (f"{thing}: {now}" if thing else now) if is_instead else ""


def subject_of(clause: str) -> str:
    """The words before the verb of a clause; "" if they name nothing."""
    subject = clause[: _verb_at(clause)].strip().removesuffix("'s")  # Dan's gone off it
    return subject if stems(subject) and pattern("has_subject").match(subject) else ""


def _has_other_subject(now: str, gone: str, corrected: Sequence[str]) -> bool:
    """Whether a clause says of somebody else what was told of who is gone: `beth went, callum does the wages`."""
    told = frozenset().union(*map(stems, corrected))
    pronouns = words("of_a_person") | words("of_things") | words("of_several")
    if not pronouns.isdisjoint(_before_verb(now).casefold().split()):
        return False  # `The vet looked at our dog, and from tonight he gets a pill.`
    before, after = (stems(_before_verb(clause)) for clause in (gone, now))
    return bool(before & told and after and after.isdisjoint(told) and stems(now) & told)


def _says_anew(now: str, gone: str, corrected: Sequence[str]) -> bool:
    """Whether a clause says something else of what was told of, and the one before it only what became of the rest:
    `the gulls broke the pot, so the key is in the can`.
    """
    if pattern("place_before").search(now):
        return False  # `They put a rack on the porch, so the papers go in there.`
    told, subject = frozenset().union(*map(stems, corrected)), stems(subject_of(now))
    return bool(subject & told) and bool(stems(gone) & (told - subject))


def says_something(clause: str) -> bool:
    """Whether a clause has a verb before its first comma: no `Texas, but he rings`, no `a Mrs. Ode, who is strict`."""
    clause = clause.partition(",")[0]
    return (
        has_verb(clause)
        or pattern("finite").search(clause) is not None
        or pattern("says_over").search(clause) is not None
    )


def _goes_on_about(now: str, gone: str) -> bool:
    """Whether a clause goes on about somebody whom one names that does not say that they are gone."""
    is_of_same = pattern("said_of_same").match(now) and not in_cleft(now)
    return bool(is_of_same) and not any(pattern(name).search(gone) for name in ("says_over", "retracts", "has_left"))


def has_other_value(clause: str, corrected: Sequence[str]) -> bool:
    """Whether a clause has a number, a day or a time of day where what was corrected has another one."""
    told = _plain_values(" ".join(corrected))
    return any(kind in told.values() and value not in told for value, kind in _plain_values(clause).items())


def _plain_values(text: str) -> dict[str, str]:
    """The numbers, days and times of day in words of a text, each with its kind."""
    found = {value: kind for value, kind in values(text, known=()).items() if kind != "name"}
    counts = (words("tens") | set(forms("small_numbers"))) - {"one"}  # `the new one`
    found |= {word: "number" for word in re.findall(r"\w+", text.casefold()) if word in counts}
    return found | {time[0].casefold(): "time" for time in pattern("clock_words").finditer(text)}


def _before_verb(clause: str) -> str:
    """The few words before the first verb of a clause; "" if there are more, or none."""
    before = clause[: _verb_at(clause)].removesuffix("'").split()
    return " ".join(before) if len(before) <= MOST_SUBJECT else ""


def _verb_at(clause: str) -> int:
    """Where the first verb of a clause begins; 0 without one."""
    names = ("says_now", "says_over", "happened_once")
    return min((match.start() for name in names if (match := pattern(name).search(clause))), default=0)


def values_replaced(now: str, gone: str, corrected: Sequence[str]) -> set[str]:
    """The values of what was corrected that a clause names, of a kind of which the other one has new ones."""
    known = [*corrected, gone, now]
    told = values(" ".join(corrected), known=())
    new = {kind for value, kind in values(now, known=known).items() if value not in told}
    return {value for value, kind in values(gone, known=known).items() if value in told and kind in new}


def _topics(gone: str, corrected: Sequence[str], *, over: Set[str]) -> Iterator[str]:
    """What the clauses are about, without what is over: `Ms. Rautio is no longer my adviser` is about `my adviser`."""
    owned = [found[0].strip() for found in pattern("owned_thing").finditer(gone)]
    for topic in (subject_of(gone), *owned, *map(subject_of, corrected)):
        short = topic.partition(",")[0].strip()
        if stems(short) and over.isdisjoint(_words(short)) and not pattern("user_named").fullmatch(short):
            yield short


def values(text: str, *, known: Sequence[str]) -> dict[str, str]:
    """The numbers, days and names of a text, each with its kind. The first word of a sentence is a name if `known`
    has it as one, or does not have it in small letters.
    """
    return {value: kind for value, kind, first in _marked(text) if not first or not _is_common(first, known)}


@remembered(512)
def _marked(text: str) -> tuple[tuple[str, str, str], ...]:
    """The numbers, days and names of a text, each with its kind, and as it is written if a sentence begins with that
    name, else "".
    """
    found: list[tuple[str, str, str]] = []
    is_first, weekdays = True, forms("weekday_name")
    for word in text.split():
        plain = word.strip(".,;:!?()\"'’“”").removesuffix("'s").removesuffix("’s")
        small = plain.casefold()
        if any(map(str.isdigit, plain)):
            found.append((small, "number", ""))
        elif small.removesuffix("s") in weekdays:
            found.append((small.removesuffix("s"), "day", ""))
        elif (
            plain[:1].isupper()
            and not plain.isupper()
            and re.split("['’]", small)[0] != "i"
            and len(plain) >= LEAST_NAME
        ):
            found.append((small, "name", plain if is_first else ""))
        is_title = word.endswith(".") and len(plain) <= LEAST_NAME  # `Mrs.`
        is_first = word.endswith((".", "!", "?", ":")) and not is_title
    return tuple(found)


def _is_common(word: str, known: Sequence[str]) -> bool:
    """Whether the first word of a sentence is none that names something."""
    small = word.casefold()
    if small in words("stop_words") or any(
        pattern(name).fullmatch(small) for name in ("says_now", "says_over", "happened_once", "has_subject")
    ):
        return True
    return any(re.search(rf"(?<!\w){re.escape(small)}(?!\w)", text) for text in known)


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?()\"'’“”").removesuffix("'s").removesuffix("’s").casefold() for word in text.split()}
