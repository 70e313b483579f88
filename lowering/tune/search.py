"""The search for the schedule of one kernel: one decision at a time, each as good as it gets.

    rows = 8     ->  6, 7, 9 measured beside it  ->  7 if it is faster, twice
    block = 16   ->  4, 64 beside it             ->  ...
    and again, from the new schedule, until no alternative is faster

What is measured is the kernel alone. The search knows no strategy: it reads what decisions the kernel's
strategies offered (`lowering/schedule/kernels/decisions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from lowering.emit_c import CSource
from lowering.runtime.loading import CompiledModule
from lowering.schedule.schedule import Schedule, as_text
from lowering.tune.candidates import KernelSchedule, KernelSchedules, Settings
from lowering.tune.comparing import NOISE, ROUNDS, Case, Stopwatch, same_results, speedup
from relax_dialect.errors import RelaxError


def key_of(settings: Settings) -> str:
    """Return the decisions as text, the same for the same ones."""
    return ", ".join(f"{name}={value}" for name, value in sorted(settings.items()))


@dataclass
class Record:
    """The known schedules of one kernel."""

    kernel: str
    digest: str
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """The decisions of the fastest schedule that was found, beyond the defaults."""
    seconds: list[float] = field(default_factory=list[float])
    """The time of a call by the default, and by this schedule, all calls together."""
    speedup: float = 1.0
    tried: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """By how many times decisions were faster than the best ones before, or the default; None if they were
    not measured, since they are refused, lead to a known schedule, or change the results."""


@dataclass
class KernelSearch:
    """The search for the schedule of one kernel, in steps."""

    candidates: KernelSchedules
    cases: Sequence[Case]
    record: Record
    stopwatch: Stopwatch
    threads: int = 1
    """The threads that calls use."""
    weight: float = 1.0
    """The share of the kernel in the work of the program."""
    steps: int = 0
    current: KernelSchedule | None = None
    best: KernelSchedule | None = None
    """The fastest one, if it is not the default."""
    models: dict[str, CompiledModule] = field(default_factory=dict[str, CompiledModule])
    """The machine code of the default, and of the current schedule."""
    seen: set[str] = field(default_factory=set[str])
    """The schedules that have been tried, as text."""
    wrong: list[str] = field(default_factory=list[str])
    """The schedules whose results differed from those of the default."""

    @property
    def schedules(self) -> Mapping[str, Schedule]:
        """The schedules of the fastest one; none for the default."""
        if self.best is None and self.record.settings:
            self.best = self.candidates.of(self.record.settings)
        return {} if self.best is None else self.best.schedules

    def step(self, count: int) -> bool:
        """Try up to `count` alternatives; return whether there were any."""
        self.steps += 1
        if self.current is None:
            self._begin()
        found = list(islice(self._untried(), count))
        with ThreadPoolExecutor(count) as pool:
            sources = [_attempt(self.candidates.lowered, candidate) for candidate in found]
            built = list(pool.map(partial(_attempt, self._built), sources))
        for candidate, model in zip(found, built):
            gain = None if model is None else self._measure(candidate, model)
            self.record.tried[key_of(candidate.settings)] = gain and round(gain, 3)
        return bool(found)

    def close(self) -> None:
        """Release the machine code."""
        for model in self.models.values():
            model.close()
        self.models, self.current = {}, None

    def _begin(self) -> None:
        """Build the default, and the schedule of an earlier search if it is still allowed."""
        default = self.candidates.of({})
        self.models[""] = self._built(self.candidates.lowered(default))
        for case in self.cases:
            case.of(self.models[""])()  # a kernel that refuses random numbers is refused here
        self.seen.add(as_text(default.schedules))
        self.current = default
        if self.record.settings:
            self.current = self.candidates.of(self.record.settings)
            self.models["current"] = self._built(self.candidates.lowered(self.current))
            self.seen.add(as_text(self.current.schedules))

    def _built(self, source: CSource) -> CompiledModule:
        model = self.candidates.built(source)
        if self.threads > 1:
            model.threads = self.threads
        return model

    def _untried(self) -> Iterator[KernelSchedule]:
        """Yield the schedules that differ from the current one in one decision."""
        assert self.current is not None
        for name, (default, *others) in self.current.offered.items():
            now = self.current.settings.get(name, default)
            for value in (default, *others):
                settings = {k: v for k, v in self.current.settings.items() if k != name}
                if value != default:
                    settings[name] = value
                if value == now or (key := key_of(settings)) in self.record.tried:
                    continue
                candidate = _attempt(self.candidates.of, settings)
                text = "" if candidate is None else as_text(candidate.schedules)
                if candidate is None or text in self.seen:
                    self.record.tried[key] = None
                    continue
                self.seen.add(text)
                yield candidate

    def _measure(self, candidate: KernelSchedule, model: CompiledModule) -> float | None:
        """Make a schedule the current one if it is right and faster, in two measures, than the current one
        and than the default; return by how many times it is faster in the last measure."""
        default = self.models[""]
        before = self.models.get("current", default)
        if not _attempt(same_results, self.cases, default, model):
            self.wrong.append(key_of(candidate.settings))
            model.close()
            return None
        gain, times = 1.0, []
        for other, rounds in ((before, ROUNDS), (before, 2 * ROUNDS), (default, 2 * ROUNDS)):
            times = self.stopwatch.times(self.cases, other, model, rounds)
            gain = speedup(times)
            if gain <= 1 + NOISE:
                model.close()
                return gain
        self.models["current"], self.current, self.best = model, candidate, candidate
        self.record.settings, self.record.speedup = dict(candidate.settings), gain
        self.record.seconds = [*map(sum, zip(*times))]
        return gain


def _attempt(action: Callable[..., Any], *arguments: Any) -> Any:
    """Return what an action returns; None if it is refused, or an argument is None."""
    if None in arguments:
        return None
    try:
        return action(*arguments)
    except RelaxError:
        return None
