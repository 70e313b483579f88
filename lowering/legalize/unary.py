"""Unary arithmetic, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.registry import NARROW, legalize
from relax_dialect import te
from relax_dialect.ops import unary as ops
from relax_dialect.ops.type_rules import is_float

Element = Callable[[Any], te.Scalar]


def sigmoid(x: te.Scalar) -> te.Scalar:
    """1 / (1 + exp(-x)): overflow of `exp` yields the right limit, zero."""
    return 1 / (1 + te.exp(-x))


def exact_sigmoid(x: te.Scalar) -> te.Scalar:
    """Return the sigmoid by a power that does not overflow: nonzero as long as exp(x) is."""
    power = te.exp(-te.abs(x))
    return te.select(x < 0, power, 1) / (1 + power)


def on_floats(rounding: Element) -> Element:
    """Return a rounding function, which leaves integers as they are."""
    return lambda x: rounding(x) if is_float(x.dtype) else x


def wide(function: Callable[..., te.Scalar]) -> Callable[..., te.Scalar]:
    """Return a function of scalars computed in f32 for narrower types, and rounded once."""

    def element(x: te.Scalar, *others: te.Scalar, **numbers: float) -> te.Scalar:
        if str(x.dtype) not in NARROW:
            return function(x, *others, **numbers)
        values = [value.astype("f32") for value in (x, *others)]
        return function(*values, **numbers).astype(x.dtype)

    return element


ELEMENT: dict[type[Operation], Element] = {
    ops.NegativeOp: operator.neg,
    ops.AbsOp: te.abs,
    ops.SignOp: te.sign,
    ops.SquareOp: lambda x: x * x,
    ops.CeilOp: on_floats(te.ceil),
    ops.FloorOp: on_floats(te.floor),
    ops.RoundOp: on_floats(te.round),
    ops.TruncOp: on_floats(te.trunc),
    ops.ReciprocalOp: lambda x: 1 / x,
    ops.ExpOp: te.exp,
    ops.Exp2Op: te.exp2,
    ops.Expm1Op: te.expm1,
    ops.LogOp: te.log,
    ops.Log2Op: te.log2,
    ops.Log10Op: te.log10,
    ops.Log1pOp: te.log1p,
    ops.SqrtOp: te.sqrt,
    ops.RsqrtOp: te.rsqrt,
    ops.CbrtOp: te.cbrt,
    ops.SinOp: te.sin,
    ops.CosOp: te.cos,
    ops.TanOp: te.tan,
    ops.AsinOp: te.asin,
    ops.AcosOp: te.acos,
    ops.AtanOp: te.atan,
    ops.SinhOp: te.sinh,
    ops.CoshOp: te.cosh,
    ops.TanhOp: te.tanh,
    ops.AsinhOp: te.asinh,
    ops.AcoshOp: te.acosh,
    ops.AtanhOp: te.atanh,
    ops.ErfOp: te.erf,
    ops.ErfcOp: te.erfc,
    ops.SigmoidOp: wide(sigmoid),
    ops.IsnanOp: te.isnan,
    ops.IsinfOp: te.isinf,
    ops.IsfiniteOp: te.isfinite,
    ops.LogicalNotOp: operator.invert,
    ops.BitwiseNotOp: operator.invert,
}


@legalize(*ELEMENT)
def unary(op: Operation, x: te.Tensor) -> te.Tensor:
    """Return the function of every element."""
    return te.compute(x.shape, lambda *i: ELEMENT[type(op)](x[i]), name="out")
