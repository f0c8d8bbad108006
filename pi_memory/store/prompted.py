"""What the conversations that were alive at a clean stop had been told, so that they go on word for word.

It is written then and not with each exchange: after a crash nothing that was evaluated is left to go on from.
"""

from collections.abc import Mapping

import msgspec
from sqlite_utils import Database

from pi_memory.conversation.short_memory import Prompted
from pi_memory.store import state

KEY = "prompted"


def take(db: Database) -> dict[str, Prompted]:
    """By conversation, as `keep` kept it. Forgotten here: after a crash it may be of older conversations."""
    found = state.get(db, KEY)
    if found is None:
        return {}
    state.remove(db, KEY)
    return msgspec.json.decode(found, type=dict[str, Prompted])


def keep(db: Database, prompted: Mapping[str, Prompted]) -> None:
    state.put(db, KEY, msgspec.json.encode(prompted).decode())
