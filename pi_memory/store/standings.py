"""The standing texts of the conversations that were alive at a clean stop, so that they go on word for word."""

from collections.abc import Mapping

import msgspec
from sqlite_utils import Database

from pi_memory.store import state
from pi_memory.turn import Standing

KEY = "standings"


def take(db: Database) -> dict[str, Standing]:
    """By conversation, as `keep` kept them. Forgotten here: after a crash they may be those of older conversations."""
    found = state.get(db, KEY)
    state.put(db, KEY, "{}")
    return msgspec.json.decode(found, type=dict[str, Standing]) if found else {}


def keep(db: Database, standings: Mapping[str, Standing]) -> None:
    state.put(db, KEY, msgspec.json.encode(standings).decode())
