"""What the conversations that were alive at a clean stop had been told, so that they go on word for word.

It is written then and not with each exchange: after a crash nothing that was evaluated is left to go on from.
"""

import zlib
from collections.abc import Mapping

import msgspec
from sqlite_utils import Database

from pi_memory.conversation.window import Prompted

KEY = "prompted"


def take(db: Database) -> dict[str, Prompted]:
    """By conversation, as `keep` kept it. Forgotten here: after a crash it may be of older conversations."""
    row = db.execute("select value from state where key = ?", (KEY,)).fetchone()
    if row is None:
        return {}
    db.execute("delete from state where key = ?", (KEY,))
    try:
        return msgspec.json.decode(zlib.decompress(row[0]), type=dict[str, Prompted])
    except (zlib.error, msgspec.DecodeError, TypeError):  # damaged: what is known is recalled anew, as after a crash
        return {}


def keep(db: Database, prompted: Mapping[str, Prompted]) -> None:
    """Compressed: conversations are told much the same."""
    packed = zlib.compress(msgspec.json.encode(prompted))
    db.execute("insert or replace into state (key, value) values (?, ?)", (KEY, packed))
