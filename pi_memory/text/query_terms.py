"""What words tell: the terms of a query, and whether a message asks, who says it, and whether it tells a time. Pure."""

import re

MOST_TERMS = 16
"""Terms of a query that are looked up; a longer one is a text, whose first and last terms say what it is about."""
LONGEST_TERM = 40

STOPPED = """
    a about after again all also am an and any are as at be because been before being both but by can could did do
    does doing don down each few for from get got had has have having he her hers herself him himself his how i if in
    into is isn it its itself just ll let me more most my myself no nor not now of off on once only or other our ours
    out over own re s same shall she should so some such t than that the their theirs them then there these they this
    those through to too under until up us ve very was we were what when where which while who whom whose why will with
    won would you your yours yourself d m o
    tell say know remember please
"""
STOP_WORDS = frozenset(STOPPED.split())
"""English words that say nothing of what is looked for; a word of another language is at worst looked up in vain."""

UNSAID = STOP_WORDS - {"no", "not", "nor", "don", "isn", "all", "before", "after"} | {"user"}
"""What makes no difference between two sentences; a memory speaks of the user where they spoke of themselves."""

COURTESY = """
    hi hello hey heya hiya howdy yo greetings welcome bye goodbye cheers thanks thank thx ty ok okay k yes yeah yep yup
    nope sure fine good great nice cool awesome perfect wonderful amazing lovely excellent brilliant super wow oh ah hm
    hmm haha lol morning afternoon evening night day today tomorrow weekend later soon see ya talk chat going go well
    much lot really right alright sorry pardon problem worries never mind got sounds makes sense care fun enjoy happy
    hope help helpful helped appreciate congratulations everything anything something nothing
"""
SMALL_TALK = frozenset(COURTESY.split())
"""English words of which greetings, thanks and small talk are made."""

WORD = re.compile(r"[^\W_]+")
ASKING = ("?", "？")
SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?]+(?![\s.!?]|$)[^.!?。！？\n]+)*[.!?。！？]*")
TO_ASSISTANT = re.compile(r"\byou(?:r|rs)?\b", re.IGNORECASE)
SPEAKER = re.compile(r"\W{0,3}(\w[\w .'-]{0,39}?)\W{0,2}:\s")
ASKS_WHEN = re.compile(r"\s*(?:when|since when|how long|what (?:date|day|month|year|time))\b", re.IGNORECASE)
TIME = re.compile(
    r"""\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|recently|weekend|weeks?|months?|years?|days?
    |january|february|march|april|may|june|july|august|september|october|november|december
    |monday|tuesday|wednesday|thursday|friday|saturday|sunday|(?:19|20)\d\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def one_line(text: str) -> str:
    """`text` without line breaks: in a prompt it stays in its line, and no part of it looks like a section."""
    return " ".join(text.split())


def terms(query: str) -> tuple[str, ...]:
    """The words to look for, each once, without those that are in every text. May be empty."""
    found = dict.fromkeys(WORD.findall(query.casefold()))
    wanted = [word[:LONGEST_TERM] for word in found if word not in STOP_WORDS]
    half = MOST_TERMS // 2
    return tuple(wanted if len(wanted) <= MOST_TERMS else wanted[:half] + wanted[-half:])


def said(text: str) -> frozenset[str]:
    """The words that carry what a text says, whoever says it; all words of a text that has no such."""
    found = frozenset(WORD.findall(text.casefold()))
    return found - UNSAID or found


def quoted(term: str) -> str:
    """A term as an expression of FTS5 in which nothing is syntax."""
    return '"' + term.replace('"', '""') + '"'


def asked(text: str) -> float:
    """The share of a message that asks, from 0 to 1: many an answer ends with a question in return."""
    if not any(mark in text for mark in ASKING):
        return 0.0
    parts = SENTENCE.findall(text.strip())
    return sum(len(part) for part in parts if part.endswith(ASKING)) / max(1, sum(map(len, parts)))


def speaker(text: str) -> tuple[str, ...]:
    """The words of the name that a message such as `Anna: good morning` begins with."""
    found = SPEAKER.match(text[:80])
    return tuple(word.casefold() for word in WORD.findall(found[1])) if found else ()


def asks_when(query: str) -> bool:
    return ASKS_WHEN.match(query) is not None


def asks_assistant(query: str) -> bool:
    """Whether a query is about what the assistant said: "what did you suggest"."""
    return TO_ASSISTANT.search(query) is not None


def tells_time(text: str) -> bool:
    return TIME.search(text) is not None
