"""Operators that give a tensor another shape, or its dimensions another order."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from lowering.legalize.registry import broadcast_index, legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.manipulate import (
    BatchFlattenOp,
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
)
from relax_dialect.run_time_checks import demanded, hole, shape_holes
from relax_dialect.symbolic import Expr, product


@legalize(PermuteDimsOp)
def permute_dims(op: PermuteDimsOp, x: te.Tensor) -> te.Tensor:
    """Dimension `d` of the result is dimension `axes[d]` of the operand."""
    axes = op.permutation(x.ndim)
    position = {axis: d for d, axis in enumerate(axes)}
    return te.compute(
        [x.shape[axis] for axis in axes],
        lambda *i: x[tuple(i[position[d]] for d in range(x.ndim))],
        name="out",
    )


@legalize(ExpandDimsOp)
def expand_dims(op: ExpandDimsOp, x: te.Tensor) -> te.Tensor:
    """The new axes are read nowhere."""
    axes = op.axes(x.ndim)
    return te.compute(
        result_shape(op),
        lambda *i: x[tuple(index for d, index in enumerate(i) if d not in axes)],
        name="out",
    )


@legalize(SqueezeOp)
def squeeze(op: SqueezeOp, x: te.Tensor) -> te.Tensor:
    """The axes left out are read at 0."""
    axes = op.axes(x.shape) or ()

    def element(*i: te.IterVar) -> te.Scalar:
        kept = iter(i)
        return x[tuple(0 if d in axes else next(kept) for d in range(x.ndim))]

    one = symbolic.const(1)
    sizes = {d: x.shape[d] for d in axes if x.shape[d] is not one}
    requires = [require(op, op.demand(d), hole(size), size, one) for d, size in sizes.items()]
    return te.compute(result_shape(op), element, name="out", requires=requires)


@legalize(BroadcastToOp)
def broadcast_to(op: BroadcastToOp, x: te.Tensor) -> te.Tensor:
    """The operand read as broadcasting puts it."""
    shape = result_shape(op)
    return te.compute(
        shape,
        lambda *i: x[broadcast_index(x.shape, i)],
        name="out",
        requires=ones_or_equal(op, op.DEMAND, x.shape, shape),
    )


def require(op: OperatorOp, demand: str, found: str, size: Expr, *allowed: Expr) -> te.Requirement:
    """What an operator demands of a size, said as the interpreter says it; what was `found` has holes."""
    return te.Requirement(f"{op.name}: {demanded(demand, found)}", size, allowed, shows=True)


def ones_or_equal(
    op: OperatorOp, demand: str, small: Sequence[Expr], large: Sequence[Expr]
) -> list[te.Requirement]:
    """That a shape broadcasts to another one, dimensions aligned at the end, as far as not proved."""
    one, found = symbolic.const(1), f"{shape_holes(small)} for {shape_holes(large)}"
    aligned = zip(small, large[len(large) - len(small) :])
    return [
        require(op, demand, found, a, one, b) for a, b in aligned if a is not one and a is not b
    ]


@legalize(ReshapeOp, FlattenOp, BatchFlattenOp)
def reshape(op: ReshapeOp | FlattenOp | BatchFlattenOp, x: te.Tensor) -> te.Tensor:
    """The elements in the order they lie in memory.

    Dimensions are matched in the smallest groups that hold equally many elements; only inside of a
    group that is not the same on both sides does an index have to be divided.
    """
    shape = result_shape(op)
    before, after = product(x.shape), product(shape)
    requires = []
    if before is not after:
        old, new = (f"{shape_holes(s)} ({hole(n)})" for s, n in ((x.shape, before), (shape, after)))
        demand = f"a shape of as many elements as {old}"
        requires.append(require(op, demand, new, after, before))
    if any(size.value == 0 for size in (*x.shape, *shape)):
        return te.compute(shape, lambda *i: te.const(0, x.dtype), name="out", requires=requires)
    sources = [d for d in range(x.ndim) if x.shape[d].value != 1]
    targets = [d for d in range(len(shape)) if shape[d].value != 1]

    def element(*i: te.IterVar) -> te.Scalar:
        index: list[Any] = [0] * x.ndim
        for source, target in _groups(x.shape, sources, shape, targets):
            sizes = [x.shape[d] for d in source]
            position = linearized([i[d] for d in target], [shape[d] for d in target])
            for d, value in zip(source, delinearized(position, sizes)):
                index[d] = value
        return x[tuple(index)]

    return te.compute(shape, element, name="out", requires=requires)


def _groups(
    a_shape: Sequence[Expr], a: Sequence[int], b_shape: Sequence[Expr], b: Sequence[int]
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Runs of the dimensions `a` and `b` that hold equally many elements, as small as possible."""
    ends: dict[Expr, int] = {}
    for end in range(1, len(a) + 1):
        ends.setdefault(product(a_shape[d] for d in a[:end]), end)
    a_start = b_start = 0
    for b_end in range(1, len(b)):
        a_end = ends.get(product(b_shape[d] for d in b[:b_end]))
        if a_end is not None and a_start < a_end < len(a):
            yield a[a_start:a_end], b[b_start:b_end]
            a_start, b_start = a_end, b_end
    yield a[a_start:], b[b_start:]


def linearized(index: Sequence[Any], sizes: Sequence[Expr]) -> Any:
    """The position in memory order of an index into dimensions of these sizes."""
    terms = [i if stride.value == 1 else i * stride for i, stride in zip(index, _strides(sizes))]
    return reduce(operator.add, terms) if terms else 0


def delinearized(position: Any, sizes: Sequence[Expr]) -> list[Any]:
    """The index into dimensions of these sizes of a position in memory order."""
    index: list[Any] = []
    for d, (size, stride) in enumerate(zip(sizes, _strides(sizes))):
        value = position if stride.value == 1 else te.floordiv(position, stride)
        index.append(value if d == 0 else te.floormod(value, size))
    return index


def _strides(sizes: Sequence[Expr]) -> list[Expr]:
    return [product(sizes[d + 1 :]) for d in range(len(sizes))]
