"""One core, stopwatches, tables in Markdown."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench import THREADS

clock = time.process_time if THREADS == 1 else time.perf_counter
"""The time that is measured: on the processor, but of several threads that of the wall."""

SPAN, CHUNK = 0.004, 0.0001
"""Seconds for which an action is repeated in a round, and seconds that are timed as one sample."""


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


CORES = _cores()
"""The cores that this process may use."""


def use_one_core() -> None:
    """Pin this process and its children to one of the cores, or as many as contenders have threads."""
    if CORES:
        os.sched_setaffinity(0, sorted(CORES)[-THREADS:])


@contextmanager
def all_cores() -> Iterator[None]:
    """Allow work that is not compared, such as compiling, to use every core."""
    before = _cores()
    if before:
        os.sched_setaffinity(0, CORES)
    try:
        yield
    finally:
        if before:
            os.sched_setaffinity(0, before)


def seconds(action: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the CPU seconds of one call; the garbage of earlier calls is collected before."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


@dataclass(frozen=True)
class Timing:
    """Seconds on the processor per call: the best round but for outliers, and the median."""

    best: float
    median: float
    rounds: int

    @property
    def noise(self) -> float:
        """By which part of the best the round in the middle is slower."""
        return self.median / self.best - 1 if self.best else 0.0


def _turn(action: Callable[[], object]) -> tuple[int, int]:
    """Return the number of samples of an action in a round, and of calls in a sample; the first call may be
    slow."""
    once = seconds(action)
    if once < 10 * SPAN:
        once = min(once, *(seconds(action) for _ in range(5)))
    at_once = max(1, int(CHUNK / max(once, 1e-7)))
    return max(1, int(SPAN / (at_once * once))), at_once


def _best(action: Callable[[], object], times: int, at_once: int) -> float:
    """Return the seconds per call in the fastest sample of a round."""
    best = float("inf")
    for _ in range(times):
        start = clock()
        for _ in range(at_once):
            action()
        best = min(best, clock() - start)
    return best / at_once


def await_rest(within: float = 0.3, span: float = 0.005) -> None:
    """Wait until the threads of the last contender sleep, at most `within` seconds.

    Threads of ONNX Runtime spin for some 40 ms after a call, on the cores that the next contender needs.
    """
    end = time.perf_counter() + within
    while time.perf_counter() < end:
        before = time.process_time()
        time.sleep(span)
        if time.process_time() - before < span / 10:
            return


def interleaved(
    actions: Sequence[Callable[[], object]], budget: float = 0.15, least_rounds: int = 3
) -> list[Timing]:
    """Time the calls of each action, interleaved over many rounds.

    Time on the processor: other programs that wait for the same core do not count, unless contenders have
    several threads, which sleep before each turn. A round counts its fastest sample, after the effects of
    the previous action on the caches. `budget` is in such seconds for each action.
    """
    rest = await_rest if THREADS > 1 else lambda: None
    turns = [_turn(action) for action in actions]
    samples: list[list[float]] = [[] for _ in actions]
    gc.collect()
    gc.disable()
    try:
        spent = 0.0
        while len(samples[0]) < least_rounds or spent < budget * len(actions):
            for action, (times, at_once), taken in zip(actions, turns, samples):
                rest()
                start = clock()
                taken.append(_best(action, times, at_once))
                spent += clock() - start
    finally:
        gc.enable()
    return [summary(taken) for taken in samples]


def summary(turns: Sequence[float]) -> Timing:
    """Return the first decile and the median of many rounds; a tenth may be faster: clocks err both
    ways."""
    return Timing(sorted(turns)[len(turns) // 10], statistics.median(turns), len(turns))


def side_by_side(actions: Sequence[Callable[[], object]], budget: float = 0.6) -> list[float]:
    """Return the seconds per call of each: the best of many interleaved rounds."""
    return [timing.best for timing in interleaved(actions, budget, least_rounds=5)]


@dataclass
class Table:
    """Figures under a heading, and the figures that miss a limit."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | float, ...]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def limit(self, what: str, value: float, *, at_least: float = 0, at_most: float = 1e9) -> str:
        """Return `yes` or `NO`; a miss is also recorded."""
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
            yield f"| {' | '.join(map(cell, row))} |"
        yield ""


def cell(value: str | float | None) -> str:
    """Format a figure with three digits; empty if there is none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
