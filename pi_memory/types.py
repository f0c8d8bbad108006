"""Plain data that is passed between the rooms.

Times are Unix seconds (UTC) as floats. Nothing in here does anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Role = Literal["system", "user", "assistant"]
Source = Literal["chat", "activity", "import"]
MemoryType = Literal["semantic", "episodic", "procedural"]
Priority = Literal["highest", "high", "medium", "low"]
StatementKind = Literal["remember", "rule", "preference", "personal", "correction", "forget", "private"]
Purpose = Literal["chat", "choose", "write", "idle"]
"""What a model in this process computes for; `idle`: what nobody waits for yet."""
RECALLED = "## Relevant Memories"
"""Above what was recalled for a message, in its context; a line of each begins with `- `."""
GENERAL = "general"
"""The agent that answers when none is named."""
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool that an agent ran: its name and its arguments as JSON would carry them."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt.

    `context` is text of ours that goes in front of the user's words inside the same message (an edited
    focus, the date). It is prompted, but never quoted and never learned from.
    """

    role: Role
    content: str
    context: str = ""

    @property
    def text(self) -> str:
        """What the model reads."""
        return f"{self.context}\n\n{self.content}" if self.context else self.content


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """What a client asks of one reply; what it does not give is as the settings say.

    A reply ends before the first of `stops`. `schema` is the JSON schema that it has to follow.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stops: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None


AS_SET = ReplyOptions()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a client asks of us: one message in one conversation.

    `screen` is what a client shows of the conversation before the message, where it keeps that itself: the prompt then
    follows it. `instructions` are the client's own, behind the agent's. Without `remember` the prompt is these and
    nothing else: nothing is recalled, learned or kept.
    """

    message: str
    conversation_id: str
    agent: str = GENERAL
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    screen: tuple[Message, ...] = ()
    instructions: str = ""
    remember: bool = True
    options: ReplyOptions = AS_SET


@dataclass(frozen=True, slots=True)
class Statement:
    """What the user states in a message.

    `content` stands alone; for `forget` it is what is to be forgotten, for `private` empty. `quote` is verbatim.
    """

    kind: StatementKind
    content: str
    quote: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message and the reply to it: the unit that is kept, tagged and remembered.

    `partial` marks a reply that the client did not wait for. `source` tells a conversation with us from the work of an
    agent elsewhere. `context` is the `Message.context` that was prompted with it, so that the prompt's prefix is the
    same in the next turn, and `recalled` the contents of what was recalled for it; a clean stop keeps them.
    """

    conversation_id: str
    user: str
    reply: str
    at: float
    context: str = ""
    partial: bool = False
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    file_paths: tuple[str, ...] = ()
    source: Source = "chat"
    recalled: tuple[str, ...] = ()
    stated: tuple[Statement, ...] | None = field(default=None, compare=False)
    """What the user states in it, None if nobody has looked for that yet. Not stored."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What an exchange was about. `topic` is None for chatter, which is not recorded; `vector` is of unit length, shape
    (dimensions,), when it was also judged by its meaning.
    """

    topic: str | None
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    vector: Vectors | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something the user works on: `area` or `area/detail`, in lower case."""

    name: str
    first_seen_at: float
    last_touched_at: float
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    touch_count: int = 1
    session_count: int = 1
    is_active: bool = True

    @property
    def parent(self) -> str | None:
        """`memory` for `memory/extraction`, None for a topic of one level."""
        area, slash, _ = self.name.partition("/")
        return area if slash else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may become a memory. `quote` is the user's own words, or a tool's, that it rests on, verbatim."""

    content: str
    type: MemoryType = "semantic"
    namespace: str = "user"
    priority: Priority = "low"
    source: str = "api"
    quote: str = ""
    exchange_id: int | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Something learned.

    `priority` is `highest` for what the user stated, `high` for an error and its resolution, `medium` for a pattern,
    `low` for what was discovered. `source` names how it came: `user_stated`, `error_resolution`, `pattern`,
    `discovery`, `api`, `import`. It holds from `valid_from` until `valid_to`; a forgotten one has no content any more.
    """

    id: int
    content: str
    type: MemoryType
    namespace: str
    priority: Priority
    source: str
    created_at: float
    updated_at: float
    last_accessed_at: float
    valid_from: float
    valid_to: float | None = None
    superseded_by: int | None = None
    accesses: int = 0
    quote: str = ""
    exchange_id: int | None = None
    topics: tuple[str, ...] = ()
    forgotten_at: float | None = None

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.forgotten_at is None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Something found, and why: score = similarity x strength x (1 + boost).

    `kind` is `memory`, or `exchange` for one message of an exchange, verbatim; `id` is the memory's or the exchange's.
    `cosine` and `words` are what similarity was made from: nearness in meaning, and of the words (BM25), each 0 to 1.
    """

    id: int
    kind: Literal["memory", "exchange"]
    content: str
    score: float
    similarity: float
    strength: float
    boost: float
    cosine: float
    words: float
    at: float
    type: MemoryType = "episodic"
    namespace: str | None = None
    role: Role | None = None
    conversation_id: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The system text of a conversation, as it was when the conversation began, and what went into it.

    `memory_tokens` are those of the text that are memory: everything but the agent's persona.
    """

    agent: str
    text: str
    memory_tokens: int
    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, as the model counts them.

    `evaluated_tokens` are those of the prompt that had to be computed; the rest came from the kept prefix.
    """

    prompt_tokens: int = 0
    evaluated_tokens: int = 0
    completion_tokens: int = 0
    memory_tokens: int = 0


@dataclass(slots=True)
class Count:
    """Tokens of one purpose since the start; `submitted` are those of all prompts, whether or not evaluated."""

    submitted: int = 0
    evaluated: int = 0
    generated: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Why the model knew what it knew: everything that was put into the prompt besides the user's words.

    `memories` are the ids of those told since the conversation began, `recalled` those for this message, and why;
    `stated` is what the message had us remember or forget.
    """

    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    context: str = ""
    exchanges: int = 0
    exchanges_left_out: int = 0
    memories: tuple[int, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    stated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply, as it arrived."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a turn. `is_cut`: the reply has as many tokens as it may have, and might have gone on."""

    reply: str
    conversation_id: str
    model: str
    provider: str
    usage: Usage
    receipt: Receipt
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class SessionContext:
    """`session` is the client's name for it. `worked` are seconds of active work since the weights waned last;
    `last_at` is when something was last said or done.
    """

    session: str
    started_at: float
    last_at: float
    project: str | None = None
    directory: str | None = None
    topic: str | None = None
    since: float | None = None
    files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    worked: float = 0.0

    def worth_writing(self, before: "SessionContext | None") -> bool:
        """Whether more has changed since `before` than what the next write may take along."""
        return before is None or replace(before, last_at=self.last_at, worked=self.worked, files=self.files) != self


@dataclass(frozen=True, slots=True)
class FocusPeriod:
    """A focus that is over, or, without `seconds`, the one that is not; what it came to, how many memories it used."""

    topic: str
    since: float
    seconds: float | None = None
    outcome: str | None = None
    memories: int = 0


@dataclass(frozen=True, slots=True)
class Application:
    """A memory that was put to use. `helpful` is None until somebody says."""

    id: int
    session: str
    memory_id: int
    at: float
    context: str = ""
    helpful: bool | None = None


@dataclass(frozen=True, slots=True)
class SharedSessions:
    """Sessions in all, those that worked on a topic, and by other topic: those with both, those with the other."""

    sessions: int
    own: int
    others: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Prompted:
    """What a conversation's prompts have held besides what was said: `at`, `context` and `recalled` of exchanges."""

    standing: Standing
    told: tuple[tuple[float, str, tuple[str, ...]], ...] = ()
