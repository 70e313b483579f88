"""Structured control flow, one scalar step after the other; `scf.if` also on many points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ShapedType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Region, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.machine import Points, frame_of, machine, run_scoped
from relax_dialect.interpret.op_semantics import forwarding
from relax_dialect.interpret.runtime_values import Array, numpy_dtype


def _steps(lower: Any, upper: Any, step: Any) -> range:
    """Return the values of an induction variable."""
    for bound in (lower, upper, step):
        if np.ndim(bound):
            raise RelaxError(
                "expected loop bounds that are the same for all points of the linalg op around the "
                "loop, found ones that differ"
            )
    if step <= 0:
        raise RelaxError(f"expected a step above 0, found {step}")
    return range(int(lower), int(upper), int(step))


def run_if_on_points(interpreter: Interpreter, op: scf.IfOp, condition: Array) -> PythonValues:
    """Run each branch for the points where it is taken, and only for these: reads of a branch may be out of
    bounds elsewhere."""
    points = frame_of(interpreter).points
    if not points:
        raise RelaxError("expected one condition, found an array of them outside of a linalg body")
    around = points[-1]
    condition = np.broadcast_to(condition, around.shape)
    results = [np.empty(around.shape, numpy_dtype(result.type)) for result in op.results]
    for region, mask in ((op.true_region, condition), (op.false_region, ~condition)):
        if not mask.any() or region.first_block is None:
            continue
        points.append(Points((int(np.count_nonzero(mask)),), ()))  # linalg.index is outside
        for result, value in zip(results, _run_where(interpreter, region, around, mask)):
            result[mask] = value
        points.pop()
    return tuple(results)


def _run_where(
    interpreter: Interpreter, region: Region, around: Points, mask: Array
) -> PythonValues:
    """Run a region with the outer scalars restricted to the points of a mask."""
    interpreter.push_scope("points")
    for value, array in list(_scalars_from_outside(interpreter, region)):
        interpreter.set_values([(value, np.broadcast_to(array, around.shape)[mask])])
    results = interpreter.run_ssacfg_region(region, (), "scf.if")
    interpreter.pop_scope()
    return results


def _scalars_from_outside(
    interpreter: Interpreter, region: Region
) -> Iterator[tuple[SSAValue, Array]]:
    """Yield the outer values that a region reads and that differ from point to point."""
    known = machine(interpreter).scope
    for op in region.walk():
        for operand in op.operands:
            if operand in known and not isinstance(operand.type, ShapedType):
                value = known[operand]
                if np.ndim(value):
                    yield operand, value


@register_impls
class ScfFunctions(InterpreterFunctions):
    """The scf dialect."""

    @impl(scf.IfOp)
    def run_if(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        (condition,) = args
        if np.ndim(condition):
            return run_if_on_points(interpreter, op, condition)
        region = op.true_region if condition else op.false_region
        if region.first_block is None:
            return ()
        return run_scoped(interpreter, region, (), "scf.if")

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        lower, upper, step, *initial = args
        carried = tuple(initial)
        dtype = numpy_dtype(op.lb.type).type if not isinstance(lower, int) else int
        for index in _steps(lower, upper, step):
            carried = run_scoped(interpreter, op.body, (dtype(index), *carried), "scf.for")
        return carried

    @impl(scf.WhileOp)
    def run_while(
        self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues
    ) -> PythonValues:
        carried = args
        while True:
            condition, *passed = run_scoped(interpreter, op.before_region, carried, "scf.while")
            if not condition:
                return tuple(passed)
            carried = run_scoped(interpreter, op.after_region, tuple(passed), "scf.while")

    @impl(scf.IndexSwitchOp)
    def run_index_switch(
        self, interpreter: Interpreter, op: scf.IndexSwitchOp, args: PythonValues
    ) -> PythonValues:
        cases = list(op.cases.get_values())
        taken = int(args[0])
        region = op.case_regions[cases.index(taken)] if taken in cases else op.default_region
        return run_scoped(interpreter, region, (), "scf.index_switch")

    @impl(scf.ExecuteRegionOp)
    def run_execute_region(
        self, interpreter: Interpreter, op: scf.ExecuteRegionOp, args: PythonValues
    ) -> PythonValues:
        return run_scoped(interpreter, op.region, (), "scf.execute_region")

    @impl(scf.ParallelOp)
    def run_parallel(
        self, interpreter: Interpreter, op: scf.ParallelOp, args: PythonValues
    ) -> PythonValues:
        """Run in the order of the loops; reductions are folded in that order."""
        loops = len(op.lowerBound)
        bounds = zip(args[:loops], args[loops : 2 * loops], args[2 * loops : 3 * loops])
        carried = list(args[3 * loops :])
        reduce = op.body.block.last_op
        for indices in product(*(_steps(*bound) for bound in bounds)):
            operands = interpreter.run_ssacfg_region(op.body, indices, "scf.parallel")
            if isinstance(reduce, scf.ReduceOp):
                carried = _reduce(interpreter, reduce, carried, operands)
        return tuple(carried)

    run_yield = forwarding(scf.YieldOp)

    run_condition = forwarding(scf.ConditionOp)

    run_reduce = forwarding(scf.ReduceOp)

    run_reduce_return = forwarding(scf.ReduceReturnOp)


def _reduce(
    interpreter: Interpreter, op: scf.ReduceOp, carried: Sequence[Any], operands: PythonValues
) -> list[Any]:
    """Fold the operands of one step into the values carried."""
    return [
        interpreter.run_ssacfg_region(region, (old, new), "scf.reduce")[0]
        for region, old, new in zip(op.reductions, carried, operands)
    ]
