"""Operators that move elements; every result is a row-major copy, no view of an operand."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.values import Array
from relax_dialect.ops.manipulate import BroadcastToOp, FlattenOp, PermuteDimsOp, ReshapeOp


def reshape(x: Array, shape: tuple[int, ...]) -> Array:
    """The elements in row-major order under another shape."""
    if any(size < 0 for size in shape) or prod(shape) != x.size:
        raise RelaxError(
            f"expected a shape of as many elements as {list(x.shape)} ({x.size}), found "
            f"{list(shape)} ({prod(shape)})"
        )
    return x.reshape(shape)


def flatten(x: Array) -> Array:
    """The elements in row-major order as a vector."""
    return x.reshape(x.size)


def permute_dims(op: PermuteDimsOp, x: Array) -> Array:
    """The dimensions in another order; reversed where no axes are given."""
    return x.transpose(op.permutation(x.ndim))


def broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    """The tensor repeated to a shape."""
    return np.broadcast_to(x, shape)


@register_impls
class ManipulateFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.manipulate`."""

    reshape = operator(ReshapeOp, reshape)
    flatten = operator(FlattenOp, flatten)
    permute_dims = operator_with_attributes(PermuteDimsOp, permute_dims)
    broadcast_to = operator(BroadcastToOp, broadcast_to)
