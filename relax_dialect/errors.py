"""The errors that a user's mistake gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class RelaxError(Exception):
    """A mistake of the user: the expected and found values, and the fix."""

    op: Any = None
    """The op or parameter at fault, if known: the tools show its location."""


class SymbolicError(RelaxError):
    """A symbolic size that cannot be read, built, matched or evaluated."""


class ExecutionError(RelaxError):
    """A program that failed while it ran: names the function and the argument or op at fault."""


class InternalError(Exception):
    """A fault of the compiler, no mistake of the user: names the pass and a file that reproduces it."""


@contextmanager
def blaming(op: Any) -> Iterator[None]:
    """Attach the op or parameter to errors raised inside that have none."""
    try:
        yield
    except RelaxError as error:
        if error.op is None:
            error.op = op
        raise
