"""A server that speaks OpenAI's chat completions: llama-server, Ollama, vLLM. With it memory outgrows one Pi."""

import codecs
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

import httpx2

from pi_memory.errors import ModelError, PiMemoryError, Unprocessable
from pi_memory.model import answers
from pi_memory.model.no_prefix import KeepsNothing
from pi_memory.model.truncation import asked, newest, oldest
from pi_memory.text.role_markers import inert
from pi_memory.types import AS_SET, AnswerForm, Message, ReplyOptions, Usage

CONNECT_SECONDS = 10.0
ASKED_SECONDS = 2.0
"""Longest wait for the server's answer in a health check."""
CHARACTERS_PER_TOKEN = 4
ROLE_TOKENS = 4
"""Estimated tokens of a message besides its content; the server's own count comes with the reply."""

LONGEST_LINE = 1_048_576
SHOWN_OF_AN_ERROR = 300


JSON_TOKENS = 64
"""Room for what JSON adds to a short answer; a long one gets twice its cap."""


class RemoteModel(KeepsNothing):
    """See `Model`. Sends nothing to the server before the first turn.

    What it is asked besides chats it answers in JSON, which its server holds it to by `response_format`. A server that
    refuses that is asked without: the question has the schema too.
    """

    provider = "openai"
    is_language_model = True

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        api_key: str = "",
        context_tokens: int = 4096,
        temperature: float = 0.7,
        timeout: float = 60.0,
    ) -> None:
        """`base_url` ends with `/v1` for most servers. `timeout` is the longest silence of the server in seconds."""
        self._temperature = temperature
        self.name = model
        self.context_tokens = context_tokens
        self._server = base_url.rstrip("/")
        self._timeout = timeout
        self._client = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else None,
            timeout=httpx2.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
            # A proxy for the internet does not know the servers of this machine.
            trust_env=urlsplit(base_url).hostname not in ("127.0.0.1", "::1", "localhost"),
        )

    def count(self, text: str) -> int:
        """An estimate: the server's tokenizer is not known here."""
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def count_prompt(self, messages: Sequence[Message]) -> int:
        return sum(self.count(message.text) + ROLE_TOKENS for message in messages)

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        estimate = self._check_fits(messages, max_tokens)
        progress = _Progress()
        try:
            async with aclosing(self._chunks(self._body(messages, max_tokens, options))) as chunks:
                async for chunk in chunks:
                    text = progress.add(chunk)
                    if progress.pieces > max_tokens:
                        # A piece is a token or more: this server ignores the cap.
                        progress.finished = True
                        break
                    if text:
                        yield text
        except httpx2.HTTPError as error:
            raise self._failure(error) from error
        if not progress.finished:
            raise ModelError(f"{self._server} ended in the middle of its reply", hint="Look at the server's log.")
        yield progress.usage(estimate)

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        if len(labels) == 1:
            return labels[0]
        room = max(map(self.count, labels)) + JSON_TOKENS
        text = await self._answer(newest(messages), instruction, answers.one_of(labels), room)
        chosen = answers.chosen(text, labels)
        if chosen is None:
            raise ModelError(f"{self.name} chose none of what it was asked to", hint="Ask a larger model.")
        return chosen

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        if not cap:
            return ""
        text = await self._answer(oldest(messages), instruction, answers.lines_of(form), 2 * cap + JSON_TOKENS)
        return answers.written(text, form, count=self.count, cap=cap)

    async def problem(self) -> str | None:
        """Requests the server's list of models; a server without one is healthy too."""
        try:
            answer = await self._client.get(f"{self._server}/models", timeout=ASKED_SECONDS)
        except httpx2.HTTPError as error:
            failure: PiMemoryError = self._failure(error)
        else:
            if answer.status_code not in (401, 403, 429) and answer.status_code < 500:
                return None
            failure = self._refusal(answer, _short(answer.content))
        return f"{failure.message}. {failure.hint}"

    async def _answer(
        self, cuts: Iterable[Sequence[Message]], instruction: str, schema: Mapping[str, Any], room: int
    ) -> str:
        """The text of an answer that is JSON by a schema, or was asked to be. `cuts` as for `asked`."""

        def fitting(messages: Sequence[Message]) -> Sequence[Message]:
            self._check_fits(messages, room)
            return messages

        prompt = asked(cuts, f"{instruction}\n\nAnswer with JSON by this schema: {json.dumps(schema)}", fitting)
        try:
            return await self._text(prompt, room, ReplyOptions(temperature=0, schema=schema))
        except ModelError as error:
            if not _is_refusal(error):
                raise
            return await self._text(prompt, room, ReplyOptions(temperature=0))

    async def _text(self, messages: Sequence[Message], room: int, options: ReplyOptions) -> str:
        async with aclosing(self.generate(messages, max_tokens=room, options=options)) as pieces:
            return "".join([piece async for piece in pieces if isinstance(piece, str)])

    def _check_fits(self, messages: Sequence[Message], room: int) -> int:
        """About how many tokens the prompt has. Raises `Unprocessable`."""
        estimate = self.count_prompt(messages)
        if estimate + room > self.context_tokens:
            raise Unprocessable(
                f"message: about {estimate} tokens and a reply of {room} do not fit into {self.context_tokens}",
                hint="Send a shorter message, or raise CTX_TOKENS if the server's model takes more.",
            )
        return estimate

    async def close(self) -> None:
        await self._client.aclose()

    def _body(self, messages: Sequence[Message], max_tokens: int, options: ReplyOptions) -> dict[str, object]:
        return _asked_for(options) | {
            "model": self.name,
            "messages": [{"role": m.role, "content": _content(m)} for m in messages],
            "max_tokens": max_tokens,
            "temperature": self._temperature if options.temperature is None else options.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    async def _chunks(self, body: Mapping[str, object]) -> AsyncGenerator[dict[str, Any], None]:
        """JSON objects of the stream."""
        async with self._client.stream("POST", f"{self._server}/chat/completions", json=body) as response:
            if response.status_code != httpx2.codes.OK:
                reason = _short(await _beginning(response))
                status = httpx2.HTTPStatusError(reason, request=response.request, response=response)
                raise self._refusal(response, reason) from status
            async with aclosing(_events(response.aiter_bytes())) as events:
                async for data in events:
                    yield self._chunk(data)

    def _chunk(self, data: bytes) -> dict[str, Any]:
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise _malformed(self._server) from error
        if not isinstance(chunk, dict):
            raise _malformed(self._server)
        if "error" in chunk:
            raise ModelError(f"{self._server} failed: {_short(data)}", hint="Look at the server's log.")
        return chunk

    def _refusal(self, response: httpx2.Response, said: str) -> PiMemoryError:
        status, server = response.status_code, self._server
        if status in (401, 403):
            return ModelError(f"{server} refuses the key ({said})", hint="Set PI_MEMORY_OPENAI_API_KEY.")
        if status == 404:
            hint = "Set PI_MEMORY_OPENAI_MODEL to one that it has; PI_MEMORY_OPENAI_BASE_URL mostly ends with /v1."
            return ModelError(f"{server} does not know the model {self.name} or the address ({said})", hint=hint)
        if status == 400 and "context" in said.lower():
            return Unprocessable(
                f"message: {said}", hint="Send a shorter message, or lower CTX_TOKENS to the server's."
            )
        wait = response.headers.get("Retry-After", "")
        return ModelError(
            f"{server} is busy ({said})" if status == 429 else f"{server} answered {status} ({said})",
            hint="Try again later." if status in (429, 503) else "Look at the server's log.",
            retry_after=int(wait) if wait.isascii() and wait.isdigit() else 5,
        )

    def _failure(self, error: httpx2.HTTPError) -> ModelError:
        if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol)):
            return ModelError(
                f"{self._server} cannot be reached: {error}", hint="Start it, or set PI_MEMORY_OPENAI_BASE_URL."
            )
        if isinstance(error, httpx2.TimeoutException):
            return ModelError(
                f"{self._server} was silent for {self._timeout:g} s",
                hint="It may still be loading its model; else raise PI_MEMORY_OPENAI_TIMEOUT_SECONDS.",
            )
        return ModelError(f"{self._server} broke off: {error}", hint="Look at the server's log.")


def _content(message: Message) -> str:
    """As the server may read it: half characters, which JSON can carry and UTF-8 cannot, become question marks, and the
    markers of its template mere text.
    """
    return inert(message.text.encode(errors="replace").decode())


def _is_refusal(error: ModelError) -> bool:
    """Whether a server does not do what it was asked for, such as to follow a schema."""
    cause = error.__cause__
    return isinstance(cause, httpx2.HTTPStatusError) and cause.response.status_code in (400, 422, 501)


def _asked_for(options: ReplyOptions) -> dict[str, object]:
    """What a client asks of this reply, as the server reads it; nothing where it does not ask."""
    given = {"top_p": options.top_p, "seed": options.seed, "stop": list(options.stops) or None}
    asked: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if options.schema is not None:
        form = {"name": "reply", "strict": True, "schema": options.schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": form}
    return asked


class _Progress:
    """What the stream has said so far."""

    def __init__(self) -> None:
        self.pieces = 0
        self.finished = False
        self._usage: Mapping[str, Any] = {}
        # JSON may split a character into two halves; this waits for the second.
        self._decoder = codecs.getincrementaldecoder("utf-16-le")(errors="replace")

    def add(self, chunk: Mapping[str, Any]) -> str:
        """The text of a chunk, often none."""
        self._usage = _mapping(chunk.get("usage")) or self._usage
        choices = chunk.get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        self.finished = self.finished or bool(choice.get("finish_reason"))
        content = _mapping(choice.get("delta")).get("content")
        text = self._decoder.decode(content.encode("utf-16-le", "surrogatepass")) if isinstance(content, str) else ""
        self.pieces += bool(text)
        return text

    def usage(self, estimate: int) -> Usage:
        """The server's own count, else an estimate."""
        prompt = _number(self._usage.get("prompt_tokens"), estimate)
        cached = _number(_mapping(self._usage.get("prompt_tokens_details")).get("cached_tokens"), 0)
        made = _number(self._usage.get("completion_tokens"), self.pieces)
        return Usage(prompt_tokens=prompt, evaluated_tokens=max(0, prompt - cached), completion_tokens=made)


async def _events(blocks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each server-sent event, up to `[DONE]`. Raises `ModelError` for a line that never ends."""
    rest = b""
    async for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            field, _, data = line.partition(b":")
            if data.strip() == b"[DONE]":
                yield b'{"choices": [{"finish_reason": "done"}]}'
                return
            if field == b"data" and data.strip():
                yield data
        if len(rest) > LONGEST_LINE:
            raise _malformed("The server")


async def _beginning(response: httpx2.Response) -> bytes:
    """The first bytes of an error's body."""
    found = b""
    async for block in response.aiter_bytes():
        found += block
        if len(found) > LONGEST_LINE:
            break
    return found


def _short(body: bytes) -> str:
    """The server's error in one short line."""
    try:
        error = _mapping(json.loads(body)).get("error")
    except ValueError:
        error = body.decode(errors="replace")
    message = _mapping(error).get("message", error)
    return " ".join(str(message or "no reason given").split())[:SHOWN_OF_AN_ERROR]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and value >= 0 else otherwise


def _malformed(server: str) -> ModelError:
    return ModelError(f"{server} sends no stream of chat completions", hint="Check PI_MEMORY_OPENAI_BASE_URL.")
