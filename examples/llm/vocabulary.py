"""From text to tokens and back: the tokenizer of a model's folder, and the forms of conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from relax_dialect import RelaxError
from relax_dialect.nn.checkpoint import read_json

TOKENIZER = "tokenizer.json"
HALF = "\ufffd"
"""The character of bytes that are no whole character yet."""


@dataclass(frozen=True)
class Form:
    """The text around a user's turn of a conversation, up to where the model answers, and the tokens at
    which an answer ends."""

    turn: str
    ends: tuple[str, ...]


FORMS: Mapping[str, Form] = {
    "chatml": Form(
        "<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n",
        ("<|im_end|>", "<|endoftext|>"),
    ),
    "llama3": Form(
        "<|start_header_id|>user<|end_header_id|>\n\n{text}<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ("<|eot_id|>", "<|end_of_text|>"),
    ),
    "text": Form("{text}", ("</s>", "<|endoftext|>", "<|end_of_text|>")),
}
"""The forms by name; `text` is continued as it is."""


class Vocabulary:
    """The tokenizer of a model's folder."""

    def __init__(self, folder: Path):
        try:
            from tokenizers import Tokenizer  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise RelaxError(
                "expected the package tokenizers, found none; install it (pip install tokenizers)"
            ) from None
        read_json(folder, TOKENIZER)  # its errors name the file
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the package raises errors of no class of its own
            raise RelaxError(
                f"{folder / TOKENIZER}: expected a tokenizer, found another file: {error}; save it again"
            ) from None
        settings = folder / "tokenizer_config.json"
        self._settings = read_json(folder, settings.name) if settings.is_file() else {}

    @cached_property
    def form(self) -> str:
        """The form of conversations whose marks the tokenizer knows."""
        marks = {"chatml": "<|im_start|>", "llama3": "<|start_header_id|>"}
        known = [name for name, mark in marks.items() if self.number(mark) is not None]
        return known[0] if known else "text"

    def number(self, token: str) -> int | None:
        """Return the number of a token that the tokenizer knows."""
        return self._tokenizer.token_to_id(token)

    def ends(self, form: Form) -> frozenset[int]:
        """Return the tokens at which an answer ends."""
        named = self._settings.get("eos_token")
        own = named.get("content") if isinstance(named, dict) else named
        numbers = (self.number(each) for each in (*form.ends, own) if isinstance(each, str))
        return frozenset(number for number in numbers if number is not None)

    def tokens(self, text: str, is_first: bool) -> np.ndarray:
        """Return a text as tokens; the first of a conversation begins as the tokenizer says."""
        found = self._tokenizer.encode(text, add_special_tokens=is_first).ids
        if not found:
            raise RelaxError("text: expected a text with at least one token, found none; write one")
        return np.array(found, np.int64)

    def texts(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of tokens as soon as their characters are whole."""
        known: list[int] = []
        shown = 0
        for token in tokens:
            known.append(token)
            text = self._tokenizer.decode(known, skip_special_tokens=True)
            if not text.endswith(HALF):
                yield text[shown:]
                shown = len(text)
