"""A sentence of the user's as one about the user: `I prefer tea` becomes `The user prefers tea.` English only. Pure.

Sentences of other languages, and the parts in quotes or code, stay as they are.
"""

import re

AUX = {
    "am": "is",
    "have": "has",
    "do": "does",
    "was": "was",
    "were": "was",
    "don't": "does not",
    "haven't": "has not",
    "didn't": "did not",
    "can't": "cannot",
    "won't": "will not",
}
UNCHANGED = frozenset(
    re.findall(
        r"\S+",
        """
        can cannot could will would shall should may might must had did was ought used wouldn't couldn't shouldn't
        wasn't hadn't went got made said told saw took bought came knew thought wrote built left put set ran began
        found gave kept lost met paid sold spent taught understood won broke chose grew flew drove ate drank spoke
        slept felt held heard read sent sat stood wore woke hit cut let hurt cost quit became meant
        """,
    )
)
ADVERBS = frozenset(
    re.findall(
        r"\S+",
        """
        really always never also just only usually often generally strongly still now sometimes actually probably
        definitely currently already mostly mainly typically normally absolutely truly simply much rarely seldom
        hardly personally both rather
        """,
    )
)
CONTRACTED = {"'m": "is", "'ve": "has", "'ll": "will", "'d": "would"}
POSSESSIVE = {"my": "the user's", "mine": "the user's", "myself": "themselves", "me": "the user"}

KEPT = re.compile(r"(`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w))")
SUBJECT = re.compile(r"\bI(?P<short>'(?:m|ve|ll|d))?(?P<rest>(?:\s+(?!I\b)[A-Za-z']+){0,4})")
OWNED = re.compile(r"\b(?:my|mine|myself|me)\b", re.IGNORECASE)
ENGLISH = re.compile(r"\b(?:I|I'(?:m|ve|ll|d)|[Mm]y|[Mm]e)\b")


def about_user(text: str) -> str:
    """The sentence in the third person, with a capital letter and a full stop; blanks collapsed."""
    plain = " ".join(text.split()).replace("’", "'")
    if ENGLISH.search(plain) and not _is_foreign(plain):
        parts = KEPT.split(plain)
        parts[::2] = (OWNED.sub(_owned, SUBJECT.sub(_subject, part)) for part in parts[::2])
        plain = "".join(parts)
    return finished(plain)


def finished(text: str) -> str:
    """With a capital letter at its beginning, unless it begins with a name in code, and a full stop at its end."""
    text = " ".join(text.split()).strip(" ,;:-–—")
    if not text:
        return ""
    text = text if _is_name(text.split()[0]) else text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", ":", ")", '"', "”", "»")) else f"{text}."


def _is_name(word: str) -> bool:
    return not word.rstrip(".,:;!?'").replace("'", "").replace("-", "").isalpha()


def _is_foreign(text: str) -> bool:
    return re.search(r"\b(?:ich|je|que|est|und|por|mi|nicht|dass)\b", text) is not None


def _subject(found: re.Match[str]) -> str:
    words = found["rest"].split()
    verb = CONTRACTED.get(found["short"] or "")
    if verb is not None:
        return " ".join(["the user", verb, *words])
    at = next((i for i, word in enumerate(words) if word.lower() not in ADVERBS), len(words))
    if at < len(words):
        words[at] = _third(words[at].lower())
    return " ".join(["the user", *words])


def _third(verb: str) -> str:
    if verb in AUX:
        return AUX[verb]
    if verb in UNCHANGED or verb.endswith("ed") or verb in ("and", "or", "who", "too"):
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _owned(found: re.Match[str]) -> str:
    return POSSESSIVE[found[0].lower()]
