"""Adjoints of the operators on one tensor, element by element: the cotangent times the derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant
from relax_dialect.ops import unary as ops

DERIVATIVES: dict[type[Operation], Callable[[Any, Any], Any]] = {
    ops.NegativeOp: lambda x, y: -1.0,
    ops.AbsOp: lambda x, y: op.sign(x),
    ops.SquareOp: lambda x, y: 2.0 * x,
    ops.ReciprocalOp: lambda x, y: -(y * y),
    ops.ExpOp: lambda x, y: y,
    ops.Exp2Op: lambda x, y: y * math.log(2.0),
    ops.Expm1Op: lambda x, y: y + 1.0,
    ops.LogOp: lambda x, y: op.reciprocal(x),
    ops.Log2Op: lambda x, y: 1.0 / (x * math.log(2.0)),
    ops.Log10Op: lambda x, y: 1.0 / (x * math.log(10.0)),
    ops.Log1pOp: lambda x, y: 1.0 / (x + 1.0),
    ops.SqrtOp: lambda x, y: 0.5 / y,
    ops.RsqrtOp: lambda x, y: -0.5 * (y * y * y),
    ops.CbrtOp: lambda x, y: 1.0 / (3.0 * (y * y)),
    ops.SinOp: lambda x, y: op.cos(x),
    ops.CosOp: lambda x, y: -op.sin(x),
    ops.TanOp: lambda x, y: y * y + 1.0,
    ops.AsinOp: lambda x, y: op.rsqrt(1.0 - x * x),
    ops.AcosOp: lambda x, y: -op.rsqrt(1.0 - x * x),
    ops.AtanOp: lambda x, y: 1.0 / (x * x + 1.0),
    ops.SinhOp: lambda x, y: op.cosh(x),
    ops.CoshOp: lambda x, y: op.sinh(x),
    ops.TanhOp: lambda x, y: 1.0 - y * y,
    ops.AsinhOp: lambda x, y: op.rsqrt(x * x + 1.0),
    ops.AcoshOp: lambda x, y: op.rsqrt(x * x - 1.0),
    ops.AtanhOp: lambda x, y: 1.0 / (1.0 - x * x),
    ops.ErfOp: lambda x, y: (2 / math.sqrt(math.pi)) * op.exp(-(x * x)),
    ops.ErfcOp: lambda x, y: (-2 / math.sqrt(math.pi)) * op.exp(-(x * x)),
    ops.SigmoidOp: lambda x, y: y * (1.0 - y),
}
"""The derivative of each by its operand x and its result y."""


@adjoint(*DERIVATIVES)
def unary(of: Applied, gy: Any) -> Any:
    return gy * DERIVATIVES[type(of.op)](of.x, of.y)


constant("steps are flat", ops.SignOp, ops.CeilOp, ops.FloorOp, ops.RoundOp, ops.TruncOp)
constant("its results are truth values", ops.IsnanOp, ops.IsinfOp, ops.IsfiniteOp, ops.LogicalNotOp)
constant("it is on integers", ops.BitwiseNotOp)
