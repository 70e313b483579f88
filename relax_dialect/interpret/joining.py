"""Operators that make one tensor of several, or several of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.joining import ConcatOp, MeshgridOp, SplitOp, StackOp


def _equal_sizes(op: ConcatOp | StackOp, shapes: Sequence[tuple[int, ...]]) -> None:
    """Refuse shapes that differ."""
    if len(set(shapes)) > 1:
        raise RelaxError(f"expected {op.DEMAND}, found {' and '.join(map(str, map(list, shapes)))}")


def concat(op: ConcatOp, tensors: Sequence[Array]) -> Array:
    """Return the tensors one after the other along an axis, or their elements as a vector."""
    if op.axis is None:
        return np.concatenate([x.reshape(-1) for x in tensors])
    axis = op.axis_of(tensors[0].ndim)
    _equal_sizes(op, [(*x.shape[:axis], *x.shape[axis + 1 :]) for x in tensors])
    return np.concatenate(tensors, axis)


def stack(op: StackOp, tensors: Sequence[Array]) -> Array:
    """Return the tensors one after the other along a new axis."""
    _equal_sizes(op, [x.shape for x in tensors])
    return np.stack(tensors, op.axis_of(tensors[0].ndim + 1))


def split(op: SplitOp, x: Array) -> tuple[Array, ...]:
    """Return the pieces along an axis."""
    axis = op.axis_of(x.ndim)
    pieces = [(start.value, size.value) for start, size in op.places(symbolic.const(x.shape[axis]))]
    return tuple(np.take(x, range(start, start + size), axis) for start, size in pieces)  # pyright: ignore


def meshgrid(op: MeshgridOp, tensors: Sequence[Array]) -> tuple[Array, ...]:
    """Return every vector repeated along the axes of the others."""
    return tuple(np.meshgrid(*tensors, indexing=op.indexing))  # pyright: ignore


@register_impls
class JoiningFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.joining`."""

    concat = operator_with_attributes(ConcatOp, concat)
    stack = operator_with_attributes(StackOp, stack)
    split = operator_with_attributes(SplitOp, split)
    meshgrid = operator_with_attributes(MeshgridOp, meshgrid)
