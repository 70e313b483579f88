"""Narrow weights of matrix products, `[depth, columns]`, in the forms that kernels decode in registers.

| form | elements | decoded |
|---|---|---|
| bf16 | ui16, the bits | shifted |
| f16 | i16, the bits | shifted, masked, scaled |
| i8 | i8, around zero | converted |
| i4 | i32 words of eight numbers down a column, the first in the lowest bits | shifted, converted |
| f8E4M3FN, ... | ui8, the bits | by the format |

Integers are scaled and have zero points, one for each column, or for each column of a group of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type
from xdsl.ir import Operation, SSAValue

from relax_dialect.interpret.runtime_values import Array, dtype_name
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.rewrites.quantization.narrowing.decoding import Decoded, SharedParameter, decoded

WORD = 8
"""The numbers of four bits in a word."""

LEAST = 1 << 10
"""Fewer weights are as well kept as floats."""


@dataclass(frozen=True)
class NarrowWeight:
    """The weights of a product, `scale * (code - zero)`."""

    form: str
    codes: Array
    """`[depth, columns]`, without words: numbers or bits."""
    group: int
    """The number of rows that share scales; 0 if all do."""
    scale: Array | None
    """`[groups, columns]`, f32; None for 1."""
    zero: Array | None


def narrow_weight(op: Operation) -> NarrowWeight | None:
    """Return the weights of a product that a kernel can decode as it reads them; None for another op."""
    value = weight_of(op)
    found = None if value is None else decoded(value)
    if found is None or found.codes.ndim != 2 or found.codes.size < LEAST:
        return None
    if isinstance(op, LinearOp):
        parameters = (each and each.transposed((1, 0)) for each in (found.scale, found.zero))
        found = Decoded(found.codes.T, *parameters)
    name = dtype_name(found.codes.dtype)
    if "i" in name and "f" not in name:
        return _of_integers(found)
    return _of_floats(found, name)


def weight_of(op: Operation) -> SSAValue | None:
    """Return the weights of a product of rank 2, whose other factor is no wider than f32."""
    if isinstance(op, MatmulOp):
        x, weight = op.lhs, op.rhs
    elif isinstance(op, LinearOp):
        x, weight = op.x, op.weight
    else:
        return None
    known = all(isinstance(v.type, TensorType) for v in (x, weight))
    if not known or weight.type.rank != 2 or not x.type.rank:  # pyright: ignore
        return None
    types = Float16Type, BFloat16Type, Float32Type
    floats = [v.type.dtype for v in (x, weight, op.results[0])]  # pyright: ignore
    is_static = all(d is not None and d.value for d in weight.type.shape)  # pyright: ignore
    return weight if is_static and all(isinstance(each, types) for each in floats) else None


def _of_floats(found: Decoded, name: str) -> NarrowWeight | None:
    if found.scale is not None or found.zero is not None:
        return None
    bits = np.ascontiguousarray(found.codes).view(f"u{found.codes.dtype.itemsize}")
    if name == "f16" and (bits & 0x7C00 == 0x7C00).any():
        return None  # not finite: the decoding of f16 has no such numbers
    return NarrowWeight(name, bits, 0, None, None)


def _of_integers(found: Decoded) -> NarrowWeight | None:
    codes, parameters = found.codes.astype(np.int16), (found.scale, found.zero)
    depth, columns = codes.shape
    group = _group(parameters, depth, columns)
    if 0 < group < WORD:
        return None
    scale, zero = (each and _grouped(each, group, depth, columns) for each in parameters)
    if zero is not None and abs(first := zero.flat[0]) <= 255 and (zero == round(first)).all():
        moved = codes - np.int16(first)
        if moved.min() >= -128 and moved.max() <= 127:
            codes, zero = moved, None
    low, high = int(codes.min()), int(codes.max())
    form, half = ("i4", 8) if high - low < 16 else ("i8", 128)
    if low < -half or high >= half:  # around zero, and zero points with them
        shift = low + half if form == "i4" else half
        codes = codes - np.int16(shift)
        groups = -(-depth // group) if group else 1
        none = np.zeros((groups, columns), np.float32)
        zero = (none if zero is None else zero) - np.float32(shift)
    return NarrowWeight(form, codes.astype(np.int8), group, scale, zero)


def _group(parameters: Sequence[SharedParameter | None], depth: int, columns: int) -> int:
    """Return the number of rows that share all parameters; 0 if all do."""
    found = 0
    for each in parameters:
        if each is not None and each.array.shape[0] > 1:
            shared = each.shared[0]
            found = gcd(found, shared if shared > 1 else _run(each.array) * shared)
    return 0 if found >= depth else found


def _run(array: Array) -> int:
    """Return the number of rows that are equal to their neighbours, in runs of one length."""
    changes = np.flatnonzero((array[1:] != array[:-1]).any(axis=1)) + 1
    return int(np.gcd.reduce(changes)) if changes.size else len(array)


def _grouped(blocks: SharedParameter, group: int, depth: int, columns: int) -> Array:
    """Return the parameter of each group and column."""
    count = -(-depth // group) if group else 1
    rows = np.arange(count) * (group or 1) // blocks.shared[0]
    array = blocks.array if blocks.array.shape[0] == 1 else blocks.array[rows]
    across = SharedParameter(array, [1, blocks.shared[1]])
    return np.ascontiguousarray(across.full((count, columns)), np.float32)


def words(codes: Array) -> Array:
    """Return numbers of four bits in words, eight of a column in each; the depth is a multiple of that."""
    rows = codes.reshape(-1, WORD, codes.shape[1]).astype(np.uint32) & np.uint32(15)
    shifts = np.arange(0, 32, 4, dtype=np.uint32)[:, None]
    return np.bitwise_or.reduce(rows << shifts, axis=1).view(np.int32)
