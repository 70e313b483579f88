"""The element type in which numbers of two types are compared."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, f16, f32, f64
from xdsl.ir import Attribute

from relax_dialect.ops.type_rules import is_bool, is_float, is_unsigned


def compared_type(a: Attribute, b: Attribute) -> Attribute | None:
    """Return the type that numbers of two types become before they are compared, as numpy promotes them.

    It holds every number of both, but for integers of 64 bits with floats, which f64 rounds. None if
    only their values can be compared: for ui64 and a signed type.
    """
    if a == b or is_bool(b):
        return a
    if is_bool(a):
        return b
    if is_float(a) and is_float(b):
        return f32 if width(a) == width(b) else max(a, b, key=width)
    if is_float(a) or is_float(b):
        number, whole = (a, b) if is_float(a) else (b, a)
        return max(number, {8: f16, 16: f32}.get(width(whole), f64), key=width)
    if is_unsigned(a) == is_unsigned(b):
        return max(a, b, key=width)
    signed, other = (b, a) if is_unsigned(a) else (a, b)
    if width(signed) > width(other):
        return signed
    return IntegerType(2 * width(other)) if width(other) < 64 else None


def width(dtype: Attribute) -> int:
    """Return the bits of a number."""
    return dtype.bitwidth  # pyright: ignore
