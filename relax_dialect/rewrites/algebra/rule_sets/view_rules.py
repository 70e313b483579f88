"""Shapes and orders of axes: two successive changes are merged, and an identity is removed.

    permute_dims(permute_dims(x, p), q)    ->  permute_dims(x, p[q])       x, if that is the identity
    reshape(reshape(x, s), t)              ->  reshape(x, t)               x, if t is the shape of x
    flatten(expand_dims(x, 0))             ->  flatten(x)
    expand_dims(expand_dims(x, 1), 0)      ->  expand_dims(x, [0, 2])
    squeeze(squeeze(x, 0), 0)              ->  squeeze(x, [0, 1])
    squeeze(expand_dims(x, 0), 0)          ->  x
    broadcast_to(broadcast_to(x, s), t)    ->  broadcast_to(x, t)
    reshape(permute_dims(reshape(x)))      ->  permute_dims(x, p), where the axes of x are only reordered

All views keep the elements in row-major order: any two of them are a reshape. Checks at run time are
kept: an inner view is removed only if the number of elements is proved to be equal, or if the check of
the outer one is equivalent.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.manipulate import (
    BatchFlattenOp,
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
    element_count,
)
from relax_dialect.rewrites.algebra.rule_sets.merged_axes import permutation_through
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import (
    fitting,
    known_shape,
    same,
    spreads_into,
)

x = wildcard()


def _view(p: Pattern) -> Pattern:
    """Return an operator that keeps the elements in their order."""
    others = ("flatten", "batch_flatten", "expand_dims", "squeeze")
    return reduce(or_, [is_op(name)(p) for name in others], is_op("reshape")(p, wildcard()))


inner_view = _view(x)
inner_permute = is_op("permute_dims")(x)
permuted_view = is_op("permute_dims")(inner_view)
inner_broadcast = is_op("broadcast_to")(x, wildcard())


def _op(value: Value) -> Any:
    return owner(value.value)


def _same_shape(a: Value, b: Value) -> bool:
    shape = known_shape(a)
    return shape is not None and shape == known_shape(b)


def _no_view(root: Value, m: Match) -> object | None:
    op = _op(root)
    if isinstance(op, FlattenOp) and _rank(m[x]) == 1:
        return same(root, m[x])
    if isinstance(op, ExpandDimsOp | SqueezeOp) and op.axis is not None and not len(op.axis):
        return same(root, m[x])
    return same(root, m[x]) if _same_shape(root, m[x]) else None


def _may_skip(first: Value, middle: Value, last: Value) -> bool:
    """Return whether a view of a view checks no more than the view of the first."""
    if not isinstance(_op(middle), ReshapeOp | SqueezeOp):
        return True
    counts = [element_count(value.shape) for value in (first, middle, last)]
    if counts[1] is None:
        return False
    return counts[0] is counts[1] or (counts[1] is counts[2] and isinstance(_op(middle), ReshapeOp))


def _view_of_view(root: Value, m: Match) -> object | None:
    first, middle, op = m[x], m[inner_view], _op(root)
    if not _may_skip(first, middle, root):
        return None
    if _same_shape(root, first):
        return same(root, first)
    if isinstance(op, ReshapeOp):
        return fitting(root, lambda: ReshapeOp(first.value, op.shape))
    if isinstance(op, FlattenOp):
        return fitting(root, lambda: FlattenOp(first.value))
    if isinstance(op, BatchFlattenOp) and isinstance(_op(middle), BatchFlattenOp):
        return fitting(root, lambda: BatchFlattenOp(first.value))
    if (axes := _joined_axes(op, _op(middle), first, middle)) is not None:
        return fitting(root, lambda: type(op)(first.value, axes))  # pyright: ignore
    shape = known_shape(root)
    return None if shape is None else fitting(root, lambda: ReshapeOp(first.value, ShapeOp(shape)))


def _joined_axes(outer: object, inner: object, first: Value, middle: Value) -> list[int] | None:
    """Merge the axes of two `expand_dims`, or of two `squeeze`."""
    if first.shape is None or middle.shape is None:
        return None
    if isinstance(outer, ExpandDimsOp) and isinstance(inner, ExpandDimsOp):
        new = outer.axes(len(middle.shape))
        kept = [axis for axis in range(len(middle.shape) + len(new)) if axis not in new]
        return sorted([*new, *(kept[axis] for axis in inner.axes(len(first.shape)))])
    if isinstance(outer, SqueezeOp) and isinstance(inner, SqueezeOp):
        gone, then = inner.axes(first.shape), outer.axes(middle.shape)
        if gone is None or then is None:
            return None
        kept = [axis for axis in range(len(first.shape)) if axis not in gone]
        return sorted([*gone, *(kept[axis] for axis in then)])
    return None


def _permutation(op: PermuteDimsOp, rank: int | None) -> tuple[int, ...] | None:
    if rank is None and op.axes is not None:
        rank = len(op.axes)
    return None if rank is None else op.permutation(rank)


def _rank(value: Value) -> int | None:
    return None if value.shape is None else len(value.shape)


def _no_permute(root: Value, m: Match) -> object | None:
    order = _permutation(_op(root), _rank(m[x]))
    return same(root, m[x]) if order is not None and list(order) == sorted(order) else None


def _permute_of_permute(root: Value, m: Match) -> object | None:
    rank = _rank(m[inner_permute]) or _rank(m[x])
    first, then = _permutation(_op(m[inner_permute]), rank), _permutation(_op(root), rank)
    if first is None or then is None:
        if _op(root).axes is None and _op(m[inner_permute]).axes is None:  # reversed twice
            return same(root, m[x])
        return None
    joined = [first[axis] for axis in then]
    if joined == sorted(joined):
        return same(root, m[x])
    return fitting(root, lambda: PermuteDimsOp(m[x].value, joined))


def _permute_between_views(root: Value, m: Match) -> object | None:
    shapes = known_shape(m[x]), known_shape(m[inner_view]), known_shape(root)
    if None in shapes:
        return None
    first, seen, last = (shape or () for shape in shapes)
    turn = _op(m[permuted_view]).permutation(len(seen))
    order = permutation_through(first, seen, turn, last)
    if order is None:
        return None
    if order == sorted(order):
        return same(root, m[x])
    return fitting(root, lambda: PermuteDimsOp(m[x].value, order))


def _no_broadcast(root: Value, m: Match) -> object | None:
    return same(root, m[x]) if _same_shape(root, m[x]) else None


def _broadcast_of_broadcast(root: Value, m: Match) -> object | None:
    middle, op = m[inner_broadcast], _op(root)
    if known_shape(root) is None or not spreads_into(m[x], middle):
        return None
    if not spreads_into(middle, root):
        return None
    return fitting(root, lambda: BroadcastToOp(m[x].value, op.shape))


def rules() -> Iterable[PatternRule]:
    """Yield the rules on views, permutations and broadcasts."""
    yield FunctionRule(_view(x), _no_view, "view that changes nothing")
    yield FunctionRule(_view(inner_view), _view_of_view, "view of a view", outside_uses=True)
    permute, broadcast = is_op("permute_dims"), is_op("broadcast_to")
    yield FunctionRule(permute(x), _no_permute, "permute_dims that changes nothing")
    yield FunctionRule(
        permute(inner_permute), _permute_of_permute, "permute_dims twice", outside_uses=True
    )
    yield FunctionRule(_view(permuted_view), _permute_between_views, "permute_dims between views")
    yield FunctionRule(broadcast(x, wildcard()), _no_broadcast, "broadcast_to the own shape")
    yield FunctionRule(
        broadcast(inner_broadcast, wildcard()),
        _broadcast_of_broadcast,
        "broadcast_to twice",
        outside_uses=True,
    )
