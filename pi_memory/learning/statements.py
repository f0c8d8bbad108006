"""Detects what the user wants remembered or forgotten, by the words that begin a sentence. Pure.

Only the user's own words, and no questions. The words are in `config/language`.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from pi_memory.merging.brief_correction import Answered, corrected, refuses
from pi_memory.text.contrast import contrast
from pi_memory.text.intent import asks, is_asking, supposes
from pi_memory.text.language import pattern
from pi_memory.text.persons import about_user, finished
from pi_memory.text.secrets import is_of_household, secret_in
from pi_memory.text.user_text import Sentence, sentences
from pi_memory.types import Exchange, Statement, StatementKind

MOST = 20
"""Most statements of one message."""
MOST_WITH_SECRET, LONGEST_WITH_SECRET = 3, 12
"""Sentences of a message, and words of one, in which a secret is told rather than pasted."""
ENDING = 60
"""Characters at the end of a sentence that may say what to do with it."""


def notice(message: str, before: Answered | None = None) -> tuple[Statement, ...]:
    """The user's statements in a message, in order; of a private one, only requests to forget. What puts the answer
    `before` it right need not say what it is about.

    Linear in the message's length.
    """
    said = sentences(message)
    found: dict[str, Statement] = {}
    if len(said) == 1 and pattern("takes_back").match(_straight(said[0].text)):
        return (Statement("undo", "", said[0].text),)
    if before and not before.question and pattern("forgets_that").match(message):
        return (Statement("forget", about_user(before.answer), message),)
    if before and said:
        # `Nope, that was the old one. It's 8820.`
        parts = said[:2] if refuses(said[0].text) else said[:1]
        quote = _as_written(message, parts)
        if correction := corrected(quote, before):
            found[quote] = Statement("correction", correction.content, quote, instead_of=correction.instead_of)
            said = said[len(parts) :]
    for number, sentence in enumerate(said):
        for stated in _stated(sentence, before=said[number - 1] if number else None, after=said[number + 1 :]):
            found.setdefault(stated.quote, stated)
        if len(found) >= MOST:
            break
    if not found and len(said) <= MOST_WITH_SECRET:  # not to be stored without "remember", which has to be said
        earlier = ["", *(each.text for each in said)]
        telling = [s.text for s, other in zip(said, earlier, strict=False) if _tells_secret(s, other)]
        found = {text: Statement("personal", about_user(text), text) for text in telling}
    is_private = any(stated.kind == "private" for stated in found.values())
    return tuple(s for s in found.values() if not is_private or s.kind in ("private", "forget"))


def _as_written(message: str, parts: Sequence[Sentence]) -> str:
    """The text of sentences that follow each other, as it stands in the message."""
    begin = message.find(parts[0].text)
    end = message.find(parts[-1].text, begin + len(parts[0].text) if len(parts) > 1 else begin)
    return message[begin : end + len(parts[-1].text)] if begin >= 0 and end >= 0 else parts[0].text


def _tells_secret(sentence: Sentence, before: str) -> bool:
    """Whether a short sentence states a secret: `The PIN of the card is 4711.`, and no password of the wifi, which the
    one before it may name.
    """
    is_short = len(sentence.text.split()) <= LONGEST_WITH_SECRET
    is_secret = secret_in(sentence.text) is not None and not is_of_household(sentence.text, before)
    return is_short and not sentence.is_question and not asks(sentence.text) and is_secret


def statements(exchange: Exchange) -> tuple[Statement, ...]:
    """The user's statements in an exchange: those found before, else found now."""
    return notice(exchange.user) if exchange.stated is None else exchange.stated


def _stated(sentence: Sentence, *, before: Sentence | None, after: Sequence[Sentence]) -> list[Statement]:
    text = _from(_straight(sentence.text), pattern("opening"))
    asked = pattern("asked").match(text)
    if put := pattern("puts_on_list").match(text.rstrip("? ")):
        return [Statement("remember", about_user(f"On the {put['list']}: {put['what']}"), sentence.text)]
    if sentence.is_question and not asked:
        return _said_in_passing(text, sentence.text)
    text = text[asked.end() :].rstrip("? ") if asked else text
    if pattern("private").match(text):
        return [Statement("private", "", sentence.text)]
    rest = _from(text, pattern("correcting"))
    if found := _forget(rest, sentence) or _remember(rest, sentence, before, after):
        return found
    if (correction := _corrected(text)) is not None:
        return [Statement("correction", about_user(correction), sentence.text)]
    return _wish(rest, sentence, before, after)


def _said_in_passing(question: str, quote: str) -> list[Statement]:
    """`I'm allergic to nuts, what can I cook?`"""
    found = pattern("then_asks").match(question)
    verbatim = pattern("then_asks").match(quote)
    return _personal(found["said"], (verbatim or found)["said"]) if found else []


def _corrected(text: str) -> str | None:
    """`no, the port is 8081, not 8080`: what is right. Without a contrast, a no must come first."""
    opened = pattern("correcting").match(text)
    rest = text[opened.end() :] if opened else text
    found = contrast(rest)
    if found is not None and opened and (found.is_specific or pattern("says").search(found.subject)):
        return rest
    if found is not None and found.is_set_off and found.is_specific and not pattern("reported").match(rest):
        return rest
    refuses = opened is not None and not pattern("correcting_softly").match(text)
    return rest if refuses and pattern("states").match(rest) and pattern("specific").search(rest) else None


def _forget(text: str, sentence: Sentence) -> list[Statement]:
    named = pattern("from_memory").match(text) or pattern("forget_behind").match(text)
    found = pattern("forget").match(text)
    if not named and not found:
        return []
    what = named["what"] if named else text[found.end() :].strip(" ,:") if found else ""
    clause = pattern("that").match(what)
    idle = pattern("forget_idle").match(what) or (not clause and pattern("forget_goes_on").search(what))
    what = what[clause.end() :] if clause else what
    return [] if idle or not what.strip(" .!?") else [Statement("forget", about_user(what), sentence.text)]


def _remember(text: str, sentence: Sentence, before: Sentence | None, after: Sequence[Sentence]) -> list[Statement]:
    behind = pattern("remember_behind").search(text, max(0, len(text) - ENDING))
    if behind and behind.start():
        return [Statement("remember", about_user(text[: behind.start()]), sentence.text)]
    found = pattern("remember").match(text)
    if not found:
        return []
    if pattern("to_do").match(text):
        return [
            Statement(
                "remember", finished(f"remember to {_without_farewell(text.partition(' to ')[2])}"), sentence.text
            )
        ]
    what = _without_farewell(text[found.end() :])
    if not pattern("empty").match(what):
        return [Statement("remember", about_user(what), sentence.text)]
    if items := _items(after):
        return [Statement("remember", about_user(item.text), item.text) for item in items]
    if before is None or before.is_question:
        return []
    return [Statement("remember", about_user(_from(before.text, pattern("opening"))), before.text)]


def _wish(text: str, sentence: Sentence, before: Sentence | None, after: Sequence[Sentence]) -> list[Statement]:
    """How the user wants things to be, what they like, who they are; with the sentence before it where that names what
    they do it to: `The minutes come out badly at night. I prefer to write them at noon.`
    """
    if supposes(text):
        return []
    if personal := _personal(text, sentence.text):
        return personal
    kind: StatementKind = "preference" if pattern("preference").match(text) else "rule"
    rule = pattern("rule").match(text)
    if (kind == "rule" and not rule and not _is_rule_behind(text)) or pattern("once").search(text):
        return []
    if rule and pattern("empty").match(text[rule.end() :]):
        return [Statement("rule", about_user(item.text), item.text) for item in _items(after)]
    names = before is not None and not is_asking(before) and pattern("does_to").match(text) is not None
    content = f"{about_user(before.text)} {about_user(text)}" if before and names else about_user(text)
    return [Statement(kind, content, sentence.text)]


def _personal(text: str, quote: str) -> list[Statement]:
    """One for each thing that a sentence says of the user: any of them may change without the others."""
    if not pattern("personal").match(text):
        return []
    quotes = pattern("next_of_user").split(quote)
    if len(quotes) == 1 or not pattern("personal").match(first := _from(_straight(quotes[0]), pattern("opening"))):
        return [Statement("personal", about_user(text), quote)]
    rest = [Statement("personal", about_user(_straight(each)), each) for each in quotes[1:]]
    return [Statement("personal", about_user(first), quotes[0]), *rest]


def _straight(text: str) -> str:
    return text.replace("’", "'")


def _is_rule_behind(text: str) -> bool:
    """`Use tabs from now on`."""
    behind = pattern("rule_behind").search(text, max(0, len(text) - ENDING))
    return bool(behind and pattern("bids").match(text) and not pattern("reported").match(text))


def _from(text: str, opening: re.Pattern[str]) -> str:
    """The sentence without its first words."""
    found = opening.match(text)
    return text[found.end() :] if found else text


def _without_farewell(text: str) -> str:
    return pattern("farewell").sub("", text)


def _items(after: Sequence[Sentence]) -> list[Sentence]:
    """The list that follows."""
    return list(takewhile(lambda sentence: sentence.item, after))
