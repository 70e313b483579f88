"""Normalizations: the statistics of some axes, then every element scaled by them.

Statistics are stages of their own, in f32 for f16 and bf16; the variance is computed from the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lowering.legalize.demands import requirements
from lowering.legalize.registry import accumulate, legalize
from lowering.legalize.windows import Border, Index, padded, wide
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
from relax_dialect.symbolic import Expr

Indices = Sequence[Index]


@dataclass(frozen=True)
class Statistics:
    """Means over some axes of x, and over the channels of each group where an axis is split."""

    x: te.Tensor
    over: Sequence[int]
    split: int | None = None
    """The axis whose elements are in groups."""
    groups: int = 1

    @property
    def group_size(self) -> Expr:
        """How many elements of the split axis are in a group."""
        assert self.split is not None
        return symbolic.floordiv(self.x.shape[self.split], self.groups)

    def size(self, axis: int) -> Expr:
        """How many elements along an axis each mean is over."""
        return self.group_size if axis == self.split else self.x.shape[axis]

    def mean(
        self,
        element: Callable[..., te.Scalar],
        name: str,
        finish: Callable[[te.Scalar], te.Scalar] = lambda mean: mean,
        requires: Sequence[te.Requirement] = (),
    ) -> te.Tensor:
        """The mean of `element(*i)` over the axes, for all i of x; and what is to be done with it."""
        axes = [d for d in range(self.x.ndim) if d in self.over or d == self.split]
        running = {d: te.reduce_axis((0, self.size(d)), f"k{d}") for d in axes}
        count = symbolic.product(self.size(d) for d in axes)
        shape = [
            symbolic.const(self.groups) if d == self.split else size
            for d, size in enumerate(self.x.shape)
            if d not in self.over
        ]

        def inside(*group: te.IterVar) -> te.Scalar:
            kept = iter(group)
            index: list[Index] = [
                None if d in self.over else next(kept) for d in range(self.x.ndim)
            ]
            for d, k in running.items():
                index[d] = index[d] * self.group_size + k if d == self.split else k
            return element(*index)

        if not axes:
            return te.compute(shape, lambda *i: finish(element(*i)), name=name, requires=requires)

        def divided(total: te.Scalar) -> te.Scalar:
            return finish(total / count)

        return accumulate(te.sum, shape, inside, list(running.values()), name, divided, requires)

    def at(self, statistic: te.Tensor, index: Indices) -> te.Scalar:
        """The statistic that belongs to an element of x."""
        return statistic[
            tuple(
                te.floordiv(i, self.group_size) if d == self.split else i
                for d, i in enumerate(index)
                if d not in self.over
            )
        ]


def _standardized(
    op: NormOp, statistics: Statistics, requires: Sequence[te.Requirement]
) -> tuple[Callable[[Indices], te.Scalar], te.Tensor, te.Tensor]:
    """The elements of x moved to mean 0 and scaled to variance 1; mean and variance."""
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
    """What to multiply with in place of dividing by the root of the variance: one division for all."""
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
) -> te.Tensor:
    """The values times gamma plus beta, or what of that the operator does."""
    type, axes = wide(x.dtype), op.beside(x.ndim)

    def element(*i: te.IterVar) -> te.Scalar:
        found, place = value(i), tuple(i[axis] for axis in axes)
        found = found * gamma[place].astype(type) if op.scale else found
        found = found + beta[place].astype(type) if op.center else found
        return found.astype(x.dtype)

    return te.compute(x.shape, element, name="out", requires=requires)


def _requires(op: NormOp, *operands: te.Tensor) -> list[te.Requirement]:
    """What is not proved of the sizes of the operands."""
    return requirements(op, op.demands([operand.shape for operand in operands]))


@legalize(LayerNormOp, InstanceNormOp, GroupNormOp)
def axes_norm(op: AxesNormOp, x: te.Tensor, gamma: te.Tensor, beta: te.Tensor) -> te.Tensor:
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta`."""
    split = op.beside(x.ndim)[0] if isinstance(op, GroupNormOp) else None
    groups = op.num_groups if isinstance(op, GroupNormOp) else 1
    statistics = Statistics(x, op.over(x.ndim), split, groups)
    value, _, _ = _standardized(op, statistics, _requires(op, x, gamma, beta))
    return _affine(op, x, value, gamma, beta)


@legalize(BatchNormOp)
def batch_norm(op: BatchNormOp, x: te.Tensor, *parameters: te.Tensor) -> list[te.Tensor]:
    """The same over all axes but the channels', or with the moving statistics; and these."""
    gamma, beta, *moving = parameters
    requires, statistics = _requires(op, x, *parameters), Statistics(x, op.over(x.ndim))
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
    type, axes = wide(x.dtype), op.over(x.ndim)
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
    letters = "NC" + "abcdefgh"[: x.ndim - 2]
    extent, before = x.shape[1] + (size - 1), symbolic.const(size // 2)
    copy = padded(x, letters, {"C": Border(extent, before)}, 0)
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
