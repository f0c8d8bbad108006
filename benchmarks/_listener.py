"""A chat model that keeps the prompt it is given, and says what it is made to say."""

from collections.abc import AsyncGenerator, Callable, Sequence

from pi_memory.model.extractive import ExtractiveModel
from pi_memory.types import AS_SET, Message, ReplyOptions, Usage


class Listener(ExtractiveModel):
    """`says` gives its reply to a message; where it gives None, the reply quotes what is in the prompt."""

    def __init__(self, says: Callable[[str], str | None] = lambda message: None) -> None:
        super().__init__()
        self.says = says
        self.messages: Sequence[Message] = ()

    @property
    def prompt(self) -> str:
        return "\n".join(message.text for message in self.messages)

    @property
    def recalled(self) -> str:
        """What stands in front of the newest message."""
        return self.messages[-1].context

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        self.messages = tuple(messages)
        if reply := self.says(messages[-1].content):
            yield reply
            yield Usage(prompt_tokens=self.count_prompt(messages), completion_tokens=self.count(reply))
            return
        async for piece in super().generate(messages, max_tokens=max_tokens, options=options):
            yield piece
