"""Ops of the tensor dialect on whole tensors of a Relax function, as Relax operators.

    tensor.collapse_shape, tensor.expand_shape, tensor.reshape    ->  relax.reshape
    tensor.cast                                                   ->  relax.match_cast
    tensor.concat dim(0) %a, %b                                   ->  relax.concat
    tensor.extract_slice %a[1][2][3]                              ->  relax.strided_slice
    tensor.insert_slice %b into %a[1][2][3]                       ->  relax.slice_scatter

Slices at positions that are values are outlined (`outline_tensor_ops.py`). Of an axis that
`tensor.expand_shape` splits, one size is the quotient of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.builtin_types import from_builtin
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.slicing import SliceScatterOp, StridedSliceOp
from relax_dialect.symbolic import Expr


def relax_operators(op: Operation) -> list[Operation]:
    """New ops, the last of which gives as a Relax tensor what an op of the tensor dialect does; none where
    there are no such ops."""
    make = _MAKERS.get(type(op))
    made = _Made([])
    return made.ops if make is not None and make(op, made) else []


@dataclass
class _Made:
    """The ops that are made of one op, in order."""

    ops: list[Operation]

    def relax(self, value: SSAValue) -> SSAValue:
        """The Relax tensor that a builtin one is a view of, as far as its sizes are known."""
        if isinstance(value.owner, ToBuiltinOp):
            value = value.owner.value
            while isinstance(value.owner, LetOp):
                value = value.owner.value
            return value
        return self.add(FromBuiltinOp(value))

    def add(self, op: Operation) -> SSAValue:
        """Append an op, after the shape that was made with it."""
        for operand in op.operands:
            if isinstance(shape := operand.owner, ShapeOp) and shape.parent is None:
                self.ops.append(shape)
        self.ops.append(op)
        return op.results[0]

    def reshape(self, x: SSAValue, sizes: Sequence[Expr | None] | None) -> SSAValue | None:
        """A tensor with other sizes, None where they are not known."""
        if sizes is None or None in sizes:
            return None
        return self.add(ReshapeOp(x, [size for size in sizes if size is not None]))


def _shape(value: SSAValue) -> Sequence[Expr | None]:
    assert isinstance(value.type, TensorType)
    return value.type.shape or ()


def _static(value: SSAValue) -> list[Expr] | None:
    """The sizes of a builtin tensor, None unless all are numbers."""
    assert isinstance(value.type, BuiltinTensorType)
    sizes = value.type.get_shape()
    return None if DYNAMIC_INDEX in sizes else [symbolic.const(size) for size in sizes]


def _groups(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp) -> list[list[int]]:
    """The axes that one axis is parted into, or that become one."""
    return [[axis.value.data for axis in group] for group in op.reassociation]  # pyright: ignore


def _collapse(op: tensor.CollapseShapeOp, made: _Made) -> SSAValue | None:
    x = made.relax(op.src)
    given = _shape(x)
    sizes = [[given[axis] for axis in group] for group in _groups(op)]
    if any(None in group for group in sizes):
        return made.reshape(x, _static(op.result))
    return made.reshape(x, [symbolic.product([s for s in g if s is not None]) for g in sizes])


def _expand(op: tensor.ExpandShapeOp, made: _Made) -> SSAValue | None:
    x = made.relax(op.src)
    sizes: list[Expr | None] = []
    result = op.static_output_shape.get_values()
    for whole, group in zip(_shape(x), _groups(op)):
        known = [symbolic.const(result[a]) for a in group if result[a] != DYNAMIC_INDEX]
        if len(known) < len(group) - 1:
            return None
        rest = None if whole is None else whole // symbolic.product(known)
        sizes += [rest if result[a] == DYNAMIC_INDEX else symbolic.const(result[a]) for a in group]
    return made.reshape(x, sizes)


def _to_shape(op: tensor.ReshapeOp, made: _Made) -> SSAValue | None:
    return made.reshape(made.relax(op.source), _static(op.result))


def _concat(op: tensor.ConcatOp, made: _Made) -> SSAValue | None:
    tensors = [made.relax(x) for x in op.inputs]
    return made.add(ConcatOp(tensors, op.dim.value.data))


class _Bounds(NamedTuple):
    axes: list[int]
    begin: list[int]
    end: list[int]
    strides: list[int]


def _bounds(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> _Bounds | None:
    """The slices, None unless they are in the text."""
    fields = op.static_offsets, op.static_sizes, op.static_strides
    offsets, sizes, strides = (list(field.get_values()) for field in fields)
    if DYNAMIC_INDEX in (*offsets, *sizes, *strides) or min(strides, default=1) < 1:
        return None
    ends = [o + (n - 1) * s + 1 if n else o for o, n, s in zip(offsets, sizes, strides)]
    return _Bounds(list(range(len(sizes))), offsets, ends, strides)


def _extract_slice(op: tensor.ExtractSliceOp, made: _Made) -> SSAValue | None:
    if (bounds := _bounds(op)) is None:
        return None
    part = made.add(StridedSliceOp(made.relax(op.source), *bounds, assume_inbound=True))
    keeps_rank = len(op.result.type.get_shape()) == len(bounds.axes)
    return part if keeps_rank else made.reshape(part, _static(op.result))


def _insert_slice(op: tensor.InsertSliceOp, made: _Made) -> SSAValue | None:
    if (bounds := _bounds(op)) is None:
        return None
    sizes = [symbolic.const(size) for size in op.static_sizes.get_values()]
    part = made.reshape(made.relax(op.source), sizes)
    assert part is not None
    axes, begin, end, strides = bounds
    return made.add(SliceScatterOp(made.relax(op.dest), part, begin, end, strides, axes))


def _cast(op: tensor.CastOp, made: _Made) -> SSAValue | None:
    x, type = made.relax(op.source), op.dest.type
    if not isinstance(type, BuiltinTensorType):
        return None
    return made.add(MatchCastOp(x, from_builtin(type)))


_MAKERS: dict[type[Operation], Callable[..., SSAValue | None]] = {
    tensor.CollapseShapeOp: _collapse,
    tensor.ExpandShapeOp: _expand,
    tensor.ReshapeOp: _to_shape,
    tensor.CastOp: _cast,
    tensor.ConcatOp: _concat,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.InsertSliceOp: _insert_slice,
}
