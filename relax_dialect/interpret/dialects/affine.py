"""The affine dialect: maps on indices; loops, branches and accesses by maps.

Quotients are rounded down or up, remainders have the sign of the divisor, as in `AffineExpr.eval`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import affine
from xdsl.dialects.builtin import IndexType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir.affine import AffineConstraintKind, AffineExpr, AffineMap

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import array_views
from relax_dialect.interpret.dialects.vector import JOINED, lanes_at
from relax_dialect.interpret.machine import run_scoped
from relax_dialect.interpret.op_semantics import forwarding, semantics
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.affine.affine_ops import (
    DelinearizeIndexOp,
    LinearizeIndexOp,
    MaxOp,
    PrefetchOp,
    basis_of,
)
from relax_dialect.ir.affine.affine_parallel import ParallelOp

_Index = numpy_dtype(IndexType()).type

HOLDS: Mapping[AffineConstraintKind, Callable[[Any], Any]] = {
    AffineConstraintKind.ge: lambda value: value >= 0,
    AffineConstraintKind.le: lambda value: value <= 0,
    AffineConstraintKind.eq: lambda value: value == 0,
}
"""Whether a constraint holds, by the value of its left side; the right side is 0."""

_JOINED_AS = {"maxs": "maxsi", "maxu": "maxui", "mins": "minsi", "minu": "minui"}
_STARTS: Mapping[str, Callable[[np.dtype[Any]], Any]] = {
    "add": lambda dtype: dtype.type(0),
    "mul": lambda dtype: dtype.type(1),
    "and": lambda dtype: dtype.type(-1) if dtype.kind == "i" else ~dtype.type(0),
    "or": lambda dtype: dtype.type(0),
    "xor": lambda dtype: dtype.type(0),
    "maximumf": lambda dtype: dtype.type(-np.inf),
    "maxnumf": lambda dtype: dtype.type(-np.inf),
    "minimumf": lambda dtype: dtype.type(np.inf),
    "minnumf": lambda dtype: dtype.type(np.inf),
    "maxsi": lambda dtype: dtype.type(np.iinfo(dtype).min),
    "minsi": lambda dtype: dtype.type(np.iinfo(dtype).max),
    "maxui": lambda dtype: dtype.type(0),
    "minui": lambda dtype: dtype.type(-1),
}
"""The identities of the reductions, by numpy type."""


def _joined(kind: str) -> str:
    """Return the operation of a kind of reduction: `addf` and `addi` are `add`."""
    name = _JOINED_AS.get(kind, kind)
    return name if name in _STARTS else name[:-1]


def evaluated(map: AffineMap, operands: Sequence[Any]) -> list[Any]:
    """Return the results of a map, for its dimensions, then its symbols."""
    return _values(map.results, map.num_dims, operands)


def _values(exprs: Sequence[AffineExpr], dims: int, operands: Sequence[Any]) -> list[Any]:
    return [_as_index(expr.eval(operands[:dims], operands[dims:])) for expr in exprs]


def _as_index(value: Any) -> Any:
    return _Index(value) if isinstance(value, int) else value


def _iterations(op: ParallelOp, args: PythonValues) -> Iterator[tuple[Any, ...]]:
    """Return the indices of parallel loops, in their order."""
    lower, dims, below = op.lower()
    upper, upper_dims, _ = op.upper()
    of_lower, of_upper = args[: len(below)], args[len(below) :]
    ranges = [
        range(
            int(reduce(np.maximum, _values(least, dims, of_lower))),
            int(reduce(np.minimum, _values(most, upper_dims, of_upper))),
            step,
        )
        for least, most, step in zip(lower, upper, op.step_numbers)
    ]
    return (tuple(map(_Index, indices)) for indices in product(*ranges))


@register_impls
class AffineFunctions(InterpreterFunctions):
    """The affine dialect."""

    @semantics(affine.ApplyOp)
    def run_apply(self, op: affine.ApplyOp, args: PythonValues) -> PythonValues:
        return tuple(evaluated(op.map.data, args))

    @semantics(affine.MinOp)
    def run_min(self, op: affine.MinOp, args: PythonValues) -> PythonValues:
        return (reduce(np.minimum, evaluated(op.map.data, args)),)

    @semantics(MaxOp)
    def run_max(self, op: MaxOp, args: PythonValues) -> PythonValues:
        return (reduce(np.maximum, evaluated(op.map.data, args)),)

    @semantics(DelinearizeIndexOp)
    def run_delinearize_index(self, op: DelinearizeIndexOp, args: PythonValues) -> PythonValues:
        index, *dynamic = args
        digits: list[Any] = []
        for base in reversed(_inner(_basis(op, dynamic), len(op.multi_index))):
            digits.insert(0, index % base)
            index = index // base
        return (index, *digits)

    @semantics(LinearizeIndexOp)
    def run_linearize_index(self, op: LinearizeIndexOp, args: PythonValues) -> PythonValues:
        digits, dynamic = args[: len(op.multi_index)], args[len(op.multi_index) :]
        index = digits[0]
        for digit, base in zip(digits[1:], _inner(_basis(op, dynamic), len(digits))):
            index = index * base + digit
        return (index,)

    @semantics(affine.LoadOp)
    def run_load(self, op: affine.LoadOp, args: PythonValues) -> PythonValues:
        return (array_views.element(args[0], evaluated(op.map.data, args[1:])),)

    @semantics(affine.StoreOp)
    def run_store(self, op: affine.StoreOp, args: PythonValues) -> PythonValues:
        value, array, *operands = args
        indices = evaluated(op.map.data, operands)
        array_views.check_indices(array, indices)
        array[tuple(indices)] = value
        return ()

    @semantics(affine.VectorLoadOp)
    def run_vector_load(self, op: affine.VectorLoadOp, args: PythonValues) -> PythonValues:
        base, *operands = args
        return (lanes_at(base, evaluated(op.map.data, operands), op.result.type).copy(),)

    @semantics(affine.VectorStoreOp)
    def run_vector_store(self, op: affine.VectorStoreOp, args: PythonValues) -> PythonValues:
        lanes, base, *operands = args
        lanes_at(base, evaluated(op.map.data, operands), op.value.type)[...] = lanes
        return ()

    @semantics(PrefetchOp)
    def run_prefetch(self, op: PrefetchOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(affine.ForOp)
    def run_for(
        self, interpreter: Interpreter, op: affine.ForOp, args: PythonValues
    ) -> PythonValues:
        first, second = len(op.lowerBoundOperands), len(op.lowerBoundOperands)
        second += len(op.upperBoundOperands)
        lower = reduce(np.maximum, evaluated(op.lowerBoundMap.data, args[:first]))
        upper = reduce(np.minimum, evaluated(op.upperBoundMap.data, args[first:second]))
        carried = args[second:]
        for index in range(int(lower), int(upper), op.step.value.data):
            carried = run_scoped(interpreter, op.body, (_Index(index), *carried), op.name)
        return carried

    @impl(affine.IfOp)
    def run_if(self, interpreter: Interpreter, op: affine.IfOp, args: PythonValues) -> PythonValues:
        condition = op.condition.data
        dims, symbols = args[: condition.num_dims], args[condition.num_dims :]
        holds = [HOLDS[c.kind](c.lhs.eval(dims, symbols)) for c in condition.constraints]
        if any(np.ndim(each) for each in holds):
            raise RelaxError("expected one condition, found one for each point of a linalg op")
        region = op.then_region if all(holds) else op.else_region
        return run_scoped(interpreter, region, (), op.name) if region.blocks else ()

    @impl(ParallelOp)
    def run_parallel(
        self, interpreter: Interpreter, op: ParallelOp, args: PythonValues
    ) -> PythonValues:
        """Run in the order of the loops; reductions are folded in that order."""
        joined = [_joined(kind) for kind in op.kinds]
        carried = [_STARTS[name](numpy_dtype(type)) for name, type in zip(joined, op.result_types)]
        for indices in _iterations(op, args):
            values = run_scoped(interpreter, op.body, indices, op.name)
            carried = [JOINED[name](old, new) for name, old, new in zip(joined, carried, values)]
        return tuple(carried)

    run_yield = forwarding(affine.YieldOp)


def _basis(op: DelinearizeIndexOp | LinearizeIndexOp, dynamic: Sequence[Any]) -> list[Any]:
    """Return the entries of a basis; raises an error if one is not above 0."""
    values = iter(dynamic)
    found = [n if isinstance(n, int) else next(values) for n in basis_of(op)]
    if any(np.any(np.asarray(n) <= 0) for n in found):
        raise RelaxError(f"expected numbers above 0 in the basis, found {list(map(int, found))}")
    return found


def _inner(basis: Sequence[Any], digits: int) -> Sequence[Any]:
    """Return the entries of all digits but the first."""
    return basis[len(basis) - digits + 1 :]
