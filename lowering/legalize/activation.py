"""Activations, element by element, and softmax; f16 and bf16 are computed in f32."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.manipulate import require
from lowering.legalize.registry import (
    accumulate,
    broadcast_index,
    legalize,
    result_shape,
)
from lowering.legalize.unary import exact_sigmoid, sigmoid, wide
from relax_dialect import symbolic, te
from relax_dialect.ops import activation as ops
from relax_dialect.ops.axes import normalize_axis
from relax_dialect.prim.run_time_checks import hole


def elu(x: te.Scalar, alpha: float) -> te.Scalar:
    """elu; the argument of `expm1` is never positive, so that it does not overflow."""
    return te.select(x >= 0, x, alpha * te.expm1(te.minimum(x, 0)))


def celu(x: te.Scalar, alpha: float) -> te.Scalar:
    return te.select(x >= 0, x, alpha * te.expm1(x / alpha))


def gelu(x: te.Scalar) -> te.Scalar:
    """x * P(X <= x) for a normal X, by `erfc`: no digits cancel for negative x."""
    return x * (0.5 * te.contracted_erfc(x * -math.sqrt(0.5)))


def gelu_tanh(x: te.Scalar) -> te.Scalar:
    return 0.5 * x * (1 + te.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def hard_sigmoid(x: te.Scalar) -> te.Scalar:
    return clip(x / 6 + 0.5, 0.0, 1.0)


def clip(x: te.Scalar, min: float, max: float) -> te.Scalar:
    return te.minimum(te.maximum(x, min), max)


def log_one_plus_exp(x: te.Scalar) -> te.Scalar:
    """log(1 + exp(x)) without overflow."""
    return te.maximum(x, 0) + te.log1p(te.exp(-te.abs(x)))


def softplus(x: te.Scalar, beta: float, threshold: float) -> te.Scalar:
    return te.select(beta * x > threshold, x, log_one_plus_exp(beta * x) / beta)


def soft_shrink(x: te.Scalar, lambd: float) -> te.Scalar:
    return te.select(te.abs(x) <= lambd, 0, te.select(x > 0, x - lambd, x + lambd))


ELEMENT: dict[type[Operation], Callable[..., te.Scalar]] = {
    ops.ReluOp: lambda x: te.maximum(x, 0),
    ops.Relu6Op: lambda x: te.minimum(te.maximum(x, 0), 6),
    ops.LeakyreluOp: lambda x, alpha: te.select(x >= 0, x, alpha * x),
    ops.EluOp: elu,
    ops.CeluOp: celu,
    ops.SeluOp: lambda x: ops.SELU_SCALE * elu(x, ops.SELU_ALPHA),
    ops.SiluOp: lambda x: x * sigmoid(x),
    ops.GeluOp: gelu,
    ops.GeluTanhOp: gelu_tanh,
    ops.QuickGeluOp: lambda x: x * sigmoid(1.702 * x),
    ops.HardSigmoidOp: hard_sigmoid,
    ops.HardSwishOp: lambda x: x * hard_sigmoid(x),
    ops.HardTanhOp: clip,
    ops.SoftplusOp: softplus,
    ops.SoftsignOp: lambda x: x / (1 + te.abs(x)),
    ops.MishOp: lambda x: x * te.tanh(log_one_plus_exp(x)),
    ops.LogSigmoidOp: lambda x: -log_one_plus_exp(-x),
    ops.ThresholdedReluOp: lambda x, alpha: te.select(x > alpha, x, 0),
    ops.HardShrinkOp: lambda x, lambd: te.select(te.abs(x) <= lambd, 0, x),
    ops.SoftShrinkOp: soft_shrink,
    ops.TanhShrinkOp: lambda x: x - te.tanh(x),
}
"""Each activation as a function of an element and of its numbers, which are passed by name."""


@legalize(*ELEMENT)
def activation(op: Operation, x: te.Tensor) -> te.Tensor:
    """Return the activation of every element."""
    element = wide(ELEMENT[type(op)])
    numbers = op.coefficients() if isinstance(op, ops.ParametricOp) else {}
    return te.compute(x.shape, lambda *i: element(x[i], **numbers), name="out")


@legalize(ops.PreluOp)
def prelu(op: ops.PreluOp, x: te.Tensor, alpha: te.Tensor) -> te.Tensor:
    """Every element, multiplied by its alpha if it is not above zero."""
    axis = normalize_axis(op, op.axis, x.ndim)

    @wide
    def element(x: te.Scalar, alpha: te.Scalar) -> te.Scalar:
        return te.select(x >= 0, x, x * alpha)

    def at(*i: Any) -> te.Scalar:
        return element(x[i], alpha[broadcast_index(alpha.shape, (i[axis],))])

    (length,), size = alpha.shape, x.shape[axis]
    known = length.value == 1 or length is size
    found = f"{hole(length)} for {hole(size)}"
    fits = [] if known else [require(op, op.DEMAND, found, length, symbolic.const(1), size)]
    return te.compute(x.shape, at, name="out", requires=fits)


@legalize(ops.SoftmaxOp)
def softmax(op: ops.SoftmaxOp, x: te.Tensor) -> te.Tensor:
    """exp(x - max) / sum(exp(x - max)) along an axis: subtracting the maximum avoids overflow."""
    highest, without, along = _highest(op, x)
    k = te.reduce_axis((0, x.shape[op.axis_of(x.ndim)]), name="k")
    powers = te.compute(
        x.shape, lambda *i: te.exp_up_to_one(x[i] - highest[without(i)]), name="powers"
    )
    rest = without(x.shape)
    share = accumulate(
        te.sum, rest, lambda *i: powers[along(i, k)], [k], "share", lambda total: 1 / total
    )
    return te.compute(x.shape, lambda *i: powers[i] * share[without(i)], name="out")


@legalize(ops.LogSoftmaxOp)
def log_softmax(op: ops.LogSoftmaxOp, x: te.Tensor) -> te.Tensor:
    """x - max - log(sum(exp(x - max))) along an axis."""
    highest, without, along = _highest(op, x)
    k = te.reduce_axis((0, x.shape[op.axis_of(x.ndim)]), name="k")

    def element(*i: Any) -> te.Scalar:
        return te.exp_up_to_one(x[along(i, k)] - highest[i])

    total = accumulate(te.sum, without(x.shape), element, [k], "log_total", finish=te.log)
    return te.compute(
        x.shape, lambda *i: x[i] - highest[without(i)] - total[without(i)], name="out"
    )


def _highest(
    op: ops.AxisActivationOp, x: te.Tensor
) -> tuple[te.Tensor, Callable[..., tuple[Any, ...]], Callable[..., tuple[Any, ...]]]:
    """Return the maximum of the numbers along the axis (a NaN reaches the results by its own power, a part
    of the sum); the indices of an element without that axis, and with it again."""
    axis = op.axis_of(x.ndim)
    m = te.reduce_axis((0, x.shape[axis]), name="m")

    def without(i: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*i[:axis], *i[axis + 1 :])

    def along(i: tuple[Any, ...], index: Any) -> tuple[Any, ...]:
        return (*i[:axis], index, *i[axis:])

    highest = accumulate(
        te.nanmax, without(x.shape), lambda *i: x[along(i, m)], [m], name="highest"
    )
    return highest, without, along


@legalize(ops.GluOp)
def glu(op: ops.GluOp, x: te.Tensor) -> te.Tensor:
    """Return the first half along the axis times the sigmoid of the second."""
    shape = result_shape(op)
    axis = op.axis_of(x.ndim)
    element = wide(lambda a, b: a * exact_sigmoid(b))

    def at(*i: Any) -> te.Scalar:
        return element(x[i], x[(*i[:axis], i[axis] + shape[axis], *i[axis + 1 :])])

    return te.compute(shape, at, name="out")
