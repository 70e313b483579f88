"""Sums of byte products as `linalg.generic`, and the signedness of their operands.

linalg.generic {(i, k), (k, j) -> (i, j)} ins(%x, %w : memref<?x510xui8>, memref<510x96xi8>) outs(%out)
  %a = arith.extui (%x as i8)    %b = arith.extsi %w    %out + %a * %b : i32
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IntegerType,
    MemRefType,
    Signedness,
    UnrealizedConversionCastOp,
    i8,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from lowering.schedule.match.contraction import Contraction
from lowering.schedule.match.contraction import find as find_contraction

SUM_BITS = i32.width.data


def is_unsigned(type: IntegerType) -> bool:
    return type.signedness.data == Signedness.UNSIGNED


def is_unsigned_byte(value: SSAValue) -> bool:
    """Return whether a number is an unsigned byte."""
    return isinstance(value.type, IntegerType) and is_unsigned(value.type)


def byte_type(value: SSAValue) -> IntegerType:
    """Return the type of the elements of a memref of bytes."""
    assert isinstance(value.type, MemRefType) and isinstance(value.type.element_type, IntegerType)
    return value.type.element_type


def have_one_sign(left: SSAValue, right: SSAValue) -> bool:
    """Return whether two memrefs of bytes are both signed, or both unsigned."""
    return is_unsigned(byte_type(left)) == is_unsigned(byte_type(right))


def find(op: Operation) -> Contraction | None:
    """Return the contraction that an op is, if it adds up products of bytes in i32."""
    found = find_contraction(op, multiplies_bytes)
    if found is None or None in (*found.left.loops, *found.right.loops):
        return None
    return found


def multiplies_bytes(op: linalg.GenericOp) -> bool:
    """Return whether an op adds up products of bytes."""
    return is_sum_of_byte_products(op.body.block)


def is_sum_of_byte_products(block: Block) -> bool:
    """Return whether a body is `acc + ext(a) * ext(b)` of bytes, extended by their signedness."""
    if len(block.args) != 3:
        return False
    a, b, acc = block.args
    if acc.type != i32:
        return False
    ops = list(block.ops)
    product, total, end = ops[-3:] if len(ops) > 3 else (None,) * 3
    if not (
        isinstance(product, arith.MuliOp)
        and isinstance(total, arith.AddiOp)
        and isinstance(end, linalg.YieldOp)
    ):
        return False
    factors = {extended_byte(product.lhs), extended_byte(product.rhs)}
    casts = arith.ExtSIOp | arith.ExtUIOp | UnrealizedConversionCastOp
    return (
        factors == {a, b}
        and all(isinstance(op, casts) for op in ops[:-3])
        and {total.lhs, total.rhs} == {acc, product.result}
        and list(end.operands) == [total.result]
    )


def extended_byte(value: SSAValue) -> SSAValue | None:
    """Return the byte that a number is, extended by its sign."""
    match value.owner:
        case arith.ExtSIOp(input=SSAValue(type=t) as byte) if t == i8:
            return byte
        case arith.ExtUIOp(input=SSAValue(owner=UnrealizedConversionCastOp() as cast, type=t)):
            (byte,) = cast.inputs
            unsigned = isinstance(byte.type, IntegerType) and is_unsigned(byte.type)
            return byte if unsigned and t == i8 else None
    return None


def signless(value: SSAValue) -> SSAValue:
    """Return a byte as arith takes it."""
    return value if value.type == i8 else UnrealizedConversionCastOp.get([value], [i8]).results[0]


def extended(value: SSAValue) -> SSAValue:
    """Return a byte as i32."""
    extend = arith.ExtSIOp if value.type == i8 else arith.ExtUIOp
    return extend(signless(value), i32).result
