"""Random kernels with what follows them, scheduled for every CPU: their C, under sanitizers, is the interpreter.

All kernels of a batch are one C module. In half of the batches strategies decide at random, among the alternatives
that `relax-tune` measures. Without `relax-plan-memory` each buffer has memory of its own, so that
AddressSanitizer sees an element past its end. After each pass of the lowering no static access is out of bounds.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from unittest import mock

import numpy as np
from bounds import faults
from drawn_followers import Case, drawn_cases, module_of
from sanitized_calls import CallError, call_sanitized
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.emit_c import emit
from lowering.pipeline import PASSES, lower, optimizations
from lowering.schedule import relax_schedule
from lowering.schedule.kernels.decisions import Decisions, T
from lowering.support.target import CPUS, NATIVE, find
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.ops.core import FuncOp

from .cases import Fault

TOLERANCE = {"e": 3e-2, "f": 1e-4, "d": 1e-11}
"""Of the largest element: sums are rounded in another order."""

SANITIZERS = (("-fsanitize=address",), ("-fsanitize=address,undefined",))
"""Undefined behaviour is looked for in some batches: it doubles the time of the C compiler."""

Arrays = Sequence[np.ndarray]


def cpus() -> Sequence[str]:
    """The CPUs whose code this machine runs."""
    classes = (name for name in ("generic", "x86-64-v3", "aarch64") if name in CPUS)
    return (NATIVE, *(name for name in classes if _runs(name)))


def _runs(name: str) -> bool:
    cpu, own = CPUS[name], find(NATIVE)
    return cpu.architecture in (None, own.architecture) and cpu.features <= own.features


def batch(rng: random.Random, count: int) -> int:
    """Try kernels, all in one C module. Raises `Fault`."""
    gc.disable()
    try:
        check(drawn_cases(rng, count), rng.choice(cpus()), rng.choice((0, 1, 1, 2)), rng)
    finally:
        gc.enable()
    return count


def check(cases: Sequence[Case], cpu: str, level: int, rng: random.Random) -> None:
    """Raises `Fault` with the first function that is at fault."""
    programs, decisions = module_of(cases), rng.choice((None, rng.random()))
    try:
        module = lowered(programs.module, cpu, level, decisions)
    except Exception as error:
        if len(cases) > 1:
            for case in cases:
                check([case], cpu, level, rng)
        what = f"--cpu {cpu} -O{level}: {type(error).__name__}: {error}"
        raise Fault(what, str(programs.module)) from error
    expected = {
        name: _arrays(interpret.run(programs.module, name, *arrays))
        for name, arrays in programs.arguments.items()
    }
    calls = {name: (arrays, expected[name]) for name, arrays in programs.arguments.items()}
    flags = ("-O0", "-g1", *find(cpu).flags, *rng.choice((*SANITIZERS, *SANITIZERS[:1] * 2)))
    try:
        found = call_sanitized(
            emit(module, "model", cpu=cpu, sidecar_threshold=1 << 40), calls, flags
        )
    except CallError as error:
        raise _fault(programs.module, error.function, cpu, level, str(error)) from None
    for name, arrays in found.items():
        if (what := different(arrays, expected[name])) is not None:
            raise _fault(programs.module, name, cpu, level, what)


@dataclass
class DrawnDecisions(Decisions):
    """Decisions at random, half of them the default."""

    seed: float = 0

    def choose(self, name: str, default: T, others: Iterable[T]) -> T:
        rng = random.Random(f"{self.seed} {name}")
        return rng.choice((default, rng.choice((default, *others))))


def lowered(module: ModuleOp, cpu: str, level: int, decisions: float | None = None) -> ModuleOp:
    """The module as loops; each pass keeps static accesses in bounds. `decisions` is the seed of what strategies
    decide; where a schedule of theirs is refused, as `relax-tune` finds too, they decide for the defaults. Raises
    `AssertionError`."""
    if decisions is not None:
        with (
            suppress(RelaxError),
            mock.patch.object(relax_schedule, "Decisions", partial(DrawnDecisions, seed=decisions)),
        ):
            return lowered(module, cpu, level)
    names = [*optimizations(level), *(name for name in PASSES if name != "relax-plan-memory")]
    found: list[str] = []

    def look(done: ModulePass | None, module: ModuleOp, following: ModulePass | None) -> None:
        if done is not None and not found:
            found.extend(f"{done.name}: {fault}" for fault in faults(module))

    lower(own := module.clone(), names, cpu=cpu, callback=look)
    assert not found, found[0]
    return own


def _arrays(value: object) -> Arrays:
    return value if isinstance(value, tuple) else (np.asarray(value),)


def different(found: Arrays, expected: Arrays) -> str | None:
    """How two results differ, beyond rounding."""
    for number, (f, e) in enumerate(zip(found, expected, strict=True)):
        finite = np.abs(e[np.isfinite(e)], dtype=np.float64)
        tolerance = TOLERANCE.get(e.dtype.char, 0) * max(1.0, finite.max(initial=0))
        if not np.allclose(f, e, 0, tolerance, equal_nan=True):
            with np.errstate(all="ignore"):
                where = ~np.isclose(f, e, 0, tolerance, equal_nan=True)
            at = tuple(map(int, np.argwhere(where)[0]))
            return f"result {number} at {at}: {f[at]} instead of {e[at]}, {where.sum()} of {e.size}"
    return None


def _fault(module: ModuleOp, name: str, cpu: str, level: int, what: str) -> Fault:
    functions = (op for op in module.ops if isinstance(op, FuncOp))
    function = next(op for op in functions if op.sym_name.data == name)
    return Fault(f"--cpu {cpu} -O{level}: @{name}: {what}", str(ModuleOp([function.clone()])))
