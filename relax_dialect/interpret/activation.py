"""Activations, by their formulas: computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import special
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, in_double
from relax_dialect.interpret.total_arithmetic import maximum, minimum
from relax_dialect.ops import activation as ops


def relu(x: Array) -> Array:
    """`maximum(x, 0)`: NaN stays NaN, and -0 stays -0."""
    return maximum(x, x.dtype.type(0))


def relu6(x: Array) -> Array:
    """`minimum(maximum(x, 0), 6)`; NaN stays NaN."""
    return minimum(relu(x), x.dtype.type(6))


def prelu(op: ops.PreluOp, x: Array, alpha: Array) -> Array:
    """`x` from zero on, `alpha * x` below, alpha lying along the axis."""
    axis = range(x.ndim)[op.axis]
    if alpha.size not in (1, x.shape[axis]):
        raise RelaxError(f"expected {op.DEMAND}, found {alpha.size} for {x.shape[axis]}")
    return np.where(x >= 0, x, x * alpha.reshape(-1, *(1,) * (x.ndim - axis - 1)))


def elu(x: Any, alpha: float) -> Any:
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x: Any, alpha: float) -> Any:
    return np.where(x >= 0, x, alpha * np.expm1(x / alpha))


def selu(x: Any) -> Any:
    return ops.SELU_SCALE * elu(x, ops.SELU_ALPHA)


def gelu_tanh(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def hard_sigmoid(x: Any) -> Any:
    return np.clip(x / 6 + 0.5, 0, 1)


def softplus(x: Any, beta: float, threshold: float) -> Any:
    return np.where(beta * x > threshold, x, np.logaddexp(0, beta * x) / beta)


def softmax(op: ops.SoftmaxOp, x: Array) -> Array:
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along the axis."""
    return in_double(lambda x: _powers_and_sum(op, x)[1])(x)


def log_softmax(op: ops.LogSoftmaxOp, x: Array) -> Array:
    """`x - max(x) - log(sum(exp(x - max(x))))` along the axis."""
    return in_double(lambda x: _powers_and_sum(op, x)[0])(x)


def _powers_and_sum(op: ops.AxisActivationOp, x: Array) -> tuple[Array, Array]:
    """Return the logarithms of the shares that the powers have of their sum, and the shares."""
    axis = op.axis_of(x.ndim)
    shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    powers = np.exp(shifted)
    total = np.sum(powers, axis=axis, keepdims=True)
    return shifted - np.log(total), powers / total


def glu(op: ops.GluOp, x: Array) -> Array:
    """Return the first half along the axis times the sigmoid of the second."""
    gated, gate = np.split(x, 2, axis=op.axis_of(x.ndim))
    return in_double(lambda a, b: a * special.sigmoid(b))(gated, gate)


def parametric(op_type: type[ops.ParametricOp], function: Callable[..., Any]) -> Any:
    """Return the semantics of an activation that numbers shape, passed by name in the type that is computed
    in."""

    def semantics(op: ops.ParametricOp, x: Array) -> Array:
        rounded = np.float64 if x.dtype == np.float64 else np.float32
        numbers = {name: float(rounded(number)) for name, number in op.coefficients().items()}
        return in_double(partial(function, **numbers))(x)

    return operator_with_attributes(op_type, semantics)


@register_impls
class ActivationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.activation`."""

    relu = operator(ops.ReluOp, relu)
    relu6 = operator(ops.Relu6Op, relu6)
    leakyrelu = parametric(ops.LeakyreluOp, lambda x, alpha: np.where(x >= 0, x, alpha * x))
    prelu = operator_with_attributes(ops.PreluOp, prelu)
    elu = parametric(ops.EluOp, elu)
    celu = parametric(ops.CeluOp, celu)
    selu = operator(ops.SeluOp, in_double(selu))
    silu = operator(ops.SiluOp, in_double(lambda x: x * special.sigmoid(x)))
    gelu = operator(ops.GeluOp, in_double(special.gelu))
    gelu_tanh = operator(ops.GeluTanhOp, in_double(gelu_tanh))
    quick_gelu = operator(ops.QuickGeluOp, in_double(lambda x: x * special.sigmoid(1.702 * x)))
    hard_sigmoid = operator(ops.HardSigmoidOp, in_double(hard_sigmoid))
    hard_swish = operator(ops.HardSwishOp, in_double(lambda x: x * hard_sigmoid(x)))
    hard_tanh = parametric(ops.HardTanhOp, lambda x, min, max: minimum(maximum(x, min), max))
    softplus = parametric(ops.SoftplusOp, softplus)
    softsign = operator(ops.SoftsignOp, in_double(lambda x: x / (1 + np.abs(x))))
    mish = operator(ops.MishOp, in_double(lambda x: x * np.tanh(np.logaddexp(0, x))))
    log_sigmoid = operator(ops.LogSigmoidOp, in_double(lambda x: -np.logaddexp(0, -x)))
    thresholded_relu = parametric(ops.ThresholdedReluOp, lambda x, alpha: np.where(x > alpha, x, 0))
    hard_shrink = parametric(ops.HardShrinkOp, lambda x, lambd: np.where(np.abs(x) <= lambd, 0, x))
    soft_shrink = parametric(
        ops.SoftShrinkOp,
        lambda x, lambd: np.where(np.abs(x) <= lambd, 0, x - np.copysign(lambd, x)),
    )
    tanh_shrink = operator(ops.TanhShrinkOp, in_double(lambda x: x - np.tanh(x)))
    softmax = operator_with_attributes(ops.SoftmaxOp, softmax)
    log_softmax = operator_with_attributes(ops.LogSoftmaxOp, log_softmax)
    glu = operator_with_attributes(ops.GluOp, glu)
