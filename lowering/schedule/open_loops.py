"""Loops in one another that are being filled."""

from __future__ import annotations

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.schedule.views import Size, index


class OpenLoops:
    """Loops from 0 on, each in the one before; `insert` is inside of them all."""

    def __init__(self, insert: Inserter):
        self.insert = insert
        self.loops: list[OpenLoop] = []

    def open(self, stop: Size, step: Size, hint: str) -> Size:
        """A loop, unless it is known to have one turn; its counter."""
        if isinstance(stop, int) and isinstance(step, int) and 0 < stop <= step:
            return 0
        start, end, by = (index(self.insert, bound) for bound in (0, stop, step))
        self.insert = open_loop(self.insert, start, end, by, hint)
        self.loops.append(self.insert)
        return self.insert.counter

    def close(self) -> None:
        for loop in reversed(self.loops):
            loop.close()
