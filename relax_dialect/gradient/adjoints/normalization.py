"""Normalizations as compositions to differentiate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import normalization as ops
from relax_dialect.ops.create import ZerosLikeOp
from relax_dialect.ops.norms import AffineNormOp
from relax_dialect.rewrites.algebra.rule_sets.broadcast_rules import along_axes


def along(of: Applied[Any], index: int, axes: Sequence[int]) -> Any:
    """A parameter that has some axes of x, so that it broadcasts with x."""
    return along_axes(of.inputs[index], len(of.shape()), axes)


def per_parameter(value: Any, rank: int, axes: Sequence[int]) -> Any:
    """A value of the rank of x summed over all axes that a parameter lacks, in the order of its axes."""
    missing = [axis for axis in range(rank) if axis not in axes]
    found = op.sum(value, missing) if missing else value
    order = [sorted(axes).index(axis) for axis in axes]
    return found if order == sorted(order) else op.permute_dims(found, order)


def wide(of: Applied[Any], value: Any) -> Any:
    """A value in the type that norms are computed in, f32 at least."""
    return value.astype("f32") if str(of.type().dtype) in ("f16", "bf16") else value


Fresh = Callable[[], Any]
"""An array of the size of x, built anew for each use: it is fused into its reader, and never kept."""


@dataclass(frozen=True)
class Standard:
    """x moved and scaled to mean 0 and variance 1 over some axes."""

    x: Fresh
    axes: list[int]
    mean: Any
    scale: Any
    emit: Callable[[Any], Any]
    """Emits a statistic shared by all cotangents."""

    @staticmethod
    def of(of: Applied[Any], x: Fresh, axes: Sequence[int], epsilon: float) -> Standard:
        emit = of.builder.emit
        mean = emit(op.mean(x(), list(axes), keepdims=True))
        variance = op.mean(op.square(x() - mean), list(axes), keepdims=True)
        return Standard(x, list(axes), mean, emit(op.rsqrt(variance + epsilon)), emit)

    def apart(self) -> Any:
        """x moved to mean 0."""
        return self.x() - self.mean

    def back(self, g: Fresh) -> Any:
        """The cotangent of x from the cotangent of the result: `scale * (g - mean(g) - x^ * mean(g *
        x^))`."""
        mean = op.mean(g(), self.axes, keepdims=True)
        product = op.mean(g() * self.apart(), self.axes, keepdims=True)
        return self.scale * (g() - mean - self.apart() * (self.scale * self.scale * product))

    def affine_back(
        self, gy: Fresh, gamma: Any | None, rank: int, axes: Sequence[int]
    ) -> list[Any]:
        """The cotangents of x, gamma and beta from the cotangent of `gamma * x^ + beta`; gamma has some
        of the axes of the means, and has as many axes as x."""
        own = gy if gamma is None else lambda: gy() * gamma
        found = gy() * self.apart() * self.scale, gy()
        return [self.back(own), *(per_parameter(each, rank, axes) for each in found)]

    def affine_back_apart(self, gy: Fresh, gamma: Any | None, n: Any) -> list[Any]:
        """The same where gamma has none of the axes that the means of n elements are over: the sums that
        gamma and beta need serve x too. The last two keep these axes."""
        total = self.emit(op.sum(gy(), self.axes, keepdims=True))
        product = self.emit(op.sum(gy() * self.apart(), self.axes, keepdims=True))
        factor = self.scale if gamma is None else self.scale * gamma
        slope = self.scale * self.scale * product / n
        of_x = factor * (gy() - total / n - self.apart() * slope)
        return [of_x, product * self.scale, total]


def needed(of: Applied[AffineNormOp], cotangents: Sequence[Any]) -> list[Any]:
    """Return the cotangents of x, gamma and beta, as far as the operator uses them."""
    of_x, gamma, beta = cotangents
    return [of_x, gamma if of.op.scale else None, beta if of.op.center else None]


def affine_back(of: Applied[AffineNormOp], found: Standard, gy: Any) -> list[Any]:
    """The cotangents of x, gamma and beta."""
    rank = len(of.shape())
    axes = of.op.parameter_axes(rank)
    gamma = wide(of, along(of, 1, axes)) if of.op.scale else None
    if set(axes) & set(found.axes):
        return needed(of, found.affine_back(lambda: wide(of, gy), gamma, rank, axes))
    of_x, *sums = found.affine_back_apart(lambda: wide(of, gy), gamma, count(of, found.axes))
    return needed(of, [of_x, *(per_parameter(each, rank, axes) for each in sums)])


def count(of: Applied[Any], axes: Sequence[int]) -> Any:
    """Return the number of elements of x along some axes."""
    dtype = "f64" if str(of.type().dtype) == "f64" else "f32"
    return number(symbolic.product([of.sizes()[axis] for axis in axes]), dtype)


@adjoint(ops.LayerNormOp, ops.InstanceNormOp)
def axes_norm(of: Applied[ops.LayerNormOp | ops.InstanceNormOp], gy: Any) -> Any:
    """`rstd * (g - mean(g) - x^ * mean(g * x^))` for the normalized x^ and `g = gamma * gy`."""
    axes = of.op.reduction_axes(len(of.shape()))
    return affine_back(of, Standard.of(of, lambda: wide(of, of.x), axes, of.op.epsilon), gy)


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
    x, g = op.reshape(of.x, split), op.reshape(gy, split)
    rank, channels = len(split), (channel, channel + 1)
    gamma = None
    if of.op.scale:
        ones = [1] * (rank - channel - 2)
        gamma = wide(of, op.reshape(of.inputs[1], [*[1] * channel, *parts, *ones]))
    found = Standard.of(of, lambda: wide(of, x), sorted([*axes, channel + 1]), of.op.epsilon)
    of_x, *parameters = found.affine_back(lambda: wide(of, g), gamma, rank, channels)
    flat = (op.reshape(each, [sizes[channel]]) for each in parameters)
    return needed(of, [op.reshape(of_x, sizes), *flat])


@adjoint(ops.RmsNormOp)
def rms_norm(of: Applied[ops.RmsNormOp], gy: Any) -> Any:
    """`rrms * (g - x^ * mean(g * x^))` for the normalized x^ and `g = weight * gy`."""
    rank = len(of.shape())
    axes = list(of.op.reduction_axes(rank))
    squares = op.mean(op.square(wide(of, of.x)), axes, keepdims=True)
    scale = of.builder.emit(op.rsqrt(squares + of.op.epsilon))
    weight = of.builder.emit(wide(of, along(of, 1, axes)))

    def g() -> Any:
        return wide(of, gy) * weight

    product = op.mean(g() * wide(of, of.x), axes, keepdims=True)
    of_x = scale * (g() - wide(of, of.x) * (scale * scale * product))
    return of_x, per_parameter(wide(of, gy) * wide(of, of.x) * scale, rank, axes)


@adjoint(ops.BatchNormOp)
def batch_norm(of: Applied[ops.BatchNormOp], gy: Any, of_mean: Value, of_var: Value) -> Any:
    """As the others in training; else `gamma * rstd * gy`, with the moving statistics as parameters."""
    rank = len(of.shape())
    axes, channels = of.op.reduction_axes(rank), of.op.parameter_axes(rank)
    new = of.op.momentum
    if of.op.training:
        found = Standard.of(of, lambda: wide(of, of.x), axes, of.op.epsilon)
        of_x, *parameters = affine_back(of, found, gy)
        if not is_zero(of_mean) or not is_zero(of_var):
            shares = [op.expand_dims(wide(of, c), list(axes)) for c in (of_mean, of_var)]
            moved = shares[0] + found.apart() * 2.0 * shares[1]
            of_x = of_x + moved * new / count(of, axes)
        return [of_x, *parameters, of_mean * (1 - new), of_var * (1 - new)]
    mean, variance = (wide(of, along(of, index, channels)) for index in (3, 4))
    scale = of.builder.emit(op.rsqrt(variance + of.op.epsilon))
    factor = scale * wide(of, along(of, 1, channels)) if of.op.scale else scale
    emit = of.builder.emit
    total = emit(per_parameter(wide(of, gy), rank, channels))
    product = emit(per_parameter(wide(of, gy) * (wide(of, of.x) - mean), rank, channels))
    flat, factors = (op.squeeze(each, list(axes)) for each in (scale, factor))
    return [
        wide(of, gy) * factor,
        product * flat if of.op.scale else None,
        total if of.op.center else None,
        wide(of, of_mean) - total * factors,
        wide(of, of_var) - 0.5 * product * factors * flat * flat,
    ]


def is_zero(cotangent: Value) -> bool:
    """Return whether a result has no cotangent but zeros."""
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
