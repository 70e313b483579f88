"""Tensors as the memory that holds them."""

from __future__ import annotations

from functools import reduce
from math import gcd
from operator import or_
from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.manipulate import flattened
from lowering.legalize.registry import legalize, result_dtype, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.memory import SizeOp, ViewOp, byte_width


@legalize(SizeOp)
def size(op: SizeOp, x: te.Tensor) -> te.Tensor:
    """Return the product of the sizes."""
    return te.compute((), lambda: te.cast(symbolic.product(x.shape), "i64"), name="out")


@legalize(ViewOp)
def view(op: ViewOp, x: te.Tensor, _: None = None) -> te.Tensor:
    """Elements of one width where they lie, others put together of the largest units that divide both
    widths and the offset."""
    shape, dtype = result_shape(op), result_dtype(op)
    types = TensorType(x.shape, x.dtype), TensorType(shape, dtype)
    requires = requirements(op, op.demands(*types))
    if any(size.value == 0 for size in (*x.shape, *shape)):
        return te.compute(shape, lambda *i: te.const(0, dtype), name="out", requires=requires)
    old, new, offset = byte_width(x.dtype), byte_width(dtype), op.relative_byte_offset
    unit = gcd(old, new, offset)

    flat = flattened(x)

    def element(i: te.IterVar) -> te.Scalar:
        if unit == old == new:
            value = flat[i + offset // unit]
            return te.reinterpret(value if value.dtype == dtype else as_bits(value), dtype)
        first = i * (new // unit) + offset // unit
        parts = [part(first + k).astype(bits(new)) << 8 * unit * k for k in range(new // unit)]
        return te.reinterpret(reduce(or_, parts), dtype)

    def part(number: Any) -> te.Scalar:
        """Return the unit of a number among all of x."""
        ratio = old // unit
        place, within = (number, 0) if ratio == 1 else divided(number, ratio)
        value = as_bits(flat[place])
        shift = te.cast(within, "i64").astype(value.dtype) * (8 * unit)
        return (value if ratio == 1 else value >> shift).astype(bits(unit))

    seen = te.compute((symbolic.product(shape),), element, name="seen", requires=requires)
    return te.reshape(seen, shape, name="out")


def divided(number: Any, by: int) -> tuple[Any, Any]:
    return te.floordiv(number, by), te.floormod(number, by)


def bits(width: int) -> str:
    """Return the unsigned type of `width` bytes."""
    return f"ui{8 * width}"


def as_bits(value: te.Scalar) -> te.Scalar:
    """Return the bytes of an element as an unsigned number."""
    if str(value.dtype) == "i1":
        return value.astype("ui8")
    return te.reinterpret(value, bits(byte_width(value.dtype)))
