"""Adjoints of the activations: by their slopes, or by their compositions."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import activation as ops

# With corners: the slope there is that of the side towards zero, and that of NaN 1, as in PyTorch --


@adjoint(ops.ReluOp)
def relu(of: Applied[ops.ReluOp], gy: Any) -> Any:
    return op.where(of.y <= 0.0, 0.0, gy)  # so that the operand need not be kept


@adjoint(ops.Relu6Op)
def relu6(of: Applied[ops.Relu6Op], gy: Any) -> Any:
    return _between(of.x, gy, 0.0, 6.0)


@adjoint(ops.HardTanhOp)
def hard_tanh(of: Applied[ops.HardTanhOp], gy: Any) -> Any:
    return _between(of.x, gy, of.op.min, of.op.max)


@adjoint(ops.HardSigmoidOp)
def hard_sigmoid(of: Applied[ops.HardSigmoidOp], gy: Any) -> Any:
    return op.where(op.logical_and(of.x > -3.0, of.x < 3.0), gy * (1 / 6), 0.0)


def _between(x: Any, gy: Any, low: float, high: float) -> Any:
    return op.where(op.logical_or(x <= low, x >= high), 0.0, gy)


@adjoint(ops.LeakyreluOp)
def leakyrelu(of: Applied[ops.LeakyreluOp], gy: Any) -> Any:
    return op.where(of.x > 0.0, gy, gy * of.op.alpha)


@adjoint(ops.EluOp)
def elu(of: Applied[ops.EluOp], gy: Any) -> Any:
    return op.where(of.x <= 0.0, gy * (of.y + of.op.alpha), gy)


@adjoint(ops.CeluOp)
def celu(of: Applied[ops.CeluOp], gy: Any) -> Any:
    return op.where(of.x <= 0.0, gy * (of.y * (1 / of.op.alpha) + 1.0), gy)


@adjoint(ops.SeluOp)
def selu(of: Applied[ops.SeluOp], gy: Any) -> Any:
    below = of.y + ops.SELU_SCALE * ops.SELU_ALPHA
    return gy * op.where(of.x <= 0.0, below, ops.SELU_SCALE)


@adjoint(ops.ThresholdedReluOp)
def thresholded_relu(of: Applied[ops.ThresholdedReluOp], gy: Any) -> Any:
    return op.where(of.x > of.op.alpha, gy, 0.0)


@adjoint(ops.HardShrinkOp, ops.SoftShrinkOp)
def shrink(of: Applied[ops.HardShrinkOp | ops.SoftShrinkOp], gy: Any) -> Any:
    return op.where(op.abs(of.x) <= of.op.lambd, 0.0, gy)


# Smooth ------------------------------------------------------------------------------------------


@adjoint(ops.SoftplusOp)
def softplus(of: Applied[ops.SoftplusOp], gy: Any) -> Any:
    scaled = of.x * of.op.beta
    return op.where(scaled > of.op.threshold, gy, gy * op.sigmoid(scaled))


@adjoint(ops.LogSigmoidOp)
def log_sigmoid(of: Applied[ops.LogSigmoidOp], gy: Any) -> Any:
    return gy * op.sigmoid(-of.x)


@adjoint(ops.SoftsignOp)
def softsign(of: Applied[ops.SoftsignOp], gy: Any) -> Any:
    return gy / op.square(op.abs(of.x) + 1.0)


@adjoint(ops.TanhShrinkOp)
def tanh_shrink(of: Applied[ops.TanhShrinkOp], gy: Any) -> Any:
    return gy * op.square(op.tanh(of.x))


@adjoint(ops.GeluOp)
def gelu(of: Applied[ops.GeluOp], gy: Any) -> Any:
    """`P(X <= x) + x p(x)` for a normal X of density p."""
    x = of.x
    below = 0.5 * op.erfc(x * -math.sqrt(0.5))
    return gy * (below + x * op.exp(-0.5 * (x * x)) * (1 / math.sqrt(2 * math.pi)))


@expansion(ops.GeluTanhOp)
def gelu_tanh(of: Applied[ops.GeluTanhOp]) -> Any:
    x = of.x
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * op.square(x)))
    return 0.5 * x * (op.tanh(inner) + 1.0)


@expansion(ops.QuickGeluOp)
def quick_gelu(of: Applied[ops.QuickGeluOp]) -> Any:
    return of.x * op.sigmoid(of.x * 1.702)


@expansion(ops.SiluOp)
def silu(of: Applied[ops.SiluOp]) -> Any:
    return of.x * op.sigmoid(of.x)


@expansion(ops.HardSwishOp)
def hard_swish(of: Applied[ops.HardSwishOp]) -> Any:
    return of.x * op.hard_sigmoid(of.x)


@expansion(ops.MishOp)
def mish(of: Applied[ops.MishOp]) -> Any:
    return of.x * op.tanh(op.softplus(of.x))


# Along an axis -----------------------------------------------------------------------------------


@adjoint(ops.SoftmaxOp)
def softmax(of: Applied[ops.SoftmaxOp], gy: Any) -> Any:
    scaled = gy * of.y
    return scaled - of.y * op.sum(scaled, of.op.axis, keepdims=True)


@adjoint(ops.LogSoftmaxOp)
def log_softmax(of: Applied[ops.LogSoftmaxOp], gy: Any) -> Any:
    return gy - op.exp(of.y) * op.sum(gy, of.op.axis, keepdims=True)


@expansion(ops.GluOp)
def glu(of: Applied[ops.GluOp]) -> Any:
    halves = op.split(of.x, 2, of.op.axis)
    return halves[0] * op.sigmoid(halves[1])


@expansion(ops.PreluOp)
def prelu(of: Applied[ops.PreluOp]) -> Any:
    rank = len(of.shape())
    x, alpha = of.inputs
    after = rank - 1 - of.op.axis % rank
    slopes = op.expand_dims(alpha, list(range(1, after + 1))) if after else alpha
    return op.maximum(x, 0.0) + slopes * op.minimum(x, 0.0)
