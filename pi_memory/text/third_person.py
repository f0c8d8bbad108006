"""A sentence of the user's as one about the user: `I prefer tea` becomes `The user prefers tea.` English only. Pure.

Sentences of other languages, and the parts in quotes or code, stay as they are. So does an `I` that is a number or a
part of a name, and an `i` that counts.
"""

import re


def _those(words: str) -> frozenset[str]:
    return frozenset(words.split())


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
UNCHANGED = _those(
    """
    can cannot could will would shall should may might must had did was ought used wouldn't couldn't shouldn't
    wasn't hadn't went got made said told saw took bought came knew thought wrote built left put set ran began
    found gave kept lost met paid sold spent taught understood won broke chose grew flew drove ate drank spoke
    slept felt held heard read sent sat stood wore woke hit cut let hurt cost quit became meant forgot rode sang
    swam drew threw caught led fed hid shot stole fell froze hung laid lent rose shook shut sought stuck swore tore
    beat bit dug fought fled bent swept struck split spread upset dealt lit
    """
)
ADVERBS = _those(
    """
    always never also just often still now sometimes already much seldom both rather almost quite even ever once soon
    then first only too neither either hardly no longer not myself
    """
)
NO_ADVERBS = _those("rely reply apply supply fly imply comply multiply rally bully ally")
PRESENT = (
    "prefer|like|love|hate|dislike|enjoy|live|work|want|need|use|eat|drink|drive|ride|walk|park|own|speak|study|learn|play"
    "|know|think|go|get|take|keep|call|wear|sleep|collect|rent|run|say|ask|write|mention|moved|grew|used"
)
"""Verbs by which a small `i` is known to be the user."""
CONTRACTED = {"'m": "is", "'ve": "has", "'ll": "will", "'d": "would"}
POSSESSIVE = {"my": "the user's", "mine": "the user's", "myself": "themselves", "me": "the user"}

KEPT = re.compile(r"(`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w))")
ALONE = r"(?![\w/@#&*+~(-]|[.:]\w|\s?=)"
APART = r"(?<![\w/.@$#~&'=-])"
BARE = re.compile(r"(?<![^\s(])(?:(?P<i>[Ii])(?P<short>m|ve)(?= [a-z\d])|(?P<verb>do|did|ca|wo|have)nt(?= \w))")
"""`im` and `dont`, as they are typed in a hurry."""
SMALL = re.compile(
    rf"{APART}(?<!for )(?<!index )(?<!variable )(?<!counter )i(?='(?:m|ve|ll|d)\b"
    rf"|(?:\s+(?:{'|'.join(ADVERBS)}|\w+ly))*\s+(?:{'|'.join([*AUX, *UNCHANGED])}|{PRESENT})\b)"
)
SUBJECT = re.compile(
    rf"{APART}I(?P<short>'(?:m|ve|ll|d))?{ALONE}(?!,\s[A-Z]|\.\s)"
    r"(?P<rest>(?:\s+(?!I\b)[A-Za-z']+(?=[\s,;:!?)]|\.?$|\.\s)){0,4})"
)
NUMBERED = re.compile(
    r"\b(?:part|type|phase|class|stage|level|chapter|volume|section|war|act|book|appendix|unit|tier|article|category"
    r"|grade|group|table|figure|division|title|mark|schedule|diabetes|teil|partie|parte) $",
    re.IGNORECASE,
)
NAMED = re.compile(r"[A-Z]\w+ $")
BEHIND_NAME = _those("of and or in to for with the")
COUPLED = re.compile(
    r"(?:^|[,;:(] |\b(?:that|because|when|where|if) )(?!I\b)(?:(?:my|the|our|the user's) (?:\w+ )?)?[\w'-]+ and $",
    re.IGNORECASE,
)
"""`Anna and I live`: two do."""
ASKED = re.compile(r"\b(?:do|did|can|could|should|would|will|shall|may|might|must|have|had|was) $", re.IGNORECASE)
OWNED = re.compile(rf"(?:{APART}(?:my|me|myself)|(?:^|(?<=[.!?:;,(] ))(?:My|Me|Myself)){ALONE}")
MINE = re.compile(
    r"(?:(?<=\b(?:of|is|as) )|(?<=\b(?:are|was|not) )|(?<=\b(?:than|like|were) ))mine"
    rf"{ALONE}|^mine(?= (?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
ENGLISH = re.compile(rf"{APART}(?:I(?:'(?:m|ve|ll|d))?|[Mm]y|[Mm]e|[Mm]yself|[Mm]ine){ALONE}")
FOREIGN = re.compile(
    r"\b(?:ich|ist|das|und|nicht|dass|je|il|elle|que|est|ne|pas|les|une|avec|pour|dans|mi|por|para|el|los|las|una"
    r"|[Mm]e (?:llam|gust|encant|duel)\w+)\b"
)


def about_user(text: str) -> str:
    """The sentence in the third person, with a capital letter and a full stop; blanks collapsed."""
    plain = " ".join(text.split()).replace("’", "'")
    parts = KEPT.split(plain)
    parts[::2] = (SMALL.sub("I", BARE.sub(_with_apostrophe, part)) for part in parts[::2])
    if any(map(ENGLISH.search, parts[::2])) and not FOREIGN.search(plain):
        parts[::2] = (MINE.sub(_owned, OWNED.sub(_owned, SUBJECT.sub(_subject, part))) for part in parts[::2])
    return finished("".join(parts))


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
    words, before = found["rest"].split(), found.string[: found.start()]
    verb = CONTRACTED.get(found["short"] or "")
    if verb is not None:
        return " ".join(["the user", verb, *words])
    behind_name = NAMED.search(before) and (not words or words[0] in BEHIND_NAME)
    if NUMBERED.search(before) or behind_name:
        return found[0]
    at = next((i for i, word in enumerate(words) if not _is_adverb(word.lower())), len(words))
    if at < len(words) and not COUPLED.search(before) and not ASKED.search(before):
        words[at] = _third(words[at].lower())
    return " ".join(["the user", *words])


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and word not in NO_ADVERBS)


def _third(verb: str) -> str:
    if verb in AUX:
        return AUX[verb]
    if verb in UNCHANGED or verb.endswith("ed") or verb in ("and", "or", "who"):
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _owned(found: re.Match[str]) -> str:
    return POSSESSIVE[found[0].lower()]
