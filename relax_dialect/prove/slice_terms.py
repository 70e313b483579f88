"""Slices as maps of indices: the element of the operand that an element of a slice is.

    strided_slice(x, axes=[1], begin=[2], end=[8], strides=[3])[i, j]      x[i, 2 + 3 * j]
    split(x, 2, axis=1)[1][i, j]                                           x[i, n ceildiv 2 + j]
    take(x, 2, axis=0)[j]                                                  x[2, j]

An index outside of its axis is an error of both programs, or has no element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.indices import known_indices
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.slices import Slice
from relax_dialect.ops.slicing import StridedSliceOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.prove.value_terms import Index, Keys, TensorTerm, Value
from relax_dialect.symbolic import const

Slices = Mapping[int, Slice]
"""The slices of a result, by axis of the operand."""

IndexMap = Callable[[Index], Index]


def sliced(op: Operation, operands: Sequence[Value], key: int, keys: Keys) -> list[Value] | None:
    """Return the results of an operator on slices, None for another operator or unknown bounds."""
    x = operands[0] if operands else None
    match op:
        case StridedSliceOp() if isinstance(x, TensorTerm):
            found = op.slices(x.shape)
            slices = {axis: each for axis, each in found.items() if each is not None}
            return [_slice(op.result, key, x, slices)] if len(slices) == len(found) else None
        case SplitOp() if isinstance(x, TensorTerm):
            return _pieces(op, key, keys, x)
        case TakeOp() if isinstance(x, TensorTerm):
            return _row(op, key, x)
        case _:
            return None


def _pieces(op: SplitOp, key: int, keys: Keys, x: TensorTerm) -> list[Value]:
    axis = op.axis_of(len(x.shape))
    pieces = (Slice(start, 1, size) for start, size in op.places(x.shape[axis]))
    return [
        _slice(op.results[i], keys.of("piece", key, i), x, {axis: each})
        for i, each in enumerate(pieces)
    ]


def _slice(result: SSAValue, key: int, x: TensorTerm, slices: Slices) -> TensorTerm:
    def source(index: Index) -> Index:
        pairs = ((i, slices.get(axis)) for axis, i in enumerate(index))
        return tuple(i if each is None else each.first + i * each.stride for i, each in pairs)

    sizes = (slices[axis].length if axis in slices else old for axis, old in enumerate(x.shape))
    return _mapped(result, key, x, tuple(sizes), source)


def _row(op: TakeOp, key: int, x: TensorTerm) -> list[Value] | None:
    """Return the elements at one constant index of an axis, None for other indices."""
    type, indices = op.indices.type, known_indices(op.indices)
    if not isinstance(type, TensorType) or type.shape != () or not indices or op.mode != "fast":
        return None
    axis, at = op.axis_of(len(x.shape)), const(indices[0])
    at = x.shape[axis] + at if indices[0] < 0 else at
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    return [_mapped(op.result, key, x, shape, lambda i: (*i[:axis], at, *i[axis:]))]


def _mapped(
    result: SSAValue, key: int, x: TensorTerm, shape: Index, source: IndexMap
) -> TensorTerm:
    """Return the elements of x that an index map selects, under the sizes that are declared, if any."""
    declared = tensor_type(result).shape or (None,) * len(shape)
    sizes = tuple(old if size is None else size for size, old in zip(declared, shape))
    return TensorTerm(key, sizes, x.dtype, lambda terms, index: x.at(terms, source(index)))
