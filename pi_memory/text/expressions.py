"""Regular expressions from phrases."""

import re


def words(*patterns: str) -> re.Pattern[str]:
    """Any of the patterns, in any case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns).replace(" ", r"\s+"), re.IGNORECASE)
