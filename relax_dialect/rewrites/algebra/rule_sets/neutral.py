"""Neutral and absorbing numbers: `x * 1` is x, and `x * 0` of integers 0.

A table has a row for each operator and operand; its columns are the numbers for integers, floats and
booleans. `least` and `greatest` are the bounds of the element type, infinities for floats.

Every row holds elementwise in IEEE 754: for NaN, infinities and both zeros. So the neutral element of
addition is -0.0, as 0.0 would turn -0.0 into 0.0, and that of subtraction is 0.0; and nothing absorbs NaN,
neither `x * 0.0` nor `maximum(x, inf)`. Rules for real numbers only are in `FAST_...`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Operation, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_op, wildcard
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import (
    is_number,
    known_shape,
    may_be_number,
    number_of,
    same,
    spreads_into,
)

EITHER, RIGHT = (0, 1), (1,)
LEAST, GREATEST = "least", "greatest"
Number = int | float | bool | str | None


class NeutralElement(NamedTuple):
    """An operator, the operands that the number may be, and the number for each kind of elements."""

    op: str
    sides: tuple[int, ...]
    integers: Number
    floats: Number
    booleans: Number


NEUTRAL = [
    NeutralElement("add", EITHER, 0, -0.0, False),
    NeutralElement("subtract", RIGHT, 0, 0.0, None),
    NeutralElement("multiply", EITHER, 1, 1.0, True),
    NeutralElement("divide", RIGHT, 1, 1.0, None),
    NeutralElement("floor_divide", RIGHT, 1, None, None),
    NeutralElement("power", RIGHT, 1, 1.0, None),
    NeutralElement("maximum", EITHER, LEAST, LEAST, False),
    NeutralElement("minimum", EITHER, GREATEST, GREATEST, True),
    NeutralElement("bitwise_and", EITHER, -1, None, True),
    NeutralElement("bitwise_or", EITHER, 0, None, False),
    NeutralElement("bitwise_xor", EITHER, 0, None, False),
    NeutralElement("left_shift", RIGHT, 0, None, None),
    NeutralElement("right_shift", RIGHT, 0, None, None),
    NeutralElement("logical_and", EITHER, None, None, True),
    NeutralElement("logical_or", EITHER, None, None, False),
    NeutralElement("logical_xor", EITHER, None, None, False),
]
"""`x op number` is x."""

ABSORBING = [
    NeutralElement("add", EITHER, None, None, True),
    NeutralElement("multiply", EITHER, 0, None, False),
    NeutralElement("maximum", EITHER, GREATEST, None, True),
    NeutralElement("minimum", EITHER, LEAST, None, False),
    NeutralElement("bitwise_and", EITHER, 0, None, False),
    NeutralElement("bitwise_or", EITHER, -1, None, True),
    NeutralElement("logical_and", EITHER, None, None, False),
    NeutralElement("logical_or", EITHER, None, None, True),
]
"""`x op number` is the number."""

FAST_NEUTRAL = [
    NeutralElement("add", EITHER, None, 0.0, None),  # -0.0 becomes 0.0
    NeutralElement("subtract", RIGHT, None, -0.0, None),
]
FAST_ABSORBING = [
    NeutralElement(
        "multiply", EITHER, None, 0.0, None
    ),  # NaN and infinities yield NaN, negative numbers -0.0
    NeutralElement("multiply", EITHER, None, -0.0, None),
]


def _wanted(row: NeutralElement, dtype: np.dtype[Any]) -> Any | None:
    """Return the number of a row for an element type, None if there is none."""
    if dtype.kind == "b":
        return row.booleans
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        named = {LEAST: limits.min, GREATEST: limits.max}
        number = row.integers
    else:
        named, number = {LEAST: -np.inf, GREATEST: np.inf}, row.floats
    return named[number] if isinstance(number, str) else number


def _split(row: NeutralElement, operands: tuple[Value, Value]) -> tuple[Value, Value] | None:
    """Return the other operand and the number, if one operand is the number and changes no shape."""
    for side in row.sides:
        kept, number = operands[1 - side], operands[side]
        if _holds_wanted(row, number.value) and spreads_into(number, kept):
            return kept, number
    return None


def _holds_wanted(row: NeutralElement, value: SSAValue) -> bool:
    """Return whether a value is the number of a row everywhere."""
    found = number_of(value) if may_be_number(value) else None
    wanted = None if found is None else _wanted(row, found.dtype)
    return wanted is not None and is_number(found, wanted)


def _filled(root: Value, number: Value) -> object | None:
    """Return the number in the shape of the root."""
    if number.type == root.type:
        return number
    shape, found = known_shape(root), number_of(number.value)
    if shape is None or found is None or root.dtype is None or root.dtype != number.dtype:
        return None
    scalar = number if number.shape == () else const(found.item(), root.dtype)
    return op.full(list(shape), scalar)


class NumberRule(FunctionRule):
    """A rule of a row, for ops that have an operand which is its number throughout."""

    def __init__(self, row: NeutralElement, absorbs: bool):
        a, b = wildcard(), wildcard()

        def replace(root: Value, match: Match) -> object | None:
            found = _split(row, (match[a], match[b]))
            if found is None:
                return None
            return _filled(root, found[1]) if absorbs else same(root, found[0])

        name = f"{row.op} with {'an absorbing' if absorbs else 'a neutral'} number"
        super().__init__(is_op(row.op)(a, b, in_order=True), replace, name)
        self.row = row

    def may_match(self, op: Operation) -> bool:
        return any(_holds_wanted(self.row, op.operands[side]) for side in self.row.sides)


def rules(fast_math: bool = False) -> Iterable[PatternRule]:
    """Yield the rules of the tables."""
    yield from (NumberRule(row, absorbs=False) for row in NEUTRAL)
    yield from (NumberRule(row, absorbs=True) for row in ABSORBING)
    if fast_math:
        yield from (NumberRule(row, absorbs=False) for row in FAST_NEUTRAL)
        yield from (NumberRule(row, absorbs=True) for row in FAST_ABSORBING)
