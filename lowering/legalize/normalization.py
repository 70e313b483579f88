"""Normalizations: the statistics of some axes, then every element scaled by them.

Statistics are stages of their own, in f32 for f16 and bf16; the variance is computed from the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lowering.legalize.demands import requirements
from lowering.legalize.registry import accumulate, legalize
from lowering.legalize.windows import Index, wide
from relax_dialect import symbolic, te
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

Indices = Sequence[Index]


@dataclass(frozen=True)
class Statistics:
    """Means over some axes of x."""

    x: te.Tensor
    over: Sequence[int]

    def mean(
        self,
        element: Callable[..., te.Scalar],
        name: str,
        finish: Callable[[te.Scalar], te.Scalar] = lambda mean: mean,
        requires: Sequence[te.Requirement] = (),
    ) -> te.Tensor:
        """Return the mean of `element(*i)` over the axes, for all i of x, followed by `finish`."""
        axes = [d for d in range(self.x.ndim) if d in self.over]
        running = {d: te.reduce_axis((0, self.x.shape[d]), f"k{d}") for d in axes}
        count = symbolic.product(self.x.shape[d] for d in axes)
        shape = [size for d, size in enumerate(self.x.shape) if d not in self.over]

        def inside(*group: te.IterVar) -> te.Scalar:
            kept = iter(group)
            return element(
                *(running[d] if d in self.over else next(kept) for d in range(self.x.ndim))
            )

        if not axes:
            return te.compute(shape, lambda *i: finish(element(*i)), name=name, requires=requires)

        def divided(total: te.Scalar) -> te.Scalar:
            return finish(total / count)

        return accumulate(te.sum, shape, inside, list(running.values()), name, divided, requires)

    def at(self, statistic: te.Tensor, index: Indices) -> te.Scalar:
        """Return the statistic that belongs to an element of x."""
        return statistic[tuple(i for d, i in enumerate(index) if d not in self.over)]


def _standardized(
    op: NormOp, statistics: Statistics, requires: Sequence[te.Requirement]
) -> tuple[Callable[[Indices], te.Scalar], te.Tensor, te.Tensor]:
    """Return the elements of x moved to mean 0 and scaled to variance 1; mean and variance."""
    x, type = statistics.x, wide(statistics.x.dtype)
    mean = statistics.mean(lambda *i: x[i].astype(type), "mean", requires=requires)

    def centered(index: Indices) -> te.Scalar:
        return x[tuple(index)].astype(type) - statistics.at(mean, index)

    def squared(*i: Index) -> te.Scalar:
        return centered(i) * centered(i)

    variance = statistics.mean(squared, "variance")
    factor = _reciprocal_root(op, variance)
    return lambda index: centered(index) * statistics.at(factor, index), mean, variance


def _reciprocal_root(op: NormOp, variance: te.Tensor) -> te.Tensor:
    """One over the root of the variance: a product instead of each division by the root."""
    type = wide(variance.dtype)

    def factor(*i: te.IterVar) -> te.Scalar:
        return te.const(1, type) / te.sqrt(variance[i].astype(type) + op.epsilon)

    return te.compute(variance.shape, factor, name="factor")


def _affine(
    op: AffineNormOp,
    x: te.Tensor,
    value: Callable[[Indices], te.Scalar],
    gamma: te.Tensor,
    beta: te.Tensor,
    requires: Sequence[te.Requirement] = (),
    axes: Sequence[int] | None = None,
) -> te.Tensor:
    """Return the values times gamma plus beta, which lie along some axes, as far as the operator has
    them."""
    type, axes = wide(x.dtype), op.parameter_axes(x.ndim) if axes is None else axes

    def element(*i: te.IterVar) -> te.Scalar:
        found, place = value(i), tuple(i[axis] for axis in axes)
        found = found * gamma[place].astype(type) if op.scale else found
        found = found + beta[place].astype(type) if op.center else found
        return found.astype(x.dtype)

    return te.compute(x.shape, element, name="out", requires=requires)


def _requires(op: NormOp, *operands: te.Tensor) -> list[te.Requirement]:
    """Return the demands on the operands' sizes that are not proved."""
    return requirements(op, op.demands([operand.shape for operand in operands]))


@legalize(LayerNormOp, InstanceNormOp)
def axes_norm(op: AxesNormOp, x: te.Tensor, gamma: te.Tensor, beta: te.Tensor) -> te.Tensor:
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta`."""
    statistics = Statistics(x, op.reduction_axes(x.ndim))
    value, _, _ = _standardized(op, statistics, _requires(op, x, gamma, beta))
    return _affine(op, x, value, gamma, beta)


@legalize(GroupNormOp)
def group_norm(op: GroupNormOp, x: te.Tensor, gamma: te.Tensor, beta: te.Tensor) -> te.Tensor:
    """Group normalization, with the channels as an axis of groups and one of the channels of a group."""
    requires, (axis,) = _requires(op, x, gamma, beta), op.parameter_axes(x.ndim)
    split = op.num_groups, symbolic.floordiv(x.shape[axis], op.num_groups)
    grouped = te.reshape(x, [*x.shape[:axis], *split, *x.shape[axis + 1 :]], name="grouped")
    over = [axis + 1, *(d + (d > axis) for d in op.reduction_axes(x.ndim))]
    value, _, _ = _standardized(op, Statistics(grouped, over), requires)
    gammas, betas = (te.reshape(each, split, name=f"{each.name}s") for each in (gamma, beta))
    normalized = _affine(op, grouped, value, gammas, betas, axes=(axis, axis + 1))
    return te.reshape(normalized, x.shape, name="out")


@legalize(BatchNormOp)
def batch_norm(op: BatchNormOp, x: te.Tensor, *parameters: te.Tensor) -> list[te.Tensor]:
    """Batch normalization: over all axes except the channels, or with the moving statistics; returns these
    too."""
    gamma, beta, *moving = parameters
    requires, statistics = _requires(op, x, *parameters), Statistics(x, op.reduction_axes(x.ndim))
    type = wide(x.dtype)
    if op.training:
        value, *own = _standardized(op, statistics, requires)
        normalized = _affine(op, x, value, gamma, beta)
    else:
        own, (mean, variance) = [None, None], moving
        factor = _reciprocal_root(op, variance)

        def by_moving(index: Indices) -> te.Scalar:
            moved = x[tuple(index)].astype(type) - statistics.at(mean, index).astype(type)
            return moved * statistics.at(factor, index)

        normalized = _affine(op, x, by_moving, gamma, beta, requires)

    channels = op.channels([operand.shape for operand in (x, *parameters)])
    assert channels is not None

    def next_time(old: te.Tensor, new: te.Tensor | None, name: str) -> te.Tensor:
        def element(c: te.IterVar) -> te.Scalar:
            if new is None:
                return old[c]
            kept = old[c].astype(type) * te.const(1 - op.momentum, type)
            return (kept + new[c] * te.const(op.momentum, type)).astype(x.dtype)

        return te.compute((channels,), element, name=name)

    return [normalized, *map(next_time, moving, own, ("new_mean", "new_var"))]


@legalize(RmsNormOp)
def rms_norm(op: RmsNormOp, x: te.Tensor, weight: te.Tensor) -> te.Tensor:
    """`weight * x / sqrt(mean(x * x) + epsilon)`."""
    type, axes = wide(x.dtype), op.reduction_axes(x.ndim)
    statistics = Statistics(x, axes)

    def squared(*i: Index) -> te.Scalar:
        return x[i].astype(type) * x[i].astype(type)

    squares = statistics.mean(squared, "squares", requires=_requires(op, x, weight))
    factor = _reciprocal_root(op, squares)

    def element(*i: te.IterVar) -> te.Scalar:
        scaled = x[i].astype(type) * statistics.at(factor, i)
        return (scaled * weight[tuple(i[axis] for axis in axes)].astype(type)).astype(x.dtype)

    return te.compute(x.shape, element, name="out")


@legalize(LocalResponseNormOp)
def local_response_norm(op: LocalResponseNormOp, x: te.Tensor) -> te.Tensor:
    """`x / (k + alpha * mean) ** beta`, the mean over the squares of neighbouring channels."""
    type, size = wide(x.dtype), op.size
    alpha, beta, k = op.alpha, op.beta, op.k
    shape, rest = (x.shape[0], x.shape[1] + (size - 1), *x.shape[2:]), [0] * (x.ndim - 2)
    copy = te.pad(x, shape, [0, size // 2, *rest], 0)
    j = te.reduce_axis((0, size), "j")

    def squared(n: te.IterVar, c: te.IterVar, *rest: te.IterVar) -> te.Scalar:
        value = copy[(n, c + j, *rest)].astype(type)
        return value * value

    total = accumulate(te.sum, x.shape, squared, [j], "squares")

    def element(*i: te.IterVar) -> te.Scalar:
        root = te.power(total[i] * (alpha / size) + k, te.const(beta, type))
        return (x[i].astype(type) / root).astype(x.dtype)

    return te.compute(x.shape, element, name="out")


@legalize(DropoutOp)
def dropout(op: DropoutOp, x: te.Tensor) -> list[te.Tensor]:
    """x and ones."""
    out = te.compute(x.shape, lambda *i: x[i], name="out")
    return [out, te.compute(x.shape, lambda *i: te.const(1, x.dtype), name="mask")]
