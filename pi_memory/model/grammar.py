"""Sampling under a grammar without testing the whole vocabulary at each token. Used only by `engine.py`.

Testing 152,000 tokens costs 15 ms. So the likeliest token is tested alone, and all of them only when it is refused, as
llama.cpp's own `common_sampler` does it.
"""

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from pi_memory.model.tokenizer import Vocabulary

CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""The layout of `llama_token_data`."""

Candidates = npt.NDArray[np.void]
Logits = npt.NDArray[np.float32]


class Grammar:
    """A text under construction by a grammar in GBNF whose start is `root`. The caller closes it.

    `asked_all` counts how often the whole vocabulary was tested.
    """

    def __init__(self, llama: Any, model: Any, *, words: Vocabulary, text: str) -> None:
        """Raises `ValueError` for a malformed grammar."""
        self._llama = llama
        self._words = words
        self.asked_all = 0
        self._sampler = llama.llama_sampler_init_grammar(llama.llama_model_get_vocab(model), text.encode(), b"root")
        if not self._sampler:
            raise ValueError("Malformed grammar")

    def draw(self, logits: Logits) -> int | None:
        """Draw the likeliest token that the grammar allows and append it. None when the text ends.

        Changes `logits`, one for each token.
        """
        token: int | None = self._likeliest(logits)
        if token is not None and not self._allowed(_candidates(logits, [token]))[0]:
            token = self._likeliest_allowed(logits)
        if token is None or self._words.ends(token):
            return None
        self._llama.llama_sampler_accept(self._sampler, token)
        return token

    def close(self) -> None:
        self._llama.llama_sampler_free(self._sampler)

    def _likeliest(self, logits: Logits) -> int | None:
        """The likeliest token; no control token but an end token, as a grammar reads the others as text."""
        while np.isfinite(logits[token := int(logits.argmax())]):
            if not self._words.ends(token) or self._words.closes(token):
                return token
            logits[token] = -np.inf
        return None

    def _likeliest_allowed(self, logits: Logits) -> int | None:
        self.asked_all += 1
        logits[~self._allowed(_candidates(logits, range(len(logits))))] = -np.inf
        return self._likeliest(logits)

    def _allowed(self, candidates: Candidates) -> npt.NDArray[np.bool_]:
        llama = self._llama
        data = candidates.ctypes.data_as(llama.llama_token_data_p)
        array = llama.llama_token_data_array(data, len(candidates), -1, False)
        llama.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: npt.NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return allowed


def _candidates(logits: Logits, tokens: list[int] | range) -> Candidates:
    found = np.zeros(len(tokens), CANDIDATE)
    found["id"] = tokens
    found["logit"] = logits[found["id"]]
    return found
