"""The intent of a message: a question, a request for a list of memories, small talk, or a statement. Pure.

The words are in `config/language`. In doubt a message states something: it is then stored and searched, and no reply
claims to answer it.
"""

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.sentences import is_question, with_apostrophes
from pi_memory.text.user_text import Sentence
from pi_memory.text.user_text import sentences as own_sentences

LONGEST_FRAGMENT = 8
"""Words of a message without a verb that may be a question: `nas address`."""
LONGEST_NEED = 14
LONGEST_NAMED = 12
"""Words of one that begins with what is asked for: `time of the meeting that ...`."""
SHORTEST_LOOKUP = 4
"""Words of a message that names what it looks for."""
LONGEST_FOLLOW_UP = 9
LONGEST_BRIEF = 240
"""Characters of these: a rule of a thousand dashes is no word, and no question."""
TIMES = (
    "day_before_yesterday", "period", "iso_date", "on_date", "in_month", "ago", "past", "last_weekday",
    "last_weekend", "this_weekend", "last_week", "this_week", "last_month", "this_month", "last_year", "this_year",
    "last_night", "yesterday", "today", "on_weekday", "lately", "in_year",
)  # fmt: skip
"""Expressions of a time in which something was said. One of them all would be compiled to as much as the next five."""


class Wish(Enum):
    """`ABOUT` asks for everything about something, `SAID` for what the user said in a time, `CHANGED` for what is known
    otherwise since, `REPLIED` for what the assistant said, `ASSISTANT` who it is, `WELLBEING` how it is, `PRESENCE`
    whether it is there, `DOUBT` whether it is right; `REQUEST` is for what only a language model does, `ANSWER` a yes
    or no.
    """

    QUESTION = "question"
    ABOUT = "about"
    SAID = "said"
    CHANGED = "changed"
    REPLIED = "replied"
    ASSISTANT = "assistant"
    WELLBEING = "wellbeing"
    PRESENCE = "presence"
    DOUBT = "doubt"
    REQUEST = "request"
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    ANSWER = "answer"
    STATEMENT = "statement"


ABOUT_ASSISTANT = {
    Wish.ASSISTANT: "asks_who_you_are",
    Wish.WELLBEING: "asks_wellbeing",
    Wish.PRESENCE: "asks_presence",
    Wish.DOUBT: "doubts",
}
ASKING = frozenset({Wish.QUESTION, Wish.ABOUT, Wish.SAID, Wish.CHANGED, Wish.REPLIED})


class Intent(Struct, frozen=True):
    """`subject` is what `ABOUT` and `SAID` are about, empty for the user and for everything. `is_sure`: there are signs
    of a question, not only no verb.
    """

    kind: Wish
    subject: str = ""
    is_sure: bool = True

    @property
    def asks(self) -> bool:
        """Whether a memory or message may answer it."""
        return self.kind in ASKING


@remembered(256)
def intent_of(message: str) -> Intent:
    """The intent of a message; of several sentences that of the one that asks."""
    text = _plain(message)
    if (talk := _small_talk(text)) is not None:
        return Intent(talk)
    if pattern("asks_changed").match(text):
        return Intent(Wish.CHANGED)
    said = _sentences(text)
    asking = [sentence for sentence in said if not pattern("idle_question").search(sentence)]
    if sure := [sentence for sentence in asking if asks(sentence)]:
        found = _asked(" ".join(sure))
        is_sure = any(is_question(sentence) or not _is_to_be_done(sentence) for sentence in sure)
        return found if is_sure else Intent(found.kind, found.subject, is_sure=False)
    if any(map(names_only, asking)):
        return Intent(Wish.QUESTION, is_sure=False)
    return Intent(Wish.REQUEST if any(map(pattern("request").search, said)) else Wish.STATEMENT)


@remembered(256)
def only_asks(message: str) -> bool:
    """Whether a message has nothing that could answer a question: it asks, or it is courtesy."""
    text = _plain(message)
    if _small_talk(text) is not None:
        return True
    left = [each for each in _sentences(text) if not says_nothing(each)]
    asking = [each for each in left if asks(each) or _is_short_request(each)]
    return not left or (bool(asking) and all(each in asking or pattern("cry").search(each) for each in left))


@remembered(512)
def says_nothing(sentence: str) -> bool:
    """Whether a sentence only greets, thanks, agrees, reacts or announces what comes: `Perfect, sent it.`"""
    return pattern("chatter").search(_plain(sentence)) is not None


def without_courtesy(sentence: str) -> str:
    """A sentence without a greeting or thanks in front: `I'm Anna.` of `Hello, I'm Anna.`"""
    found = pattern("courtesy").match(sentence)
    return sentence[found.end() :] if found else sentence


def is_asking(sentence: Sentence) -> bool:
    """Whether a sentence of a message asks, by its mark or by its words."""
    return sentence.is_question or asks(sentence.text)


def bids(sentence: Sentence) -> bool:
    """Whether a sentence of a message asks, or asks for something to be done."""
    is_request = pattern("request").search(sentence.text) or pattern("begins_task").match(sentence.text)
    return is_asking(sentence) or is_request is not None


def supposes(sentence: str) -> bool:
    """Whether a sentence says what would be, or what somebody keeps saying: `If we won, we would move.`"""
    return pattern("supposes").search(_plain(sentence)) is not None


def _is_short_request(sentence: str) -> bool:
    """Whether it asks for a poem, say. A longer one has facts in it: `Write to our teacher, Ms. Pellworth, that ...`"""
    return len(sentence.split()) <= LONGEST_FRAGMENT and pattern("request").search(sentence) is not None


@remembered(2048)
def asks(sentence: str) -> bool:
    """Whether a sentence asks, with or without a question mark."""
    sentence = with_apostrophes(" ".join(sentence.split()))  # long white space would take some expressions long
    states = any(pattern(name).match(sentence) for name in ("condition_first", "asks_reminder", "tells_what"))
    tells = "?" not in sentence and (pattern("mistaken").match(sentence) or _gives_now(sentence))
    if states or tells or pattern("request").search(sentence):
        return False
    if is_question(sentence) or any(pattern(name).search(sentence) for name in ("looks_up", "needs_help")):
        return True
    if any(map(pattern("asks_about").match, _ends(sentence))):
        return True
    length, is_brief = len(sentence.split()), len(sentence) <= LONGEST_BRIEF
    said = sentence.rstrip(" .!…")
    if length <= LONGEST_NEED and (pattern("needs_it").search(said) or _is_to_be_done(sentence)):
        return True
    if length <= LONGEST_FRAGMENT and not sentence.endswith(".") and pattern("ends_asking").search(sentence):
        return True
    return is_brief and length <= LONGEST_NAMED and _is_asked_for(sentence)


def _gives_now(sentence: str) -> bool:
    """Whether it says what something is now: `bin day friday now`."""
    return pattern("gives_now").search(sentence) is not None and not is_question(sentence)


def _ends(sentence: str) -> Iterator[str]:
    """The sentence, and what is left of it behind each of its clauses."""
    yield sentence
    for mark in pattern("clause_joint").finditer(sentence):
        yield sentence[mark.end() :]


def _is_to_be_done(sentence: str) -> bool:
    """Whether it says what is to be done, for which one may need to know something: `I have to ring the dentist`."""
    return pattern("to_be_done").search(sentence.rstrip(" .!…")) is not None


def _is_asked_for(sentence: str) -> bool:
    """Whether it names what is asked for: `town where Anna lives`. With a second verb it states something about it."""
    if pattern("speaker_does").search(sentence):
        return False
    if pattern("doer_first").match(sentence) and pattern("states_of").search(sentence):
        return False
    if _has(sentence, "asked_late", without="asking_inside"):
        return True
    if _has(sentence, "asked_compound", without="no_head") and not pattern("finite").search(sentence):
        return True
    names = pattern("asked_for").search(sentence) and not pattern("states_shortly").search(sentence)
    if not names and not _has(sentence, "asked_briefly", without="no_head"):
        return False
    return not pattern("states_of").search(sentence)


def _has(sentence: str, name: str, *, without: str) -> bool:
    """Whether a pattern is found, with none of some words in its named groups."""
    found = pattern(name).search(sentence)
    named = [group for group in found.groupdict().values() if group] if found else []
    return found is not None and words(without).isdisjoint(" ".join(named).lower().replace(",", " ").split())


def names_only(sentence: str) -> bool:
    """Whether a sentence seems only to name something, without a statement about it: `nas address`."""
    sentence = with_apostrophes(sentence)
    if not 0 < len(sentence.split()) <= LONGEST_FRAGMENT or pattern("other_language").search(sentence):
        return False
    says = ("finite", "at_present", "request", "asks_reminder", "states_shortly", "speaker_does")
    return not (tells_past(sentence) or any(pattern(name).search(sentence) for name in says))


def tells_past(sentence: str) -> bool:
    """Whether a few words tell what happened or is over: `the cat died`; no `the tool Ada lent me`."""
    return pattern("tells_past").search(sentence) is not None and pattern("thing_of_whom").match(sentence) is None


def is_lookup(message: str) -> bool:
    """Whether a message may only name what it looks for, as it gives no number, day, time or place of it: `the trick
    with the cellar door`; a shorter one may state something by a verb that nobody knows: `Bo snores`.
    """
    if len(message.split()) < SHORTEST_LOOKUP:
        return False
    days = forms("weekday_name").keys() | forms("month_name").keys()
    has_day = not days.isdisjoint(word.strip(".,!").removesuffix("s") for word in message.lower().split())
    has_value = has_day or any(pattern(name).search(message) for name in ("clock_words", "at_place"))
    return names_only(message) and not has_value


def follows_up(message: str) -> bool:
    """Whether a question takes its subject from the turn before: `and his brother?`"""
    return (
        len(message.split()) <= LONGEST_FOLLOW_UP
        and bool(pattern("follows_on").search(message))
        and not pattern("names_person").search(message)
    )


def _asked(text: str) -> Intent:
    if pattern("asks_replies").search(text):
        return Intent(Wish.REPLIED)
    if (found := pattern("asks_said").search(text)) and pattern("said_in_general").search(
        asked := _without_times(text[found.start() :]).strip()
    ):
        kind = Wish.SAID if any(pattern(name).search(text) for name in TIMES) else Wish.ABOUT
        return Intent(kind, _subject(asked))
    for rest in _ends(text):
        if found := pattern("asks_about").search(rest):
            before = text[: len(text) - len(rest) + found.start()].strip(" ,.:;–—-")
            subject = _subject(rest[max(0, found.end() - 10) :])
            if pattern("explained").match(subject) and not pattern("own_world").search(subject):
                break  # `Tell me something about how volcanoes form`
            is_said_before = subject in words("of_things") or pattern("definite").fullmatch(subject)
            return Intent(Wish.ABOUT, before if before and is_said_before else subject)
    return Intent(Wish.QUESTION)


def _without_times(text: str) -> str:
    for name in TIMES:
        text = pattern(name).sub("", text)
    return text


def _subject(rest: str) -> str:
    """`Pepper` of `about Pepper?`; empty for the user."""
    found = pattern("subject_of").search(rest)
    subject = found["what"].strip(" .,") if found else ""
    return "" if pattern("the_user").search(subject) else pattern("so_far").sub("", subject)


def _sentences(text: str) -> list[str]:
    """The user's own sentences, or the whole text if it has none."""
    return [sentence.text for sentence in own_sentences(text)] or [text]


def _plain(message: str) -> str:
    return with_apostrophes(message.replace("’", "'").strip())


def _small_talk(text: str) -> Wish | None:
    if pattern("greeting").search(text):
        return Wish.GREETING
    if pattern("thanks").search(text) and (says_nothing(text) or not pattern("finite").search(text)):
        return Wish.THANKS
    if pattern("farewell_only").search(text):
        return Wish.FAREWELL
    if pattern("yes_or_no").search(text) or says_nothing(text):
        return Wish.ANSWER
    return next((wish for wish, name in ABOUT_ASSISTANT.items() if pattern(name).search(text)), None)
