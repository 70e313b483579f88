"""Other shapes: a merged or split dimension is cut at its leading part."""

from __future__ import annotations

from collections.abc import Iterator

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims
from relax_dialect.ops import manipulate as ops
from relax_dialect.sharding.registry import Factors, Labels, named, shape_of, shards
from relax_dialect.symbolic import Expr


def _groups(a: Dims, b: Dims) -> Iterator[tuple[list[int], list[int]]]:
    """Yield dimensions of two shapes that hold the same elements, in order."""
    i = j = 0
    while i < len(a) and j < len(b):
        left, right = [i], [j]
        while (x := _product(a, left)) is not (y := _product(b, right)):
            if x is None or y is None:
                return
            is_part = symbolic.exact_quotient(y, x) is not None
            if is_part and left[-1] + 1 < len(a):
                left.append(left[-1] + 1)
            elif right[-1] + 1 < len(b):
                right.append(right[-1] + 1)
            else:
                return
        i, j = left[-1] + 1, right[-1] + 1
        if x is not None:
            yield left, right


def _product(shape: Dims, axes: list[int]) -> Expr | None:
    sizes = [shape[axis] for axis in axes]
    return None if None in sizes else symbolic.product(sizes)  # pyright: ignore


def _lead(shape: Dims, axes: list[int]) -> int | None:
    """Return the first dimension of a group that is not of size 1."""
    return next((a for a in axes if (s := shape[a]) is not None and s.value != 1), None)


def merged(a: Dims, b: Dims) -> tuple[Labels, Labels]:
    """Return names of the dimensions of a tensor before and after a reshape."""
    before: list[str | None] = [None] * len(a)
    after: list[str | None] = [None] * len(b)
    for number, (left, right) in enumerate(_groups(a, b)):
        x, y = _lead(a, left), _lead(b, right)
        if x is not None and y is not None:
            before[x] = after[y] = f"g{number}"
    return tuple(before), tuple(after)


@shards(ops.ReshapeOp)
def reshape(op: ops.ReshapeOp) -> Factors | None:
    shape = shape_of(op.result)
    if None in shape:
        return None
    before, after = merged(shape_of(op.x), shape)
    return Factors([before, None], [after], is_linear=True, sizes=1)


@shards(ops.FlattenOp, ops.SqueezeOp, ops.ExpandDimsOp, ops.BatchFlattenOp)
def reshaped(op: ops.FlattenOp | ops.SqueezeOp | ops.ExpandDimsOp) -> Factors | None:
    before, after = merged(shape_of(op.x), shape_of(op.result))
    return Factors([before], [after], is_linear=True)


@shards(ops.PermuteDimsOp)
def permute_dims(op: ops.PermuteDimsOp) -> Factors:
    rank = len(shape_of(op.x))
    axes = range(rank)[::-1] if op.axes is None else [a % rank for a in op.axes]
    return Factors([named(rank)], [tuple(f"d{a}" for a in axes)], is_linear=True)


@shards(ops.BroadcastToOp)
def broadcast_to(op: ops.BroadcastToOp) -> Factors | None:
    shape = shape_of(op.result)
    if None in shape:
        return None
    own = _broadcast(op)
    return (
        None if own is None else Factors([own, None], [named(len(shape))], is_linear=True, sizes=1)
    )


def _broadcast(op: ops.BroadcastToOp) -> Labels | None:
    """Return the names of the operand's dimensions; None if a size may be 1 or that of the result."""
    own, shape = shape_of(op.x), shape_of(op.result)
    before = len(shape) - len(own)
    pairs = [(s, shape[before + d], before + d) for d, s in enumerate(own)]
    if any(s is not t and (s is None or s.value != 1) for s, t, _ in pairs):
        return None
    return tuple(f"d{d}" if s is t else None for s, t, d in pairs)
