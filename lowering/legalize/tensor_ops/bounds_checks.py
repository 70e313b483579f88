"""Run-time checks that the accesses of an op on tensors are in bounds.

tensor.insert %v into %t[%i]              0 <= %i < dim(%t)
tensor.extract_slice %t[%o] [%n] [%s]     0 <= %o and 0 <= %o + (%n - 1) * %s < dim(%t), unless %n = 0
linalg.generic, d0 + 2 * d1               (size(d0) - 1) + 2 * (size(d1) - 1) < dim(operand)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.rewriter import InsertPoint

from relax_dialect.prim.run_time_checks import check

_INDEX = IndexType()


def is_monotonic(expr: AffineExpr) -> bool:
    """Return whether a subscript grows with every loop, so that it is largest at the last point: sums of
    loops times positive numbers, from 0 on."""
    match expr:
        case AffineConstantExpr(value):
            return value >= 0
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b):
            return is_monotonic(a) and is_monotonic(b)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, AffineConstantExpr(value)):
            return value >= 0 and is_monotonic(a)
        case _:
            return isinstance(expr, AffineDimExpr)


def bounds_checks(op: Operation) -> list[Operation]:
    """Return the ops that check an op, to be put before it."""
    block = Block()
    emit = _CheckEmitter(block, op.name)
    match op:
        case tensor.InsertOp():
            emit.indices(op.dest, op.indices)
        case tensor.ExtractSliceOp():
            emit.slice(op.source, op)
        case tensor.InsertSliceOp():
            emit.slice(op.dest, op)
            emit.sizes(op.source, op)
        case LinalgStructuredOperation():
            emit.subscripts(op)
        case _:
            pass
    made = list(block.ops)
    for each in made:
        each.detach()
    return made


class _CheckEmitter:
    """Emits checks at the end of a block."""

    def __init__(self, block: Block, name: str):
        self.name = name
        self.out = Builder(InsertPoint.at_end(block))

    def number(self, value: int) -> SSAValue:
        return self.out.insert(arith.ConstantOp(IntegerAttr(value, _INDEX))).result

    def dim(self, value: SSAValue, axis: int) -> SSAValue:
        assert isinstance(value.type, TensorType)
        if (size := value.type.get_shape()[axis]) != DYNAMIC_INDEX:
            return self.number(size)
        return self.out.insert(tensor.DimOp(value, self.number(axis))).result

    def compare(self, a: SSAValue, predicate: str, b: SSAValue) -> SSAValue:
        return self.out.insert(arith.CmpiOp(a, b, predicate)).result

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.out.insert(arith.AndIOp(a, b)).result

    def require(self, condition: SSAValue, message: str) -> None:
        self.out.insert(check(condition, f"{self.name}: {message}", shows=True))

    # Checks

    def indices(self, dest: SSAValue, indices: Sequence[SSAValue]) -> None:
        """Check that every index is in bounds."""
        for axis, index in enumerate(indices):
            from_0 = self.compare(index, "sge", self.number(0))
            below = self.compare(index, "slt", self.dim(dest, axis))
            message = "expected an index from 0 on and below {%1}, found {%0}"
            self.require(self.both(from_0, below), message)

    def slice(self, whole: SSAValue, op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> None:
        """Check that a slice is in bounds."""
        entries = zip(
            self._values(op.static_offsets.get_values(), op.offsets),
            self._values(op.static_sizes.get_values(), op.sizes),
            self._values(op.static_strides.get_values(), op.strides),
        )
        for axis, (offset, size, stride) in enumerate(entries):
            zero, one = self.number(0), self.number(1)
            for value in (offset, size):
                holds = self.compare(value, "sge", zero)
                self.require(holds, "expected offsets and sizes from 0 on, found {%0}")
            steps = self.out.insert(arith.MuliOp(self._minus(size, one), stride))
            last = self.out.insert(arith.AddiOp(offset, steps)).result
            is_empty = self.compare(size, "eq", zero)
            for value, predicate, limit, message in (
                (
                    last,
                    "sge",
                    zero,
                    "expected a slice that begins at 0 or later, found one from {%0}",
                ),
                (
                    last,
                    "slt",
                    self.dim(whole, axis),
                    "expected a slice below {%1}, found one to {%0}",
                ),
            ):
                inside = self.compare(value, predicate, limit)
                self.require(self.out.insert(arith.OrIOp(is_empty, inside)).result, message)

    def sizes(self, source: SSAValue, op: tensor.InsertSliceOp) -> None:
        """Check that the inserted tensor has the sizes of the slice."""
        assert isinstance(source.type, TensorType)
        sizes = self._values(op.static_sizes.get_values(), op.sizes)
        if len(sizes) != len(source.type.get_shape()):
            kept = [s for s, n in zip(sizes, op.static_sizes.get_values()) if n != 1]
            sizes = kept if len(kept) == len(source.type.get_shape()) else []
        for axis, size in enumerate(sizes):
            holds = self.compare(self.dim(source, axis), "eq", size)
            self.require(holds, "expected a slice of the size {%0} of its source, found {%1}")

    def subscripts(self, op: LinalgStructuredOperation) -> None:
        """Check that subscripts of several loops are in bounds."""
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        pairs = [(v, m) for v, m in zip(op.operands, maps) if isinstance(v.type, TensorType)]
        windows = [
            (value, axis, expr)
            for value, map in pairs
            for axis, expr in enumerate(map.results)
            if not isinstance(expr, AffineDimExpr)
        ]
        if not windows:
            return
        one = self.number(1)
        ends: dict[int, SSAValue] = {}
        for value, map in pairs:
            for axis, expr in enumerate(map.results):
                if isinstance(expr, AffineDimExpr) and expr.position not in ends:
                    ends[expr.position] = self._minus(self.dim(value, axis), one)
        for value, axis, expr in windows:
            last = self._at(expr, ends)
            for end in ends.values():  # a loop that does not run reads nothing
                runs = self.compare(end, "sge", self.number(0))
                last = self.out.insert(arith.SelectOp(runs, last, self.number(-1))).result
            holds = self.compare(last, "slt", self.dim(value, axis))
            self.require(holds, "expected subscripts below {%1}, found {%0}")

    def _at(self, expr: AffineExpr, loops: dict[int, SSAValue]) -> SSAValue:
        match expr:
            case AffineConstantExpr(value):
                return self.number(value)
            case AffineBinaryOpExpr(kind, a, b):
                op = arith.AddiOp if kind is AffineBinaryOpKind.Add else arith.MuliOp
                return self.out.insert(op(self._at(a, loops), self._at(b, loops))).result
            case _:
                assert isinstance(expr, AffineDimExpr)
                return loops[expr.position]

    def _minus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.out.insert(arith.SubiOp(a, b)).result

    def _values(self, static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[SSAValue]:
        given = iter(dynamic)
        return [next(given) if n == DYNAMIC_INDEX else self.number(n) for n in static]
