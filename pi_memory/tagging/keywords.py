"""Scores of topics from the words of an exchange; detection of chatter and of stated topics. Pure."""

import re
from collections.abc import Collection

from pi_memory.tagging.paths import URL
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.text.language import pattern, words
from pi_memory.text.sentences import without_code
from pi_memory.topics.names import CAMEL, normalise

SUBSTANCE = 300
"""Characters from which on a reply is work, however short the request."""

REMARK = 60
"""Most characters of a message that may be a mere remark."""

READ = 1_000
"""Characters at the beginning of a text that are searched: it says there what it is about."""

SAID, DONE, REPLIED = 0.45, 0.15, 0.15
"""Scores of each different word of a topic: said by the user, in a command, in the reply."""

MOST_SAID, MOST_OTHER = 1.2, 0.5
REPEATED = 0.25
"""Factor on the user's words in a repeated message: an agent continues, and its actions count."""

LONGEST_NAME = 4
"""Most words of a name that is searched for in a text."""


def is_chatter(user: str, reply: str, patterns: Patterns) -> bool:
    """Whether a message, sent without files or tool calls, has no topic.

    A request for the next step is not chatter when the reply has substance.
    """
    words = [word.lower() for word in re.findall(r"[\w']+", user)]
    if not all(word in patterns.chatter or len(word) == 1 for word in words):
        return False
    goes_on = all(len(word) == 1 for word in words) or any(word in patterns.go_on for word in words)
    return not (goes_on and len(reply) >= SUBSTANCE)


def is_remark(user: str, reply: str) -> bool:
    """Whether a message without any result is only a remark: it is short, asks nothing, and the reply is short."""
    return len(user) <= REMARK and not re.search(r"[?？؟]", user) and len(reply) < SUBSTANCE


def refers_back(user: str) -> bool:
    """Whether a message's words refer to what was said before; any message of up to three words does."""
    return len(user.split()) <= 3 or pattern("refers_back").search(user[:READ]) is not None


def stated(user: str) -> str | None:
    """The topic that the user says they work on: `let's work on the watering schedule` -> `watering-schedule`."""
    for found in pattern("work_on").finditer(user[:READ]):
        named = [word.strip("`\"'*") for word in pattern("work_rest").sub("", found["what"]).split()]
        content = [word for word in named if word.lower() not in words("vague_work")]
        name = normalise(" ".join(content)) if 0 < len(content) <= 3 else None
        if name and "." not in name:  # a file speaks for itself
            return name
    return None


def prose(text: str) -> str:
    """The text without code and URLs."""
    return URL.sub(" ", without_code(text))


def keyword_scores(
    user: str, reply: str, commands: str, *, patterns: Patterns, repeated: bool = False
) -> dict[str, float]:
    """Configured topics by how many of their different words occur. The user's words count most, unless `repeated`; a
    word that is said and then done counts as both; a reply echoes what was said.
    """
    said, done, replied = (patterns.words_of_topics(text[:READ]) for text in (user, commands, reply))
    scores = {}
    for topic in (name for name in patterns.topics if name in said or name in done or name in replied):
        own = said.get(topic, set())
        score = min(MOST_SAID, SAID * len(own)) * (REPEATED if repeated else 1.0)
        score += min(MOST_OTHER, DONE * len(done.get(topic, ())))
        scores[topic] = score + min(MOST_OTHER, REPLIED * len(replied.get(topic, set()) - own))
    return {topic: score for topic, score in scores.items() if score}


def mentioned(text: str, names: Collection[str]) -> set[str]:
    """The names that occur in a text, in one word or several, in singular or plural. Cost grows with the text's length,
    not with the number of names.
    """
    words = re.findall(r"[^\W_]+", CAMEL.sub(" ", text).lower())
    runs = (words[at : at + length] for length in range(1, LONGEST_NAME + 1) for at in range(len(words) - length + 1))
    spelled = {form for run in runs for form in ("-".join(run), "".join(run))}
    return {name for form in spelled for name in (form, form.removesuffix("s"), f"{form}s") if name in names}
