"""`check_gradient`: compares reverse mode with forward dual numbers, which use no rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.of_functions.gradient_functions import Made, Target
from relax_dialect.gradient.registry import expansion_of, rule_of
from relax_dialect.gradient.transform import vjp
from relax_dialect.interpret.arguments import copied
from relax_dialect.interpret.core import call_function
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import deep_recursion, frame_of
from relax_dialect.interpret.tangents import floats
from relax_dialect.interpret.wide_arithmetic import wide_values, widened
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import require_module, verify
from relax_dialect.symbolic import const
from relax_dialect.transform.cloning import substitute_attribute

ENTRIES = 100
"""The number of gradient entries that are checked."""

OPERATORS = 200
"""The maximum number of operators that are checked separately if a gradient is wrong."""


@dataclass(order=True)
class GradientDifference:
    """An entry of a gradient that is wrong, by how much relative to the largest one."""

    error: float
    where: str
    expected: float
    found: float


def check_gradient(
    module: ModuleOp,
    name: str,
    *args: Any,
    wrt: Sequence[Target] | None = None,
    tolerance: float = 1e-6,
) -> float:
    """Compare gradients of a function at a point with its derivatives by forward dual numbers.

    `vjp` differentiates a copy of the module in f64 by the targets `wrt`. The function need not return one
    number: the loss is a random sum of all floats in its result. Each entry, or 100 of them at random, is
    compared with the derivative by `interpret.jvp`, which uses no rule. It is wrong if it differs by more
    than `tolerance` times the largest entry, or times 1 if all are smaller.

    Returns the largest difference, relative in this sense. Raises `GradientError` if an entry is wrong,
    with that entry and the operator whose own gradient is wrong, and `RelaxError` if `interpret.jvp` does,
    as at a kink.
    """
    require_module(module)
    verify(module)
    wide = widened(module)
    values = [wide_values(from_python(arg)) for arg in args]
    found = list(_differences(wide, name, values, wrt))
    worst = max(found, default=None)
    if worst is None or worst.error <= tolerance:
        return 0.0 if worst is None else worst.error
    wrong = sum(each.error > tolerance for each in found)
    culprit = _culprit(widened(module), name, values, tolerance)
    mend = f"correct the adjoint of {culprit}" if culprit else "no operator alone is wrong"
    raise GradientError(
        f"@{name}: the gradient by {worst.where}: expected {worst.expected:g}, as dual numbers say, found "
        f"{worst.found:g}; {wrong} of {len(found)} entries differ, this one most; {mend}"
    )


def _differences(
    module: ModuleOp, name: str, args: Sequence[Any], wrt: Sequence[Target] | None
) -> Iterator[GradientDifference]:
    """Yield the checked entries of the gradients, with their expected values."""
    numbers = np.random.default_rng(0)
    targets = Made(module, name).targets(name, wrt)
    parts = list(floats(interpret.run(module, name, *copied(tuple(args)))))
    is_loss = [part.shape for part in parts] == [()]
    weights = [np.ones(()) if is_loss else numbers.standard_normal(p.shape) for p in parts]
    back = vjp(module, name, targets)
    _, gradients = interpret.run(module, back, *copied(tuple(args)), *weights)
    names = interpret.parameter_names(module_symbols(module)[name])
    places = [
        (target, number, index)
        for target, gradient in zip(targets, gradients)
        for number, part in enumerate(floats(gradient))
        for index in np.ndindex(part.shape)
    ]
    largest = max([1.0, *(np.max(np.abs(part), initial=0) for part in floats(gradients))])
    if len(places) > ENTRIES:
        places = [places[i] for i in sorted(numbers.choice(len(places), ENTRIES, replace=False))]
    by_target = dict(zip(targets, gradients))
    for target, number, index in places:
        tangents = [None] * len(args)
        tangents[target] = _unit(args[target], [number], index)
        _, moved = interpret.jvp(module, name, args, tangents)
        expected = sum(float(np.sum(w * t)) for w, t in zip(weights, floats(moved)))
        found = float(list(floats(by_target[target]))[number][index])
        what = f"'{names[target]}'{f', tensor {number},' if number else ''} at {list(index)}"
        yield GradientDifference(abs(found - expected) / largest, what, expected, found)


def _unit(value: Any, place: list[int], index: tuple[int, ...]) -> Any:
    """Return the tangent that is 1 at one entry of a value, in the float tensor of this index."""
    if isinstance(value, tuple):
        return tuple(_unit(part, place, index) for part in value)
    if next(floats(value), None) is None:
        return None
    place[0] -= 1
    if place[0] != -1:
        return None
    tangent = np.zeros_like(value)
    tangent[index] = 1
    return tangent


class _Recorder(Interpreter.Listener):
    """The operators that a program computes, each once, with their operands."""

    def __init__(self, machine: interpret.RelaxInterpreter):
        self._machine = machine
        self.seen: dict[Operation, tuple[PythonValues, Mapping[str, int]]] = {}

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        kind = type(op)
        has_rule = isinstance(op, TirCallOp) or (rule_of(kind) or expansion_of(kind)) is not None
        if has_rule and op not in self.seen and len(self.seen) < OPERATORS:
            self.seen[op] = args, dict(frame_of(self._machine).sizes)


def _culprit(module: ModuleOp, name: str, args: Sequence[Any], tolerance: float) -> str | None:
    """Return the first operator whose own gradient is wrong where the function uses it."""
    machine = interpret.interpreter(module)
    recorder = _Recorder(machine)
    machine.listeners = (recorder,)
    function = machine.symbols[name]
    assert isinstance(function, FuncOp)
    with deep_recursion(machine.max_depth):
        call_function(machine, function, tuple(args))
    for op, (values, sizes) in recorder.seen.items():
        try:
            found = list(_differences(_alone(module, op, sizes), "alone", values, None))
        except RelaxError:
            continue  # as where it has no derivative
        if any(each.error > tolerance for each in found):
            return describe(op)
    return None


def _prim_funcs(module: ModuleOp) -> ModuleOp:
    """Return a module with copies of the prim funcs of one."""
    return ModuleOp([each.clone() for each in module.ops if isinstance(each, func.FuncOp)])


def _alone(module: ModuleOp, op: Operation, sizes: Mapping[str, int]) -> ModuleOp:
    """Return a module with one operator as a function of its operands, of the sizes that it was run for."""
    known = {name: const(size) for name, size in sizes.items()}
    copy = op.clone()
    for attributes in (copy.properties, copy.attributes):
        attributes.update({n: substitute_attribute(a, known) for n, a in attributes.items()})
    builder = BlockBuilder(_prim_funcs(module))
    types = [substitute_attribute(v.type, known) for v in op.operands]
    with builder.function("alone", {f"x{i}": type for i, type in enumerate(types)}) as values:
        copy.operands = [value.value for value in values]
        for result in copy.results:
            result._type = substitute_attribute(result.type, known)  # pyright: ignore[reportPrivateUsage]
        builder.emit(copy)
        builder.emit_func_output(list(copy.results) if len(copy.results) > 1 else copy.results[0])
    return builder.get()
