"""Tensors of rank 0 and known sizes as scalars, where a script declares scalars.

TVM computes scalars from scalars. Here they are tensors of rank 0 until a result or a parameter declares a
scalar. A size is a 64-bit integer until an integer of another width is declared.
"""

from __future__ import annotations

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AnyFloat, IntegerType, TupleType
from xdsl.ir import Attribute, Operation

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Value
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.ops.builtin_tensors import ToBuiltinOp
from relax_dialect.ops.core import ConstantOp, TupleOp
from relax_dialect.ops.shape_value import PrimValueOp


def as_declared(builder: BlockBuilder, value: Value, declared: Attribute) -> Value:
    """Convert a tensor of rank 0 or a known size to the declared scalar, inside of tuples too; any other
    value is returned as it is."""
    if isinstance(declared, TupleType) and isinstance(made := value.value.owner, TupleOp):
        return _fields_as_declared(builder, value, made, declared)
    own, owner = value.type, value.value.owner
    number = _integer(owner) if isinstance(owner, ConstantOp) else None
    if isinstance(declared, PrimType) and number is not None:
        return builder.emit(PrimValueOp(number))
    if (
        isinstance(declared, IntegerType)
        and isinstance(own, PrimType)
        and own.value.value is not None
    ):
        return as_declared(builder, builder.emit(const(own.value.value, declared)), declared)
    is_scalar = isinstance(declared, IntegerType | AnyFloat)
    if not is_scalar or not isinstance(own, TensorType) or own.shape != () or own.dtype != declared:
        return value
    is_signless = not isinstance(declared, IntegerType) or declared == IntegerType(
        declared.bitwidth
    )
    if isinstance(owner, ConstantOp) and is_signless:
        return builder.emit(arith.ConstantOp(owner.value.get_attrs()[0]))  # pyright: ignore
    whole = builder.emit(ToBuiltinOp(value.value))
    return builder.emit(tensor.ExtractOp(whole.value, [], declared))


def is_scalar_read(op: Operation) -> bool:
    """Returns whether an op reads the element of a Relax tensor of rank 0, as `as_declared` does."""
    return (
        isinstance(op, tensor.ExtractOp)
        and not op.indices
        and isinstance(op.tensor.owner, ToBuiltinOp)
    )


def _fields_as_declared(
    builder: BlockBuilder, value: Value, made: TupleOp, declared: TupleType
) -> Value:
    fields, wanted = [Value(field) for field in made.fields], declared.types.data
    if len(fields) != len(wanted):
        return value
    new = [as_declared(builder, *pair) for pair in zip(fields, wanted)]
    if all(a is b for a, b in zip(fields, new)):
        return value
    return builder.emit(tuple(new))


def _integer(constant: ConstantOp) -> int | None:
    type = constant.result.type
    if not isinstance(type, TensorType) or type.shape != ():
        return None
    number = constant.value.get_values()[0]
    return number if isinstance(number, int) else None
