"""Casts: an `astype` to the same element type is removed, and an exact inner cast is skipped.

    astype(x: f32, f32)                    ->  x
    astype(astype(x: f16, f32), f64)       ->  astype(x, f64)
    astype(astype(x: f16, f32), f16)       ->  x
    astype(astype(x: i8, i32), ui16)       ->  astype(x, ui16)

The inner cast is kept if it may be inexact (`astype(astype(x: f32, f16), f32)`), and if it converts
integers to a float type and the outer one back to a type too small for them: a float beyond the range of
an integer type saturates, an integer wraps around.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.dialects.builtin import Signedness as Sign
from xdsl.ir import Attribute

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, is_op, wildcard
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.type_rules import is_float
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting, same


class FloatFormat(NamedTuple):
    """The number of bits of the significand, including the hidden one, and of the exponent."""

    precision: int
    exponent: int


FLOATS: dict[type[Attribute], FloatFormat] = {
    BFloat16Type: FloatFormat(8, 8),
    Float16Type: FloatFormat(11, 5),
    Float32Type: FloatFormat(24, 8),
    Float64Type: FloatFormat(53, 11),
}


def _range(type: IntegerType) -> tuple[int, int]:
    """Return the least and the greatest number of an integer type."""
    width = type.width.data
    if width == 1:
        return 0, 1
    if type.signedness.data is Sign.UNSIGNED:
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def _within(inner: IntegerType, outer: IntegerType) -> bool:
    (a, b), (low, high) = _range(inner), _range(outer)
    return low <= a and b <= high


def is_exact(source: Attribute, target: Attribute) -> bool:
    """Return whether every number of one element type is one of another."""
    if isinstance(source, IntegerType):
        if isinstance(target, IntegerType):
            return _within(source, target)
        found = FLOATS.get(type(target))
        return found is not None and _range(source)[1] < 2**found.precision
    a, b = FLOATS.get(type(source)), FLOATS.get(type(target))
    return (
        a is not None and b is not None and a.precision <= b.precision and a.exponent <= b.exponent
    )


def may_skip(first: Attribute, middle: Attribute, last: Attribute) -> bool:
    """Return whether the casts from `first` to `middle` to `last` are the one from `first` to `last`."""
    if not is_exact(first, middle):
        return False
    wraps = isinstance(first, IntegerType) and isinstance(last, IntegerType)
    if wraps and is_float(middle):
        return _within(first, last) or last.width.data == 1  # pyright: ignore
    return True


x = wildcard()
inner = is_op("astype")(x)


def _own(root: Value, match: Match) -> object | None:
    known = root.dtype is not None and root.dtype == match[x].dtype
    return same(root, match[x]) if known else None


def _chain(root: Value, match: Match) -> object | None:
    first, middle, last = match[x].dtype, match[inner].dtype, root.dtype
    if first is None or middle is None or last is None or not may_skip(first, middle, last):
        return None
    if first == last:
        return same(root, match[x])
    cast = root.value.owner
    assert isinstance(cast, AstypeOp)
    return fitting(root, lambda: AstypeOp(match[x].value, last, cast.saturate, cast.rounding))


def rules() -> Iterable[PatternRule]:
    """Yield the rules on casts."""
    yield FunctionRule(is_op("astype")(x), _own, "astype to the own type")
    yield FunctionRule(is_op("astype")(inner), _chain, "astype of astype", outside_uses=True)
