"""Element types of tensor expressions: their names, their kinds and the casts between them.

An unsigned type is one of memory: scalar operations take signless integers, so its elements are read as
these (`register_type`) and the type selects the operations that interpret the bits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError, SymbolicError
from relax_dialect.ir import spelling

DType: TypeAlias = Attribute
Number: TypeAlias = int | float | bool
Step: TypeAlias = Callable[[Operation], SSAValue]

F16, BF16, F32, F64 = Float16Type(), BFloat16Type(), Float32Type(), Float64Type()
I1, I64, INDEX = IntegerType(1), IntegerType(64), IndexType()

_FLOAT_WIDTHS: dict[DType, int] = {F16: 16, BF16: 16, F32: 32, F64: 64}
_LARGEST: dict[DType, float] = {
    F16: 65504.0,
    BF16: (2 - 2**-7) * 2.0**127,
    F32: (2 - 2**-23) * 2.0**127,
    F64: sys.float_info.max,
}


def as_dtype(dtype: DType | str) -> DType:
    """Return an element type from MLIR's name, numpy's name, numpy's type or the type itself."""
    try:
        found = spelling.as_dtype(dtype)
    except SymbolicError as error:
        raise RelaxError(f"te: {error}") from None
    if not kind(found):
        raise RelaxError(
            f"te: element type '{found}': expected a float, an integer (signless or unsigned) of 8 to "
            "64 bits, i1 or index"
        )
    return found


@cache
def kind(dtype: DType) -> str:
    """Return 'float', 'integer' (signed, or index), 'unsigned', 'bool', or '' for an unsupported type."""
    if dtype in _FLOAT_WIDTHS:
        return "float"
    if dtype == I1:
        return "bool"
    if dtype == INDEX:
        return "integer"
    if not isinstance(dtype, IntegerType):
        return ""
    kinds = {Signedness.SIGNLESS: "integer", Signedness.UNSIGNED: "unsigned"}
    return kinds.get(dtype.signedness.data, "")


def register_type(dtype: DType) -> DType:
    """Return the type that scalar operations compute with: signless for an unsigned one."""
    return IntegerType(width(dtype)) if kind(dtype) == "unsigned" else dtype


def width(dtype: DType) -> int:
    """Return the bits of an integer type; an index counts as 64."""
    return dtype.width.data if isinstance(dtype, IntegerType) else 64


def bits(dtype: DType) -> int:
    """Return the bits of an element in a register; an index counts as 64."""
    return _FLOAT_WIDTHS.get(dtype) or width(dtype)


def reinterpreted(value: SSAValue, target: DType) -> list[Operation]:
    """Return the operation that bitcasts a value to another type of the same width; none if both types
    share a register type."""
    to = register_type(target)
    return [] if value.type == to else [arith.BitcastOp(value, to)]


def converted(value: SSAValue, dtype: DType) -> UnrealizedConversionCastOp:
    """Return the bits of an unsigned element as a signless integer of the same width, or back."""
    return UnrealizedConversionCastOp.get([value], [dtype])


def limits(dtype: DType) -> tuple[Number, Number]:
    """Return the lowest and the highest value of an element type (infinities for floats)."""
    if kind(dtype) == "float":
        return -math.inf, math.inf
    bits = width(dtype)
    if kind(dtype) == "unsigned":
        return 0, (1 << bits) - 1
    return -(1 << bits - 1), (1 << bits - 1) - 1


def largest_float(dtype: DType) -> float:
    """Return the largest number of a float type."""
    return _LARGEST[dtype]


def float_attribute(value: Number, dtype: DType) -> FloatAttr:
    """Return a number as an attribute of a float type: beyond its range an infinity, as numpy rounds."""
    try:
        return FloatAttr(float(value), dtype)  # pyright: ignore
    except OverflowError:
        return FloatAttr(math.inf if value > 0 else -math.inf, dtype)  # pyright: ignore


def constant(value: Number, dtype: DType) -> arith.ConstantOp:
    """Return the constant operation for a number of an element type, in the type of registers."""
    if kind(dtype) == "float":
        return arith.ConstantOp(float_attribute(value, dtype))
    if kind(dtype) == "unsigned":
        dtype, half = register_type(dtype), 1 << width(dtype) - 1
        value = (int(value) + half) % (2 * half) - half
    return arith.ConstantOp(IntegerAttr(int(value), dtype))  # pyright: ignore


def cast(value: SSAValue, source: DType, target: DType) -> list[Operation]:
    """Return the operations that convert a value as numpy's `astype` does, the result last; none if its
    bits stay.

    Integers wrap around. A float is truncated; beyond the range of an integer type it becomes the
    nearest number of that, and NaN becomes 0.
    """
    steps: list[Operation] = []

    def step(op: Operation) -> SSAValue:
        steps.append(op)
        return op.results[0]

    to: Any = register_type(target)
    match kind(source), kind(target):
        case "float", "float":
            if _FLOAT_WIDTHS[source] == _FLOAT_WIDTHS[to]:
                value, source = step(arith.ExtFOp(value, F32)), F32
            widens = _FLOAT_WIDTHS[source] < _FLOAT_WIDTHS[to]
            step(arith.ExtFOp(value, to) if widens else arith.TruncFOp(value, to))
        case "float", "bool":
            step(arith.CmpfOp(value, step(constant(0.0, source)), "une"))
        case (("integer" | "unsigned"), "bool"):
            step(arith.CmpiOp(value, step(constant(0, source)), "ne"))
        case (("float" | "bool"), "integer") if to == INDEX:
            for op in cast(value, source, I64):
                value = step(op)
            step(arith.IndexCastOp(value, INDEX))
        case "float", ("integer" | "unsigned"):
            conversion = arith.FPToSIOp if kind(target) == "integer" else arith.FPToUIOp
            step(conversion(value, to))
        case "bool", ("integer" | "unsigned"):
            step(arith.ExtUIOp(value, to))
        case "bool", "float":
            step(arith.UIToFPOp(value, to))
        case (("integer" | "unsigned"), "float"):
            if source == INDEX:
                value = step(arith.IndexCastOp(value, I64))
            conversion = arith.SIToFPOp if kind(source) == "integer" else arith.UIToFPOp
            step(conversion(value, to))
        case (("integer" | "unsigned"), ("integer" | "unsigned")):
            _resize(value, source, target, step)
    return steps


def _resize(value: SSAValue, source: DType, target: DType, step: Step) -> None:
    """Append the resize of an integer: sign-extended from a signed source, else zero-extended."""
    to: Any = register_type(target)
    if target == INDEX and kind(source) == "unsigned" and width(source) < 64:
        value, source = step(arith.ExtUIOp(value, I64)), I64
    if INDEX in (source, target):
        step(arith.IndexCastOp(value, to))
    elif width(source) < width(target):
        step((arith.ExtSIOp if kind(source) == "integer" else arith.ExtUIOp)(value, to))
    elif width(source) > width(target):
        step(arith.TruncIOp(value, to))
