"""Affine expressions as index arithmetic.

(d0 + d1 * -3) floordiv 4     ->     %c4 = 4, %p = arith.muli %d1, %c3, %s = arith.subi %d0, %p
                                     arith.floordivsi %s, %c4

Quotients are rounded down or up, and a remainder has the sign of its divisor.
Where the dividend is known not to be negative, unsigned ops compute the same in fewer instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from lowering.ir.integer_ranges import range_of


class IndexArithmetic:
    """Inserts ops on indices; every constant once."""

    def __init__(self, insert: Callable[[Operation], object]):
        self._insert = insert
        self._constants: dict[int, SSAValue] = {}

    def constant(self, value: int) -> SSAValue:
        if value not in self._constants:
            self._insert(op := arith.ConstantOp(IntegerAttr.from_index_int_value(value)))
            self._constants[value] = op.result
        return self._constants[value]

    def op(self, kind: Callable[..., Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        self._insert(op := kind(a, b))
        return op.results[0]

    def plus(self, a: SSAValue, expr: AffineExpr, dims: Values, symbols: Values) -> SSAValue:
        """Return a sum; a multiple of a negative number is subtracted."""
        match expr:
            case AffineConstantExpr(value) if value < 0:
                return self.op(arith.SubiOp, a, self.constant(-value))
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, factor, AffineConstantExpr(value)) if (
                value < 0
            ):
                times = self.times(self.value(factor, dims, symbols), -value)
                return self.op(arith.SubiOp, a, times)
            case _:
                return self.op(arith.AddiOp, a, self.value(expr, dims, symbols))

    def times(self, a: SSAValue, factor: int) -> SSAValue:
        return a if factor == 1 else self.op(arith.MuliOp, a, self.constant(factor))

    def floor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.DivUIOp if _is_size(a) else arith.FloorDivSIOp, a, b)

    def ceil(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.CeilDivUIOp if _is_size(a) else arith.CeilDivSIOp, a, b)

    def remainder(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if _is_size(a):
            return self.op(arith.RemUIOp, a, b)
        quotient = self.op(arith.FloorDivSIOp, a, b)
        return self.op(arith.SubiOp, a, self.op(arith.MuliOp, quotient, b))

    def value(self, expr: AffineExpr, dims: Values, symbols: Values) -> SSAValue:
        """Return the value of an expression."""
        match expr:
            case AffineConstantExpr(value):
                return self.constant(value)
            case AffineDimExpr(position):
                return dims[position]
            case AffineSymExpr(position):
                return symbols[position]
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
                return self.plus(self.value(lhs, dims, symbols), rhs, dims, symbols)
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(factor)):
                return self.times(self.value(lhs, dims, symbols), factor)
            case AffineBinaryOpExpr(kind, lhs, rhs):
                a, b = self.value(lhs, dims, symbols), self.value(rhs, dims, symbols)
                return _OPERATIONS[kind](self, a, b)
            case _:
                raise ValueError(f"expected an affine expression, found {expr}")

    def results(self, map: AffineMap, operands: Values) -> list[SSAValue]:
        """Return the results of a map for its dimensions, then its symbols."""
        dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
        return [self.value(expr, dims, symbols) for expr in map.results]

    def greatest(self, values: Values) -> SSAValue:
        return reduce(lambda a, b: self.op(arith.MaxSIOp, a, b), values)

    def least(self, values: Values) -> SSAValue:
        return reduce(lambda a, b: self.op(arith.MinSIOp, a, b), values)


Values = Sequence[SSAValue]

_OPERATIONS: dict[AffineBinaryOpKind, Callable[[IndexArithmetic, SSAValue, SSAValue], SSAValue]] = {
    AffineBinaryOpKind.Mul: lambda to, a, b: to.op(arith.MuliOp, a, b),
    AffineBinaryOpKind.FloorDiv: IndexArithmetic.floor,
    AffineBinaryOpKind.CeilDiv: IndexArithmetic.ceil,
    AffineBinaryOpKind.Mod: IndexArithmetic.remainder,
}


def _is_size(value: SSAValue) -> bool:
    """Return whether an index is never negative."""
    return range_of(value).low >= 0
