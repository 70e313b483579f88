"""A text as numbers: its characters in order, and batches of pieces of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from relax_dialect import RelaxError


class Alphabet:
    """The characters that a model knows, by number."""

    def __init__(self, characters: Sequence[str]):
        self.characters = list(characters)
        self._numbers = {character: i for i, character in enumerate(self.characters)}

    @classmethod
    def of(cls, text: str) -> Alphabet:
        """Return the alphabet of a text."""
        return cls(sorted(set(text)))

    def numbers(self, text: str) -> np.ndarray:
        """Return the characters of a text as numbers, i64."""
        if unknown := sorted(set(text) - set(self._numbers)):
            raise RelaxError(
                f"text: expected characters that the model was trained on, found {unknown[0]!r}; write it "
                f"with {''.join(self.characters).strip()!r}"
            )
        return np.array([self._numbers[character] for character in text], np.int64)

    def text(self, numbers: np.ndarray) -> str:
        """Return the characters with some numbers."""
        return "".join(self.characters[number] for number in numbers)


def batches(
    numbers: np.ndarray, count: int, length: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield random pieces of a text without end, `count` at a time, and the successors of their characters:
    [count, length] both."""
    if len(numbers) <= length:
        raise RelaxError(
            f"text: expected more than {length} characters to train on, found {len(numbers)}; take a "
            "longer one"
        )
    random = np.random.default_rng(seed)
    while True:
        starts = random.integers(0, len(numbers) - length, count)
        pieces = np.stack([numbers[start : start + length + 1] for start in starts])
        yield np.ascontiguousarray(pieces[:, :-1]), np.ascontiguousarray(pieces[:, 1:])
