"""Normalizations as what they are differentiated as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ops import normalization as ops
from relax_dialect.ops.norms import AffineNormOp


def along(of: Applied[Any], index: int, axes: Sequence[int]) -> Any:
    """A parameter that has some axes of x, so that it broadcasts with x."""
    order = sorted(range(len(axes)), key=lambda position: axes[position])
    rank = len(of.shape())
    parameter = (
        of.inputs[index]
        if order == list(range(len(axes)))
        else op.permute_dims(of.inputs[index], order)
    )
    missing = [axis for axis in range(rank) if axis not in axes]
    return op.expand_dims(parameter, missing) if missing else parameter


def standard(x: Any, axes: Sequence[int], epsilon: float) -> tuple[Any, Any, Any]:
    """x moved and scaled to mean 0 and variance 1 over some axes; and its own mean and variance."""
    mean = op.mean(x, list(axes), keepdims=True)
    apart = x - mean
    variance = op.mean(op.square(apart), list(axes), keepdims=True)
    return apart * op.rsqrt(variance + epsilon), mean, variance


def affine(of: Applied[AffineNormOp], x: Any) -> Any:
    axes = of.op.parameter_axes(len(of.shape()))
    x = x * along(of, 1, axes) if of.op.scale else x
    return x + along(of, 2, axes) if of.op.center else x


@expansion(ops.LayerNormOp, ops.InstanceNormOp)
def axes_norm(of: Applied[ops.LayerNormOp | ops.InstanceNormOp]) -> Any:
    axes = of.op.reduction_axes(len(of.shape()))
    return affine(of, standard(of.x, axes, of.op.epsilon)[0])


@expansion(ops.GroupNormOp)
def group_norm(of: Applied[ops.GroupNormOp]) -> Any:
    """As the others, with the channels of each group as one more axis."""
    sizes = of.sizes()
    (channel,) = of.op.parameter_axes(len(sizes))
    groups = symbolic.const(of.op.num_groups)
    width = symbolic.exact_quotient(sizes[channel], groups)
    parts = [groups, sizes[channel] // of.op.num_groups if width is None else width]
    split = op.reshape(of.x, [*sizes[:channel], *parts, *sizes[channel + 1 :]])
    axes = [axis + (axis > channel) for axis in of.op.reduction_axes(len(sizes))]
    found = standard(split, sorted([*axes, channel + 1]), of.op.epsilon)[0]
    return affine(of, op.reshape(found, op.shape_of(of.x)))


@expansion(ops.RmsNormOp)
def rms_norm(of: Applied[ops.RmsNormOp]) -> Any:
    axes = of.op.reduction_axes(len(of.shape()))
    scale = op.rsqrt(op.mean(op.square(of.x), list(axes), keepdims=True) + of.op.epsilon)
    return of.x * scale * along(of, 1, axes)


@expansion(ops.BatchNormOp)
def batch_norm(of: Applied[ops.BatchNormOp]) -> Any:
    rank = len(of.shape())
    axes, channels = of.op.reduction_axes(rank), of.op.parameter_axes(rank)
    if not of.op.training:
        scale = op.rsqrt(along(of, 4, channels) + of.op.epsilon)
        return affine(of, (of.x - along(of, 3, channels)) * scale), of.inputs[3], of.inputs[4]
    found, *own = standard(of.x, axes, of.op.epsilon)
    new, old = of.op.momentum, 1 - of.op.momentum
    mixed = [
        old * moving + new * op.reshape(statistic, op.shape_of(moving))
        for moving, statistic in zip(of.inputs[3:], own)
    ]
    return affine(of, found), *mixed
