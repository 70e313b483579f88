"""Operators that undo or repeat one another: `-(-x)` is x, `relu(relu(x))` is `relu(x)`.

All of these hold for NaN, infinities, both zeros and integers that wrap around (a NaN remains a NaN; its
bits are unspecified). Excluded are `exp(log(x))`, `sqrt(square(x))` and similar pairs, which round or
lose x: they are in `FAST_UNDONE`; and `not (a < b)`, which is not `a >= b` for NaN.
"""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.ops.type_rules import is_float, is_unsigned
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting, same

x, y = wildcard(), wildcard()
ROUNDINGS = ("ceil", "floor", "round", "trunc")

UNDONE = [("negative", "negative"), ("bitwise_not", "bitwise_not"), ("logical_not", "logical_not")]
"""`outer(inner(x))` is x."""

REPEATED = [
    ("relu", "relu"),
    ("relu6", "relu6"),
    ("abs", "abs"),
    ("sign", "sign"),
    *[(outer, inner) for outer in ROUNDINGS for inner in ROUNDINGS],
]
"""`outer(inner(x))` is `inner(x)`."""

COVERED = [("abs", "negative"), ("square", "negative"), ("square", "abs"), ("relu6", "relu")]
"""`outer(inner(x))` is `outer(x)`; but for unsigned integers, whose negation is another number."""

FAST_UNDONE = [
    ("exp", "log"),
    ("log", "exp"),
    ("exp2", "log2"),
    ("log2", "exp2"),
    ("square", "sqrt"),
    ("reciprocal", "reciprocal"),
    ("tanh", "atanh"),
    ("atanh", "tanh"),
]

minus_y = is_op("negative")(y)
SIGNS: list[tuple[Pattern, str]] = [
    (is_op("add")(x, minus_y), "subtract"),
    (is_op("subtract")(x, minus_y), "add"),
    (is_op("multiply")(is_op("negative")(x), minus_y), "multiply"),
    (is_op("divide")(is_op("negative")(x), minus_y), "divide"),
    (is_op("logical_not")(is_op("equal")(x, y)), "not_equal"),
    (is_op("logical_not")(is_op("not_equal")(x, y)), "equal"),
]
"""The pattern is this operator of x and y."""


def _undone(outer: str, inner: str) -> FunctionRule:
    pattern = is_op(outer)(is_op(inner)(x))
    return FunctionRule(
        pattern, lambda root, m: same(root, m[x]), f"{outer} of {inner}", outside_uses=True
    )


def _repeated(outer: str, inner: str) -> FunctionRule:
    found = is_op(inner)(x)
    return FunctionRule(
        is_op(outer)(found),
        lambda root, m: same(root, m[found]),
        f"{outer} of {inner}",
        outside_uses=True,
    )


def _covered(outer: str, inner: str) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        if m[x].dtype is None or is_unsigned(m[x].dtype):
            return None
        return fitting(root, lambda: op.get(outer)(m[x].value))  # pyright: ignore

    pattern = is_op(outer)(is_op(inner)(x))
    return FunctionRule(pattern, replace, f"{outer} of {inner}", outside_uses=True)


def _signs(pattern: Pattern, name: str) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        dtype = m[x].dtype
        if name == "divide" and (dtype is None or not is_float(dtype)):
            return None  # the least integer is its own negation
        return fitting(root, lambda: op.get(name)(m[x].value, m[y].value))  # pyright: ignore

    return FunctionRule(pattern, replace, f"{name} with signs", outside_uses=True)


def _rounded_integer(rounding: str) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        dtype = m[x].dtype
        return None if dtype is None or is_float(dtype) else same(root, m[x])

    return FunctionRule(is_op(rounding)(x), replace, f"{rounding} of integers")


def rules(fast_math: bool = False) -> Iterable[PatternRule]:
    """Yield the rules of the tables."""
    yield from (_undone(*pair) for pair in UNDONE)
    yield from (_repeated(*pair) for pair in REPEATED)
    yield from (_covered(*pair) for pair in COVERED)
    yield from (_signs(*row) for row in SIGNS)
    yield from map(_rounded_integer, ROUNDINGS)
    if fast_math:
        yield from (_undone(*pair) for pair in FAST_UNDONE)
