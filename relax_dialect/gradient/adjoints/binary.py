"""Adjoints of the operators on two tensors with broadcasting, which the transform undoes."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant
from relax_dialect.ops import binary as ops


@adjoint(ops.AddOp)
def add(of: Applied[ops.AddOp], gy: Any) -> Any:
    return gy, gy


@adjoint(ops.SubtractOp)
def subtract(of: Applied[ops.SubtractOp], gy: Any) -> Any:
    return gy, -gy


@adjoint(ops.MultiplyOp)
def multiply(of: Applied[ops.MultiplyOp], gy: Any) -> Any:
    x, y = of.inputs
    return gy * y, gy * x


@adjoint(ops.DivideOp)
def divide(of: Applied[ops.DivideOp], gy: Any) -> Any:
    _, y = of.inputs
    gx = gy / y
    return gx, -(gx * of.y)


@adjoint(ops.PowerOp)
def power(of: Applied[ops.PowerOp], gy: Any) -> Any:
    """Of the base `y x^(y-1)`, zero where y is; of the exponent `x^y log x`, zero where x is and y is not
    negative; both as PyTorch has it."""
    x, y = of.inputs
    base = op.where(y == 0.0, 0.0, gy * (y * op.power(x, y - 1.0)))
    exponent = op.where(op.logical_and(x == 0.0, y >= 0.0), 0.0, gy * (of.y * op.log(x)))
    return base, exponent


@adjoint(ops.MaximumOp)
def maximum(of: Applied[ops.MaximumOp], gy: Any) -> Any:
    x, y = of.inputs
    return _chosen(gy, x < y, x == y), _chosen(gy, y < x, x == y)


@adjoint(ops.MinimumOp)
def minimum(of: Applied[ops.MinimumOp], gy: Any) -> Any:
    x, y = of.inputs
    return _chosen(gy, x > y, x == y), _chosen(gy, y > x, x == y)


def _chosen(gy: Any, loses: Any, draws: Any) -> Any:
    """The cotangent of the operand that is taken; of equal ones each gets half of it, as in PyTorch.
    Next to a NaN both get all of it."""
    return op.where(loses, 0.0, op.where(draws, 0.5 * gy, gy))


@adjoint(ops.Atan2Op)
def atan2(of: Applied[ops.Atan2Op], gy: Any) -> Any:
    y, x = of.inputs
    length = x * x + y * y
    scaled = op.where(length == 0.0, 0.0, gy / length)
    return scaled * x, -(scaled * y)


@adjoint(ops.LogAddExpOp)
def log_add_exp(of: Applied[ops.LogAddExpOp], gy: Any) -> Any:
    x, y = of.inputs
    return gy * op.sigmoid(x - y), gy * op.sigmoid(y - x)


@adjoint(ops.FloorModOp)
def floor_mod(of: Applied[ops.FloorModOp], gy: Any) -> Any:
    """`x - y * floor(x / y)`, whose quotient is flat."""
    x, y = of.inputs
    return gy, -(gy * op.floor_divide(x, y))


@adjoint(ops.ModOp)
def mod(of: Applied[ops.ModOp], gy: Any) -> Any:
    """`x - y * trunc(x / y)`, whose quotient is flat."""
    x, y = of.inputs
    return gy, -(gy * op.trunc(x / y))


constant(
    "its results are truth values",
    *(ops.LogicalAndOp, ops.LogicalOrOp, ops.LogicalXorOp),
    *(ops.EqualOp, ops.NotEqualOp, ops.LessOp, ops.LessEqualOp, ops.GreaterOp, ops.GreaterEqualOp),
)
constant(
    "it is on integers",
    *(ops.BitwiseAndOp, ops.BitwiseOrOp, ops.BitwiseXorOp, ops.LeftShiftOp, ops.RightShiftOp),
)
constant("steps are flat", ops.FloorDivideOp)
