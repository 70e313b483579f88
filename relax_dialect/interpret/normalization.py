"""Normalizations; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.windows import sum_type, wide
from relax_dialect.ops.demands import require
from relax_dialect.ops.normalization import (
    AxesNormOp,
    BatchNormOp,
    DropoutOp,
    GroupNormOp,
    InstanceNormOp,
    LayerNormOp,
    LocalResponseNormOp,
    RmsNormOp,
)
from relax_dialect.ops.norms import AffineNormOp, NormOp


def _checked(op: NormOp, *operands: Array) -> list[Array]:
    """Return the operands in the type to compute in, if their sizes fit together."""
    require(op.demands([tuple(map(symbolic.const, a.shape)) for a in operands]))
    return [operand.astype(wide(operand.dtype)) for operand in operands]


def _along(parameter: Array, rank: int, axes: Sequence[int]) -> Array:
    """Return a parameter that has these axes of x, so that it broadcasts with x."""
    order = sorted(range(len(axes)), key=lambda position: axes[position])
    sizes = [1] * rank
    for axis, size in zip(axes, parameter.shape):
        sizes[axis] = size
    return parameter.transpose(order).reshape(sizes)


def _affine(op: AffineNormOp, x: Array, gamma: Array, beta: Array) -> Array:
    """Return `gamma * x + beta`, or the part of it that the operator has."""
    axes = op.parameter_axes(x.ndim)
    x = x * _along(gamma, x.ndim, axes) if op.scale else x
    return x + _along(beta, x.ndim, axes) if op.center else x


def _mean(x: Array, axes: Sequence[int]) -> Array:
    """Return the mean over some axes, which are kept; NaN over no elements."""
    count = math.prod(x.shape[axis] for axis in axes)
    return np.divide(np.sum(x, tuple(axes), sum_type(x.dtype), keepdims=True), count).astype(
        x.dtype
    )


def _standard(op: NormOp, x: Array, axes: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return x normalised to mean 0 and variance 1 over some axes, and its own mean and variance."""
    mean = _mean(x, axes)
    variance = _mean((x - mean) ** 2, axes)
    return (x - mean) / np.sqrt(variance + x.dtype.type(op.epsilon)), mean, variance


def batch_norm(
    op: BatchNormOp, x: Array, gamma: Array, beta: Array, moving_mean: Array, moving_var: Array
) -> tuple[Array, ...]:
    """Return the normalized x, and the statistics for the next time."""
    dtype = x.dtype
    x, gamma, beta, *moving = _checked(op, x, gamma, beta, moving_mean, moving_var)
    axes, channels = op.reduction_axes(x.ndim), op.parameter_axes(x.ndim)
    if not op.training:
        mean, variance = (_along(statistic, x.ndim, channels) for statistic in moving)
        y = (x - mean) / np.sqrt(variance + x.dtype.type(op.epsilon))
        return _affine(op, y, gamma, beta).astype(dtype), moving_mean, moving_var
    momentum = x.dtype.type(op.momentum)
    standard, *own = _standard(op, x, axes)
    mixed = [(1 - momentum) * old + momentum * new.reshape(-1) for old, new in zip(moving, own)]
    y = _affine(op, standard, gamma, beta)
    return y.astype(dtype), *(statistic.astype(dtype) for statistic in mixed)


def axes_norm(op: AxesNormOp, x: Array, gamma: Array, beta: Array) -> Array:
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta`."""
    dtype = x.dtype
    x, gamma, beta = _checked(op, x, gamma, beta)
    return _affine(op, _standard(op, x, op.reduction_axes(x.ndim))[0], gamma, beta).astype(dtype)


def group_norm(op: GroupNormOp, x: Array, gamma: Array, beta: Array) -> Array:
    """Normalise as `axes_norm`, with the channels of each group as one more axis."""
    dtype = x.dtype
    x, gamma, beta = _checked(op, x, gamma, beta)
    (channel,) = op.parameter_axes(x.ndim)
    split = (
        *x.shape[:channel],
        op.num_groups,
        x.shape[channel] // op.num_groups,
        *x.shape[channel + 1 :],
    )
    axes = [axis + (axis > channel) for axis in op.reduction_axes(x.ndim)]
    standard = _standard(op, x.reshape(split), (*axes, channel + 1))[0]
    return _affine(op, standard.reshape(x.shape), gamma, beta).astype(dtype)


def rms_norm(op: RmsNormOp, x: Array, weight: Array) -> Array:
    """`weight * x / sqrt(mean(x * x) + epsilon)`."""
    dtype = x.dtype
    x, weight = _checked(op, x, weight)
    axes = op.reduction_axes(x.ndim)
    root = np.sqrt(_mean(x * x, axes) + x.dtype.type(op.epsilon))
    return (x / root * _along(weight, x.ndim, axes)).astype(dtype)


def local_response_norm(op: LocalResponseNormOp, x: Array) -> Array:
    """`x / (k + alpha * mean) ** beta`, the mean over the squares of neighbouring channels."""
    dtype, size = x.dtype, op.size
    x = x.astype(wide(dtype))
    alpha, beta, k = map(x.dtype.type, (op.alpha, op.beta, op.k))
    around = [(0, 0), (size // 2, (size - 1) // 2), *[(0, 0)] * (x.ndim - 2)]
    squares = np.pad(x * x, around)
    total = sum(squares[:, j : j + x.shape[1]] for j in range(size))
    return (x / np.power(k + alpha * (total / x.dtype.type(size)), beta)).astype(dtype)


@register_impls
class NormalizationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.normalization`."""

    batch_norm = operator_with_attributes(BatchNormOp, batch_norm)
    layer_norm = operator_with_attributes(LayerNormOp, axes_norm)
    instance_norm = operator_with_attributes(InstanceNormOp, axes_norm)
    group_norm = operator_with_attributes(GroupNormOp, group_norm)
    rms_norm = operator_with_attributes(RmsNormOp, rms_norm)
    local_response_norm = operator_with_attributes(LocalResponseNormOp, local_response_norm)
    dropout = operator(DropoutOp, lambda x: (x, np.ones_like(x)))
