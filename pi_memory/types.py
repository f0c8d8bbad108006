"""Plain data that the rooms pass to each other.

Times are Unix seconds (UTC) as floats. Nothing in here does anything.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

Role = Literal["system", "user", "assistant"]
Source = Literal["chat", "activity", "import"]
MemoryType = Literal["semantic", "episodic", "procedural"]
Priority = Literal["highest", "high", "medium", "low"]
StatementKind = Literal["remember", "rule", "preference", "personal", "correction", "forget", "private", "undo"]
"""`rule` is how the user wants things to be done from now on, `personal` who they are; `private` asks that nothing of
the message be learned, `undo` that what an earlier one changed be taken back.
"""
NO_MEMORY: tuple[StatementKind, ...] = ("forget", "private", "undo")
"""Those that become no memory."""
Purpose = Literal["chat", "choose", "write", "idle"]
"""The purpose of a model computation; `idle`: prefill ahead of time."""
RECALLED = "## Relevant Memories"
"""Heading of the recalled memories in a message's context; each line below begins with `- `."""
UNSURE = "### Perhaps Related"
"""Heading of those of them that are only the nearest there is."""
ELSEWHERE = "### In Other Projects"
"""Heading of the projects, one a line, that have memories about a question which nothing else answers."""
UNKEPT = "[not kept]"
"""Stands for what the user wants forgotten, in what is kept of the conversation."""
CLIENT_ID = r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}"
"""A client's id of a conversation or session, which appears in headers, logs and URLs."""
GENERAL = "general"
"""Name of the default agent."""
Vectors = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


class ToolCall(Struct, frozen=True):
    """A tool call of an agent: the tool's name and its arguments as decoded JSON."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Message(Struct, frozen=True):
    """One message of a prompt.

    `context` is text of ours in front of the user's words in the same message (recalled memories, an edited focus, the
    date). It is part of the prompt, but never quoted and never learned from.
    """

    role: Role
    content: str
    context: str = ""

    @property
    def text(self) -> str:
        """The text that the model reads."""
        return f"{self.context}\n\n{self.content}" if self.context else self.content


class ReplyOptions(Struct, frozen=True):
    """A client's options for one reply; those not given are as in the settings.

    A reply ends before the first of `stops`. `schema` is the JSON schema that it has to follow.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stops: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None


AS_SET = ReplyOptions()


class Turn(Struct, frozen=True):
    """A client's request: one message in one conversation.

    `screen` is what a client shows of the conversation before the message, where it keeps that itself: the prompt then
    follows it. `instructions` are the client's own, behind the agent's. Without `remember` the prompt is these and
    nothing else: nothing is recalled, learned or kept. Without `may_forget` nothing is erased that it asks to forget.
    """

    message: str
    conversation_id: str
    agent: str = GENERAL
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    screen: tuple[Message, ...] = ()
    instructions: str = ""
    remember: bool = True
    may_forget: bool = True
    options: ReplyOptions = AS_SET


class Statement(Struct, frozen=True):
    """A statement of the user in a message.

    `content` is understandable alone; for `forget` it is what to forget, for `private` and `undo` it is empty.
    `quote` is verbatim. `instead_of` is the sentence of an answer a moment ago that it puts right, without which its
    quote says nothing.
    """

    kind: StatementKind
    content: str
    quote: str
    instead_of: str = ""


class Exchange(Struct, frozen=True):
    """A user message and its reply: the unit that is stored, tagged and learned from.

    `partial` marks a reply whose client left early. `source` separates conversations with us from agents elsewhere.
    `context` is the `Message.context` of its prompt, so that the next prompt has the same prefix, and `recalled` holds
    the contents recalled for it; a clean stop keeps both. Of the `receipt` the ids and scores are stored, not read.
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
    receipt: "Receipt | None" = None
    stated: tuple[Statement, ...] | None = None
    """Statements of the user in it; None before detection has run. Not stored."""


Numbered = tuple[int, Exchange]
"""An exchange with its id."""


class Tag(Struct, frozen=True):
    """The topic of an exchange. `topic` is None for chatter, which is not recorded; `vector` is the exchange's
    embedding, of unit length, shape (dimensions,), or None without an embedder.
    """

    topic: str | None
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    vector: Vectors | None = None


class Topic(Struct, frozen=True):
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


class Candidate(Struct, frozen=True):
    """A sentence that may become a memory. `quote` is its verbatim source: the user's words or a tool's. It holds from
    `said_at` on, else from now on.
    """

    content: str
    type: MemoryType = "semantic"
    namespace: str = "user"
    priority: Priority = "low"
    source: str = "api"
    quote: str = ""
    exchange_id: int | None = None
    topics: tuple[str, ...] = ()
    said_at: float | None = None


class Memory(Struct, frozen=True):
    """One sentence that was learned.

    `priority` is `highest` for what the user stated, `high` for an error and its resolution, `medium` for a pattern,
    `low` for plain facts and discoveries. `source` names its origin: `user_stated`, `said`, `error_resolution`,
    `pattern`, `discovery`, `api`, `import`. It holds from `valid_from` until `valid_to`. A forgotten
    memory has no content.
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


class Recalled(Struct, frozen=True):
    """A hit of a search: score = similarity x strength x (1 + boost). This ranks candidates. For a question,
    `gate.judge` scores statements anew, sentence by sentence, and replaces `score`.

    `kind` is `memory`, or `exchange` for one verbatim message of an exchange; `id` is the memory's or the exchange's.
    `cosine` and `words` (BM25 coverage), both in [0, 1], are what similarity was computed from. `cosine` is calibrated,
    a nearness: 0 for unrelated texts, 1 for the same meaning.
    `source` is that of an exchange; `instead_of` the superseded memory that led to this one. `is_sure`: not only the
    nearest there is to a question. `as_said` is the text with what does not hold any more, if `content` is without it:
    it may be what says what the rest is about. `We don't cook with gas any more, we use wood.`
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
    source: Source | None = None
    instead_of: int | None = None
    is_sure: bool = True
    as_said: str = ""


class Standing(Struct, frozen=True):
    """The standing text of a conversation: its system text, gathered when it began.

    `memory_tokens` count the text without the agent's persona.
    """

    agent: str
    text: str
    memory_tokens: int
    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()
    project: str | None = None


class Usage(Struct, frozen=True):
    """Token counts of one reply, by the model's tokenizer.

    `evaluated_tokens` of the prompt were computed; the others came from the kept prefix.
    """

    prompt_tokens: int = 0
    evaluated_tokens: int = 0
    completion_tokens: int = 0
    memory_tokens: int = 0


class AnswerForm(Struct, frozen=True):
    """The form of an answer: `grammar` in GBNF, whose start is `root`, for a model in this process.

    A server is asked for the same as JSON: a list of at most `most` objects with the properties `fields` (JSON schema),
    each of which `line` makes a line of, by `str.format`.
    """

    grammar: str
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"text": {"type": "string"}})
    line: str = "{text}\n"
    most: int = 50


class Count(Struct):
    """Token counts of one purpose since the start; `submitted` counts whole prompts, evaluated or not."""

    submitted: int = 0
    evaluated: int = 0
    generated: int = 0


class Receipt(Struct, frozen=True):
    """Everything that the prompt contained besides the user's words, and why.

    `memories` are the ids in the prompt since the conversation began, `recalled` those for this message with their
    scores; `stated` lists what the message had us remember or forget.
    """

    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    context: str = ""
    exchanges: int = 0
    exchanges_left_out: int = 0
    memories: tuple[int, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    stated: tuple[str, ...] = ()


class Notice(str):
    """What a model says of itself, behind its reply: shown to the user, no part of what was said."""

    __slots__ = ()


class Delta(Struct, frozen=True):
    """A piece of the reply."""

    text: str


class Done(Struct, frozen=True):
    """The end of a turn. `is_cut`: the reply has as many tokens as it may have, and might have gone on."""

    reply: str
    conversation_id: str
    model: str
    provider: str
    usage: Usage
    receipt: Receipt
    is_cut: bool = False


class SessionContext(Struct, frozen=True):
    """Attention of one session, whose name `session` the client chose. `worked` are seconds of active work since the
    weights last waned; `last_at` is the time of the last exchange.
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
        """Whether more has changed since `before` than can wait for the next write."""
        return before is None or replace(before, last_at=self.last_at, worked=self.worked, files=self.files) != self


class FocusPeriod(Struct, frozen=True):
    """A focus of a session: its outcome and the number of memories used. `seconds` is None while it is under way."""

    topic: str
    since: float
    seconds: float | None = None
    outcome: str | None = None
    memories: int = 0


class Application(Struct, frozen=True):
    """A memory that was put to use. `helpful` is None until a client judges it."""

    id: int
    session: str
    memory_id: int
    at: float
    context: str = ""
    helpful: bool | None = None


class SharedSessions(Struct, frozen=True):
    """Counts of sessions: all, those that worked on a topic, and by other topic those with both and those with the
    other.
    """

    sessions: int
    own: int
    others: Mapping[str, tuple[int, int]]


class Prompted(Struct, frozen=True):
    """Text that a conversation's prompts contained besides its messages: `at`, `context` and `recalled` of
    exchanges.
    """

    standing: Standing
    exchanges: tuple[tuple[float, str, tuple[str, ...]], ...] = ()
