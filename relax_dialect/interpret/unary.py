"""Elementwise operators on one tensor; transcendental ones are computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import special
from relax_dialect.interpret.elementwise import operator
from relax_dialect.interpret.runtime_values import Array, in_double
from relax_dialect.ops import unary


def on_floats(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
    """Return a rounding function, which leaves integers as they are."""
    return lambda x: x if x.dtype.kind in "iu" else function(x)


def sign(x: Array) -> Array:
    """Return -1, 0 or 1; numpy's own leaves -0 in bf16, and returns 0 in the other types."""
    return np.sign(x) + x.dtype.type(0)


@register_impls
class UnaryFunctions(InterpreterFunctions):
    """`numpy.sqrt` and the roundings are exact in every type; the others go through f64."""

    negative = operator(unary.NegativeOp, np.negative)
    abs = operator(unary.AbsOp, np.abs)
    sign = operator(unary.SignOp, sign)
    square = operator(unary.SquareOp, np.square)
    ceil = operator(unary.CeilOp, on_floats(np.ceil))
    floor = operator(unary.FloorOp, on_floats(np.floor))
    round = operator(unary.RoundOp, on_floats(np.rint))
    trunc = operator(unary.TruncOp, on_floats(np.trunc))
    reciprocal = operator(unary.ReciprocalOp, in_double(np.reciprocal))
    exp = operator(unary.ExpOp, in_double(np.exp))
    exp2 = operator(unary.Exp2Op, in_double(np.exp2))
    expm1 = operator(unary.Expm1Op, in_double(np.expm1))
    log = operator(unary.LogOp, in_double(np.log))
    log2 = operator(unary.Log2Op, in_double(np.log2))
    log10 = operator(unary.Log10Op, in_double(np.log10))
    log1p = operator(unary.Log1pOp, in_double(np.log1p))
    sqrt = operator(unary.SqrtOp, np.sqrt)
    rsqrt = operator(unary.RsqrtOp, in_double(special.rsqrt))
    cbrt = operator(unary.CbrtOp, in_double(np.cbrt))
    sin = operator(unary.SinOp, in_double(np.sin))
    cos = operator(unary.CosOp, in_double(np.cos))
    tan = operator(unary.TanOp, in_double(np.tan))
    asin = operator(unary.AsinOp, in_double(np.arcsin))
    acos = operator(unary.AcosOp, in_double(np.arccos))
    atan = operator(unary.AtanOp, in_double(np.arctan))
    sinh = operator(unary.SinhOp, in_double(np.sinh))
    cosh = operator(unary.CoshOp, in_double(np.cosh))
    tanh = operator(unary.TanhOp, in_double(np.tanh))
    asinh = operator(unary.AsinhOp, in_double(np.arcsinh))
    acosh = operator(unary.AcoshOp, in_double(np.arccosh))
    atanh = operator(unary.AtanhOp, in_double(np.arctanh))
    erf = operator(unary.ErfOp, in_double(special.erf))
    erfc = operator(unary.ErfcOp, in_double(special.erfc))
    sigmoid = operator(unary.SigmoidOp, in_double(special.sigmoid))
    isnan = operator(unary.IsnanOp, np.isnan)
    isinf = operator(unary.IsinfOp, np.isinf)
    isfinite = operator(unary.IsfiniteOp, np.isfinite)
    logical_not = operator(unary.LogicalNotOp, np.logical_not)
    bitwise_not = operator(unary.BitwiseNotOp, np.invert)
