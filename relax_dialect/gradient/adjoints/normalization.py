"""Normalizations as what they are differentiated as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.places import number
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import normalization as ops
from relax_dialect.ops.create import ZerosLikeOp
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


def per_parameter(of: Applied[Any], value: Any, axes: Sequence[int]) -> Any:
    """A value of the shape of x summed over all axes that a parameter lacks, in the order of its axes."""
    missing = [axis for axis in range(len(of.shape())) if axis not in axes]
    found = op.sum(value, missing) if missing else value
    order = [sorted(axes).index(axis) for axis in axes]
    return found if order == sorted(order) else op.permute_dims(found, order)


def wide(of: Applied[Any], value: Any) -> Any:
    """A value in the type that norms are computed in, f32 at least."""
    return value.astype("f32") if str(of.type().dtype) in ("f16", "bf16") else value


class Standard(NamedTuple):
    """x moved and scaled to mean 0 and variance 1 over some axes."""

    x: Any
    axes: list[int]
    scale: Any

    @staticmethod
    def of(x: Any, axes: Sequence[int], epsilon: float) -> Standard:
        apart = x - op.mean(x, list(axes), keepdims=True)
        scale = op.rsqrt(op.mean(op.square(apart), list(axes), keepdims=True) + epsilon)
        return Standard(apart * scale, list(axes), scale)

    def back(self, g: Any) -> Any:
        """The cotangent of x from that of `self.x`: `scale * (g - mean(g) - x * mean(g * x))`."""
        means = (op.mean(each, self.axes, keepdims=True) for each in (g, g * self.x))
        mean, along_x = means
        return self.scale * (g - mean - self.x * along_x)


def affine_back(of: Applied[AffineNormOp], found: Standard, g: Any, shape: Any = None) -> list[Any]:
    """The cotangents of x, gamma and beta, once x is in the form that was normalized."""
    axes = of.op.parameter_axes(len(of.shape()))
    own = g * wide(of, along(of, 1, axes)) if of.op.scale else g
    standard = found.x if shape is None else op.reshape(found.x, of.sizes())
    of_x = found.back(own if shape is None else op.reshape(own, shape))
    return [
        of_x if shape is None else op.reshape(of_x, of.sizes()),
        per_parameter(of, g * standard, axes) if of.op.scale else None,
        per_parameter(of, g, axes) if of.op.center else None,
    ]


@adjoint(ops.LayerNormOp, ops.InstanceNormOp)
def axes_norm(of: Applied[ops.LayerNormOp | ops.InstanceNormOp], gy: Any) -> Any:
    """`rstd * (g - mean(g) - x^ * mean(g * x^))` for the normalized x^ and `g = gamma * gy`."""
    axes = of.op.reduction_axes(len(of.shape()))
    return affine_back(of, Standard.of(wide(of, of.x), axes, of.op.epsilon), wide(of, gy))


@adjoint(ops.GroupNormOp)
def group_norm(of: Applied[ops.GroupNormOp], gy: Any) -> Any:
    """As the others, with the channels of each group as one more axis."""
    sizes = of.sizes()
    (channel,) = of.op.parameter_axes(len(sizes))
    groups = symbolic.const(of.op.num_groups)
    width = symbolic.exact_quotient(sizes[channel], groups)
    parts = [groups, sizes[channel] // of.op.num_groups if width is None else width]
    split = [*sizes[:channel], *parts, *sizes[channel + 1 :]]
    axes = [axis + (axis > channel) for axis in of.op.reduction_axes(len(sizes))]
    x = op.reshape(wide(of, of.x), split)
    found = Standard.of(x, sorted([*axes, channel + 1]), of.op.epsilon)
    return affine_back(of, found, wide(of, gy), split)


@adjoint(ops.RmsNormOp)
def rms_norm(of: Applied[ops.RmsNormOp], gy: Any) -> Any:
    """`rrms * (g - x^ * mean(g * x^))` for the normalized x^ and `g = weight * gy`."""
    axes = list(of.op.reduction_axes(len(of.shape())))
    x, gy = wide(of, of.x), wide(of, gy)
    scale = op.rsqrt(op.mean(op.square(x), axes, keepdims=True) + of.op.epsilon)
    found = x * scale
    g = gy * wide(of, along(of, 1, axes))
    of_x = scale * (g - found * op.mean(g * found, axes, keepdims=True))
    return of_x, per_parameter(of, gy * found, axes)


@adjoint(ops.BatchNormOp)
def batch_norm(of: Applied[ops.BatchNormOp], gy: Any, of_mean: Value, of_var: Value) -> Any:
    """As the others in training; else `gamma * rstd * gy`, with the moving statistics as parameters."""
    rank = len(of.shape())
    axes, channels = of.op.reduction_axes(rank), of.op.parameter_axes(rank)
    x, g = wide(of, of.x), wide(of, gy)
    if of.op.training:
        found = Standard.of(x, axes, of.op.epsilon)
        of_x, *parameters = affine_back(of, found, g)
        new = of.op.momentum
        if not is_zero(of_mean) or not is_zero(of_var):
            apart = (x - op.mean(x, list(axes), keepdims=True)) * 2.0
            shares = [op.expand_dims(wide(of, c), list(axes)) for c in (of_mean, of_var)]
            moved = shares[0] + apart * shares[1]
            n = number(
                symbolic.product([of.sizes()[a] for a in axes]),
                "f64" if str(of.type().dtype) == "f64" else "f32",
            )
            of_x = of_x + moved * new / n
        return [of_x, *parameters, of_mean * (1 - new), of_var * (1 - new)]
    scale = op.rsqrt(wide(of, along(of, 4, channels)) + of.op.epsilon)
    apart = (x - wide(of, along(of, 3, channels))) * scale
    own = g * wide(of, along(of, 1, channels)) if of.op.scale else g
    moved = own * scale
    return [
        moved,
        per_parameter(of, g * apart, channels) if of.op.scale else None,
        per_parameter(of, g, channels) if of.op.center else None,
        wide(of, of_mean) - per_parameter(of, moved, channels),
        wide(of, of_var) - 0.5 * per_parameter(of, moved * apart * scale, channels),
    ]


def is_zero(cotangent: Value) -> bool:
    """Whether a result has no cotangent but zeros."""
    return isinstance(cotangent.value.owner, ZerosLikeOp)


@expansion(ops.LocalResponseNormOp)
def local_response_norm(of: Applied[ops.LocalResponseNormOp]) -> Any:
    """`x / (k + alpha * mean) ** beta`, the mean of squares as a sum of slices of the padded channels."""
    this, channels, rank = of.op, of.sizes()[1], len(of.shape())
    before = this.size // 2
    widths = [0, 0, before, this.size - 1 - before, *[0] * (2 * rank - 4)]
    padded = op.pad(op.square(of.x), widths)
    total: Any = None
    for start in range(this.size):
        part = op.strided_slice(padded, [1], [start], [channels + start], assume_inbound=True)
        total = part if total is None else total + part
    return of.x / op.power(this.k + total * (this.alpha / this.size), this.beta)


@adjoint(ops.DropoutOp)
def dropout(of: Applied[ops.DropoutOp], gy: Any, *_: Any) -> Any:
    return gy
