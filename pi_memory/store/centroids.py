"""Centroids: where topics lie in an embedder's space, one vector of int8 a topic."""

from sqlite_utils import Database


def load_centroids(db: Database, space: str) -> dict[str, bytes]:
    """The vectors in one space, as `Packed.to_bytes` gives them, by topic."""
    query = """select topics.name, vector from centroids join topics on topics.id = topic_id
        join spaces on spaces.id = space_id where spaces.name = ?"""
    return dict(db.execute(query, (space,)).fetchall())


def save_centroid(db: Database, topic: str, *, space: int, vector: bytes) -> None:
    """Store where a topic lies, in the space numbered `space`; what it had in another one is gone."""
    query = """insert or replace into centroids (topic_id, space_id, vector)
        select id, ?, ? from topics where name = ?"""
    db.execute(query, (space, vector, topic))


def inherit(db: Database, old: str, new: str) -> None:
    """Let `new` lie where `old` did, because it was renamed."""
    query = """insert or replace into centroids (topic_id, space_id, vector)
        select (select id from topics where name = ?), space_id, vector
        from centroids join topics on topics.id = topic_id where topics.name = ?"""
    db.execute(query, (new, old))
