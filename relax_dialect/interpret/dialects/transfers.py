"""Transfers between memory and vectors: lanes past the end of memory read padding, and are not written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import ub, vector
from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType
from xdsl.interpreter import (
    InterpreterFunctions,
    PythonValues,
    register_impls,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.dialects.arith import element_dtype
from relax_dialect.interpret.op_semantics import semantics
from relax_dialect.interpret.runtime_values import Array

Transfer = vector.TransferReadOp | vector.TransferWriteOp


def _lanes(
    op: Transfer, memory: Array, indices: Sequence[Any], type: Attribute, mask: Array | None
) -> tuple[list[Array], Array]:
    """Return the index of every lane in each dimension of the memory, and whether the lane is moved: it is
    inside of the memory, and the mask has it."""
    assert isinstance(type, VectorType)
    shape = type.get_shape()
    at = [np.full(shape, index, np.int64) for index in indices]
    moved = np.ones(shape, np.bool_) if mask is None else np.array(mask, np.bool_)
    may_leave = set[int]()
    for axis, (expr, stays) in enumerate(zip(op.permutation_map.data.results, op.in_bounds)):
        if isinstance(expr, AffineDimExpr):
            at[expr.position] += np.arange(shape[axis]).reshape(
                [-1, *[1] * (len(shape) - axis - 1)]
            )
            if not stays.value.data:
                may_leave.add(expr.position)
    for dimension, size in enumerate(memory.shape):
        inside = (at[dimension] >= 0) & (at[dimension] < size)
        if dimension not in may_leave and (moved & ~inside).any():
            raise RelaxError(
                f"expected lanes from 0 to {size - 1} in dimension {dimension} of size {size}, found one "
                "outside; write in_bounds = [false] for dimensions that may end before"
            )
        moved &= inside
    return at, moved


@register_impls
class TransferFunctions(InterpreterFunctions):
    """The transfers of the vector dialect, and the values that they pad with."""

    @semantics(vector.TransferReadOp)
    def run_read(self, op: vector.TransferReadOp, args: PythonValues) -> PythonValues:
        rank = len(op.indices)
        source, indices, padding, *mask = (
            args[0],
            args[1 : rank + 1],
            args[rank + 1],
            *args[rank + 2 :],
        )
        at, moved = _lanes(op, source, indices, op.result.type, mask[0] if mask else None)
        result = np.full(moved.shape, padding, source.dtype)
        result[moved] = source[tuple(index[moved] for index in at)]
        return (result,)

    @semantics(vector.TransferWriteOp)
    def run_write(self, op: vector.TransferWriteOp, args: PythonValues) -> PythonValues:
        lanes, target, *rest = args
        rank = len(op.indices)
        indices, mask = rest[:rank], rest[rank:]
        at, moved = _lanes(op, target, indices, op.vector.type, mask[0] if mask else None)
        is_value = isinstance(op.source.type, TensorType)
        target = target.copy() if is_value else target
        target[tuple(index[moved] for index in at)] = lanes[moved]
        return (target,) if is_value else ()

    @semantics(ub.PoisonOp)
    def run_poison(self, op: ub.PoisonOp, args: PythonValues) -> PythonValues:
        """Return NaN, so that a use shows; 0 for types without NaN."""
        type = op.result.type
        dtype = element_dtype(type)
        element = type.element_type if isinstance(type, VectorType) else type
        value = dtype.type(np.nan if isinstance(element, AnyFloat) else 0)
        return (np.full(type.get_shape(), value) if isinstance(type, VectorType) else value,)
