"""The ranges of activations: the inputs of certain ops while the interpreter runs a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import interpreter
from relax_dialect.interpret.core import call_function
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import deep_recursion
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.quantization.quantizing.inputs import failure

Range = tuple[float, float]


@dataclass
class Observer:
    """The numbers that went into one op: the ends, or, for a percentile, all of them."""

    percentile: float
    low: float = np.inf
    high: float = -np.inf
    is_finite: bool = True
    values: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def see(self, array: np.ndarray[Any, Any]) -> None:
        """Take in one more input of the op."""
        if array.size:
            self.low = min(self.low, float(array.min()))
            self.high = max(self.high, float(array.max()))
            self.is_finite = self.is_finite and bool(np.isfinite(array).all())
            if self.percentile < 100:
                self.values.append(array.reshape(-1).copy())

    def range(self) -> Range | None:
        """Return the range, cut off at the percentile on both ends; None if no value was observed."""
        if self.low > self.high:
            return None
        if self.percentile == 100:
            return self.low, self.high
        ends = [100 - self.percentile, self.percentile]
        low, high = np.percentile(np.concatenate(self.values), ends)
        return float(low), float(high)


class _Watcher(Interpreter.Listener):
    """Shows the first operand of the watched ops to their observers."""

    def __init__(self, observers: dict[Operation, Observer]):
        self.observers = observers

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if (observer := self.observers.get(op)) is not None:
            observer.see(args[0])


def observe(
    module: ModuleOp,
    func: FuncOp,
    runs: Sequence[tuple[Any, ...]],
    names: Mapping[Operation, str],
    percentile: float = 100,
) -> dict[Operation, Range | None]:
    """Return the range of the first operand of each named op over all runs; None for an op never reached.

    Ops in callees are observed too. Raises `RelaxError` if a run fails or a number is not finite.
    """
    observers = {op: Observer(percentile) for op in names}
    machine = interpreter(module)
    machine.listeners = (_Watcher(observers),)
    for place, run in enumerate(runs):
        try:
            with deep_recursion():
                call_function(machine, func, tuple(map(from_python, run)))
        except RelaxError as error:
            raise RelaxError(f"relax-quantize: calibration input #{place}: {error}") from error
    for op, observer in observers.items():
        if not observer.is_finite:
            mend = "leave out the inputs that lead to NaN or infinity"
            raise failure(names[op], "finite numbers in calibration", "others", mend)
    return {op: observer.range() for op, observer in observers.items()}
