"""The range of values of an integer in a program, by the table of intervals (`symbolic.interval`).

An `index` is taken not to overflow; integers wrap, and lie anywhere in their type where they might.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from lowering.ir.constants import known_integer
from lowering.ir.linear_forms import LinearForm, linear
from relax_dialect.symbolic import interval
from relax_dialect.symbolic.interval import EVERYTHING, OPERATIONS, SIZES, Interval, point
from relax_dialect.te.operations import ARITHMETIC, INTERVALS

DEEPEST = 8
"""The most ops that are followed for a range."""

SIGNED: Mapping[object, str] = {
    **{ARITHMETIC[name].on_integer: operation for name, operation in INTERVALS.items()},
    arith.CeilDivSIOp: "ceildiv",
}
UNSIGNED: Mapping[object, str] = {
    **{ARITHMETIC[name].on_unsigned: operation for name, operation in INTERVALS.items()},
    arith.CeilDivUIOp: "ceildiv",
}
"""The ops whose ranges the table knows; unsigned ones if no operand is negative."""


_KINDS = {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.CeilDiv: "ceildiv",
    AffineBinaryOpKind.Mod: "mod",
}


def range_of(value: SSAValue, depth: int = DEEPEST) -> Interval:
    """Between which values an integer lies, read with its sign."""
    found = _computed(value, depth) if depth else EVERYTHING
    return interval.within(found, _all_of(value.type))


def range_of_sum(sum: LinearForm, depth: int = DEEPEST) -> Interval:
    """Return the same for a sum of multiples."""
    parts = (interval.multiply(point(times), range_of(v, depth)) for v, times in sum.terms.items())
    return reduce(interval.add, parts, point(sum.constant))


def is_never_zero(divisor: SSAValue) -> bool:
    """Return whether a divisor cannot be 0, or is guarded by a select."""
    match divisor.owner:
        case arith.SelectOp(
            cond=SSAValue(owner=arith.CmpiOp(lhs=tested, rhs=zero)), lhs=one, rhs=other
        ) if tested is other and known_integer(zero) == 0 and known_integer(one):
            return True
        case _:
            return not range_of(divisor).holds(0)


def range_of_subscript(expr: AffineExpr) -> Interval:
    """Return the same for an expression of loop counters, which are never negative."""
    return _range_of_expr(expr, (), ())


def _range_of_expr(
    expr: AffineExpr, dims: Sequence[Interval], symbols: Sequence[Interval]
) -> Interval:
    """Return the range of an expression by the ranges of its operands; operands without one are sizes."""
    match expr:
        case AffineConstantExpr(value=number):
            return point(number)
        case AffineDimExpr(position) if dims:
            return dims[position]
        case AffineSymExpr(position) if symbols:
            return symbols[position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            parts = (_range_of_expr(part, dims, symbols) for part in (lhs, rhs))
            return OPERATIONS[_KINDS[kind]](*parts)
        case _:
            return SIZES


def _all_of(type: Attribute, *, signed: bool = True) -> Interval:
    """Return the values of a type."""
    if not isinstance(type, IntegerType):
        return EVERYTHING
    count = 2**type.width.data
    return Interval(-count // 2, count // 2 - 1) if signed else Interval(0, count - 1)


def _computed(value: SSAValue, depth: int) -> Interval:
    """Return the range of a result before it is made to fit its type."""
    owner = value.owner
    match owner:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return point(number.data)
        case Block():
            return _counted(value, owner, depth)
        case memref.DimOp():
            return SIZES
        case (
            arith.ExtSIOp(input=narrow)
            | arith.TruncIOp(input=narrow)
            | arith.IndexCastOp(input=narrow)
        ):
            return range_of(narrow, depth - 1)
        case arith.ExtUIOp(input=narrow):
            found = range_of(narrow, depth - 1)
            return found if found.low >= 0 else _all_of(narrow.type, signed=False)
        case arith.SelectOp(lhs=lhs, rhs=rhs):
            return interval.union(range_of(lhs, depth - 1), range_of(rhs, depth - 1))
        case _:
            return _of_operation(value, owner, depth)


def _counted(value: SSAValue, block: Block, depth: int) -> Interval:
    """Return the range of a loop's counter, which is below the end of the loop."""
    loop = block.parent_op()
    if isinstance(loop, affine.ForOp) and value is block.args[0]:
        return _counted_by_maps(loop, depth)
    if not isinstance(loop, scf.ForOp) or value is not block.args[0]:
        return EVERYTHING
    return _counter(range_of(loop.lb, depth - 1).low, range_of(loop.ub, depth - 1).high)


def _counted_by_maps(loop: affine.ForOp, depth: int) -> Interval:
    """Return the same for a loop between the extremes of affine maps."""

    def ranges(map: AffineMap, operands: Sequence[SSAValue]) -> list[Interval]:
        known = [range_of(operand, depth - 1) for operand in operands]
        given = (known[: map.num_dims], known[map.num_dims :])
        return [_range_of_expr(expr, *given) for expr in map.results]

    lower = ranges(loop.lowerBoundMap.data, loop.lowerBoundOperands)
    upper = ranges(loop.upperBoundMap.data, loop.upperBoundOperands)
    return _counter(max(x.low for x in lower), min(x.high for x in upper))


def _counter(low: float, end: float) -> Interval:
    """Return the range of a counter from a value to below another; one value if the loop is never
    entered."""
    return Interval(low, max(low, end - 1))


def _of_operation(value: SSAValue, op: Operation, depth: int) -> Interval:
    if isinstance(value.type, IndexType):
        sum = linear([(value, 1)])
        if sum.terms.keys() != {value}:
            return range_of_sum(sum, depth - 1)
    if isinstance(op, arith.RemUIOp) and (divisor := known_integer(op.rhs) or 0) > 0:
        return Interval(0, divisor - 1)  # whatever the sign of the other operand
    name = SIGNED.get(type(op)) or UNSIGNED.get(type(op))
    if name is None:
        return EVERYTHING
    x, y = (range_of(operand, depth - 1) for operand in op.operands)
    if type(op) not in SIGNED and min(x.low, y.low) < 0:
        return EVERYTHING
    return OPERATIONS[name](x, y)
