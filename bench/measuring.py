"""One core, stopwatches, tables in Markdown."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field


def use_one_core() -> None:
    """Stay on one of the cores that this process may use, with all it starts."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds(action: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cpu_seconds(action: Callable[[], object]) -> float:
    """How long one call keeps the processor busy; the garbage of earlier calls is gone before."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


def side_by_side(actions: Sequence[Callable[[], object]], budget: float = 0.6) -> list[float]:
    """Seconds per call of each: the best of many rounds in which all take turns."""
    calls = [max(1, int(0.002 / max(seconds(action), 1e-7))) for action in actions]
    best = [float("inf")] * len(actions)
    rounds, end = 0, time.perf_counter() + budget * len(actions)
    while rounds < 5 or time.perf_counter() < end:
        rounds += 1
        for i, action in enumerate(actions):
            start = time.perf_counter()
            for _ in range(calls[i]):
                action()
            best[i] = min(best[i], (time.perf_counter() - start) / calls[i])
    return best


@dataclass
class Table:
    """Figures under a heading, and those that miss a limit."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | float, ...]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def limit(self, what: str, value: float, *, at_least: float = 0, at_most: float = 1e9) -> str:
        """`yes` or `NO`; a miss is also remembered."""
        if at_least <= value <= at_most:
            return "yes"
        bound = f"at least {at_least:g}" if value < at_least else f"at most {at_most:g}"
        self.missed.append(f"{what}: expected {bound}, found {value:.3g}")
        return "NO"

    def markdown(self) -> Iterator[str]:
        yield f"## {self.title}\n"
        yield f"| {' | '.join(self.columns)} |"
        yield f"|{'---|' * len(self.columns)}"
        for row in self.rows:
            yield f"| {' | '.join(_cell(value) for value in row)} |"
        yield ""


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
