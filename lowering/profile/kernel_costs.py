"""The work of a kernel: floating-point operations and bytes, from its structured ops on tensors.

Operations are those in the bodies of the structured ops, each as often as its loops run; bytes are those of
the arguments and results, read or written once. Both are lower bounds of what the compiled code does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr

from relax_dialect.ir.walk import walk_ops

Shape = tuple[int, ...]

INTEGER_OPS = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
}


class UnknownSizeError(Exception):
    """The size of a loop depends on what is computed at run time."""


def flops(function: func.FuncOp, shapes: Sequence[Shape | None]) -> int | None:
    """Return the floating-point operations of a prim func on arguments of some shapes, None if they are
    unknown."""
    sizes = _Sizes(dict(zip(function.body.block.args, shapes)))
    try:
        return sum(_flops(op, sizes) for op in function.body.block.ops)
    except UnknownSizeError:
        return None


def _flops(op: Operation, sizes: _Sizes) -> int:
    if not isinstance(op, LinalgStructuredOperation):
        if op.regions:
            raise UnknownSizeError
        return 0
    extents: dict[int, int] = {}
    maps = [each.data for each in op.get_indexing_maps()]
    for value, map in zip((*op.inputs, *op.outputs), maps):
        if isinstance(value.type, TensorType):
            for size, expression in zip(sizes.shape(value), map.results):
                if isinstance(expression, AffineDimExpr):
                    extents[expression.position] = size
    if len(extents) != maps[0].num_dims:
        raise UnknownSizeError
    inside = [each for each in walk_ops(op) if each is not op and _is_float(each)]
    return prod(extents.values()) * len(inside)


def _is_float(op: Operation) -> bool:
    """Return whether an op computes a floating-point number: no constant, no move."""
    is_kept = isinstance(op, arith.ConstantOp | arith.SelectOp | YieldOp | IndexOp)
    return not is_kept and any(isinstance(result.type, AnyFloat) for result in op.results)


class _Sizes:
    """The shapes of tensors and the values of sizes in a prim func."""

    def __init__(self, shapes: dict[SSAValue, Shape | None]):
        self.shapes = shapes

    def shape(self, value: SSAValue) -> Shape:
        if (known := self.shapes.get(value)) is not None:
            return known
        assert isinstance(value.type, TensorType)
        static = value.type.get_shape()
        if min(static, default=0) >= 0:
            return static
        found = self._dynamic(value, static)
        self.shapes[value] = found
        return found

    def _dynamic(self, value: SSAValue, static: Shape) -> Shape:
        op = value.owner
        if isinstance(op, LinalgStructuredOperation) and isinstance(value, OpResult):
            return self.shape(op.outputs[value.index])
        if isinstance(op, tensor.EmptyOp):
            given = iter(op.dynamic_sizes)
            return tuple(self.size(next(given)) if size < 0 else size for size in static)
        if isinstance(op, tensor.CastOp):
            return self.shape(op.source)
        raise UnknownSizeError

    def size(self, value: SSAValue) -> int:
        """Return the value of a size."""
        op = value.owner
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return number.value.data
            case tensor.DimOp():
                return self.shape(op.source)[self.size(op.index)]
            case arith.IndexCastOp():
                return self.size(op.input)
            case Operation() if type(op) in INTEGER_OPS:
                return INTEGER_OPS[type(op)](*map(self.size, op.operands))
            case _:
                raise UnknownSizeError
