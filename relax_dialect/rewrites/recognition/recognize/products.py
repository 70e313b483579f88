"""Products of a batch of equal matrices, which the product repeats itself.

    matmul(x, broadcast_to(w, [n, k, m]))    ->  matmul(x, w)

The result keeps its shape, provably: the other operand has the batch.
"""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.rewrites.algebra.rule_sets.broadcast_operands import source_of, with_operand

repeated = is_op("broadcast_to")(wildcard(), wildcard())


def _alone(root: Value, m: Match) -> object | None:
    """Return the product of the operand that is repeated, if its matrix is whole."""
    product = owner(root.value)
    assert isinstance(product, MatmulOp)
    for index, operand in enumerate(map(Value, product.operands)):
        matrix = source_of(operand)
        if matrix is None or matrix.shape is None or operand.shape is None:
            continue
        if len(matrix.shape) > 1 and matrix.shape[-2:] == operand.shape[-2:]:
            new = with_operand(root, index, matrix)
            if new is not None:
                return new
    return None


def rules() -> Iterable[PatternRule]:
    """Yield a rule for both operands."""
    matmul = is_op("matmul")
    form = matmul(wildcard(), repeated) | matmul(repeated, wildcard())
    yield FunctionRule(form, _alone, "matmul of broadcast_to", outside_uses=True)
