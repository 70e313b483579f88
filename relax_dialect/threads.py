"""Python's limit of nested calls, raised while some thread needs it; how deep calls from Python into
programs nest; one compilation at a time; and garbage, which compilations hardly make."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from relax_dialect.errors import ExecutionError

_LOCK = threading.Lock()
_NEEDED: list[int] = []
"""The limits that are currently requested, the one of the process first."""

COMPILING = threading.RLock()
"""Held while programs are read, verified and rewritten: xDSL's implicit builders change `Operation` for
all threads, and types and sizes are interned."""


@contextmanager
def stack_of(limit: int) -> Iterator[None]:
    """Reserve stack for nested calls until the context ends, whatever other threads reserve meanwhile."""
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


RARELY = (100_000, 20, 20)
"""After how many new objects Python looks for garbage, among the young and the older, while it compiles."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Make garbage collection infrequent: nearly all objects of a compilation stay alive, and scanning them
    takes a fifth of its time."""
    before = gc.get_threshold()
    if before[0]:  # else there is no search at all
        gc.set_threshold(*map(max, before, RARELY))
    try:
        yield
    finally:
        gc.set_threshold(*before)


MAX_CROSSINGS = 500
"""The maximum nesting of calls from Python into programs, as they use the machine's stack."""

FRAMES_PER_CROSSING = 15
"""Python's own calls from one such call to the next, in compiled code that calls Python back."""


class _Crossings(threading.local):
    """The number of calls from Python into programs on the stack of this thread."""

    count = 0


_CROSSINGS = _Crossings()


@contextmanager
def crossing(frames: int = FRAMES_PER_CROSSING * MAX_CROSSINGS) -> Iterator[None]:
    """Track a call from Python into a program, with stack for the nested calls of Python."""
    if _CROSSINGS.count >= MAX_CROSSINGS:
        raise ExecutionError(
            f"expected Python functions and programs to call each other at most {MAX_CROSSINGS} deep, "
            "found deeper nesting; is there a recursion without end?"
        )
    _CROSSINGS.count += 1
    try:
        with stack_of(frames):
            yield
    finally:
        _CROSSINGS.count -= 1
