"""The parts of the running daemon, as requests use them."""

from collections.abc import Mapping

from msgspec import Struct

from pi_memory.agents.agent_context import AgentContexts
from pi_memory.agents.import_conversations import ConversationImport
from pi_memory.attention.tracker import Attention
from pi_memory.background.backups import Backups
from pi_memory.background.housekeeping import Housekeeping
from pi_memory.background.inbox import Inbox
from pi_memory.background.live_events import LiveEvents
from pi_memory.background.reflection import Reflection
from pi_memory.chat.prefill import Prefill
from pi_memory.chat.stream import Streams
from pi_memory.chat.turn import Assistant
from pi_memory.clock import SteadyClock
from pi_memory.conversation.window import ConversationWindows
from pi_memory.embedding.calibration import Scale
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.learning.learner import Learner
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.protocols import Embedder, Model
from pi_memory.recall.recall import Recall
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.search import Search
from pi_memory.settings import Settings
from pi_memory.store.database import Database
from pi_memory.tagging.tagger import TaggerLoader
from pi_memory.worker import Worker


class Parts(Struct, frozen=True):
    """`agents` are the personas by name; `written_mb` is what the process had had written to the card before."""

    settings: Settings
    clock: SteadyClock
    db: Database
    windows: ConversationWindows
    focus: RecentFocus
    attention: Attention
    memories: Memories
    message_index: MessageIndex
    search: Search
    recall: Recall
    learner: Learner
    conversation_import: ConversationImport
    inbox: Inbox
    reflection: Reflection
    housekeeping: Housekeeping
    backups: Backups
    prefill: Prefill
    assistant: Assistant
    agent_contexts: AgentContexts
    streams: Streams
    live: LiveEvents
    agents: Mapping[str, str]
    model: Loader[Model]
    embedder: Loader[Embedder]
    scale: Scale
    tagger: TaggerLoader
    worker: Worker
    written_mb: float | None
