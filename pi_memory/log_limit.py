"""Rate limit of the log: it is written to the card, and people have to read it."""

import logging
from collections import Counter

MOST = 20
"""Most lines of one kind in a minute."""

KINDS = 1_000


class LogLimit(logging.Filter):
    """Passes MOST lines of each kind a minute; the last of them says that more are dropped.

    Lines are of one kind when one place of the code wrote them. Debug lines are not limited.
    """

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._seen: Counter[tuple[str, int]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.INFO:
            return True
        minute = int(record.created // 60)
        if minute != self._minute or len(self._seen) > KINDS:
            self._minute = minute
            self._seen.clear()
        kind = record.pathname, record.lineno
        self._seen[kind] += 1
        if self._seen[kind] == MOST:
            record.msg = f"{record.msg} (more of these are left out until the minute is over)"
        return self._seen[kind] <= MOST
