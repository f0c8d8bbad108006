"""Parses `X is Y, not Z`: the right and the wrong value of a correction. Pure.

English, and the plain forms of German, French and Spanish.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.persons import finished, third
from pi_memory.text.sentences import begins_clause, sentences, stems, with_apostrophes

LONGEST = 600
"""Characters of a sentence from which on nothing is put right in it."""
MOST_WRONG = 6
"""Words of what is wrong; a longer `not ...` goes on with another thought."""
LEAST_RIGHT = 2
MOST_ASIDE = 4
"""The same of a `not ...` that the sentence goes on behind."""
MOST_BEFORE = 3
"""Words between a denial and the value that it denies: `no longer lives in Leeds`."""
MOST_OTHER = 3
"""Words of a value that begins with neither a preposition nor an article, a number or a name."""
SENTENCES = 2
"""Sentences that deny a value and say another one together."""
MOST_TOLD_OF = 4
WHAT, VALUE = ("what", "which", "thing", "item"), ("value", "as", "one", "number")
"""Groups of what somebody has a new one of, and of which it is."""
"""Words of a value that takes over what was told of the wrong one: `it isn't the roof that leaks but the barn`."""


class Contrast(Struct, frozen=True):
    """A correction. `subject` precedes the `not`: the right value is in it, unless it follows as `right`.

    `is_set_off`: there is a pause before the `not`, as in most contrasts. `more` is what the sentence says behind the
    right value.
    """

    subject: str
    right: str
    wrong: str
    is_set_off: bool = True
    more: str = ""

    @property
    def is_specific(self) -> bool:
        """Whether both sides have a number, a path or a name: no manner of speaking has."""
        return all(pattern("specific").search(f" {side}") for side in (self.right, self.wrong))


def contrast(text: str) -> Contrast | None:
    """The contrast at the end of a sentence, None when it has none."""
    text = text.rstrip(" .!")
    if instead := _succeeded(text) or _done_instead(text) or _in_place_of_denied(text):
        return instead
    for found in pattern("contrast_not").finditer(text):
        wrong, right = text[found.end() :], pattern("contrast_and").sub("", text[: found.start()].rstrip()).rstrip()
        is_short = len(wrong.split()) <= MOST_WRONG and len(right.split()) >= LEAST_RIGHT
        goes_on = pattern("contrast_goes_on").match(wrong) or pattern("denying").search(right, max(0, len(right) - 20))
        if is_short and not goes_on:
            return Contrast(right.rstrip(",;–—-"), right.rstrip(",;–—-"), wrong, right[-1] in ",;–—-")
    return None


def wrong_first(text: str) -> Contrast | None:
    """The contrast of a last sentence that has nothing but both values: `Not duck egg, sage.`, or `Not six for the
    bins, it's eight.`; None without one.
    """
    found = pattern("wrong_first").search(text)
    if found is None:
        return None
    wrong, right = found["wrong"], pattern("is_it").sub("", found["right"])
    told = pattern("relative").search(right)  # not Bo, it's Ada who has it
    right = pattern("joining").sub("", right[: told.start()]).rstrip() if told else right
    if _is_number(wrong) and _is_number(right) and len(right.split()) == 1:
        wrong = wrong.split()[0]  # not twelve minutes, it's twenty
    return Contrast("", right, wrong)


def swapped(text: str) -> Contrast | None:
    """What was given up, and for what: `She has dropped tea and switched to coffee`, `The reports moved from Ulm to
    Bern`; None without both.
    """
    if found := pattern("swaps").search(text):
        right, wrong = found["right"] or found["got"], found["wrong"] or found["sold"]
        return Contrast("", right.strip(), wrong)
    left = pattern("changed_from").search(text)
    came = pattern("came_to").match(text, left.end()) if left else None
    return Contrast("", came["right"], left["wrong"]) if left and came else None


def given_up_for(text: str, known: str) -> Contrast | None:
    """What was given up of what is `known`, and what there is in its place, with what is said behind that as `more`:
    `We ditched the Bosch, it's a Miele now`, `She's off tea, it's cocoa in the morning`; None without both, or where
    only a reason follows: `We ditched Norvik, it's a rip-off`.
    """
    found = pattern("given_up_for").search(text.rstrip(" .!"))
    if found is None:
        return None
    wrong, right = bare(found["wrong"]), pattern("since_when").sub("", found["right"]).strip()
    told = pattern("relative").search(right)  # it's drops he takes
    value = _without_place(right[: told.start()] if told else right).rstrip(" ,")
    more = right[len(value) :]
    is_now = bool(found["now"] or told or (found["swaps"] and _kinds(value)))
    is_now = is_now or right != found["right"] or bool(stems(more) & stems(known))
    are_short = 0 < len(value.split()) <= MOST_OTHER and 0 < len(wrong.split()) <= MOST_OTHER
    is_number = re.match(r"\W?\d", bare(value)) and not wrong[:1].isdigit()  # it's £40 I save
    is_whose = pattern("is_whose").search(value) is not None
    is_plain = are_short and not is_number and not is_whose and not pattern("verb").search(value)
    return Contrast(found["then"], value, wrong, more=more) if is_now and is_plain else None


def _succeeded(text: str) -> Contrast | None:
    """Who or what is what another one is no more: `Bo isn't our vet any more, Ada is.`"""
    found = pattern("succeeds").search(text)
    if found is None:
        return None
    verb = third(found["verb"]) if found["one"] and found["verb"] else found["be"] or found["verb"]
    return Contrast("", found["right"], found["wrong"], more=f" {verb} {found['what']}")


def _done_instead(text: str) -> Contrast | None:
    """What somebody does as the same is denied of something else: `I don't teach geography, I teach history.`"""
    found = pattern("denied_then_done").search(text)
    return Contrast(f"{found['subject']} {found['again']}", found["right"], found["wrong"]) if found else None


def _is_number(value: str) -> bool:
    return value[:1].isdigit() or is_number_word(value.split()[0])


def is_number_word(word: str) -> bool:
    """Whether a word is a number that is written out, up to ninety."""
    first = word.casefold().partition("-")[0]
    return first in forms("small_numbers") or first in words("tens")


def _in_place_of_denied(text: str) -> Contrast | None:
    """What stands in the place of what is denied: `no longer in Leeds but in York`, `it isn't tea, it's coffee`, `It
    isn't tea. It's coffee`.
    """
    names = ("but", "but_it") if len(text) <= LONGEST else ()
    joints = [(name, joint) for name in names for joint in pattern(name).finditer(text)]
    denials = [*pattern("denial").finditer(text)] if joints else []
    for name, joint in joints:
        before = [found for found in denials if found.end() <= joint.start()]
        right, _, rest = text[joint.end() :].partition(",")
        if name == "but_it" and (told := pattern("relative").search(right)):  # it's eggs she can't have
            right, rest = right[: told.start()], ""
        between = text[before[-1].end() : joint.start()] if before else ""
        if (place := _denied(between, right, is_clause=name == "but_it")) is not None:
            kept = "".join(filter(None, before[-1].groups()))
            subject = " ".join(f"{text[: before[-1].start()]} {kept}{between[:place]}".split())
            if name == "but_it" and pattern("vague_subject").match(subject) and len(subject.split()) <= LEAST_RIGHT:
                subject = joint["it"]
            wrong = pattern("at_all").sub("", between[place:].strip())
            told = _told_of(wrong)
            more = wrong[told.start() :] if told and len(right.split()) <= MOST_TOLD_OF else ""
            wrong = wrong[: told.start()] if told else wrong
            if name == "but_it" and not more and not leads(right):
                wrong, more = _alone(wrong), wrong[len(_alone(wrong)) :]
            found = Contrast(subject, right, wrong, more=more + (f",{rest}" if rest else ""))
            if name == "but_it" and words("of_a_person") & {*joint["it"].casefold().replace("'", " ").split()}:
                return _of_the_same(found)
            return found if name == "but" else _of_somebody(found)
        if name == "but_it" and before and (other := _another_is(text[: before[-1].start()], between, right)):
            return other
        if doing := _denied_doing(text, joint):
            return doing
    return None


def _told_of(value: str) -> re.Match[str] | None:
    """Where what is told of a value begins: `the roof | that leaks`, but not in `the key in that tin`."""
    found = pattern("relative").search(value)
    before = value[: found.start()].split()[-1:] if found else []
    return None if before and pattern("placed").match(f"{before[0]} ") else found


def _of_the_same(found: Contrast) -> Contrast | None:
    """A contrast of what somebody is; None where one is what they do, or what they are to somebody: `Bo isn't coming,
    he's ill`, `Bo isn't our vet, he's retired`.
    """
    does = any(each.rstrip().endswith("ing") for each in (found.wrong, found.right))
    are_alike = bool(pattern("owning").match(found.wrong)) == bool(pattern("owning").match(found.right))
    return found if are_alike and not does else None


def _of_somebody(found: Contrast) -> Contrast | None:
    """A contrast that ends in `it's Y`, where that is no name of what it is about: `Bo is no longer our vet, it's Ada`
    says who the vet is. None where the two values are not of one kind: `Bo isn't allergic to nuts, it's eggs`.
    """
    before, _, verb = found.subject.rpartition(" ")
    name = pattern("name_at_end").search(pattern("title").sub("", before))
    if name is None or name[0].casefold() in words("stop_words"):
        return found
    if pattern("owning").match(found.wrong) and not pattern("owning").match(found.right):
        role = pattern("since_when").sub("", found.wrong).strip()
        return replace(found, subject=f"{role[:1].upper()}{role[1:]} {verb}", wrong=before)
    return found if _kinds(found.right) or len(found.wrong.split()) == 1 else None


def _another_is(before: str, denied: str, right: str) -> Contrast | None:
    """Who is what is denied of somebody: `Bo isn't best man after all, it's Kit`; None if either is no name."""
    what = pattern("at_all").sub("", denied).strip()
    who, _, verb = before.strip().rpartition(" ")
    are_names = all(pattern("name_at_end").fullmatch(each) for each in (who, right))
    are_names = are_names and right.casefold() not in forms("weekday_name")  # he isn't coming, it's Monday
    is_role = bool(what) and not _kinds(what) and len(what.split()) <= MOST_OTHER
    return Contrast("", right, who, more=f" {verb} {what}") if are_names and is_role else None


def _denied_doing(text: str, joint: re.Match[str]) -> Contrast | None:
    """What stands in the place of a value with which something is not done: `Bo doesn't land on the 14th, it's the
    2nd`.
    """
    for found in pattern("denied_doing").finditer(text, 0, joint.start()):
        verb, _, between = text[found.end() : joint.start()].partition(" ")
        right, _, rest = text[joint.end() :].partition(",")
        if between and _kinds(right) and (place := _denied(f" {between}", right, is_clause=True)) is not None:
            does = third(verb) if found["does"] else verb
            subject = " ".join(f"{text[: found.start()]} {does} {f' {between}'[:place]}".split())
            made = Contrast(subject, right, f" {between}"[place:].strip(), more=f",{rest}" if rest else "")
            return made if made.is_specific else None
    return None


def _denied(between: str, right: str, *, is_clause: bool) -> int | None:
    """Where, behind a denial, the value begins that another one takes the place of, in a clause of its own or not; None
    if it is not of its kind.
    """
    said = [*re.finditer(r"\S+", between)]
    if not said or begins_clause(right):
        return None
    kinds, first = _kinds(right), right.split()[0].casefold()
    if pattern("clock_words").match(between.lstrip()):
        return said[0].start()
    if kinds:
        same = [word for word in said if _kinds(between[word.start() :]) & kinds]
        alike = [word for word in same if word[0].casefold() == first]
        same = alike or [word for word in same if word in said[: MOST_BEFORE + 1]]
        return same[0].start() if same else None
    if pattern("verb").fullmatch(said[0][0]):
        said = said[1:]
    wrong = between[said[0].start() :] if said else ""
    if told := _told_of(wrong):
        wrong = wrong[: told.start()]
    wrong = _alone(wrong) if is_clause else wrong
    longest = MOST_WRONG if said and said[0][0].casefold() == first else MOST_OTHER
    is_short = 0 < len(wrong.split()) <= longest and len(right.split()) <= longest
    is_value = is_short and not _kinds(wrong) and not pattern("contrast_goes_on").match(wrong)
    does = not is_clause and right.endswith("s") and not wrong.endswith("s")  # "isn't broken but leaks"
    return said[0].start() if is_value and not does and not pattern("says_now").match(right) else None


def _alone(value: str) -> str:
    """A value without what or where that is of: `tea in the tin`."""
    return _without_place(pattern("of_what").split(value)[0])


def _without_place(value: str) -> str:
    ends = (
        found.start() for found in re.finditer(r"(?<=\s)\S+", value) if pattern("placed").match(value[found.start() :])
    )
    return value[: next(ends, len(value))].rstrip()


def bare(value: str) -> str:
    """A value without its article and its owner: `Bosch` of `the Bosch`."""
    return pattern("article").sub("", pattern("owning").sub("", value).strip()).strip()


def leads(clause: str) -> set[str]:
    """The prepositions that values begin with in a clause."""
    tails = [clause[found.start() :] for found in re.finditer(r"\S+", clause)]
    return {found[0].split()[0].casefold() for tail in tails if (found := pattern("lead").match(tail))}


def _kinds(value: str) -> set[str]:
    """How a value begins, in any language: with a preposition, or with an article, a number or a name."""
    is_thing = value[:1].isdigit() or value[:1].isupper() or pattern("article").match(value)
    is_number = is_number_word(value.split()[0])
    lead = {"lead"} if pattern("lead").match(value) else set()
    return lead | ({"thing"} if is_thing or is_number else set())


def left_behind(text: str) -> str:
    """The value that a sentence names as the one before: `Z` in `on X instead of Z` and `from Z to X`; "" for none."""
    found = pattern("in_place_of").search(text.rstrip(" .!")) or pattern("changed_from").search(text)
    return found["wrong"].strip(" .,;`\"'") if found else ""


def without_left_behind(text: str) -> str:
    """The sentence without that value: `It runs on X`, `We moved to X`."""
    text = pattern("in_place_of").sub(_without_wrong, text)
    if found := pattern("changed_from").search(text):
        return f"{text[: found.start('before')].rstrip()} {text[found.end() :].lstrip()}"
    return text


def _without_wrong(found: re.Match[str]) -> str:
    """What stands behind a value that is not so, in place of `instead of larch for the window`."""
    return found["wrong"][len(_alone(found["wrong"])) :]


@remembered(512)
def asserted(text: str) -> str:
    """The sentence without its wrong value: `the port is 8081`."""
    text = pattern("contrast_aside").sub(_without_aside, text)
    found = contrast(text)
    if found is None:
        return text
    return found.subject if found.right == found.subject else f"{found.subject} {found.right}{found.more}".lstrip()


@remembered(512)
def plainly(text: str) -> str:
    """What holds in the place of what is denied: `Our plumber is Ida.` for `Our plumber is no longer Bo. It's Ida.`;
    the text itself where nothing is. A mere `not` may forbid something: `the yard, not the street`.
    """
    said, plain = [*sentences(text)], list[str]()
    while said:
        several = (" ".join(said[:count]) for count in (1, SENTENCES) if count <= len(said))
        held, count = next(((held, n) for n, one in enumerate(several, 1) if (held := _plainly(one))), (said[0], 1))
        plain.append(held)
        said = said[count:]
    return " ".join(plain) if plain != [*sentences(text)] else text


def _plainly(text: str) -> str:
    said = text.rstrip(" .!")
    found = (_succeeded(said) if pattern("as_of_now").search(said) else None) or _in_place_of_denied(said)
    if found is None:
        return ""
    plain = f"{found.subject} {found.right}{found.more}".strip()
    return "" if pattern("vague_subject").match(plain) else finished(plain)


@remembered(512)
def renewed(text: str) -> str:
    """What somebody has a new one of, as it is now: `Ada's dentist is Dr Orr now.` for `Ada has a new dentist, Dr Orr`;
    the text itself where it says no such thing.
    """
    found = pattern("has_new").match(pattern("since_when").sub("", with_apostrophes(text)).rstrip(" .!"))
    if found is None:
        return text
    parts = found.groupdict()
    who = parts["who"] or parts["whom"] or parts["changer"] or ""
    what, value = (next(filter(None, map(parts.get, names))) for names in (WHAT, VALUE))
    is_thing = parts["its"] is not None and parts["its"].casefold() == "the"
    whose = parts["owner"] or ("the" if is_thing else forms("whose").get(who.casefold()) or f"{who}'s")
    value = pattern("calling_it").sub("", value).strip()
    return finished(f"{whose} {what.strip()} is {value} now{parts['more'] or ''}")


def _without_aside(found: re.Match[str]) -> str:
    """What stands in the place of `, not Monday, `."""
    wrong = found["wrong"]
    if len(wrong.split()) > MOST_ASIDE or pattern("contrast_goes_on").match(wrong):
        return found[0]
    return ", " if begins_clause(found.string[found.end() :].partition(",")[0]) else " "


def in_cleft(clause: str) -> str:
    """What holds as a clause says that puts it first: `in May` of `it's in May that she comes`; "" for another one."""
    found = pattern("cleft").match(clause)
    return found["right"] if found else ""


def with_subject(clause: str, subject: str) -> str:
    """A clause that begins with a pronoun, with what that stands for: `it's here` as `The key is here`."""
    found = pattern("said_of_same").match(clause)
    verb, _, rest = clause[found.end() :].strip().partition(" ") if found else (clause, "", "")
    return " ".join([subject, forms("short_of_be").get(verb, verb), rest])
