"""Numbers computed from sizes, as tensors of rank 0: `n / 2 - 1`, `1 / sqrt(n)`, `n > 3`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.symbolic import Expr

COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "Equality": op.equal,
    "Unequality": op.not_equal,
    "StrictLessThan": op.less,
    "LessThan": op.less_equal,
    "StrictGreaterThan": op.greater,
    "GreaterThan": op.greater_equal,
    "And": op.logical_and,
    "Or": op.logical_or,
}
"""Relations of sympy, by class name."""

FLOATS: Mapping[str, Callable[..., Any]] = {
    "FloatTrueDiv": op.divide,
    "IntTrueDiv": op.divide,
    "FloatPow": op.power,
    "PowByNatural": op.power,
    "Pow": op.power,
    "OpaqueUnaryFn_sqrt": op.sqrt,
    "OpaqueUnaryFn_exp": op.exp,
    "OpaqueUnaryFn_log": op.log,
    "OpaqueUnaryFn_log2": op.log2,
    "OpaqueUnaryFn_sin": op.sin,
    "OpaqueUnaryFn_cos": op.cos,
    "floor": op.floor,
    "ceiling": op.ceil,
    "Max": op.maximum,
    "Min": op.minimum,
}
"""Functions on floating-point numbers, by class name."""


def is_symbolic_number(example: object) -> bool:
    """Returns whether an example value is a SymInt, SymFloat or SymBool."""
    return hasattr(example, "node") and not hasattr(example, "shape")


class PythonScalars:
    """Emits numbers that sizes determine."""

    def __init__(self, importer: Any):
        self.importer = importer  # an TorchImporter, which imports this file

    def tensor(self, number: Any) -> Value:
        """Return a SymInt as an i64, a SymFloat as an f64, a SymBool as an i1."""
        expr = number.node.expr
        kind = type(number).__name__
        if kind == "SymInt":
            return self._whole(expr)
        return self._emit(self._float(expr) if kind == "SymFloat" else self.relation(expr))

    def _emit(self, expression: object) -> Value:
        return self.importer.builder.emit(expression)

    def size(self, size: Expr) -> Value:
        """Return a size, or a difference of sizes, as an i64."""
        if size.value is not None:
            return self._emit(const(size.value, "i64"))
        return self._emit(op.scalar_to_tensor(op.symbolic_value(size)))

    def _whole(self, expr: Any) -> Value:
        return self.size(self.importer.sizes.expr(expr))

    def relation(self, expr: Any) -> Any:
        """Return a relation of sizes as a boolean."""
        kind = type(expr).__name__
        if kind in ("BooleanTrue", "BooleanFalse"):
            return const(bool(expr), "i1")
        if kind == "Not":
            return op.logical_not(self.relation(expr.args[0]))
        if kind not in COMPARISONS:
            raise TorchError(f"expected a comparison of sizes, found {expr}; change the model")
        part = self.relation if kind in ("And", "Or") else self._side
        return reduce(COMPARISONS[kind], map(part, expr.args))

    def _side(self, expr: Any) -> Any:
        return op.astype(self._whole(expr), "f64") if expr.is_integer else self._float(expr)

    def _float(self, expr: Any) -> Any:
        """Return a floating-point expression of sizes."""
        kind = type(expr).__name__
        if expr.is_Number:
            return const(float(expr), "f64")
        if kind == "ToFloat":
            return op.astype(self._whole(expr.args[0]), "f64")
        if expr.is_Pow and not expr.args[1].is_integer:
            return self._power(*expr.args)
        if expr.is_Add or expr.is_Mul or kind in FLOATS:
            make = op.add if expr.is_Add else op.multiply if expr.is_Mul else FLOATS[kind]
            parts = [self._float(part) for part in expr.args]
            return make(*parts) if len(parts) == 1 else reduce(make, parts)
        if expr.is_integer:
            return op.astype(self._whole(expr), "f64")
        raise TorchError(f"expected arithmetic of sizes, found {expr}; change the model")

    def _power(self, base: Any, exponent: Any) -> Any:
        found = self._float(base)
        if float(exponent) == 0.5:
            return op.sqrt(found)
        if math.isclose(float(exponent), -0.5):
            return op.rsqrt(found)
        return op.power(found, const(float(exponent), "f64"))
