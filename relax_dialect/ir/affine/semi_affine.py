"""Products, quotients and remainders by symbols in affine expressions: `d0 * s0`, `d0 floordiv (s0 * 2)`.

MLIR calls them semi-affine, and its passes make them of sizes; xDSL evaluates and prints them, but refuses
to build them. `install` lets the operators of `AffineExpr` do so, not by dimensions.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

Operator = Callable[[AffineExpr, AffineExpr | int], AffineExpr]


def is_symbolic(expr: AffineExpr) -> bool:
    """Return whether an expression is of symbols and constants alone."""
    return not expr.used_dims()


def _with_symbols(kind: AffineBinaryOpKind, stock: Operator) -> Operator:
    def build(self: AffineExpr, other: AffineExpr | int) -> AffineExpr:
        try:
            return stock(self, other)
        except NotImplementedError:
            if isinstance(other, AffineExpr) and is_symbolic(other):
                return AffineBinaryOpExpr(kind, self, other)
            if (
                isinstance(other, AffineExpr)
                and kind is AffineBinaryOpKind.Mul
                and is_symbolic(self)
            ):
                return AffineBinaryOpExpr(kind, other, self)
            raise

    return build


_STOCK: dict[str, tuple[AffineBinaryOpKind, Operator]] = {
    "__mul__": (AffineBinaryOpKind.Mul, AffineExpr.__mul__),
    "__floordiv__": (AffineBinaryOpKind.FloorDiv, AffineExpr.__floordiv__),
    "ceil_div": (AffineBinaryOpKind.CeilDiv, AffineExpr.ceil_div),
    "__mod__": (AffineBinaryOpKind.Mod, AffineExpr.__mod__),
}


def install() -> None:
    """Allow division and multiplication of affine expressions by symbols."""
    for name, (kind, stock) in _STOCK.items():
        setattr(AffineExpr, name, _with_symbols(kind, stock))
