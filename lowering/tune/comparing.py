"""Calls of a kernel with random arguments: their results compared, their times alternated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import PrimType, TensorType

Clock = Callable[[], float]

NOISE = 0.02
"""The part of a time that differences have to exceed."""

ROUNDS = 7
"""The alternated samples of a first measure; the second one has twice as many."""

HOPELESS = 1.15
"""A schedule that takes so many times as long in two rounds is measured no more."""

SAMPLE = 3e-4
"""The least seconds of a sample: shorter calls are repeated."""

TOLERANCES = {"float64": 1e-11, "float32": 5e-5, "float16": 2e-2, "bfloat16": 1e-1}
"""The accepted differences of sums in another order, as a part of the largest result."""


@dataclass(frozen=True)
class Case:
    """One call of a kernel."""

    function: str
    arguments: Sequence[Any]

    def of(self, model: CompiledModule) -> Callable[[], Any]:
        """Return the call by a model."""
        function, arguments = model[self.function], self.arguments
        return lambda: function(*arguments)


def cases(
    types: Sequence[Sequence[Attribute]], sizes: Sequence[Mapping[str, int]], seed: int = 0
) -> list[Case]:
    """Return the calls of functions of some parameters, for each of some sizes of variables."""
    random = np.random.default_rng(seed)
    found: dict[object, Case] = {}
    for number, params in enumerate(types):
        for own in sizes:
            arguments = [_random(type, own, random) for type in params]
            key = number, *(np.shape(a) for a in arguments)
            found.setdefault(key, Case(f"call{number}", arguments))
    return [*found.values()]


def _random(type: Attribute, sizes: Mapping[str, int], random: np.random.Generator) -> Any:
    """Draw an argument: normally distributed, or integers from 0 to 9."""
    if isinstance(type, PrimType):
        assert type.value is not None
        return type.value.evaluate(sizes)
    assert isinstance(type, TensorType) and type.shape is not None
    shape = tuple(dim.evaluate(sizes) for dim in type.shape if dim is not None)
    assert type.dtype is not None
    dtype = numpy_dtype(type.dtype)
    if isinstance(type.dtype, AnyFloat):
        return np.asarray(random.standard_normal(shape, np.float32)).astype(dtype)
    return np.asarray(random.integers(0, 2 if dtype == np.bool_ else 10, shape)).astype(dtype)


def same_results(cases: Sequence[Case], first: CompiledModule, second: CompiledModule) -> bool:
    """Return whether two models compute the same results, but for rounding."""
    return all(_are_close(case.of(first)(), case.of(second)()) for case in cases)


def _are_close(expected: Any, found: Any) -> bool:
    if isinstance(expected, tuple):
        return all(map(_are_close, expected, found))
    expected, found = np.asarray(expected), np.asarray(found)
    tolerance = TOLERANCES.get(expected.dtype.name)
    if tolerance is None:
        return bool(np.array_equal(expected, found))
    a, b = (np.asarray(x, np.float64) for x in (expected, found))
    finite = np.abs(a[np.isfinite(a)])
    most = tolerance * float(finite.max(initial=0.0))
    return bool(np.allclose(b, a, rtol=tolerance, atol=most, equal_nan=True))


@dataclass
class Stopwatch:
    """Measures calls in turn with each other, so that both have the same machine."""

    clock: Clock = time.process_time

    def times(
        self,
        cases: Sequence[Case],
        first: CompiledModule,
        second: CompiledModule,
        rounds: int = ROUNDS,
    ) -> list[tuple[float, float]]:
        """Return the least seconds of each call by two models."""
        return [self._times(case.of(first), case.of(second), rounds) for case in cases]

    def _times(
        self, first: Callable[[], Any], second: Callable[[], Any], rounds: int
    ) -> tuple[float, float]:
        calls, least = (first, second), [float("inf")] * 2
        count = max(1, round(SAMPLE / max(self._seconds(first, 1), 1e-9)))
        for turn in range(rounds):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                least[which] = min(least[which], self._seconds(calls[which], count))
            if turn and least[1] > HOPELESS * least[0]:
                break
        return least[0], least[1]

    def _seconds(self, call: Callable[[], Any], count: int) -> float:
        """Return the seconds of a call."""
        start = self.clock()
        for _ in range(count):
            call()
        return (self.clock() - start) / count


def speedup(times: Sequence[tuple[float, float]]) -> float:
    """Return by how many times the second ones are faster than the first: the geometric mean, or 1 at most
    if one of them is slower by more than noise."""
    ratios = [max(first, 1e-9) / max(second, 1e-9) for first, second in times]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    return mean if min(ratios) >= 1 - NOISE else min(mean, 1.0)
