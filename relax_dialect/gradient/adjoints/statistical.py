"""Adjoints of the reductions: cotangents are broadcast over the reduced axes."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.registry import Applied, adjoint, constant
from relax_dialect.ops import statistical as ops


def spread(of: Applied[ops.AxesOp], value: Any) -> Any:
    """A value of the result's shape, with the axes that were reduced as size 1."""
    axes = of.op.axes(len(of.shape()))
    is_spread = of.op.keepdims or len(axes) == len(of.shape())  # a number broadcasts as it is
    return value if is_spread else op.expand_dims(value, list(axes))


def repeated(of: Applied[ops.AxesOp], value: Any) -> Any:
    """Broadcast a value of the result's shape to that of the operand."""
    return op.broadcast_to(spread(of, value), op.shape_of(of.x))


@adjoint(ops.SumOp)
def sum(of: Applied[ops.SumOp], gy: Any) -> Any:
    return repeated(of, gy)


@adjoint(ops.MeanOp)
def mean(of: Applied[ops.MeanOp], gy: Any) -> Any:
    return repeated(of, gy / count(of))


def count(of: Applied[ops.AxesOp]) -> Any:
    """Return the number of elements reduced into each one of the result."""
    sizes = of.sizes()
    return number(symbolic.product([sizes[a] for a in of.op.axes(len(sizes))]), of.type().dtype)


@adjoint(ops.MaxOp, ops.MinOp)
def extreme(of: Applied[ops.MaxOp | ops.MinOp], gy: Any) -> Any:
    """Equal extremes share the cotangent, as in PyTorch's amax."""
    chosen = op.equal(of.x, spread(of, of.y)).astype(of.type().dtype)
    axes = list(of.op.axes(len(of.shape())))
    return chosen * (spread(of, gy) / op.sum(chosen, axes, keepdims=True))


@adjoint(ops.ProdOp)
def prod(of: Applied[ops.ProdOp], gy: Any) -> Any:
    """The product of the others: where one of them is zero only that one has a gradient."""
    axes = list(of.op.axes(len(of.shape())))
    zero = of.x == 0.0
    others = op.prod(op.where(zero, 1.0, of.x), axes, keepdims=True)
    zeros = op.sum(zero.astype("i64"), axes, keepdims=True)
    alone = op.where(op.logical_and(zero, zeros == 1), others, 0.0)
    return spread(of, gy) * op.where(zeros == 0, others / of.x, alone)


@adjoint(ops.ReduceL1Op)
def reduce_l1(of: Applied[ops.ReduceL1Op], gy: Any) -> Any:
    return spread(of, gy) * op.sign(of.x)


@adjoint(ops.ReduceSumSquareOp)
def reduce_sum_square(of: Applied[ops.ReduceSumSquareOp], gy: Any) -> Any:
    return spread(of, gy * 2.0) * of.x


@adjoint(ops.ReduceL2Op)
def reduce_l2(of: Applied[ops.ReduceL2Op], gy: Any) -> Any:
    """`x / y`, and 0 if all elements are zero, as in PyTorch."""
    return spread(of, op.where(of.y == 0.0, 0.0, gy / of.y)) * of.x


@adjoint(ops.VarianceOp)
def variance(of: Applied[ops.VarianceOp], gy: Any) -> Any:
    return spread(of, gy * 2.0 / count(of)) * _apart(of)


@adjoint(ops.StdOp)
def std(of: Applied[ops.StdOp], gy: Any) -> Any:
    """`(x - mean) / (n y)`, and 0 of equal elements, as PyTorch has it."""
    return spread(of, op.where(of.y == 0.0, 0.0, gy / (of.y * count(of)))) * _apart(of)


def _apart(of: Applied[ops.AxesOp]) -> Any:
    return of.x - op.mean(of.x, of.op.axis, keepdims=True)


@adjoint(ops.ReduceLogSumOp)
def reduce_log_sum(of: Applied[ops.ReduceLogSumOp], gy: Any) -> Any:
    return repeated(of, gy * op.exp(-of.y))


@adjoint(ops.LogsumexpOp)
def logsumexp(of: Applied[ops.LogsumexpOp], gy: Any) -> Any:
    return spread(of, gy) * op.exp(of.x - spread(of, of.y))


@adjoint(ops.MedianOp)
def median(of: Applied[ops.MedianOp], gy: Any, *_: Any) -> Any:
    """Along an axis the cotangent goes to the element at the index in the second result; that of all
    elements, as of the extremes, is shared by equal ones."""
    if of.op.axis is None:
        chosen = op.equal(of.x, of.y).astype(of.type().dtype)
        return chosen * (gy / op.sum(chosen))
    (axis,) = of.op.axes(len(of.shape()))
    found, place = (
        value if of.op.keepdims else op.expand_dims(value, [axis]) for value in (gy, of.outputs[1])
    )
    return op.scatter_elements(op.zeros_like(of.x), place, found, axis, "update")


constant(
    "its results are truth values or numbers of elements",
    *(ops.AllOp, ops.AnyOp, ops.CountNonzeroOp),
)
