"""Heads of key and value that are repeated for groups of heads of query: the operator does that itself.

    attention(q, permute_dims(repeat(k, 4, axis=1)), v)    ->  attention(q, permute_dims(k), v)

Exporters write the repetition as `reshape(broadcast_to(expand_dims(k, 2)))` too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape

x, query, key, value, shape = (wildcard() for _ in range(5))
ORDER = [0, 2, 1, 3]

added = is_op("expand_dims")(x)
spread = is_op("broadcast_to")(added, shape)
joined = is_op("reshape")(spread, wildcard())
repeated = is_op("repeat")(x).has_attr("axis", 1) | joined
turned = is_op("permute_dims")(repeated).has_attr("axes", ORDER)


def _is_repetition(m: Match) -> bool:
    """Return whether the view repeats each head so many times in a row."""
    dims, whole = known_shape(m[x]), known_shape(m[repeated])
    if dims is None or whole is None or len(dims) != 4 or len(whole) != 4:
        return False
    groups, left = divmod(whole[1].value or 0, dims[1].value or 1)
    if not groups or left or (*whole[:1], *whole[2:]) != (*dims[:1], *dims[2:]):
        return False
    if joined not in m:
        return True
    one, many = known_shape(m[added]), known_shape(m[spread])
    if one is None or many is None or len(one) != 5 or len(many) != 5:
        return False
    is_added = one[2].value == 1 and (*one[:2], *one[3:]) == dims
    return is_added and many[2].value == groups and (*many[:2], *many[3:]) == dims


def _shared(operand: int) -> FunctionRule:
    operands = [query, key, value]
    operands[operand] = turned

    def replace(root: Value, m: Match) -> object | None:
        attention = owner(root.value)
        assert isinstance(attention, AttentionOp)
        if not _is_repetition(m):
            return None
        given: list[Any] = [Value(v) for v in attention.operands]
        given[operand] = op.permute_dims(m[x], ORDER)
        return op.attention(
            *given,
            scale=attention.scale,
            causal_mask=attention.causal_mask,
            window_size=attention.window_size,
        )

    pattern = is_op("attention")(*operands, varg_default_wildcard=True)
    name = f"heads of {('query', 'key', 'value')[operand]} in groups"
    return FunctionRule(pattern, replace, name, outside_uses=True)


def rules() -> Iterable[PatternRule]:
    """Yield a rule for key and one for value."""
    yield _shared(1)
    yield _shared(2)
