"""Hits as the search finds them, and what they answer."""

from typing import Any

from msgspec.structs import replace

from pi_memory.recall import gate, judging
from pi_memory.text.intent import intent_of
from pi_memory.types import Recalled


def found(score: float, *, words: float = 0.0, cosine: float = 0.0) -> Recalled:
    return Recalled(
        id=1,
        kind="memory",
        content="",
        score=score,
        similarity=score,
        strength=1.0,
        boost=0.0,
        cosine=cosine,
        words=words,
        at=0.0,
    )


def said(content: str, *, cosine: float, words: float = 0.0, **fields: Any) -> Recalled:
    known: dict[str, Any] = {"kind": "exchange", "role": "user", "source": "chat", "strength": 1.0, **fields}
    return Recalled(id=1, content=content, score=1, similarity=1, boost=0, cosine=cosine, words=words, at=0.0, **known)


def judged(*texts: str) -> list[judging.Judged]:
    """Statements, the nearest first."""
    hits = [replace(found(0.9 - n / 100, cosine=0.9 - n / 100), id=n, content=text) for n, text in enumerate(texts)]
    return judging.judge("Which fruit may he not have?", hits, {})


def answered(question: str, *found: Recalled, own: float = 0.9) -> list[str]:
    judged = judging.judge(question, found, {})
    return [each.content for each in gate.answers(question, intent_of(question), judged, own=own)]
