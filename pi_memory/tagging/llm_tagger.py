"""A tagger that asks the chat model to choose a known topic or to name a new one.

The question is appended to the conversation that the model has already evaluated, so that a tag costs the tokens of the
question. The model chooses between the topic of the rules, other topics at hand, and a new name.
"""

import logging
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.protocols import Model
from pi_memory.tagging.keywords import SUBSTANCE
from pi_memory.tagging.tagger import Tagger
from pi_memory.topics.names import match, normalise, place
from pi_memory.types import AnswerForm, Exchange, Message, Tag, Topic

MOST_LABELS = 6
"""Most topics to choose from: a small model confuses more of them, and each costs tokens."""
SHOWN = 600
"""Characters of a message and of a reply in the prompt of a model that has not evaluated the conversation."""
OTHER = "something else"

CHOOSE = "Which topic was the last exchange about? One of: {labels}."
NAME = "Name what the last exchange was about, in one to three words. Topic:"
NAME_TOKENS = 12
GRAMMAR = """root ::= " "? word ("-" word)? ("-" word)?
word ::= [a-z] [a-z0-9] [a-z0-9]+
"""
NAMED = AnswerForm(GRAMMAR, {"topic": {"type": "string"}}, line="{topic}", most=1)

logger = logging.getLogger(__name__)


class LlmTagger:
    """Asks the model. `said` returns the messages of a conversation with us as they were prompted, none for an agent's
    session.
    """

    def __init__(self, rules: Tagger, model: Model, said: Callable[[str], Sequence[Message]]) -> None:
        self._rules = rules
        self._model = model
        self._said = said

    async def tag(
        self,
        exchange: Exchange,
        *,
        topics: Sequence[Topic],
        current: str | None,
        working_directory: str | None,
        repeated: bool = False,
    ) -> Tag:
        """The model's choice; that of the rules for chatter, and when the model fails."""
        tag = await self._rules.tag(
            exchange, topics=topics, current=current, working_directory=working_directory, repeated=repeated
        )
        if tag.topic is None and len(exchange.reply) < SUBSTANCE:
            return tag
        try:
            return replace(tag, topic=await self._asked(exchange, tag.topic, current, topics))
        except (ModelError, Unprocessable) as error:
            logger.warning("Tagging without the model: %s", error)
            return tag

    async def _asked(
        self, exchange: Exchange, found: str | None, current: str | None, topics: Sequence[Topic]
    ) -> str | None:
        messages = self._messages(exchange)
        known = {topic.name: topic for topic in topics}
        at_hand = [name for name in (found, current) if name is not None]
        labels = list(dict.fromkeys([*at_hand, *list(known)[:MOST_LABELS]]))[:MOST_LABELS]
        chosen = await self._model.choose(messages, CHOOSE.format(labels=", ".join([*labels, OTHER])), [*labels, OTHER])
        if chosen != OTHER:
            return chosen
        name = normalise(await self._model.write(messages, NAME, form=NAMED, cap=NAME_TOKENS))
        return found if name is None else place(match(name, known) or name, known)

    def _messages(self, exchange: Exchange) -> Sequence[Message]:
        """The conversation up to this exchange if the model has evaluated it, else the exchange alone."""
        said = self._said(exchange.conversation_id) if exchange.source == "chat" else ()
        if len(said) > 1 and (said[-2].content, said[-1].content) == (exchange.user, exchange.reply):
            return said
        return [
            Message("user", exchange.user[:SHOWN]),
            Message("assistant", exchange.reply[:SHOWN] or "(tools were used)"),
        ]
