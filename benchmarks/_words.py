"""A vocabulary for random weights: real words, so that prompts have real lengths, and text gives its tokens back."""

import random

import gguf
import numpy as np
import numpy.typing as npt

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""As Qwen2.5 has them: `<|im_end|>` ends a reply (EOS), `<|endoftext|>` would begin a text (BOS), but is not added."""

WORDS = """
the a of and to in is was that it for with as on are this be by from at or have not but they which you all can had one
has we when there their more if out so up what about into than them then some could other these now only after before
again today yesterday week write down configuration touch tests still pass machine colleague says faster reproduce
humidity sensor calibration curve bus sampling rate invoice numbers rounding taxes export payment reminders drip
valves soil moisture night schedule water pressure drifts few hours would like know changed last let why behaves think
moved because used two places did say earlier remember memory fact known user prefers said topic focus file edited
since project which label fits answer short reply summary decided open question current state house garden weather
shop billing irrigation like
""".split()  # noqa: SIM905

SYLLABLES = """
ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu
""".split()  # noqa: SIM905
MADE_UP = 1_500

BEGINNINGS = """
user assistant system Which Answer Summarise No the garden irrigation house weather shop billing project memory
chatter
""".split()  # noqa: SIM905
"""Words that also stand without a space in front, such as the roles; they are never generated."""

ASKED = """
Topic Name Sum Only No Answer Earlier conversation compacted Context Relevant Memories Recent Focus Active Fading
topic work last exchange about one something else general part words three our far summed before short lines begin
decided why worked failed open where stands was what said code
""".split()  # noqa: SIM905
"""Words of what the daemon asks and tells the model, a token each as in real vocabularies; they are never generated."""


class Vocabulary:
    """Byte-level BPE: 256 bytes, words with a space in front, tokens that no text leads to, `CONTROL`.

    Only words are `generable`. A word begins at its space and merges from left to right, so that words in a row are
    tokenised as the words that they were generated as: a stock chat that tokenises its history again loses nothing.
    """

    def __init__(self, size: int) -> None:
        letters = _byte_letters()
        pieces = dict.fromkeys(letters.values())
        self._merges: list[str] = []
        words = [*dict.fromkeys(WORDS), *_made_up()]
        room = size - len(CONTROL)
        for word in words:
            self._merge("".join(letters[byte] for byte in f" {word}".encode()), pieces, room)
        for word in ASKED:
            self._merge("".join(letters[byte] for byte in f" {word}".encode()), pieces, room)
        for word in (*BEGINNINGS, *ASKED):
            self._merge(word, pieces, room)
        filled = [*pieces, *(f"<unused{index}>" for index in range(room - len(pieces)))]
        self.tokens = [*filled, *CONTROL]
        whole = {"".join(letters[byte] for byte in f" {word}".encode()) for word in words}
        self.generable: npt.NDArray[np.bool_] = np.array([token in whole for token in self.tokens])

    def add_to(self, writer: gguf.GGUFWriter) -> None:
        normal = len(self.tokens) - len(CONTROL)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(self.tokens)
        writer.add_token_types([gguf.TokenType.NORMAL] * normal + [gguf.TokenType.CONTROL] * len(CONTROL))
        writer.add_token_merges(self._merges)
        writer.add_bos_token_id(normal)
        writer.add_eos_token_id(normal + 2)
        writer.add_add_bos_token(False)

    def _merge(self, spelled: str, pieces: dict[str, None], room: int) -> None:
        missing = [spelled[:end] for end in range(2, len(spelled) + 1) if spelled[:end] not in pieces]
        if len(pieces) + len(missing) > room:
            return
        for piece in missing:
            self._merges.append(f"{piece[:-1]} {piece[-1]}")
            pieces[piece] = None


def _made_up() -> list[str]:
    chance = random.Random(0)
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 3))) for _ in range(MADE_UP)]


def _byte_letters() -> dict[int, str]:
    """GPT-2's printable letter for each byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return dict(sorted({**{b: chr(b) for b in kept}, **{b: chr(256 + i) for i, b in enumerate(others)}}.items()))
