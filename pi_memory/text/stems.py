"""Words without their endings. Pure.

Forgotten facts are kept as hashes of these stems (`fact.py`): a stemmer that makes something else of a word would have
them said again. Snowball's English one found no more in retrieval.
"""

ENDINGS = {"g": ("ing",), "d": ("ed",), "s": ("es", "s"), "e": ("e",)}
"""By their last letter, for most words have none: a search takes thousands of words apart."""
SHORTEST = 2


def stem(word: str) -> str:
    """A word in small letters without its ending, which it begins with; but for a `y` in its end, which is an `i`."""
    if not word.isalpha() and any(character.isdigit() for character in word):
        return word
    for ending in ENDINGS.get(word[-1:], ()):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= SHORTEST:
            word = word.removesuffix(ending)
            break
    return word[:-1] + "i" if len(word) > SHORTEST and word.endswith("y") and word[-2] not in "aeiou" else word
