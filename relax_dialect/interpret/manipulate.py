"""Operators that change the shape of a tensor; every result is a row-major copy, never a view of an
operand."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.manipulate import (
    BatchFlattenOp,
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
)


def reshape(x: Array, shape: tuple[int, ...]) -> Array:
    """Return the elements in row-major order under another shape."""
    if any(size < 0 for size in shape) or prod(shape) != x.size:
        raise RelaxError(
            f"expected a shape of as many elements as {list(x.shape)} ({x.size}), found "
            f"{list(shape)} ({prod(shape)})"
        )
    return x.reshape(shape)


def flatten(x: Array) -> Array:
    """Return the elements in row-major order as a vector."""
    return x.reshape(x.size)


def permute_dims(op: PermuteDimsOp, x: Array) -> Array:
    """Permute the dimensions; reverse them by default."""
    return x.transpose(op.permutation(x.ndim))


def batch_flatten(x: Array) -> Array:
    """Return all dimensions but the first as one."""
    return x.reshape(x.shape[0], prod(x.shape[1:]))


def expand_dims(op: ExpandDimsOp, x: Array) -> Array:
    """Insert dimensions of size 1."""
    return np.expand_dims(x, op.axes(x.ndim))


def squeeze(op: SqueezeOp, x: Array) -> Array:
    """Remove dimensions of size 1."""
    if op.axis is None:
        return np.squeeze(x)
    axes = op.axes((None,) * x.ndim) or ()
    for axis in axes:
        if x.shape[axis] != 1:
            raise RelaxError(f"expected {op.demand(axis)}, found {x.shape[axis]}")
    return np.squeeze(x, axes)


def broadcast_to(op: BroadcastToOp, x: Array, shape: tuple[int, ...]) -> Array:
    """Return the tensor repeated to a shape."""
    try:
        return np.broadcast_to(x, shape)
    except ValueError:
        found = f"{list(x.shape)} for {list(shape)}"
        raise RelaxError(f"expected {op.DEMAND}, found {found}") from None


@register_impls
class ManipulateFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.manipulate`."""

    reshape = operator(ReshapeOp, reshape)
    flatten = operator(FlattenOp, flatten)
    batch_flatten = operator(BatchFlattenOp, batch_flatten)
    expand_dims = operator_with_attributes(ExpandDimsOp, expand_dims)
    squeeze = operator_with_attributes(SqueezeOp, squeeze)
    permute_dims = operator_with_attributes(PermuteDimsOp, permute_dims)
    broadcast_to = operator_with_attributes(BroadcastToOp, broadcast_to)
