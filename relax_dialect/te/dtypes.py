"""Element types of tensor expressions: their names, their kinds and the casts between them."""

from __future__ import annotations

import math
from typing import TypeAlias

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
)
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError

DType: TypeAlias = Attribute
Number: TypeAlias = int | float | bool

F16, BF16, F32, F64 = Float16Type(), BFloat16Type(), Float32Type(), Float64Type()
I1, I64, INDEX = IntegerType(1), IntegerType(64), IndexType()

_FLOAT_WIDTHS: dict[DType, int] = {F16: 16, BF16: 16, F32: 32, F64: 64}

_NAMES: dict[str, DType] = {
    "float16": F16,
    "bfloat16": BF16,
    "float32": F32,
    "float64": F64,
    "bool": I1,
    "i1": I1,
    "index": INDEX,
    **{str(dtype): dtype for dtype in _FLOAT_WIDTHS},
    **{f"int{width}": IntegerType(width) for width in (8, 16, 32, 64)},
    **{f"i{width}": IntegerType(width) for width in (8, 16, 32, 64)},
}


def as_dtype(dtype: DType | str) -> DType:
    """An element type from numpy's name, MLIR's name or the type itself."""
    if isinstance(dtype, str):
        if dtype in _NAMES:
            return _NAMES[dtype]
    elif kind(dtype):
        return dtype
    raise RelaxError(
        f"te: element type '{dtype}': expected one of {', '.join(_NAMES)} or the xDSL type"
    )


def kind(dtype: DType) -> str:
    """'float', 'integer' (signless, or index), 'bool', or '' for a type that is not supported."""
    if dtype in _FLOAT_WIDTHS:
        return "float"
    if dtype == I1:
        return "bool"
    if dtype == INDEX:
        return "integer"
    signless = isinstance(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNLESS
    return "integer" if signless else ""


def limits(dtype: DType) -> tuple[Number, Number]:
    """The lowest and the highest value of an element type (infinities for floats)."""
    if kind(dtype) == "float":
        return -math.inf, math.inf
    width = 64 if dtype == INDEX else dtype.width.data  # pyright: ignore[reportAttributeAccessIssue]
    return -(1 << width - 1), (1 << width - 1) - 1


def constant(value: Number, dtype: DType) -> arith.ConstantOp:
    """The constant operation for a number of an element type."""
    if kind(dtype) == "float":
        return arith.ConstantOp(FloatAttr(float(value), dtype))  # pyright: ignore
    return arith.ConstantOp(IntegerAttr(int(value), dtype))  # pyright: ignore


def cast(value: SSAValue, target: DType) -> list[Operation]:
    """The operations that convert a value as numpy's `astype` does; the last one holds the result."""
    steps: list[Operation] = []

    def step(op: Operation) -> SSAValue:
        steps.append(op)
        return op.results[0]

    source = value.type
    match kind(source), kind(target):
        case "float", "float":
            if _FLOAT_WIDTHS[source] == _FLOAT_WIDTHS[target]:
                value, source = step(arith.ExtFOp(value, F32)), F32
            widens = _FLOAT_WIDTHS[source] < _FLOAT_WIDTHS[target]
            step((arith.ExtFOp if widens else arith.TruncFOp)(value, target))  # pyright: ignore
        case "float", "bool":
            zero = step(constant(0.0, source))
            step(arith.CmpfOp(value, zero, "une"))
        case "float", "integer":
            if target == INDEX:
                value = step(arith.FPToSIOp(value, I64))
                step(arith.IndexCastOp(value, INDEX))
            else:
                step(arith.FPToSIOp(value, target))
        case "bool", "float":
            step(arith.UIToFPOp(value, target))
        case "bool", "integer":
            if target == INDEX:
                value = step(arith.ExtUIOp(value, I64))
                step(arith.IndexCastOp(value, INDEX))
            else:
                step(arith.ExtUIOp(value, target))  # pyright: ignore[reportArgumentType]
        case "integer", "bool":
            zero = step(constant(0, source))
            step(arith.CmpiOp(value, zero, "ne"))
        case "integer", "float":
            if source == INDEX:
                value = step(arith.IndexCastOp(value, I64))
            step(arith.SIToFPOp(value, target))
        case "integer", "integer":
            if INDEX in (source, target):
                step(arith.IndexCastOp(value, target))
            elif source.width.data < target.width.data:  # pyright: ignore
                step(arith.ExtSIOp(value, target))  # pyright: ignore[reportArgumentType]
            else:
                step(arith.TruncIOp(value, target))  # pyright: ignore[reportArgumentType]
    assert steps, f"no cast from {source} to {target}"
    return steps
