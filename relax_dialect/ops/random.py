"""Random numbers that are functions of a key: no state, and no element depends on another.

The generator is Threefry2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", 2011). The 64 bits of element i, counted in row-major order from 0, are the block of the
counter i under the key, both as two words of 32 bits, the lower one first: interpreter and compiled C
compute the same numbers, in any order. One key yields the same bits for every shape of the same number of
elements; `relax.random_bits` derives further keys from one, for a next step or for another op of a program.

Draws of other distributions are compositions: a boolean that is true with probability p is
`less(random_uniform(key, shape), p)`, and `relax.multinomial_from_uniform` draws from a distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import (
    Dtype,
    Operand,
    ShapeOperand,
    element_type,
    real,
    shape_value,
    tensor,
)
from relax_dialect.ops.kinds import K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import Elements, Rank, is_float, sizes_of

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
"""The bits by which four rounds in a row rotate the second word, and the next four (the paper's table
2)."""


def threefry(key: Sequence[Any], counter: Sequence[Any]) -> tuple[Any, Any]:
    """Return the block of two words under a key of two, of anything that adds, shifts and xors modulo
    2^32."""
    schedule = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    a, b = counter[0] + key[0], counter[1] + key[1]
    for step in range(1, 6):
        for turn in ROTATIONS[(step - 1) % 2]:
            a = a + b
            b = (b << turn | b >> 32 - turn) ^ a
        a, b = a + schedule[step % 3], b + schedule[(step + 1) % 3] + step
    return a, b


KEY = Elements(lambda dtype: dtype == i64, "element type i64")


class RandomOp(OperatorOp):
    """Numbers drawn by a key; the same key yields the same numbers.

    (C1) `key` is of element type i64.
    (C2) `key` has rank 0.
    """

    PATTERN_KIND: ClassVar = K_INJECTIVE
    NUMBERS: ClassVar = {"key": "i64"}

    key: Operand = tensor(KEY, Rank(0, "C2", "take one element of it"))
    shape: ShapeOperand = shape_value()

    def drawn(self) -> Attribute:
        """Return the element type of the result."""
        return i64

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get(sizes_of(self.shape), self.drawn()),)


class RandomFloatOp(RandomOp):
    """Random numbers of a floating-point element type.

    (C3) `dtype` is a floating-point type.
    """

    dtype: Dtype = element_type(default=f32)

    def drawn(self) -> Attribute:
        if not is_float(self.dtype):
            expected = "a floating-point type as dtype (C3)"
            self.fail(expected, str(self.dtype), "name one, such as f32, and convert the result")
        return self.dtype


@operator("relax.random_bits")
class RandomBitsOp(RandomOp):
    """64 random bits for every element, as an i64: whole numbers, or keys of further draws."""


@operator("relax.random_uniform")
class RandomUniformOp(RandomFloatOp):
    """Numbers that are uniform from `low` to below `high` (which only rounding may yield).

    They are `low + u * (high - low)`, where u has the leading bits of an element that fill the significand
    of `dtype`: 53 of f64, 24 of f32, 11 of f16, 8 of bf16. Bounds other than 0 and 1 are computed with in
    f64, and rounded once.
    """

    low: float = real(default=0.0)
    high: float = real(default=1.0)


@operator("relax.random_normal")
class RandomNormalOp(RandomFloatOp):
    """Numbers of the normal distribution of a mean and a standard deviation, by the method of Box and
    Muller (1958): `mean + scale * sqrt(-2 * log(u)) * cos(2 * pi * v)`.

    u is one more than the lower word of an element, v the upper one, both divided by 2^32; so no number is
    further than 6.7 standard deviations from the mean. Computed in f64 and rounded once.
    """

    mean: float = real(default=0.0)
    scale: float = real(default=1.0)


OPS = operators_in(globals())
