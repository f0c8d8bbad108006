"""Text to token ids and back, by a GGUF's own tokenizer."""

import ctypes
from collections.abc import Iterator
from typing import Any

Tokens = list[int]

# A pathological text must not reach the tokeniser in one piece: some of llama.cpp's splitters recurse over a word.
SLICE = 4096
GUARDS = ("\x01", "\n", ":")


class Vocabulary:
    """The tokenizer of a loaded model. It may be used while the model computes.

    `size` is the number of tokens. `bos` is the token that begins a text, None when the model wants none; `bos_text`
    and `eos_text` are their texts for a chat template.
    """

    def __init__(self, llama: Any, model: Any) -> None:
        self._llama = llama
        self._model = model
        self._vocabulary = vocabulary = llama.llama_model_get_vocab(model)
        self.size = int(llama.llama_vocab_n_tokens(vocabulary))
        bos, eos = int(llama.llama_vocab_bos(vocabulary)), int(llama.llama_vocab_eos(vocabulary))
        self.bos = bos if bos >= 0 and llama.llama_vocab_get_add_bos(vocabulary) else None
        self.bos_text, self.eos_text = self._spelled(bos), self._spelled(eos)
        self.chat_template = self._chat_template()
        is_spm = llama.llama_vocab_type(vocabulary) == llama.LLAMA_VOCAB_TYPE_SPM
        self._known = self._known_characters() if is_spm else None
        self._adds_space = is_spm and self._metadata("tokenizer.ggml.add_space_prefix") != "false"

    def tokenise(self, text: str, *, special: bool, continues: bool = False) -> Tokens:
        """Token ids of `text`. With `special`, control tokens in it are recognised; without, they are mere text.

        `continues` says that ordinary text precedes it, so that no space is put in front.
        """
        return [
            token
            for index, part in enumerate(_slices(self._storable(text)))
            for token in self._part(part, special=special, continues=continues or index > 0)
        ]

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes of a token: perhaps part of a character, empty for a control token."""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = self._llama.llama_token_to_piece(self._vocabulary, token, buffer, room, 0, special)
            if length >= 0:
                return buffer.raw[:length]
            room = -length

    def ends(self, token: int) -> bool:
        """Whether a reply ends here: at an end token, or at any other control token, which no reply may contain."""
        return self.closes(token) or bool(self._llama.llama_vocab_is_control(self._vocabulary, token))

    def closes(self, token: int) -> bool:
        """Whether it is an end token."""
        return bool(self._llama.llama_vocab_is_eog(self._vocabulary, token))

    def ordinary(self, text: str) -> str:
        """`text` without its control tokens."""
        return b"".join(map(self.piece, self.tokenise(text, special=True))).decode(errors="replace")

    def _part(self, text: str, *, special: bool, continues: bool) -> Tokens:
        if not (continues and self._adds_space):
            return self._run(text, special=special)
        # SentencePiece puts a space before any text. Behind a guard that merges with nothing, it goes before the guard.
        for guard in filter(self._can_store, GUARDS):
            head = self._run(guard, special=False)
            both = self._run(guard + text, special=special)
            if both[: len(head)] == head:
                return both[len(head) :]
        return self._run(text, special=special)

    def _run(self, text: str, *, special: bool) -> Tokens:
        content = text.encode(errors="replace")
        room = len(content) + 16  # a token covers at least a byte, and a space may be put in front
        tokens = (self._llama.llama_token * room)()
        count = self._llama.llama_tokenize(self._vocabulary, content, len(content), tokens, room, False, special)
        return list(tokens[: max(count, 0)])

    def _storable(self, text: str) -> str:
        if self._known is None:
            return text
        return "".join(character if character in self._known else " " for character in text)

    def _can_store(self, text: str) -> bool:
        return self._known is None or text in self._known

    def _known_characters(self) -> frozenset[str] | None:
        """The characters that the vocabulary can write, None for all.

        A SentencePiece vocabulary without byte tokens aborts the process at a character that is no token (seen with `<`
        in a story model of 2,048 tokens), so such characters become spaces before they reach it.
        """
        attributes = (self._llama.llama_vocab_get_attr(self._vocabulary, token) for token in range(self.size))
        if sum(bool(attribute & self._llama.LLAMA_TOKEN_ATTR_BYTE) for attribute in attributes) >= 256:
            return None
        texts = (self._text(token).replace("\u2581", " ") for token in range(self.size))
        return frozenset(text for text in texts if len(text) == 1)

    def _text(self, token: int) -> str:
        text: bytes | None = self._llama.llama_vocab_get_text(self._vocabulary, token)
        return (text or b"").decode(errors="replace")

    def _spelled(self, token: int) -> str:
        return self.piece(token, special=True).decode(errors="replace") if token >= 0 else ""

    def _chat_template(self) -> str | None:
        template: bytes | None = self._llama.llama_model_chat_template(self._model, None)
        return template.decode(errors="replace") if template else None

    def _metadata(self, key: str) -> str:
        value = ctypes.create_string_buffer(256)
        length = self._llama.llama_model_meta_val_str(self._model, key.encode(), value, len(value))
        return value.value.decode(errors="replace") if length > 0 else ""


def _slices(text: str) -> Iterator[str]:
    """Pieces of at most `SLICE` characters, cut before white space where there is some. Deterministic."""
    start = 0
    while len(text) - start > SLICE:
        end = start + SLICE
        cut = max(text.rfind(" ", start + SLICE // 2, end), text.rfind("\n", start + SLICE // 2, end))
        end = cut if cut > start else end
        yield text[start:end]
        start = end
    yield text[start:]
