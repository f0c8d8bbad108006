"""Breaks streamed text between words, for a terminal."""

from collections.abc import Callable

from pi_memory.cli.table import columns


class Wrapped:
    """Writes text as it arrives, with a line break instead of the space before a word that would pass `width`.

    A word is written when the character behind it has arrived; `end` writes the last one.
    """

    def __init__(self, write: Callable[[str], object], width: int) -> None:
        self._write = write
        self._width = width
        self._column = 0
        self._space = self._word = ""

    def add(self, text: str) -> None:
        for character in text:
            if not character.isspace():
                self._word += character
                if columns(character) > 1:  # may be broken anywhere
                    self._put_word()
                continue
            self._put_word()
            self._space += character
            if character == "\n":
                self._put("\n")

    def end(self) -> None:
        """Write what is left, and end the line."""
        self._put_word()
        self._put("\n")

    def _put_word(self) -> None:
        if not self._word:
            return
        if self._column and self._column + columns(self._space + self._word) > self._width:
            self._put("\n")
        self._put(self._space + self._word)
        self._word = ""

    def _put(self, text: str) -> None:
        self._write(text)
        self._column = 0 if text == "\n" else self._column + columns(text)
        self._space = ""
