"""The parts of the running daemon that requests are handled with."""

from dataclasses import dataclass

from pi_memory.assistant import Assistant
from pi_memory.clock import SteadyClock
from pi_memory.conversation.short_memory import ShortMemory
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.worker import Worker
from pi_memory.focus.attention import Attention
from pi_memory.focus.recent import RecentFocus
from pi_memory.housekeeping import Housekeeping
from pi_memory.knowledge.conversations import Conversations
from pi_memory.knowledge.learning import Learning
from pi_memory.knowledge.memories import Memories
from pi_memory.knowledge.passages import Passages
from pi_memory.knowledge.recall import Recall
from pi_memory.loader import Loader
from pi_memory.outside import Outside
from pi_memory.reflect import Reflect
from pi_memory.remember import Remember
from pi_memory.settings import Settings
from pi_memory.store.database import Database
from pi_memory.turn import Embedder, Model
from pi_memory.turns import Turns


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
