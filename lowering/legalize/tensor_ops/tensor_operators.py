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

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from relax_dialect import symbolic
from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.slicing import SliceScatterOp, StridedSliceOp
from relax_dialect.symbolic import Expr


def replace_by_relax(
    rewriter: PatternRewriter,
    op: Operation,
    made: Sequence[Operation],
    results: Sequence[SSAValue],
) -> None:
    """Replace an op by ops, and its tensors by views of Relax tensors, which get their types."""
    views: list[Operation] = []
    for old, result in zip(op.results, results):
        result.name_hint = old.name_hint
        assert isinstance(old.type, BuiltinTensorType)
        views.append(wide := LetOp.create(operands=[result], result_types=[from_builtin(old.type)]))
        views.append(ToBuiltinOp(wide.result))
    tensors = [view.results[0] for view in views if isinstance(view, ToBuiltinOp)]
    rewriter.insert([*made, *views])
    for old, new in zip(op.results, tensors):
        new.name_hint = old.name_hint
    rewriter.replace(op, (), tensors)


@dataclass
class _Made:
    """The ops that are made of one op, in order."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def relax(self, value: SSAValue) -> SSAValue:
        """Return the Relax tensor that a builtin one is a view of, as far as its sizes are known."""
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
        """Return a tensor with other sizes, None if they are not known."""
        if sizes is None or None in sizes:
            return None
        return self.add(ReshapeOp(x, [size for size in sizes if size is not None]))

    def replace(self, rewriter: PatternRewriter, op: Operation, result: SSAValue | None) -> None:
        """Replace an op by these, unless there is no result."""
        if result is not None:
            replace_by_relax(rewriter, op, self.ops, [result])


def _shape(value: SSAValue) -> Sequence[Expr | None]:
    assert isinstance(value.type, TensorType)
    return value.type.shape or ()


def _static(value: SSAValue) -> list[Expr] | None:
    """Return the sizes of a builtin tensor, None unless all are numbers."""
    assert isinstance(value.type, BuiltinTensorType)
    sizes = value.type.get_shape()
    return None if DYNAMIC_INDEX in sizes else [symbolic.const(size) for size in sizes]


def _groups(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp) -> list[list[int]]:
    """Return the axes that one axis is parted into, or that become one."""
    return [[axis.value.data for axis in group] for group in op.reassociation]  # pyright: ignore


class CollapseShapeToReshape(RewritePattern):
    """`tensor.collapse_shape` -> `relax.reshape` to products of sizes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.CollapseShapeOp, rewriter: PatternRewriter) -> None:
        made = _Made()
        x = made.relax(op.src)
        given = _shape(x)
        groups = [[given[axis] for axis in group] for group in _groups(op)]
        sizes: Sequence[Expr | None] | None = _static(op.result)
        if not any(None in group for group in groups):
            sizes = [symbolic.product([s for s in group if s is not None]) for group in groups]
        made.replace(rewriter, op, made.reshape(x, sizes))


class ExpandShapeToReshape(RewritePattern):
    """`tensor.expand_shape` -> `relax.reshape`, if one size of each axis at most is a quotient."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExpandShapeOp, rewriter: PatternRewriter) -> None:
        made = _Made()
        x = made.relax(op.src)
        sizes: list[Expr | None] = []
        result = op.static_output_shape.get_values()
        for whole, group in zip(_shape(x), _groups(op)):
            known = [symbolic.const(result[a]) for a in group if result[a] != DYNAMIC_INDEX]
            if len(known) < len(group) - 1:
                return
            rest = None if whole is None else whole // symbolic.product(known)
            given = [result[axis] for axis in group]
            sizes += [rest if n == DYNAMIC_INDEX else symbolic.const(n) for n in given]
        made.replace(rewriter, op, made.reshape(x, sizes))


class TensorReshapeToReshape(RewritePattern):
    """`tensor.reshape` to static sizes -> `relax.reshape`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ReshapeOp, rewriter: PatternRewriter) -> None:
        made = _Made()
        made.replace(rewriter, op, made.reshape(made.relax(op.source), _static(op.result)))


class TensorConcatToConcat(RewritePattern):
    """`tensor.concat` -> `relax.concat`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ConcatOp, rewriter: PatternRewriter) -> None:
        made = _Made()
        tensors = [made.relax(x) for x in op.inputs]
        made.replace(rewriter, op, made.add(ConcatOp(tensors, op.dim.value.data)))


class _Bounds(NamedTuple):
    axes: list[int]
    begin: list[int]
    end: list[int]
    strides: list[int]


def _bounds(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> _Bounds | None:
    """Return the slices, None unless they are in the text."""
    fields = op.static_offsets, op.static_sizes, op.static_strides
    offsets, sizes, strides = (list(field.get_values()) for field in fields)
    if DYNAMIC_INDEX in (*offsets, *sizes, *strides) or min(strides, default=1) < 1:
        return None
    ends = [o + (n - 1) * s + 1 if n else o for o, n, s in zip(offsets, sizes, strides)]
    return _Bounds(list(range(len(sizes))), offsets, ends, strides)


class ExtractSliceToStridedSlice(RewritePattern):
    """`tensor.extract_slice` at positions of the text -> `relax.strided_slice`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExtractSliceOp, rewriter: PatternRewriter) -> None:
        if (bounds := _bounds(op)) is None:
            return
        made = _Made()
        part = made.add(StridedSliceOp(made.relax(op.source), *bounds, assume_inbound=True))
        keeps_rank = len(op.result.type.get_shape()) == len(bounds.axes)
        made.replace(rewriter, op, part if keeps_rank else made.reshape(part, _static(op.result)))


class InsertSliceToSliceScatter(RewritePattern):
    """`tensor.insert_slice` at positions of the text -> `relax.slice_scatter`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.InsertSliceOp, rewriter: PatternRewriter) -> None:
        if (bounds := _bounds(op)) is None:
            return
        made = _Made()
        sizes = [symbolic.const(size) for size in op.static_sizes.get_values()]
        part = made.reshape(made.relax(op.source), sizes)
        assert part is not None
        axes, begin, end, strides = bounds
        scatter = SliceScatterOp(made.relax(op.dest), part, begin, end, strides, axes)
        made.replace(rewriter, op, made.add(scatter))


class TensorCastToMatchCast(RewritePattern):
    """`tensor.cast` -> `relax.match_cast`, which checks the sizes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.CastOp, rewriter: PatternRewriter) -> None:
        if isinstance(type := op.dest.type, BuiltinTensorType):
            made = _Made()
            cast = MatchCastOp(made.relax(op.source), from_builtin(type))
            made.replace(rewriter, op, made.add(cast))


PATTERNS: Sequence[RewritePattern] = (
    CollapseShapeToReshape(),
    ExpandShapeToReshape(),
    TensorReshapeToReshape(),
    TensorConcatToConcat(),
    ExtractSliceToStridedSlice(),
    InsertSliceToSliceScatter(),
    TensorCastToMatchCast(),
)
