"""The step that a compilation is at, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""Told what is being done, and how many steps of how many are."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(what: str, done: int, total: int) -> None:
    """Say what is being done now: so many steps of it are."""
    if (listener := _LISTENER.get()) is not None:
        listener(what, done, total)


@contextmanager
def told(listener: Listener) -> Iterator[None]:
    """Let a function be told what this thread compiles."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
