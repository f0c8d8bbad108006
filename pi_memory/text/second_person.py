"""The user's words, or a memory about them, in the second person: `My bike` and `The user's bike` become `Your bike`.
Pure, English.

In doubt the text is left, to be quoted.
"""

import re

from pi_memory.text.language import pattern

LONGEST = 240
VERBS = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "says": "say"}
NO_VERBS = frozenset({"and", "or", "of", "to", "in", "at", "on", "with", "from", "for", "who"})
ADDRESSED = frozenset({"you", "your", "yours", "you're"})
SWAPS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you", "us": "you",
    "our": "your", "ours": "yours", "ourselves": "yourselves", "i'm": "you're",
    "i've": "you've", "i'll": "you'll", "i'd": "you'd",
    "we're": "you're", "we've": "you've", "we'll": "you'll", "we'd": "you'd", "i am": "you are", "am i": "are you",
    "i was": "you were",
}  # fmt: skip
QUOTING = '"“”„«»'


def to_user(text: str) -> str:
    """The text in the second person; "" where that is not certain."""
    line = " ".join(text.replace("’", "'").split())
    if len(line) > LONGEST or any(mark in line for mark in QUOTING) or pattern("other_language").search(line):
        return ""
    if pattern("user_named").search(line):
        return _ended(pattern("user_named").sub(_of_user, line))
    if not pattern("first_person").search(line):
        return _ended(line)
    return (
        ""
        if ADDRESSED & set(re.findall(r"[a-z']+", line.lower()))
        else _ended(pattern("first_person").sub(_swapped, line))
    )


def _of_user(found: re.Match[str]) -> str:
    begins = found.start() == 0 or found.string[: found.start()].rstrip().endswith((".", "!", "?"))
    verb = found["verb"]
    if found["of"]:
        whole = f"your {verb}" if verb else "your"
    elif verb is None or verb in NO_VERBS:
        whole = f"you {verb}" if verb else "you"
    else:
        whole = f"you {VERBS.get(verb) or _infinitive(verb)}"
    return whole[0].upper() + whole[1:] if begins else whole


def _infinitive(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("ses", "xes", "zes", "shes", "ches", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def _swapped(found: re.Match[str]) -> str:
    word = SWAPS[found[0].lower()]
    begins = found.start() == 0 or found.string[: found.start()].rstrip().endswith((".", "!", "?"))
    return word[0].upper() + word[1:] if begins else word


def _ended(line: str) -> str:
    """With a capital letter and an end."""
    begun = line if re.match(r"\w+[_./\\-]\w", line) else line[:1].upper() + line[1:]
    return begun if begun[-1:] in ".!?…)" else f"{begun}."
