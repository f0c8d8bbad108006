"""Parses `X is Y, not Z`: the right and the wrong value of a correction. Pure.

English, and the plain forms of German, French and Spanish.
"""

from dataclasses import dataclass

from pi_memory.text.language import forms, pattern

MOST_WRONG = 6
"""Words of what is wrong; a longer `not ...` goes on with another thought."""
LEAST_RIGHT = 2


@dataclass(frozen=True, slots=True)
class Contrast:
    """A correction. `subject` precedes the `not`: the right value is in it, unless it follows as `right`.

    `is_set_off`: there is a pause before the `not`, as in most contrasts.
    """

    subject: str
    right: str
    wrong: str
    is_set_off: bool = True

    @property
    def is_specific(self) -> bool:
        """Whether both sides have a number, a path or a name: no manner of speaking has."""
        return all(pattern("specific").search(f" {side}") for side in (self.right, self.wrong))


def contrast(text: str) -> Contrast | None:
    """The contrast at the end of a sentence, None when it has none."""
    text = text.rstrip(" .!")
    if any(word in text for word in (" but ", " it", " rather ")) and (found := pattern("contrast_but").match(text)):
        return Contrast(found["subject"], found["right"], found["wrong"])
    for found in pattern("contrast_not").finditer(text):
        wrong, right = text[found.end() :], pattern("contrast_and").sub("", text[: found.start()].rstrip()).rstrip()
        is_short = len(wrong.split()) <= MOST_WRONG and len(right.split()) >= LEAST_RIGHT
        goes_on = pattern("contrast_goes_on").match(wrong) or pattern("denying").search(right, max(0, len(right) - 20))
        if is_short and not goes_on:
            return Contrast(right.rstrip(",;–—-"), right.rstrip(",;–—-"), wrong, right[-1] in ",;–—-")
    return None


def left_behind(text: str) -> str:
    """The value that a sentence names as the one before: `Z` in `on X instead of Z` and `from Z to X`; "" for none."""
    found = pattern("in_place_of").search(text.rstrip(" .!")) or pattern("changed_from").search(text)
    return found["wrong"].strip(" .,;`\"'") if found else ""


def asserted(text: str) -> str:
    """The sentence without its wrong value: `the port is 8081`."""
    found = contrast(text)
    if found is None:
        return text
    return found.subject if found.right == found.subject else f"{found.subject} {found.right}"


def with_subject(clause: str, subject: str) -> str:
    """A clause that begins with a pronoun, with what that stands for: `it's here` as `The key is here`."""
    found = pattern("said_of_same").match(clause)
    verb, _, rest = clause[found.end() :].strip().partition(" ") if found else (clause, "", "")
    return " ".join([subject, forms("short_of_be").get(verb, verb), rest])
