"""Softmax by its formula.

    d = x - max(x)
    exp(d) / sum(exp(d))      ->  softmax(x)
    d - log(sum(exp(d)))      ->  log_softmax(x)

Maximum and sum are along the same axis, which is kept. Along an empty axis, which has no maximum, the
operators return an empty tensor.
"""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.activation import AxisActivationOp, LogSoftmaxOp, SoftmaxOp
from relax_dialect.ops.statistical import KeepdimsOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting

x = wildcard()
largest = is_op("max")(x)
difference = x - largest
power = is_op("exp")(difference)
total = is_op("sum")(power)


def _axis(m: Match) -> int | None:
    """Return the axis of both reductions, None unless it is one and kept by both."""
    rank = None if m[x].shape is None else len(m[x].shape or ())
    if rank is None:
        return None
    found: set[tuple[int, ...] | None] = set()
    for node in (largest, total):
        reduction = owner(m[node].value)
        assert isinstance(reduction, KeepdimsOp)
        found.add(tuple(reduction.axes(rank)) if reduction.keepdims else None)
    axes = found.pop()
    return axes[0] if not found and axes is not None and len(axes) == 1 else None


def _rule(form: Pattern, kind: type[AxisActivationOp], name: str) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        axis = _axis(m)
        if axis is None or m[x].dtype is None or root.dtype != m[x].dtype:
            return None
        return fitting(root, lambda: kind(m[x].value, axis))  # pyright: ignore

    return FunctionRule(form, replace, f"recognize {name}")


def rules() -> Iterable[PatternRule]:
    """Yield a rule for softmax and one for its logarithm."""
    yield _rule(power / total | power * is_op("reciprocal")(total), SoftmaxOp, "softmax")
    yield _rule(difference - is_op("log")(total), LogSoftmaxOp, "log_softmax")
