"""Conversions between element types, defined for every number as `relax.astype` is."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import BFloat16Type, Float32Type, Float64Type

from relax_dialect.prove.scalars import lemmas
from relax_dialect.prove.scalars.scalar_ops import RNE, RTZ, is_true
from relax_dialect.prove.scalars.scalar_types import ScalarType, number, scalar_type
from relax_dialect.prove.verdicts import Outside
from relax_dialect.prove.z3_package import z3

F32, F64 = scalar_type(Float32Type()), scalar_type(Float64Type())


def cast(x: Any, source: ScalarType, target: ScalarType) -> Any:
    """Return a number as one of another type."""
    if source == target:
        return x
    if target.kind == "bool":
        return is_true(source, x)
    if source.kind == "bool":
        return z3.If(x, number(1, target), number(0, target))
    if source.kind == "whole" and target.is_real:
        return x
    if source.is_real or target.is_real:
        raise Outside("a cast to integers over the reals")
    if target.is_float:
        if isinstance(target.element, BFloat16Type) and source != F32:  # rounded to f32 first
            return _to_float(_to_float(x, source, F32), F32, target)
        return _to_float(x, source, target)
    return _to_integer(x, target) if source.is_float else _resized(x, source, target)


def _to_float(x: Any, source: ScalarType, target: ScalarType) -> Any:
    if source.is_float:
        return lemmas.resized(x, target)
    convert = z3.fpSignedToFP if source.is_signed else z3.fpUnsignedToFP
    return convert(RNE, x, target.sort)


def _to_integer(x: Any, target: ScalarType) -> Any:
    """Truncated; the nearest number where it is beyond the type, 0 for a NaN."""
    wide = lemmas.resized(x, F64)
    least, most = _limits(target)
    convert = z3.fpToSBV if target.is_signed else z3.fpToUBV
    above = z3.fpGEQ(wide, number(float(most + 1), F64))
    below = z3.fpLT(wide, number(float(least), F64))
    low, high = (z3.BitVecVal(limit, target.width) for limit in (least, most))
    # truncated where -1 < x < 0, which the conversion to unsigned numbers leaves open
    is_negative = z3.fpLT(wide, number(0, F64))
    inside = z3.If(is_negative, _negative(wide, target), convert(RTZ, wide, target.sort))
    found = z3.If(above, high, z3.If(below, low, inside))
    return z3.If(z3.fpIsNaN(x), z3.BitVecVal(0, target.width), found)


def _negative(wide: Any, target: ScalarType) -> Any:
    signed = z3.fpToSBV(RTZ, wide, target.sort)
    return signed if target.is_signed else z3.BitVecVal(0, target.width)


def _limits(type: ScalarType) -> tuple[int, int]:
    count = 2**type.width
    return (-count // 2, count // 2 - 1) if type.is_signed else (0, count - 1)


def _resized(x: Any, source: ScalarType, target: ScalarType) -> Any:
    more = target.width - source.width
    if more <= 0:
        return z3.Extract(target.width - 1, 0, x)
    return z3.SignExt(more, x) if source.is_signed else z3.ZeroExt(more, x)
