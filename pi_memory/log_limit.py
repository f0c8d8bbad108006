"""A log that others can make long only slowly: it is on a card, and it has to be read."""

import logging
from collections import Counter

MOST = 20
"""Lines of one kind in a minute."""

KINDS = 1_000


class LogLimit(logging.Filter):
    """Lets MOST lines of each kind through in each minute; the last of them says that more are left out.

    Lines are of one kind when the same place of the code wrote them. Debugging is not limited.
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
