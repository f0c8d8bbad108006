"""Rules: what the words of an exchange say about its topic. Pure."""

import re
from collections.abc import Iterable

from pi_memory.focus.naming import CAMEL
from pi_memory.focus.patterns import Patterns
from pi_memory.focus.topics import normalise

SUBSTANCE = 300
"""Characters of a reply from which on it is work, whatever short word asked for it."""

READ = 1_000
"""Characters of a text that are searched for words: what it is about is said at its beginning."""

SAID, DONE, REPLIED = 0.45, 0.15, 0.15
"""What each different word of a topic counts: said by the user, in a command, in the reply."""

MOST_SAID, MOST_OTHER = 1.2, 0.5

STATED = re.compile(
    r"\b(?:work(?:ing)?\s+on|focus(?:ing)?\s+on|continu(?:e|ing)\s+(?:with|on)|switch(?:ing)?\s+to|mov(?:e|ing)\s+on\s+to"
    r"|(?:get(?:ting)?\s+)?back\s+to|\b(?:i'm|i\s+am|we're|we\s+are)\s+(?:now\s+|currently\s+|still\s+)?"
    r"(?:fixing|debugging|building|implementing|designing|planning|writing|rewriting|refactoring|setting\s+up))"
    r"\s+(?P<what>[^,;:!?\n()]{2,60})",
    re.IGNORECASE,
)
REST = re.compile(
    r"\s+(?:now|today|tonight|again|first|next|please|instead|so|because|and|but|for|in|with|on|at|that|which|where|when"
    r"|before|after|until|since|as|from|if|to|by|using|via|here|there|together|then|is|are|was|a\s+bit)\b.*|\.(?:\s.*|$)",
    re.IGNORECASE,
)
VAGUE = frozenset(
    re.findall(
        r"\S+",
        """
        the a an our my your some new old other whole rest of it its this that them these those something anything
        everything stuff things thing one ones what work task tasks step steps project code file files part parts bug
        bugs issue issues problem problems fix feature features topic me you us him her todo todos plan previous last
        first second next here there all item items story ticket both each way top being getting
        """,
    )
)
"""Words that name no work, though people say that they work on them."""


def is_chatter(user: str, reply: str, patterns: Patterns) -> bool:
    """Whether a message, sent without files or tool calls, is not about anything.

    One that asks for the next step is not chatter when the reply has substance.
    """
    words = [word.lower() for word in re.findall(r"[\w']+", user)]
    if not all(word in patterns.chatter or len(word) == 1 for word in words):
        return False
    goes_on = all(len(word) == 1 for word in words) or any(word in patterns.go_on for word in words)
    return not (goes_on and len(reply) >= SUBSTANCE)


def stated(user: str) -> str | None:
    """The topic that the user says they work on: `let's work on the watering schedule` -> `watering-schedule`."""
    for found in STATED.finditer(user[:READ]):
        words = [word.strip("`\"'*") for word in REST.sub("", found["what"]).split()]
        telling = [word for word in words if word.lower() not in VAGUE]
        name = normalise(" ".join(telling)) if 0 < len(telling) <= 3 else None
        if name and "." not in name:  # a file speaks for itself
            return name
    return None


def words_in(text: str) -> str:
    """The text as words between blanks, in lower case, camel case taken apart: for `mentions`."""
    return " ".join(["", *re.findall(r"[^\W_]+", CAMEL.sub(" ", text).lower()), ""])


def mentions(words: str, name: str) -> bool:
    """Whether a name occurs in `words_in` a text, in one word or several, in singular or plural."""
    plain = name.replace("-", " ").removesuffix("s")
    return any(f" {form} " in words for form in (plain, f"{plain}s", plain.replace(" ", "")))


def keyword_scores(user: str, reply: str, commands: str, *, patterns: Patterns) -> dict[str, float]:
    """Configured topics by how many of their different words occur; those the user said count most."""
    found = {}
    for topic, pattern in patterns.topics.items():
        said = _found(pattern, user)
        score = min(MOST_SAID, SAID * len(said))
        score += min(MOST_OTHER, DONE * len(_found(pattern, commands) - said))
        score += min(MOST_OTHER, REPLIED * len(_found(pattern, reply) - said))
        if score:
            found[topic] = score
    return found


def mentioned(words: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if mentions(words, name)]


def _found(pattern: re.Pattern[str], text: str) -> set[str]:
    return {match[0].lower() for match in pattern.finditer(text[:READ])}
