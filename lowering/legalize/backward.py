"""Gradients of operators: loops that add each cotangent where the operator read; narrow floats in f32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest, places
from lowering.legalize.loss import checked_target
from lowering.legalize.pooling import divisor
from lowering.legalize.pools import each_seen
from lowering.legalize.registry import apply_rule, legalize, result_shape
from lowering.legalize.windows import at, laid_out, wide
from relax_dialect import symbolic, te
from relax_dialect.ops import backward as ops
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.loss import NllLossOp
from relax_dialect.ops.pooling import MaxPool2dWithIndicesOp, PoolOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

Kernel = Callable[[KernelBuilder, Any], None]


@legalize(ops.NoGradOp)
def no_grad(op: ops.NoGradOp, x: te.Tensor) -> te.Tensor:
    """Return a copy."""
    return te.compute(x.shape, lambda *i: x[i], name="out")


def _added(
    op: ops.BackwardOp,
    shape: Sequence[Expr],
    result: Sequence[Expr],
    tensors: Sequence[te.Tensor],
    add: Kernel,
) -> te.Tensor:
    """Zeros of a shape that a kernel adds to; the first of the tensors is the cotangent, of the shape that
    the operator's `result` has."""
    gy = tensors[0]

    def kernel(ib: KernelBuilder, _: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        ib.fill(outs[0], 0)
        add(ib, outs[0])

    requires = requirements(op, op.demands(gy.shape, tuple(result)))
    return te.extern(shape, tensors, kernel, wide(gy.dtype), "added", requires=requires)


def _rounded(found: te.Tensor, x: te.Tensor) -> te.Tensor:
    """Sums in the element type of x."""
    if found.dtype == x.dtype:
        return found
    return te.compute(x.shape, lambda *i: found[i].astype(x.dtype), name="out")


@legalize(ops.MaxPool2dBackwardOp)
def max_pool(op: ops.MaxPool2dBackwardOp, gy: te.Tensor, x: te.Tensor) -> te.Tensor:
    """Add each cotangent at the position of its maximum, as a flat index."""
    forward: PoolOp = op.forward(MaxPool2dWithIndicesOp)
    _, numbers = apply_rule(forward, [x])
    sizes = dict(zip(forward.x_layout, x.shape))
    images = [sizes[letter] for letter in forward.letters]

    def add(ib: KernelBuilder, out: Any) -> None:
        with nest(ib, numbers.shape) as place:
            number = numbers[place]
            with ib.if_(number >= 0):
                where = number.astype("index")
                out[where] = out[where] + gy[place].astype(out.dtype)

    flat = _added(op, [symbolic.product(images)], numbers.shape, [gy, numbers], add)
    found = te.reshape(flat, images)
    if forward.x_layout == forward.letters:
        return _rounded(found, x)
    letters = forward.letters
    return laid_out(sizes, forward.x_layout, lambda i: at(found, letters, i).astype(x.dtype), "out")


@legalize(ops.AvgPool2dBackwardOp)
def avg_pool(op: ops.AvgPool2dBackwardOp, gy: te.Tensor, x: te.Tensor) -> te.Tensor:
    """Each cotangent, divided as the mean is, added to the elements of its window."""
    forward: PoolOp = op.forward()
    sizes = dict(zip(forward.x_layout, x.shape))
    count, letters = divisor(forward, wide(x.dtype)), forward.result_layout
    shape = result_shape(forward)
    shares = te.compute(
        shape,
        lambda *i: gy[i].astype(wide(x.dtype)) / count(dict(zip(letters, i))),
        name="shares",
        requires=requirements(op, op.demands(gy.shape, shape)),
    )

    def add(ib: KernelBuilder, out: Any) -> None:
        with nest(ib, shape) as place:
            index = dict(zip(letters, place))
            share = ib.var(shares[place], name="share").value
            with each_seen(ib, forward, index, sizes) as seen:
                where = tuple(seen[letter] for letter in forward.x_layout)
                out[where] = out[where] + share

    return _rounded(_added(op, x.shape, shape, [shares], add), x)


@legalize(ops.TakeBackwardOp)
def take(op: ops.TakeBackwardOp, gy: te.Tensor, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """Add each cotangent at its index."""
    forward: TakeOp = op.forward()
    axis = forward.axis_of(x.ndim)
    found, after = places(op, indices, [x.shape[axis]], axis), axis + indices.ndim

    def add(ib: KernelBuilder, out: Any) -> None:
        with nest(ib, result_shape(forward)) as i:
            where = (*i[:axis], found[i[axis:after]].astype("index"), *i[after:])
            out[where] = out[where] + gy[i].astype(out.dtype)

    return _rounded(_added(op, x.shape, result_shape(forward), [gy, found], add), x)


@legalize(ops.NllLossBackwardOp)
def nll_loss(
    op: ops.NllLossBackwardOp,
    gy: te.Tensor,
    p: te.Tensor,
    targets: te.Tensor,
    weights: te.Tensor | None,
) -> te.Tensor:
    """Add up the weights in a loop if a mean needs them, then write at the targets in another."""
    forward: NllLossOp = op.forward()
    given = [gy, targets] if weights is None else [gy, targets, weights]
    shapes = [p.shape, targets.shape, *([] if weights is None else [weights.shape])]

    def add(ib: KernelBuilder, out: Any) -> None:
        total = ib.var(te.const(0, out.dtype), name="total")

        def each(use: Callable[[Any, Any, te.Scalar], None]) -> None:
            with nest(ib, targets.shape) as place:
                target = targets[place].astype("i64")
                with ib.if_(~te.equal(target, op.ignore_index)):
                    checked_target(ib, op.name, forward, target, p)
                    weight = te.const(1, out.dtype)
                    use(
                        place,
                        target,
                        weight if weights is None else weights[target].astype(out.dtype),
                    )

        def count(place: Any, target: Any, weight: te.Scalar) -> None:
            total.value = total.value + weight

        def write(place: Any, target: Any, weight: te.Scalar) -> None:
            cotangent = gy[place if op.reduction == "none" else ()].astype(out.dtype)
            found = -(cotangent * weight)
            out[(*place[:1], target.astype("index"), *place[1:])] = (
                found / total.value if op.reduction == "mean" else found
            )

        if op.reduction == "mean":
            each(count)
        each(write)

    found = _added(op, p.shape, result_shape(forward), given, add)
    found.stage.requires = (*found.stage.requires, *requirements(op, forward.demands(shapes)))  # pyright: ignore
    return _rounded(found, p)
