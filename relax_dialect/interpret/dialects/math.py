"""The math dialect: transcendental functions are computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.interpreter import (
    InterpreterFunctions,
    register_impls,
)
from xdsl.ir import Operation

from relax_dialect.interpret import special
from relax_dialect.interpret.op_semantics import computed
from relax_dialect.interpret.runtime_values import convert, in_double
from relax_dialect.interpret.total_arithmetic import (
    integer_power,
    leading_zeros,
    ones,
    trailing_zeros,
)
from relax_dialect.ir.mlir.mlir_ops import ErfcOp


def _integers(op_type: type[Operation], function: Callable[..., Any]) -> Any:
    """Return a function of integers, whose result is taken to their type."""
    return computed(op_type, lambda *x: convert(function(*x), np.asarray(x[0]).dtype))


def _double(op_type: type[Operation], function: Callable[..., Any]) -> Any:
    return computed(op_type, in_double(function))


def round_half_away(x: Any) -> Any:
    """Return the nearest whole number, the one further from zero for a half."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c`; the product of two f32 is exact in f64, so only f64 itself rounds twice."""
    return a * b + c


@register_impls
class MathFunctions(InterpreterFunctions):
    """The functions of floats, and those of integers."""

    absf = computed(math.AbsFOp, np.abs)
    absi = computed(math.AbsIOp, np.abs)
    ctlz = _integers(math.CountLeadingZerosOp, leading_zeros)
    cttz = _integers(math.CountTrailingZerosOp, trailing_zeros)
    ctpop = _integers(math.CtPopOp, ones)
    ipowi = _integers(math.IPowIOp, integer_power)
    ceil = computed(math.CeilOp, np.ceil)
    floor = computed(math.FloorOp, np.floor)
    trunc = computed(math.TruncOp, np.trunc)
    roundeven = computed(math.RoundEvenOp, np.rint)
    sqrt = computed(math.SqrtOp, np.sqrt)
    copysign = computed(math.CopySignOp, np.copysign)

    acos = _double(math.AcosOp, np.arccos)
    acosh = _double(math.AcoshOp, np.arccosh)
    asin = _double(math.AsinOp, np.arcsin)
    asinh = _double(math.AsinhOp, np.arcsinh)
    atan = _double(math.AtanOp, np.arctan)
    atan2 = _double(math.Atan2Op, np.arctan2)
    atanh = _double(math.AtanhOp, np.arctanh)
    cbrt = _double(math.CbrtOp, np.cbrt)
    cos = _double(math.CosOp, np.cos)
    cosh = _double(math.CoshOp, np.cosh)
    erf = _double(math.ErfOp, special.erf)
    erfc = _double(ErfcOp, special.erfc)
    exp = _double(math.ExpOp, np.exp)
    exp2 = _double(math.Exp2Op, np.exp2)
    expm1 = _double(math.ExpM1Op, np.expm1)
    fma = _double(math.FmaOp, fused_multiply_add)
    fpowi = _double(math.FPowIOp, np.float_power)
    log = _double(math.LogOp, np.log)
    log10 = _double(math.Log10Op, np.log10)
    log1p = _double(math.Log1pOp, np.log1p)
    log2 = _double(math.Log2Op, np.log2)
    powf = _double(math.PowFOp, np.float_power)
    round = _double(math.RoundOp, round_half_away)
    rsqrt = _double(math.RsqrtOp, special.rsqrt)
    sin = _double(math.SinOp, np.sin)
    sinh = _double(math.SinhOp, np.sinh)
    tan = _double(math.TanOp, np.tan)
    tanh = _double(math.TanhOp, np.tanh)
