"""Rules: what the words of an exchange say about its topic. Pure."""

import re
from collections.abc import Collection

from pi_memory.tagging.paths import URL
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.text.language import pattern, words
from pi_memory.topics.names import CAMEL, normalise

SUBSTANCE = 300
"""Characters of a reply from which on it is work, whatever short word asked for it."""

REMARK = 60
"""Characters of a message up to which it may be no more than a remark."""

READ = 1_000
"""Characters of a text that are searched for words: what it is about is said at its beginning."""

SAID, DONE, REPLIED = 0.45, 0.15, 0.15
"""What each different word of a topic counts: said by the user, in a command, in the reply."""

MOST_SAID, MOST_OTHER = 1.2, 0.5
REPEATED = 0.25
"""What is left of the user's words in a message that was there before: an agent goes on, and what it does counts."""

FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
LONGEST_NAME = 4
"""Most words of a name that is looked for in a text."""


def is_chatter(user: str, reply: str, patterns: Patterns) -> bool:
    """Whether a message, sent without files or tool calls, is not about anything.

    One that asks for the next step is not chatter when the reply has substance.
    """
    words = [word.lower() for word in re.findall(r"[\w']+", user)]
    if not all(word in patterns.chatter or len(word) == 1 for word in words):
        return False
    goes_on = all(len(word) == 1 for word in words) or any(word in patterns.go_on for word in words)
    return not (goes_on and len(reply) >= SUBSTANCE)


def is_remark(user: str, reply: str) -> bool:
    """Whether a message that nothing came of only remarks on something: it is short, asks nothing, and little was
    replied.
    """
    return len(user) <= REMARK and not re.search(r"[?？؟]", user) and len(reply) < SUBSTANCE


def refers_back(user: str) -> bool:
    """Whether a message goes on from what was said before, as far as its words tell: of three words any does."""
    return len(user.split()) <= 3 or pattern("refers_back").search(user[:READ]) is not None


def stated(user: str) -> str | None:
    """The topic that the user says they work on: `let's work on the watering schedule` -> `watering-schedule`."""
    for found in pattern("work_on").finditer(user[:READ]):
        named = [word.strip("`\"'*") for word in pattern("work_rest").sub("", found["what"]).split()]
        telling = [word for word in named if word.lower() not in words("vague_work")]
        name = normalise(" ".join(telling)) if 0 < len(telling) <= 3 else None
        if name and "." not in name:  # a file speaks for itself
            return name
    return None


def prose(text: str) -> str:
    """What somebody says, without the code and the addresses in it."""
    return URL.sub(" ", FENCED.sub(" ", text))


def keyword_scores(
    user: str, reply: str, commands: str, *, patterns: Patterns, repeated: bool = False
) -> dict[str, float]:
    """Configured topics by how many of their different words occur; those the user said count most, unless they are
    `repeated` from the exchange before. What is said and then done counts as both; a reply echoes what was said.
    """
    found = {}
    for topic, expression in patterns.topics.items():
        said = _found(expression, user)
        score = min(MOST_SAID, SAID * len(said)) * (REPEATED if repeated else 1.0)
        score += min(MOST_OTHER, DONE * len(_found(expression, commands)))
        score += min(MOST_OTHER, REPLIED * len(_found(expression, reply) - said))
        if score:
            found[topic] = score
    return found


def mentioned(text: str, names: Collection[str]) -> set[str]:
    """The names that occur in a text, in one word or several, in singular or plural. It costs as much as the text is
    long, however many names there are.
    """
    words = re.findall(r"[^\W_]+", CAMEL.sub(" ", text).lower())
    runs = (words[at : at + length] for length in range(1, LONGEST_NAME + 1) for at in range(len(words) - length + 1))
    spelled = {form for run in runs for form in ("-".join(run), "".join(run))}
    return {name for form in spelled for name in (form, form.removesuffix("s"), f"{form}s") if name in names}


def _found(expression: re.Pattern[str], text: str) -> set[str]:
    return {match[0].lower() for match in expression.finditer(text[:READ])}
