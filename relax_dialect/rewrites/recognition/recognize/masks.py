"""Masks of attention: added to the scores, or selecting the visible or the hidden scores."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import Float16Type

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.ternary import MaskedFillOp
from relax_dialect.ops.type_rules import is_bool
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.rewrites.recognition.recognize.causal import LOW, causal_mask
from relax_dialect.rewrites.recognition.recognize.formula_numbers import number
from relax_dialect.symbolic import Expr

HIDDEN = -1e30
"""A number that absorbs a score added to it: a row of hidden scores remains one of equal scores."""

MASK_AXES = {(4, 3): [0], (4, 2): [0, 1], (3, 3): [1], (3, 2): [0, 1], (2, 2): [0, 1]}
"""The axes of size 1 that a mask lacks to be [batch, heads, queries, keys], by the ranks of the scores
and of the mask."""


class Mask:
    """Scores with a mask, or without."""

    def __init__(self, scores: Pattern):
        self.added, self.keeps, self.hides, self.low = (wildcard() for _ in range(4))
        where = is_op("where")
        self.filled = is_op("masked_fill")(scores, self.hides)
        self.form = (
            where(self.keeps, scores, self.low)
            | where(self.hides, self.low, scores)
            | self.filled
            | scores + self.added
            | scores
        )

    def options(self, m: Match, dims: tuple[Expr, ...]) -> dict[str, Any] | None:
        """Return the arguments of `relax.attention` for the mask; None if the operator has no such mask."""
        forms = {"keeps": self.keeps, "hides": self.hides, "added": self.added}
        form = next((name for name, node in forms.items() if node in m), None)
        if form is None:
            return {}
        mask = m[forms[form]]
        low = -math.inf if form == "added" else self._low(m)
        causal = causal_mask(mask, dims[-2], dims[-1], form)
        if causal is not None and low is not None and low <= LOW:
            return {"causal_mask": causal}
        axes = spread_axes(mask, dims)
        if axes is None or low is None or low > LOW:
            return None
        if not math.isinf(low) and isinstance(m[self.form].dtype, Float16Type):
            return None  # no number of it is `HIDDEN`
        bias: Any = mask
        if form != "added" and not math.isinf(low):
            numbers = [const(number, str(m[self.form].dtype)) for number in (0.0, min(low, HIDDEN))]
            bias = op.where(mask, *(numbers if form == "keeps" else reversed(numbers)))
        elif form == "hides":
            bias = op.logical_not(mask)
        return {"bias": op.expand_dims(bias, axes) if axes else bias}

    def _low(self, m: Match) -> float | None:
        """Return the number that hidden scores are set to."""
        if self.low in m:
            return number(m[self.low], m[self.form])
        filled = owner(m[self.filled].value)
        assert isinstance(filled, MaskedFillOp)
        return float(filled.value)


def spread_axes(mask: Value, dims: tuple[Expr, ...]) -> list[int] | None:
    """Return the axes that a mask lacks to spread over scores of these sizes, None if it does not."""
    shape = known_shape(mask)
    if shape is None or len(shape) > len(dims):
        return None
    pairs = zip(reversed(shape), reversed(dims))
    if not all(size.value == 1 or size == whole for size, whole in pairs):
        return None
    missing = 4 - len(shape)
    return MASK_AXES.get((len(dims), len(shape)), list(range(missing)))


def causal_rule() -> FunctionRule:
    """Return the rule for the operator with a bias that is a causal mask."""
    query, key, value, bias = (wildcard() for _ in range(4))

    def replace(root: Value, m: Match) -> object | None:
        found, shapes = owner(root.value), [known_shape(m[x]) for x in (query, key)]
        assert isinstance(found, AttentionOp)
        dtype = m[bias].dtype
        if None in shapes or found.causal_mask is not None or dtype is None:
            return None
        queries, keys = (shape[1] for shape in shapes if shape is not None)
        form = "keeps" if is_bool(dtype) else "added"
        causal = causal_mask(m[bias], queries, keys, form)
        if causal is None:
            return None
        given = (m[x] for x in (query, key, value))
        return op.attention(*given, scale=found.scale, causal_mask=causal)

    pattern = is_op("attention")(query, key, value, bias)
    return FunctionRule(pattern, replace, "causal mask of attention")
