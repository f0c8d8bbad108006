"""The parts of the running daemon that requests are handled with."""

from dataclasses import dataclass

from pi_memory.agents.agent_context import Outside
from pi_memory.agents.import_conversations import Conversations
from pi_memory.attention.tracker import Attention
from pi_memory.background.housekeeping import Housekeeping
from pi_memory.background.inbox import Remember
from pi_memory.background.reflection import Reflect
from pi_memory.chat.stream import Turns
from pi_memory.chat.turn import Assistant
from pi_memory.clock import SteadyClock
from pi_memory.conversation.window import ShortMemory
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.worker import Worker
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.learning.learner import Learning
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.retrieval.message_index import Passages
from pi_memory.retrieval.search import Recall
from pi_memory.settings import Settings
from pi_memory.store.database import Database
from pi_memory.types import Embedder, Model


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    clock: SteadyClock
    db: Database
    memory: ShortMemory
    focus: RecentFocus
    attention: Attention
    memories: Memories
    passages: Passages
    recall: Recall
    learning: Learning
    conversations: Conversations
    remember: Remember
    reflect: Reflect
    housekeeping: Housekeeping
    assistant: Assistant
    outside: Outside
    turns: Turns
    model: Loader[Model]
    embedder: Loader[Embedder]
    scale: Scale
    worker: Worker
