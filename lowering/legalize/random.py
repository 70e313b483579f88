"""Random numbers: each element from its number and the key alone, so that loops over them may be split."""

from __future__ import annotations

import math
from typing import Any

from lowering.legalize.registry import legalize, result_dtype, result_shape
from relax_dialect import te
from relax_dialect.ops.random import (
    RandomBitsOp,
    RandomNormalOp,
    RandomOp,
    RandomUniformOp,
    threefry,
)

SIGNIFICANDS = {"f16": 11, "bf16": 8, "f32": 24}


def words(op: RandomOp, key: te.Tensor, i: tuple[te.IterVar, ...]) -> tuple[Any, Any]:
    """Return the two words of the element at an index."""
    number: Any = 0
    for size, place in zip(result_shape(op), i):
        number = number * te.cast(size, "index") + place if place is not i[0] else place
    return threefry(halves(key[()]), halves(te.cast(number, "i64")))


def halves(value: te.Scalar) -> tuple[te.Scalar, te.Scalar]:
    """Return the lower and the upper 32 bits of an i64."""
    return value.astype("ui32"), te.shift_right(value, 32).astype("ui32")


def joined(low: te.Scalar, high: te.Scalar) -> te.Scalar:
    """Two words as 64 bits."""
    return low.astype("ui64") | high.astype("ui64") << 32


@legalize(RandomBitsOp)
def random_bits(op: RandomBitsOp, key: te.Tensor) -> te.Tensor:
    """Return the bits as whole numbers."""
    shape = result_shape(op)
    return te.compute(shape, lambda *i: joined(*words(op, key, i)).astype("i64"), name="out")


@legalize(RandomUniformOp)
def uniform(op: RandomUniformOp, key: te.Tensor) -> te.Tensor:
    """`low + u * (high - low)`; 0..1 by the upper word alone where that is enough."""
    dtype = result_dtype(op)
    width = SIGNIFICANDS.get(str(dtype), 53)

    def element(*i: te.IterVar) -> te.Scalar:
        low, high = words(op, key, i)
        if width > 32:
            u = te.shift_right(joined(low, high), 64 - width).astype("i64")
        else:
            u = te.shift_right(high, 32 - width).astype("i32")
        if (op.low, op.high) == (0, 1):
            return (u.astype(dtype if width > 11 else "f32") * 2.0**-width).astype(dtype)
        u = u.astype("f64") * 2.0**-width
        return (u * (op.high - op.low) + op.low).astype(dtype)

    return te.compute(result_shape(op), element, name="out")


@legalize(RandomNormalOp)
def normal(op: RandomNormalOp, key: te.Tensor) -> te.Tensor:
    """Return the method of Box and Muller."""
    dtype = result_dtype(op)

    def element(*i: te.IterVar) -> te.Scalar:
        low, high = (word.astype("i64").astype("f64") for word in words(op, key, i))
        u, angle = (low + 1) * 2.0**-32, high * (2 * math.pi * 2.0**-32)
        found = te.sqrt(te.log(u) * -2.0) * te.cos(angle)
        return (found * op.scale + op.mean).astype(dtype)

    return te.compute(result_shape(op), element, name="out")
