"""`X is Y, not Z`: what is right and what is wrong in the words of somebody who puts something right. Pure.

English, and the plain forms of German, French and Spanish.
"""

from dataclasses import dataclass

from pi_memory.learning.patterns import SPECIFIC
from pi_memory.text.expressions import words

MOST_WRONG = 6
"""Words of what is wrong; a longer `not ...` goes on with another thought."""
LEAST_RIGHT = 2

NOT = words(r"(?<!\w)(?:not|nicht|pas|no(?= \S*[\d/`\"]| (?-i:[A-ZÄÖÜÉ]))) ")
NOT_BUT = words(
    r"(?P<subject>.*\b(?:is|are|was|were))(?:n't| not) (?P<wrong>.{1,80}?),? (?:but|it's|it is|rather) (?P<right>.+)"
)
AND = words(r"(?<!\w)(?:and|und|et|y)$")
DENYING = words(
    r"(?<!\w)(?:do|does|did|is|are|was|were|am|be|been|can|could|will|would|shall|should|may|might|must|has|have|had"
    r"|ist|sind|est|sont|ne \S+)$"
)
"""`It does not ...`: denied, without anything in its place."""
GOES_ON = words(
    r"(?:only|just|sure|really|quite|yet|that|this|because|why|how|what|when|where|if|like|here|there|now|so|too|very"
    r"|as|to|an? (?:problem|issue|bug|priority)|the (?:problem|issue|point|case|other)|allowed|possible|needed|worth"
    r"|nur|seulement|solo|\w+ing|\w+ed)\b"
)
"""What stands behind a `not` that contrasts nothing."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """`subject` stands before the `not`: what is right is in it, unless that follows as `right`.

    `is_set_off` tells that there is a pause before the `not`, as there is in most contrasts.
    """

    subject: str
    right: str
    wrong: str
    is_set_off: bool = True

    @property
    def is_specific(self) -> bool:
        """Whether both sides have a number, a path or a name: no manner of speaking has."""
        return all(SPECIFIC.search(f" {side}") for side in (self.right, self.wrong))


def contrast(text: str) -> Contrast | None:
    """The contrast that a sentence ends with, None when it has none."""
    text = text.rstrip(" .!")
    if any(word in text for word in (" but ", " it", " rather ")) and (found := NOT_BUT.match(text)):
        return Contrast(found["subject"], found["right"], found["wrong"])
    for found in NOT.finditer(text):
        wrong, right = text[found.end() :], AND.sub("", text[: found.start()].rstrip()).rstrip()
        is_short = len(wrong.split()) <= MOST_WRONG and len(right.split()) >= LEAST_RIGHT
        if is_short and not GOES_ON.match(wrong) and not DENYING.search(right, max(0, len(right) - 20)):
            return Contrast(right.rstrip(",;–—-"), right.rstrip(",;–—-"), wrong, right[-1] in ",;–—-")
    return None


def asserted(text: str) -> str:
    """What is left of a sentence without what it says is wrong: `the port is 8081`."""
    found = contrast(text)
    return found.subject if found is not None and found.right == found.subject else text
