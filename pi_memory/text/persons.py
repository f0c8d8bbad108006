"""The user's sentences in another person: `I prefer tea` becomes `The user prefers tea.`, and `You prefer tea.` Pure.

The words are in `config/language`, those of English only: sentences of other languages, and the parts in quotes or
code, stay as they are. So does an `I` that is a number or a part of a name, and an `i` that counts.
"""

import re

from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import with_apostrophes, without_fillers

LONGEST = 480
HAD_OR_WOULD = "'d"
ME = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the assistant, whom the user calls "you", until the user is "you"."""
QUOTING = '"“”„«»'


def about_user(text: str) -> str:
    """The sentence in the third person, with a capital letter and a full stop; blanks collapsed."""
    plain = " ".join(text.split()).replace("’", "'")
    parts = pattern("quotation").split(plain)
    for place in range(0, len(parts), 2):
        part = without_fillers(with_apostrophes(parts[place]))
        parts[place] = pattern("small_i").sub("I", part)
        if not pattern("other_grammar").search(plain):
            parts[place] = pattern("possessive").sub(_owned, pattern("subject").sub(_subject, parts[place]))
    return finished("".join(parts))


def by_user(text: str) -> str:
    """A memory nearly as the user would say it, `my bike is green.`, to be compared with what they say and ask."""
    return pattern("user_named").sub(_own, text)


def _own(found: re.Match[str]) -> str:
    how, verb, before = found["how"] or "", found["verb"] or "", found.string[: found.start()].rstrip()
    if found["of"]:
        return f"my{how} {verb}".rstrip()
    if before and before[-1] not in ".,;:!?–—-" and not _is_verb(verb):
        return f"me{how} {verb}".rstrip()
    if _is_verb(verb):
        verb = forms("first_person_verb").get(verb) or forms("second_person_verb").get(verb) or _infinitive(verb)
    return f"I{how} {verb}".rstrip()


def _is_verb(word: str) -> bool:
    """Whether a word that stands behind the user may be what the user does: `lives`, `met`."""
    is_inflected = word.endswith(("s", "ed")) and not word.endswith(("ss", "us"))
    return is_inflected or word in words("third_person_too")


def finished(text: str) -> str:
    """With a capital letter at its beginning, unless it begins with a name in code, and a full stop at its end."""
    text = " ".join(text.split()).strip(" ,;:-–—")
    if not text:
        return ""
    text = text if _is_name(text.split()[0]) else text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", ":", ")", '"', "”", "»")) else f"{text}."


def _is_name(word: str) -> bool:
    return word[1:] != word[1:].lower() or not word.rstrip(".,:;!?'").replace("'", "").replace("-", "").isalpha()


def _subject(found: re.Match[str]) -> str:
    rest, before = found["rest"].split(), found.string[: found.start()]
    user = "The user" if before.rstrip().endswith((".", "!", "?")) else "the user"
    if found["short"]:
        verb = next((word.lower() for word in rest if not _is_adverb(word.lower())), "")
        is_had = found["short"] == HAD_OR_WOULD and (verb in words("behind_had") or _is_past(verb))
        return " ".join([user, "had" if is_had else forms("third_person")[found["short"]], *rest])
    if pattern("numbered").search(before) or _is_behind_name(before, rest):
        return found[0]
    at = next((i for i, word in enumerate(rest) if not _is_adverb(word.lower())), len(rest))
    if at < len(rest) and not pattern("coupled").search(before) and not pattern("inverted").search(before):
        is_bare = rest[at].lower() in words("bare_before_not") and rest[at + 1 : at + 2] == ["not"]
        rest[at] = rest[at].lower() if is_bare else third(rest[at].lower())
    return " ".join([user, *rest])


def _is_behind_name(before: str, rest: list[str]) -> bool:
    """`Elizabeth I`, `Philip I of Castile`."""
    return re.search(r"[A-Z]\w+ $", before) is not None and (not rest or rest[0] in words("behind_name"))


def _is_adverb(word: str) -> bool:
    return word in words("adverb") or (word.endswith("ly") and word not in words("no_adverb"))


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") and verb not in words("like_past")


def third(verb: str) -> str:
    """A verb as it is said of somebody: `lands` for `land`; one that stays as it is, or is past, as it is."""
    if verb in forms("auxiliary"):
        return forms("auxiliary")[verb]
    bare = pattern("before_verb").sub("", verb)
    is_past = _is_past(verb) or (bare in words("third_person_too") and verb not in words("like_past"))
    is_going = verb.endswith("ing") and not set("aeiou").isdisjoint(verb[:-3])
    is_done = is_going or (verb.endswith("s") and not verb.endswith(("ss", "us")))  # `I going`, `I goes`
    is_kept = verb in words("third_person_too") or verb in words("no_verb") or verb.endswith("n't")
    if is_past or is_done or is_kept:
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _owned(found: re.Match[str]) -> str:
    return forms("third_person")[found[0].lower()]


def without_question(text: str) -> str:
    """A memory that has a question only to name of whom it speaks, without that: `How old is Pip? She turned 12.` as
    `Pip turned 12.`
    """
    question, mark, said = text.partition("? ")
    names, first = {*pattern("name_inside").findall(question)}, re.match(r"\w+", said)
    if not mark or first is None or first[0].casefold() not in words("he_or_she") or len(names) != 1:
        return text
    return f"{names.pop()}{said[first.end() :]}"


def to_user(text: str) -> str:
    """The user's words, or a memory about them, in the second person; "" where that is not certain."""
    line = " ".join(text.replace("’", "'").split())
    line = without_fillers(line) if len(line) <= LONGEST else line
    if len(line) > LONGEST or any(mark in line for mark in QUOTING) or pattern("foreign").search(line):
        return ""
    line = pattern("assistant_as_object").sub(_to_me, line)
    is_addressed = bool(words("addressed") & set(re.findall(r"[a-z']+", line.lower())))
    speaks = pattern("first_person").search(line) is not None
    if speaks and is_addressed and not pattern("user_named").search(line):
        return ""
    line = pattern("for_ourselves").sub(r"\g<before> yourselves", line)
    # A memory names the user where they said "I", and has their "we" as it was said.
    line = line if is_addressed else pattern("first_person").sub(_swapped, line)
    line = pattern("user_themselves").sub(r"\g<before>yourself", line)
    return _ended(pattern("user_named").sub(_of_user, line).replace(ME, "me"))


def in_second_person(words_of_user: str) -> str:
    """A few words of the user, such as `my car`, as they are said to them."""
    return pattern("first_person").sub(lambda found: forms("second_person")[found[0].lower()], words_of_user)


def _to_me(found: re.Match[str]) -> str:
    return found["before"] + ME


def _of_user(found: re.Match[str]) -> str:
    person, verb = "your" if found["of"] else "you", found["verb"]
    if found["of"] and not verb and not re.match(r"\s+\w", found.string[found.end() :]):
        person = "yours"  # bigger than the user's
    if verb and not found["of"] and verb not in words("no_verb"):
        verb = forms("second_person_verb").get(verb) or _infinitive(verb)
    return _in_place(found, f"{person}{found['how'] or ''} {verb}" if verb else f"{person}{found['how'] or ''}")


def _infinitive(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "xes", "zzes", "shes", "ches", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def _swapped(found: re.Match[str]) -> str:
    if found[0] == "US" and not found.string.isupper():
        return found[0]  # the country
    return _in_place(found, forms("second_person")[found[0].lower()])


def _in_place(found: re.Match[str], words: str) -> str:
    """With a capital letter where a sentence begins."""
    before = found.string[: found.start()].rstrip()
    return words[0].upper() + words[1:] if not before or before.endswith((".", "!", "?")) else words


def _ended(line: str) -> str:
    """With a capital letter and an end."""
    begun = line if re.match(r"\w+[_./\\-]\w", line) else line[:1].upper() + line[1:]
    return begun if begun[-1:] in ".!?…)" else f"{begun}."
