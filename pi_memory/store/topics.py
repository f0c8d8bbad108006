"""The table of topics. A topic is never deleted: it becomes inactive and keeps its row."""

import msgspec
from sqlite_utils import Database

from pi_memory.types import Topic

COLUMNS = "name, first_seen_at, last_touched_at, file_paths, directories, touch_count, session_count, is_active"


def load(db: Database) -> list[Topic]:
    """All topics, active or not."""
    return [_topic(row) for row in db.execute(f"select {COLUMNS} from topics").fetchall()]


def save(db: Database, topic: Topic) -> None:
    db.execute(
        f"""insert into topics ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (name) do update set first_seen_at = excluded.first_seen_at,
            last_touched_at = excluded.last_touched_at, file_paths = excluded.file_paths,
            directories = excluded.directories, touch_count = excluded.touch_count,
            session_count = excluded.session_count, is_active = excluded.is_active""",
        (
            topic.name,
            topic.first_seen_at,
            topic.last_touched_at,
            msgspec.json.encode(topic.file_paths).decode(),
            msgspec.json.encode(topic.directories).decode(),
            topic.touch_count,
            topic.session_count,
            topic.is_active,
        ),
    )


def join_session(db: Database, topic: str, session: str) -> None:
    """Record that a session worked on a topic."""
    db.execute(
        """insert or ignore into topic_sessions (session_id, topic_id)
        select sessions.id, topics.id from sessions, topics where sessions.name = ? and topics.name = ?""",
        (session, topic),
    )


def inherit_sessions(db: Database, old: str, new: str) -> None:
    """Copy the sessions of topic `old` to its new name `new`."""
    db.execute(
        """insert or ignore into topic_sessions (session_id, topic_id)
        select session_id, (select id from topics where name = ?) from topic_sessions
        join topics on topics.id = topic_id where topics.name = ?""",
        (new, old),
    )


def of_session(db: Database, session: str) -> list[str]:
    """Names of the topics that a session has worked on, the one touched last at the end."""
    rows = db.execute(
        """select topics.name from topic_sessions join sessions on sessions.id = session_id
        join topics on topics.id = topic_id where sessions.name = ? order by last_touched_at""",
        (session,),
    ).fetchall()
    return [name for (name,) in rows]


def _topic(row: tuple) -> Topic:  # type: ignore[type-arg]
    name, first, last, paths, directories, touches, session_count, active = row
    return Topic(
        name=name,
        first_seen_at=first,
        last_touched_at=last,
        file_paths=tuple(msgspec.json.decode(paths, type=list[str])),
        directories=tuple(msgspec.json.decode(directories, type=list[str])),
        touch_count=touches,
        session_count=session_count,
        is_active=bool(active),
    )


def load_centroids(db: Database, space: str) -> dict[str, bytes]:
    """Centroids in one space, as `Packed.to_bytes` writes them, by topic."""
    query = """select topics.name, vector from centroids join topics on topics.id = topic_id
        join spaces on spaces.id = space_id where spaces.name = ?"""
    return dict(db.execute(query, (space,)).fetchall())


def save_centroid(db: Database, topic: str, *, space: int, vector: bytes) -> None:
    """Store a topic's centroid in the space numbered `space`; that of another space is deleted."""
    query = """insert or replace into centroids (topic_id, space_id, vector)
        select id, ?, ? from topics where name = ?"""
    db.execute(query, (space, vector, topic))


def inherit(db: Database, old: str, new: str) -> None:
    """Copy the centroid of topic `old` to its new name `new`."""
    query = """insert or replace into centroids (topic_id, space_id, vector)
        select (select id from topics where name = ?), space_id, vector
        from centroids join topics on topics.id = topic_id where topics.name = ?"""
    db.execute(query, (new, old))
