"""The current step of a compilation, for progress displays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""Called with the current step, its number, and the number of steps."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(what: str, done: int, total: int) -> None:
    """Report the current work, and how many of its steps are done."""
    if (listener := _LISTENER.get()) is not None:
        listener(what, done, total)


@contextmanager
def told(listener: Listener) -> Iterator[None]:
    """Report the compilation steps of this thread to a function."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
