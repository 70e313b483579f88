"""Gradients of broadcasting: sums over the axes that were added or stretched."""

from __future__ import annotations

from relax_dialect.ops import collapse as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.CollapseSumLikeOp, ops.CollapseSumToOp)
def collapse_sum(op: ops.CollapseSumLikeOp | ops.CollapseSumToOp) -> Factors | None:
    own, shape = shape_of(op.operands[0]), shape_of(op.result)
    before, names = len(own) - len(shape), named(len(own))
    pairs = list(zip(shape, own[before:], names[before:]))
    if any(s is None or (s is not t and s.value != 1) for s, t, _ in pairs):
        return None
    kept = tuple(name if s is t else None for s, t, name in pairs)
    reduced = dict.fromkeys([n for n in names if n is not None and n not in kept], "sum")
    is_like = isinstance(op, ops.CollapseSumLikeOp)
    sizes = None if is_like else 1
    return Factors(
        [names, kept if is_like else None], [kept], reduced, is_linear=False, sizes=sizes
    )
