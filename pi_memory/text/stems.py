"""Words without their endings. Pure. Snowball's English stemmer found no more in retrieval."""

from pi_memory.text.language import remembered

ENDINGS = {"g": ("ing",), "d": ("ed",), "s": ("es", "s"), "e": ("e",)}
"""By their last letter, for most words have none: a search takes thousands of words apart."""
SHORTEST, SHORT = 2, 5
DOUBLED, DOUBLE = frozenset("bdgmnprt"), ("add", "egg", "err")
"""Consonants that are doubled before an ending, and words that end with two of their own."""
VOWELS = frozenset("aeiouyäöüáéíóúàèâêîôû")


@remembered(4096)
def stem(word: str) -> str:
    """A word in small letters without its ending, which it begins with; but for a `y` in its end, which is an `i`. What
    is no ending stays: `shed`, `string`, `need`; and a consonant that was doubled is there once: `jog` of `jogging`.
    """
    if not word.endswith(("ed", "ing")):
        return stem_of_key(word)
    if _is_whole(word):
        return word
    found = stem_of_key(word)
    is_doubled = found[-1:] in DOUBLED and found[-2:-1] == found[-1] and len(found) > SHORTEST
    return found[:-1] if is_doubled and found != word and found not in DOUBLE else found


def stem_of_key(word: str) -> str:
    """The same by what the word ends with alone: `sh` of `shed`. Forgotten facts are kept as hashes of these stems
    (`fact.py`): another stemmer would have them said again.
    """
    if not word.isalpha() and any(character.isdigit() for character in word):
        return word
    for ending in ENDINGS.get(word[-1:], ()):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= SHORTEST:
            word = word.removesuffix(ending)
            break
    return word[:-1] + "i" if len(word) > SHORTEST and word.endswith("y") and word[-2] not in "aeiou" else word


def _is_whole(word: str) -> bool:
    """Whether what a word ends with is no ending: nothing is left without it that could be said, or it is a short
    `need`.
    """
    rest = word.removesuffix("ing").removesuffix("ed")
    return VOWELS.isdisjoint(rest) or (word.endswith("eed") and len(word) <= SHORT)
