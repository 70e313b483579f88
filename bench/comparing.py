"""A work run by us and by its peers, side by side, and a probe of the machine."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

from bench import machine
from bench.languages import BEST_OF, PEERS, MissingError, Run
from bench.measuring import Timing, interleaved
from bench.work import Work
from lowering.support.target import NATIVE
from relax_dialect.errors import RelaxError

OURS = ("static", "symbolic")
"""Our two artifacts: for the sizes of the row, and for all sizes."""
STEADY_CALLS = 5
"""The number of calls in which page faults are counted, after all others."""


@dataclass
class Result:
    """A row: seconds per call by language, and the bound that they are compared with."""

    group: str
    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    unit: str = ""
    done: float = 0
    """Operations or bytes of one call."""
    bound: float = 0
    """The bound of the machine, per second, measured in the same rounds."""
    faults: float | None = None
    """Page faults in a steady call of ours."""
    wrong: list[str] = field(default_factory=list)

    cpu: str = NATIVE
    """The CPU that our artifacts are compiled for."""

    @property
    def title(self) -> str:
        """The name, with the CPU if that is another one."""
        return self.name if self.cpu == NATIVE else f"{self.name}, {self.cpu}"

    @property
    def best_peer(self) -> float | None:
        found = [self.seconds[name] for name in BEST_OF if name in self.seconds]
        return min(found) if found else None

    def ratio(self, ours: str) -> float | None:
        """Return the best peer's time divided by that of one of our artifacts."""
        if self.best_peer is None or ours not in self.seconds:
            return None
        return self.best_peer / self.seconds[ours]

    @property
    def rate(self) -> float | None:
        """Operations or bytes a second of the better of our artifacts."""
        found = [self.seconds[name] for name in OURS if name in self.seconds]
        return self.done / min(found) if found else None

    @property
    def share(self) -> float | None:
        """The achieved share of the machine's bound."""
        return None if self.rate is None or not self.bound else self.rate / self.bound


def geometric_mean(ratios: Sequence[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def as_array(value: Any) -> np.ndarray:
    """Convert a result to numpy."""
    return value.numpy() if hasattr(value, "numpy") else np.asarray(value)


def agree(found: Any, expected: Any, tolerance: float) -> str | None:
    """Return None, or how a result differs from a peer's."""
    x, y = as_array(found), as_array(expected)
    if x.shape != y.shape:
        return f"expected the shape {y.shape}, found {x.shape}"
    most = float(np.abs(x.astype(np.float64) - y).max(initial=0))
    largest = float(np.abs(y.astype(np.float64)).max(initial=0))
    if most <= tolerance * max(largest, 1):
        return None
    return f"expected a difference of at most {tolerance * max(largest, 1):.2g}, found {most:.2g}"


def page_faults(run: Run) -> float:
    """Return the page faults of one call, in the steady state."""
    run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(STEADY_CALLS):
        run()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / STEADY_CALLS


def _ours(work: Work, arrays: Sequence[np.ndarray], cpu: str) -> dict[str, Callable[[], Run]]:
    from bench.languages import ours

    wanted = {"static": work.static or not work.symbolic, "symbolic": work.symbolic}
    return {
        name: partial(ours.prepare, work, arrays, symbolic=name == "symbolic", cpu=cpu)
        for name in OURS
        if wanted[name]
    }


def _peers(
    work: Work, arrays: Sequence[np.ndarray], peers: Sequence[str]
) -> dict[str, Callable[[], Run]]:
    return {
        name: partial(work.peers.get(name, PEERS[name].prepare), work, arrays)
        for name in peers
        if PEERS[name].installed
    }


def _prepared_peers(work: Work, peers: Sequence[str]) -> tuple[dict[str, Run], Any]:
    """Return the call of every peer, and the expected result: that of the work, or of the first peer."""
    arrays = work.arrays()
    runs, expected = dict[str, Run](), work.expected and work.expected(*arrays)
    for name, prepare in _peers(work, arrays, peers).items():
        try:
            runs[name] = prepare()
            found = runs[name]()
        except MissingError:
            runs.pop(name, None)
            continue
        except Exception as error:  # a peer's fault: its cell stays empty
            runs.pop(name, None)
            print(f"note: {PEERS[name].name}, {work.name}: {error}", file=sys.stderr)
            continue
        if expected is None:
            expected = found
        elif work.expected and (difference := agree(found, expected, work.tolerance)):
            print(f"note: {PEERS[name].name}, {work.name}: {difference}", file=sys.stderr)
    return runs, expected


def _prepared_ours(result: Result, work: Work, expected: Any, cpu: str) -> dict[str, Run]:
    """Return the calls of our artifacts for a CPU whose results are the expected one."""
    runs = dict[str, Run]()
    for name, prepare in _ours(work, work.arrays(), cpu).items():
        try:
            run = prepare()
            found = run()
        except RelaxError as error:
            result.wrong.append(f"{result.title}, {name}: {error}")
            continue
        difference = None if expected is None else agree(found, expected, work.tolerance)
        if difference is None:
            runs[name] = run
        else:
            result.wrong.append(f"{result.title}, {name}: {difference}")
    return runs


def moved(arrays: Sequence[np.ndarray], value: Any) -> float:
    """Return the number of bytes of the arguments and of the result."""
    return float(sum(array.nbytes for array in arrays) + as_array(value).nbytes)


def compare(
    group: str,
    work: Work,
    peers: Sequence[str],
    budget: float = 0.15,
    cpus: Sequence[str] = (NATIVE,),
) -> list[Result]:
    """Run a work in every language that can, and our code for each CPU, interleaved with probes of its
    bounds: one result for each CPU."""
    others, expected = _prepared_peers(work, peers)
    results = [Result(group, work.name, cpu=cpu) for cpu in cpus]
    ours = [_prepared_ours(result, work, expected, result.cpu) for result in results]
    runs = [*others.values(), *(run for own in ours for run in own.values())]
    if not runs:
        return results
    probes = [_probe(result, work, runs[0]) for result in results]
    timings = iter(interleaved([*runs, *(probe for probe, _ in probes)], budget))
    shared = {name: next(timings) for name in others}
    timed = [{name: next(timings) for name in own} for own in ours]
    for result, own, found, (_, each) in zip(results, ours, timed, probes):
        result.bound = each / next(timings).best
        note(result, {**found, **shared})
        steady = next((own[name] for name in reversed(OURS) if name in own), None)
        result.faults = None if steady is None else page_faults(steady)
    return results


def _probe(result: Result, work: Work, run: Run) -> machine.Probe:
    """Return a probe of the bound of a work, whose unit and amount the result gets."""
    if work.operations:
        result.unit, result.done = work.unit, work.operations
        return machine.PEAKS[work.unit](result.cpu)
    result.unit, result.done = "GB/s", moved(work.arrays(), run())
    return machine.copying(result.done)


def note(result: Result, timings: dict[str, Timing]) -> None:
    """Record the measurements."""
    result.seconds = {name: timing.best for name, timing in timings.items()}
    result.noise = {name: timing.noise for name, timing in timings.items()}
