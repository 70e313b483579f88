"""Python's limit of nested calls, raised while some thread needs it; and one compilation at a time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_NEEDED: list[int] = []
"""The limits that are asked for now, the one of the process before them first."""

COMPILING = threading.RLock()
"""Held while programs are read, verified and rewritten: xDSL's implicit builders change `Operation` for
all threads, and types and sizes are interned."""


@contextmanager
def stack_of(limit: int) -> Iterator[None]:
    """Room for so many nested calls until this ends, whatever other threads ask for meanwhile."""
    with _LOCK:
        if not _NEEDED:
            _NEEDED.append(sys.getrecursionlimit())
        _NEEDED.append(limit)
        sys.setrecursionlimit(max(_NEEDED))
    try:
        yield
    finally:
        with _LOCK:
            _NEEDED.remove(limit)
            sys.setrecursionlimit(max(_NEEDED))
            if len(_NEEDED) == 1:
                _NEEDED.clear()
