"""The products of attention written as `einsum`, as `matmul` of permuted tensors.

    softmax(einsum("bqhd,bkhd->bhqk", q, k))        ->  softmax(matmul(permute_dims(q), permute_dims(k)))
    einsum("bhqk,bkhd->bqhd", softmax(s), v)        ->  permute_dims(matmul(softmax(s), permute_dims(v)))

A product of attention sums over one letter, has one letter of each tensor only, and shares the others. An
`einsum` that is neither before nor after a softmax is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_op
from relax_dialect.dpl.search.aliases import owner, users
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.activation import SoftmaxOp
from relax_dialect.ops.linear_algebra import EinsumOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape

FARTHEST = 4
"""The maximum number of ops between a product and the softmax: a scale, a mask, casts."""

BETWEEN = {f"relax.{x}" for x in ("multiply", "divide", "add", "where", "masked_fill", "astype")}


def _as_matmul(root: Value, m: Match) -> object | None:
    einsum = owner(root.value)
    assert isinstance(einsum, EinsumOp)
    if len(einsum.tensors) != 2:
        return None
    a, b = (Value(tensor) for tensor in einsum.tensors)
    shapes = known_shape(a), known_shape(b)
    if None in shapes or not (_leads_to_softmax(root) or _is_softmax(a)):
        return None
    (left, right), result = einsum.parsed.labels([len(shape or ()) for shape in shapes])
    batch = [x for x in result if x in left and x in right]
    groups = [
        [x for x in left if x in result and x not in right],
        [x for x in left if x in right and x not in result],
        [x for x in right if x in result and x not in left],
    ]
    if any(len(group) != 1 for group in groups):
        return None
    rows, inner, columns = groups
    orders = (left, [*batch, *rows, *inner]), (right, [*batch, *inner, *columns])
    if any(sorted(given) != sorted(wanted) for given, wanted in orders):  # diagonals, sums of one
        return None
    sizes = [dict(zip(term, shape or ())) for term, shape in zip((left, right), shapes)]
    if any(sizes[0][x] != sizes[1][x] for x in (*batch, *inner)):
        return None
    whole = TensorType.get(tuple((sizes[0] | sizes[1])[x] for x in result), a.dtype)
    if a.dtype is None or a.dtype != b.dtype or not is_subtype(whole, root.type):
        return None
    lhs, rhs = (_permuted(x, *order) for x, order in zip((a, b), orders))
    return _permuted(op.matmul(lhs, rhs), [*batch, *rows, *columns], result)


def _permuted(x: Any, given: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return a tensor whose axes have these names, in another order."""
    order = [given.index(name) for name in wanted]
    return x if order == sorted(order) else op.permute_dims(x, order)


def _leads_to_softmax(scores: Value) -> bool:
    """Return whether scores lead to a softmax, through a scale and a mask."""
    value = scores.value
    for _ in range(FARTHEST):
        following = list(users(value))
        if any(isinstance(user, SoftmaxOp) for user in following):
            return True
        following = [user for user in following if user.name in BETWEEN]
        if not following:
            return False
        value = following[-1].results[0]
    return False


def _is_softmax(shares: Value) -> bool:
    """Return whether a tensor is a softmax, by way of a cast, a dropout or a choice."""
    value = shares.value
    for _ in range(FARTHEST):
        found = owner(value)
        if found is None or isinstance(found, SoftmaxOp):
            return found is not None
        if found.name in ("relax.astype", "relax.dropout", "relax.tuple_get_item"):
            value = found.operands[0]
        elif found.name == "relax.where":
            value = found.operands[2]
        else:
            return False
    return False


def rules() -> Iterable[PatternRule]:
    """Yield the rule."""
    yield FunctionRule(is_op("einsum"), _as_matmul, "einsum of attention")
