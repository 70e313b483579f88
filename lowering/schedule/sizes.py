"""Sizes computed: known ones now, the others by `arith` ops."""

from __future__ import annotations

from xdsl.dialects import arith

from lowering.ir.insertion import Inserter
from lowering.schedule.views import Size, index


def plus(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return insert(arith.AddiOp(index(insert, a), index(insert, b)))


def minus(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    return a if b == 0 else insert(arith.SubiOp(index(insert, a), index(insert, b)))


def times(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return b if a == 1 else a
    if a == 0 or b == 0:
        return 0
    return insert(arith.MuliOp(index(insert, a), index(insert, b)))


def quotient(insert: Inserter, a: Size, b: Size) -> Size:
    """`a` by `b`, rounded down; both are not negative, `b` is not 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    return a if b == 1 else insert(arith.DivUIOp(index(insert, a), index(insert, b)))


def remainder(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    return 0 if b == 1 else insert(arith.RemUIOp(index(insert, a), index(insert, b)))


def parts(insert: Inserter, a: Size, b: Size) -> Size:
    """How many parts of `b` hold `a`: the quotient rounded up."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return a if b == 1 else insert(arith.CeilDivUIOp(index(insert, a), index(insert, b)))


def least(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return insert(arith.MinSIOp(index(insert, a), index(insert, b)))


def most(insert: Inserter, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return insert(arith.MaxSIOp(index(insert, a), index(insert, b)))
