"""A sentence of the user's as one about the user: `I prefer tea` becomes `The user prefers tea.` Pure.

The words are in `config/language`, those of English only: sentences of other languages, and the parts in quotes or
code, stay as they are. So does an `I` that is a number or a part of a name, and an `i` that counts.
"""

import re

from pi_memory.text.language import forms, pattern, words
from pi_memory.text.sentences import without_fillers


def about_user(text: str) -> str:
    """The sentence in the third person, with a capital letter and a full stop; blanks collapsed."""
    plain = " ".join(text.split()).replace("’", "'")
    parts = pattern("quotation").split(plain)
    for place in range(0, len(parts), 2):
        part = without_fillers(pattern("typed_short").sub(_with_apostrophe, parts[place]))
        parts[place] = pattern("small_i").sub("I", part)
        if not pattern("other_grammar").search(plain):
            parts[place] = pattern("possessive").sub(_owned, pattern("subject").sub(_subject, parts[place]))
    return finished("".join(parts))


def by_user(text: str) -> str:
    """A memory nearly as the user would say it, `My bike is green.`, to be compared with what they say and ask.
    Its verbs stay as they are.
    """
    return pattern("user_named").sub(_own, text)


def _own(found: re.Match[str]) -> str:
    return f"{'my' if found['of'] else 'I'} {found['verb'] or ''}".rstrip()


def finished(text: str) -> str:
    """With a capital letter at its beginning, unless it begins with a name in code, and a full stop at its end."""
    text = " ".join(text.split()).strip(" ,;:-–—")
    if not text:
        return ""
    text = text if _is_name(text.split()[0]) else text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", ":", ")", '"', "”", "»")) else f"{text}."


def _with_apostrophe(found: re.Match[str]) -> str:
    return f"I'{found['short']}" if found["i"] else f"{found['verb']}n't"


def _is_name(word: str) -> bool:
    return word[1:] != word[1:].lower() or not word.rstrip(".,:;!?'").replace("'", "").replace("-", "").isalpha()


def _subject(found: re.Match[str]) -> str:
    rest, before = found["rest"].split(), found.string[: found.start()]
    if found["short"]:
        return " ".join(["the user", forms("third_person")[found["short"]], *rest])
    if pattern("numbered").search(before) or _is_behind_name(before, rest):
        return found[0]
    at = next((i for i, word in enumerate(rest) if not _is_adverb(word.lower())), len(rest))
    if at < len(rest) and not pattern("coupled").search(before) and not pattern("inverted").search(before):
        rest[at] = _third(rest[at].lower())
    return " ".join(["the user", *rest])


def _is_behind_name(before: str, rest: list[str]) -> bool:
    """`Elizabeth I`, `Philip I of Castile`."""
    return re.search(r"[A-Z]\w+ $", before) is not None and (not rest or rest[0] in words("behind_name"))


def _is_adverb(word: str) -> bool:
    return word in words("adverb") or (word.endswith("ly") and word not in words("no_adverb"))


def _third(verb: str) -> str:
    if verb in forms("auxiliary"):
        return forms("auxiliary")[verb]
    is_past = verb.endswith("ed") and verb not in words("like_past")
    if is_past or verb in words("third_person_too") or verb in words("no_verb"):
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _owned(found: re.Match[str]) -> str:
    return forms("third_person")[found[0].lower()]
