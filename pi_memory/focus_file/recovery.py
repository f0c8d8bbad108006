"""Rebuilds topics from RECENT_FOCUS.md alone when the database is lost. Pure."""

import math

from pi_memory.decay import DAY, TOPIC_RATE
from pi_memory.focus_file.document import Document, Entry
from pi_memory.topics.display import HOUR
from pi_memory.topics.names import within_limits
from pi_memory.types import Topic

OLDEST = 3_650 * DAY
"""Most seconds that a file can date a topic back: its figures may have been mistyped."""


def rebuild(document: Document, now: float) -> list[Topic]:
    """Topics from the file alone, as exact as its figures: ages are to the hour or day."""
    written = min(now, document.updated_at or now)
    return [_rebuilt(entry, max(written - _age(entry), now - OLDEST)) for entry in document.entries]


def _age(entry: Entry) -> float:
    """Seconds before the file was written; the strength refines a coarse age such as `5d ago`."""
    exact = DAY * math.log(max(entry.strength, 0.01)) / math.log(TOPIC_RATE) if entry.strength else None
    if entry.age is None:
        return exact or 0.0
    step = HOUR if entry.age < DAY else DAY
    return entry.age if exact is None else min(max(exact, entry.age), entry.age + step)


def _rebuilt(entry: Entry, touched_at: float) -> Topic:
    # A single directory must be that of every file shown by its base name.
    only = entry.directories[0] if len(entry.directories) == 1 else ""
    files = tuple(name if "/" in name else only + name for name in entry.files)
    count = max(1, entry.sessions or 1)
    topic = Topic(entry.name, touched_at, touched_at, files, entry.directories, touch_count=count, session_count=count)
    return within_limits(topic)
