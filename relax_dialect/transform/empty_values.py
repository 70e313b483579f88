"""Placeholder values for unused operands: tensors without elements, shapes of zeros."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TupleType,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import PrimType, ShapeType, TensorType
from relax_dialect.ops.core import ConstantOp, ShapeOp, TupleOp


def empty_value(builder: Builder, where: str, type: Attribute) -> SSAValue:
    """Emit a value of a type whose sizes are all unknown; `where` names the cause in errors."""

    def add(op: Operation) -> SSAValue:
        return builder.insert(op).results[0]

    match type:
        case TupleType():
            return add(TupleOp(*(empty_value(builder, where, field) for field in type.types)))
        case TensorType() if type.shape is not None and type.dtype is not None:
            builtin = BuiltinTensorType(type.dtype, [0] * len(type.shape))
            elements = [] if type.shape else [0]
            dense = DenseIntOrFPElementsAttr.from_list(builtin, elements)  # pyright: ignore
            return add(ConstantOp(dense))
        case ShapeType() if type.shape is not None:
            return add(ShapeOp([0] * len(type.shape)))
        case IntegerType() | IndexType():  # such as a number that is not known any more
            return add(arith.ConstantOp(IntegerAttr(0, type)))
        case BFloat16Type() | Float16Type() | Float32Type() | Float64Type():
            return add(arith.ConstantOp(FloatAttr(0.0, type)))
    raise RelaxError(
        f"{where}: expected tensors of known rank and element type, shapes, scalars and tuples of them "
        f"among the captures of a function that shares its closure with others, found {type}; declare the "
        "rank and element type of the parameter"
    )


def has_empty_value(type: Attribute) -> bool:
    """Return whether `empty_value` has one of a type whose sizes are all unknown."""
    match type:
        case TupleType():
            return all(map(has_empty_value, type.types))
        case TensorType():
            return type.shape is not None and type.dtype is not None
        case ShapeType():
            return type.shape is not None
    floats = BFloat16Type | Float16Type | Float32Type | Float64Type
    return isinstance(type, IntegerType | IndexType | PrimType | floats)
