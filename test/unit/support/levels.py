"""Programs of the documents on both levels: interpreted and as C, which must say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

import lowering
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

TYPES = {
    "S": "!relax.tensor<[], f32>",
    "B": "!relax.tensor<[], i1>",
    "V": "!relax.tensor<[n], f32>",
    "M": "!relax.tensor<[n, m], f32>",
    "U": "!relax.tensor<[?], f32>",
    "O": "!relax.object",
}
"""Short names of types, as words of their own."""


def spelled(text: str, **types: str) -> str:
    """A program with its types written out."""
    known = TYPES | types
    return re.sub(rf"(?<![%@\w.])({'|'.join(known)})(?![\w])", lambda word: known[word[1]], text)


class Levels:
    """A module whose functions run interpreted and as C."""

    def __init__(self, text: str, *, passes: list[str] | None = None, **types: str):
        self.module = parse(spelled(text, **types))
        lowering.lower(self.module, passes or [])

    @cached_property
    def compiled(self) -> Any:
        return lowering.compile(self.module, "document", cpu="generic", extra_flags=["-O0"])

    def __call__(self, name: str, *args: Any) -> Any:
        """What a function gives on both levels."""
        expected = interpret.run(self.module, name, *args, check_types=True)
        same(self.compiled[name](*args), expected)
        return expected

    def fails(self, name: str, *args: Any) -> str:
        """The message with which a function stops on both levels."""
        messages = [
            message(lambda: interpret.run(self.module, name, *args)),
            message(lambda: self.compiled[name](*args)),
        ]
        assert messages[0] == messages[1]
        return messages[0]


def message(run: Callable[[], Any]) -> str:
    """The message of the error that something raises."""
    try:
        found = run()
    except RelaxError as error:
        return str(error)
    raise AssertionError(f"expected an error, found {found!r}")


def same(found: Any, expected: Any) -> None:
    """Results are equal, but for rounding."""
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
    elif isinstance(expected, np.ndarray | np.generic):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    else:
        assert found == expected


@contextmanager
def logged(functions: Mapping[str, Callable[..., Any]]) -> Iterator[list[str]]:
    """Functions from outside that write down their calls by name."""
    calls: list[str] = []

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            calls.append(name)
            return function(*args)

        return call

    for name, function in functions.items():
        interpret.register_packed(name, noted(name, function))
    yield calls


def refused(text: str, **types: str) -> str:
    """Why a program does not verify."""
    return message(lambda: parse(spelled(text, **types)))
