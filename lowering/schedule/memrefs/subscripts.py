"""Subscripts of operands as sums of multiples of loops: `2 * d3 + d5 + 1` -> `{3: 2, 5: 1}, 1`."""

from __future__ import annotations

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)


def linear(expr: AffineExpr) -> tuple[dict[int, int], int]:
    """Return a subscript as multiples of loops and a constant. Raises `ValueError` if it is not linear."""
    match expr:
        case AffineDimExpr(position=d):
            return {d: 1}, 0
        case AffineConstantExpr(value=value):
            return {}, value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            (left, a), (right, b) = linear(lhs), linear(rhs)
            loops = {*left, *right}
            return {d: left.get(d, 0) + right.get(d, 0) for d in sorted(loops)}, a + b
        case AffineBinaryOpExpr(
            kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)
        ):
            coefficients, constant = linear(lhs)
            return {d: c * factor for d, c in coefficients.items()}, constant * factor
        case _:
            raise ValueError(f"{expr} is no sum of loops")


def is_linear(expr: AffineExpr) -> bool:
    """Return whether a subscript is a sum of multiples of loops."""
    try:
        linear(expr)
    except ValueError:
        return False
    return True
