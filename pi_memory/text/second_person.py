"""The user's words, or a memory about them, in the second person: `My bike` and `The user's bike` become `Your bike`.
Pure, English.

In doubt the text is left, to be quoted.
"""

import re

from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import without_fillers

LONGEST = 240
ME = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the assistant, whom the user calls "you", until the user is "you"."""
QUOTING = '"“”„«»'


def to_user(text: str) -> str:
    """The text in the second person; "" where that is not certain."""
    line = " ".join(text.replace("’", "'").split())
    line = without_fillers(line) if len(line) <= LONGEST else line
    if len(line) > LONGEST or any(mark in line for mark in QUOTING) or pattern("foreign").search(line):
        return ""
    line = pattern("assistant_as_object").sub(_to_me, line)
    is_addressed = bool(words("addressed") & set(re.findall(r"[a-z']+", line.lower())))
    speaks = pattern("first_person").search(line) is not None
    if speaks and is_addressed and not pattern("user_named").search(line):
        return ""
    # A memory names the user where they said "I", and has their "we" as it was said.
    line = line if is_addressed else pattern("first_person").sub(_swapped, line)
    return _ended(pattern("user_named").sub(_of_user, line).replace(ME, "me"))


def in_second_person(words_of_user: str) -> str:
    """A few words of the user, such as `my car`, as they are said to them."""
    return pattern("first_person").sub(lambda found: forms("second_person")[found[0].lower()], words_of_user)


def _to_me(found: re.Match[str]) -> str:
    return found["before"] + ME


def _of_user(found: re.Match[str]) -> str:
    person, verb = "your" if found["of"] else "you", found["verb"]
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
    return _in_place(found, forms("second_person")[found[0].lower()])


def _in_place(found: re.Match[str], words: str) -> str:
    """With a capital letter where a sentence begins."""
    before = found.string[: found.start()].rstrip()
    return words[0].upper() + words[1:] if not before or before.endswith((".", "!", "?")) else words


def _ended(line: str) -> str:
    """With a capital letter and an end."""
    begun = line if re.match(r"\w+[_./\\-]\w", line) else line[:1].upper() + line[1:]
    return begun if begun[-1:] in ".!?…)" else f"{begun}."
