"""Slices are taken before axes are permuted, so that only their elements are moved.

    strided_slice(permute_dims(x))     ->  permute_dims(strided_slice(x))
    split(permute_dims(x))             ->  permute_dims(split(x)), for every piece
    squeeze(permute_dims(x))           ->  permute_dims(squeeze(x))
    take(x, 2, axis=0)                 ->  squeeze(strided_slice(x, 2, 3))
    strided_slice(x, 0, size of x)     ->  x

Frameworks write `unbind` so: the product of queries, keys and values is permuted whole, then taken apart. A
permutation with a use besides slices is kept, and the slices too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import DenseArrayBase, i64

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_constant, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner, users
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.axes import normalize_axes
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.manipulate import PermuteDimsOp, SqueezeOp
from relax_dialect.ops.slicing import StridedSliceOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape, same

x, index = wildcard(), is_constant()
permuted = is_op("permute_dims")(x)

SLICES = (StridedSliceOp, SplitOp, SqueezeOp)


def _order(m: Match) -> Sequence[int] | None:
    """Return the permutation, None unless the rank is known and all uses are slices."""
    shape, permute = m[permuted].shape, owner(m[permuted].value)
    assert isinstance(permute, PermuteDimsOp)
    if shape is None or not all(isinstance(user, SLICES) for user in users(m[permuted].value)):
        return None
    return permute.permutation(len(shape))


def _whole(root: Value, m: Match) -> object | None:
    """Return x for slices as long as its axes, forward and without gaps."""
    old, shape = owner(root.value), known_shape(m[x])
    assert isinstance(old, StridedSliceOp)
    is_whole = shape is not None and shape == known_shape(root)
    return same(root, m[x]) if is_whole and {*old.steps()} <= {1} else None


def _slice(root: Value, m: Match) -> object | None:
    old, order = owner(root.value), _order(m)
    assert isinstance(old, StridedSliceOp)
    if order is None or root.shape is None or old.assume_inbound:
        return None
    sizes = dict(zip(order, root.shape))
    shape = tuple(sizes[axis] for axis in range(len(order)))
    axes = [order[axis] for axis in normalize_axes(old, old.axes, len(order))]
    new = old.create(
        operands=[m[x].value, *old.bounds],
        result_types=[TensorType.get(shape, root.dtype)],
        properties={**old.properties, "axes": DenseArrayBase.from_list(i64, axes)},
        attributes=old.attributes,
    )
    return op.permute_dims(new, list(order))


def _split(root: Value, m: Match) -> object | None:
    old, order = owner(root.value), _order(m)
    assert isinstance(old, SplitOp)
    if order is None:
        return None
    parts = list(old.indices or ()) if old.sections is None else old.sections
    pieces = op.split(m[x], parts, axis=order[old.axis_of(len(order))])
    return [op.permute_dims(pieces[i], list(order)) for i in range(old.count)]


def _squeeze(root: Value, m: Match) -> object | None:
    old, order, shape = owner(root.value), _order(m), known_shape(m[permuted])
    assert isinstance(old, SqueezeOp)
    if order is None or shape is None:
        return None
    gone = old.axes(shape)
    if gone is None or any(shape[axis].value != 1 for axis in gone):
        return None
    kept = [order[axis] for axis in range(len(order)) if axis not in gone]
    found = op.squeeze(m[x], [order[axis] for axis in gone])
    return op.permute_dims(found, [sorted(kept).index(axis) for axis in kept])


def _take(root: Value, m: Match) -> object | None:
    old, shape, made = owner(root.value), known_shape(m[x]), owner(m[index].value)
    assert isinstance(old, TakeOp) and isinstance(made, ConstantOp)
    if shape is None or m[index].shape != () or old.mode != "fast":
        return None
    axis, at = old.axis_of(len(shape)), int(from_dense(made.value))
    size = shape[axis].value
    if size is None or not -size <= at < size:
        return None
    at %= size
    return op.squeeze(op.strided_slice(m[x], [axis], [at], [at + 1]), [axis])


def rules() -> Iterable[PatternRule]:
    """Yield the rules on slices of permuted tensors, and on single rows."""
    before, strided_slice = " before permute_dims", is_op("strided_slice")
    every = strided_slice(x, varg_default_wildcard=True)
    yield FunctionRule(every, _whole, "strided_slice that changes nothing")
    yield FunctionRule(
        strided_slice(permuted, varg_default_wildcard=True),
        _slice,
        "strided_slice" + before,
        outside_uses=True,
    )
    yield FunctionRule(is_op("split")(permuted), _split, "split" + before, outside_uses=True)
    yield FunctionRule(is_op("squeeze")(permuted), _squeeze, "squeeze" + before)
    yield FunctionRule(is_op("take")(x, index), _take, "take of one row")
