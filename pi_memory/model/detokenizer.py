"""Token bytes to text that may be shown. Pure."""

import codecs
from bisect import bisect_right
from collections.abc import Sequence


class Detokenizer:
    """Releases whole characters only, nothing of a stop string, and no white space at either end.

    Each token is read once. `stopped` says that a stop string has come.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._stops = stops
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._held_back = ""
        self._shown = 0
        self._tokens: list[int] = []
        # After `_counts[i]` tokens the text was exactly `_lengths[i]` characters long.
        self._lengths, self._counts = [0], [0]
        self.stopped = False

    def add(self, token: int, piece: bytes) -> str:
        """The text that can be shown now, perhaps none."""
        self._tokens.append(token)
        self._held_back += self._decoder.decode(piece)
        if not self._shown:
            self._held_back = self._held_back.lstrip()
        if not self._decoder.getstate()[0]:
            # In this order: another thread may ask for tokens meanwhile.
            self._counts.append(len(self._tokens))
            self._lengths.append(self._shown + len(self._held_back))
        return self._show(self._safe())

    def finish(self) -> str:
        """The rest of the text."""
        if self.stopped:
            return ""
        self._held_back += self._decoder.decode(b"", final=True)
        return self._show(len(self._held_back.rstrip()))

    def tokens(self, length: int) -> tuple[list[int], int]:
        """The most tokens whose text is within the first `length` shown characters, and how many characters
        they cover.
        """
        index = bisect_right(self._lengths, length) - 1
        return self._tokens[: self._counts[index]], self._lengths[index]

    def _safe(self) -> int:
        """How many of the held characters can neither begin a stop string nor be white space at the end."""
        text = self._held_back
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self.stopped = True
            return len(text[: min(found)].rstrip())
        begun = max((_overlap(text, stop) for stop in self._stops), default=0)
        return len(text[: len(text) - begun].rstrip())

    def _show(self, length: int) -> str:
        text, self._held_back = self._held_back[:length], self._held_back[length:]
        self._shown += length
        return text


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` begin `stop`."""
    return next((size for size in range(len(stop) - 1, 0, -1) if text.endswith(stop[:size])), 0)
