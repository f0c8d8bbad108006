"""What a message asks, as it is searched for. Pure."""

import re
from collections.abc import Sequence

from pi_memory.recall.judging import KINDS_OF_ANSWERS, Judged
from pi_memory.retrieval import called
from pi_memory.text.intent import Intent, Wish, follows_up, intent_of
from pi_memory.text.language import forms, pattern, words
from pi_memory.text.query_terms import terms

LONGEST_WHERE = 4
"""Words of a question that only asks where something is."""


def asks_something(query: str, intent: Intent) -> bool:
    """Whether a message has more than courtesy and stop words, or asks something of the user's own life: `What do I
    have to do tomorrow?`, `When do I get up?`
    """
    is_sure = intent.asks and intent.is_sure and pattern("own_world").search(query) is not None
    asks_for = ("at_present", *(asked for asked, _ in KINDS_OF_ANSWERS))
    has_kind = is_sure and any(pattern(name).search(query) for name in asks_for)
    return has_kind or not words("small_talk").issuperset(terms(query))


def otherwise(question: str) -> str:
    """The question as somebody would ask it who knows what became of its subject: `where did I park the car` for
    `where's the car`. "" for none.
    """
    said = re.findall(r"[\w'’]+", question)
    if not 2 <= len(said) <= LONGEST_WHERE or not pattern("asks_place").search(question):
        return ""
    return forms("parked").get(said[-1].lower(), "")


def with_subject(question: str, before: str) -> str:
    """A follow-up question such as `and his brother?`, with the message before it, which has its subject."""
    return f"{before} {question}" if before and follows_up(question) else question


def wish(query: str, before: str) -> Intent | None:
    """The intent of a message, None for courtesy and stop words, unless they follow up what was said `before`."""
    intent = intent_of(query)
    talks = intent.kind not in (Wish.QUESTION, Wish.STATEMENT, Wish.REQUEST) and not intent.asks
    is_broad = intent.kind in (Wish.ABOUT, Wish.SAID)
    return None if talks or not (is_broad or asks_something(with_subject(query, before), intent)) else intent


def in_other_words(question: str, judged: Sequence[Judged]) -> list[str]:
    """The question with the words that the statements have for what it names, `Bosun` for `the dog`, and as one asks
    who knows what became of it; only what is another question.
    """
    named = called.with_names(question, called.known(each.found.content for each in judged))
    return [other for other in (named, otherwise(question)) if other and other != question]
