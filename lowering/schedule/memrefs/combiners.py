"""Reductions whose terms may be taken in any order: sums, products, the greatest and the least."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Block, Operation

COMBINERS = {
    arith.AddfOp: (Kind.ADD, 0.0),
    arith.MulfOp: (Kind.MUL, 1.0),
    arith.MaximumfOp: (Kind.MAXIMUMF, float("-inf")),
    arith.MinimumfOp: (Kind.MINIMUMF, float("inf")),
    arith.MaxnumfOp: (Kind.MAXNUMF, float("-inf")),
    arith.MinnumfOp: (Kind.MINNUMF, float("inf")),
}
"""The reductions whose terms may be taken in any order, up to rounding, and their identity."""


IDEMPOTENT = frozenset(COMBINERS) - {arith.AddfOp, arith.MulfOp}
"""The idempotent reductions among them, which may take a term twice."""


def combiner(body: Block) -> type[Operation] | None:
    """Return the op that adds a term to the reduction so far, if the body is one term and that op."""
    last = body.last_op
    assert last is not None
    if len(last.operands) != 1:
        return None
    owner, total = last.operands[0].owner, body.args[-1]
    if type(owner) not in COMBINERS or len(list(total.uses)) != 1:
        return None
    assert isinstance(owner, Operation)
    return type(owner) if total in owner.operands else None


def accumulator(body: Block) -> tuple[type[Operation], float] | None:
    """Return the op that adds a term to the reduction so far, integers too, and its identity; None if the
    body is another one."""
    kind = combiner(body)
    if kind is not None:
        return kind, COMBINERS[kind][1]
    last, total = body.last_op, body.args[-1]
    assert last is not None
    owner = last.operands[0].owner if len(last.operands) == 1 else None
    is_sum = isinstance(owner, arith.AddiOp) and total in owner.operands
    return (arith.AddiOp, 0) if is_sum and len(list(total.uses)) == 1 else None


def is_idempotent(body: Block) -> bool:
    """Return whether a term may be taken twice: a greatest or a least."""
    return combiner(body) in IDEMPOTENT
