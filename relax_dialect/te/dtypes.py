"""Element types of tensor expressions: their names, their kinds and the casts between them."""

from __future__ import annotations

import math
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
    """The operations that convert a value as numpy's `astype` does, the result last."""
    steps: list[Operation] = []

    def step(op: Operation) -> SSAValue:
        steps.append(op)
        return op.results[0]

    source: Any = value.type
    to: Any = target
    match kind(source), kind(to):
        case "float", "float":
            if _FLOAT_WIDTHS[source] == _FLOAT_WIDTHS[to]:
                value, source = step(arith.ExtFOp(value, F32)), F32
            widens = _FLOAT_WIDTHS[source] < _FLOAT_WIDTHS[to]
            step(arith.ExtFOp(value, to) if widens else arith.TruncFOp(value, to))
        case "float", "bool":
            step(arith.CmpfOp(value, step(constant(0.0, source)), "une"))
        case "integer", "bool":
            step(arith.CmpiOp(value, step(constant(0, source)), "ne"))
        case (("float" | "bool"), "integer") if to == INDEX:
            for op in cast(value, I64):
                value = step(op)
            step(arith.IndexCastOp(value, INDEX))
        case "float", "integer":
            step(arith.FPToSIOp(value, to))
        case "bool", "integer":
            step(arith.ExtUIOp(value, to))
        case "bool", "float":
            step(arith.UIToFPOp(value, to))
        case "integer", "float":
            if source == INDEX:
                value = step(arith.IndexCastOp(value, I64))
            step(arith.SIToFPOp(value, to))
        case "integer", "integer" if INDEX in (source, to):
            step(arith.IndexCastOp(value, to))
        case "integer", "integer":
            widens = source.width.data < to.width.data
            step(arith.ExtSIOp(value, to) if widens else arith.TruncIOp(value, to))
    assert steps, f"no cast from {source} to {target}"
    return steps
