"""Casts to storage types, and their elements packed into bytes; numpy's types for them are in
`ml_dtypes`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.interpret.runtime_values import Array, dtype_name, numpy_dtype, poisoned
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import MLIR_NAMES, STORAGE, bit_width, is_storage, per_byte

LARGEST = {
    "float8_e4m3fn": 448.0,
    "float8_e4m3fnuz": 240.0,
    "float8_e5m2": 57344.0,
    "float8_e5m2fnuz": 57344.0,
}
"""The largest finite numbers of the types that also have non-finite values."""


def stored(x: Array, dtype: np.dtype[Any], saturate: bool, rounding: str) -> Array:
    """`relax.astype` to a storage type."""
    if dtype.name.endswith(("int4", "int2")):
        return _lowest_bits(x, dtype)
    wide = x.astype(np.float32)
    if dtype.name == "float8_e8m0fnu":
        return exponents(wide, saturate, rounding).view(dtype)
    if saturate:
        wide = np.clip(wide, -LARGEST[dtype.name], LARGEST[dtype.name])
    return wide.astype(dtype)


def widened(x: Array) -> Array:
    """Return integers of less than a byte as bytes; anything else as it is."""
    name = x.dtype.name
    if name not in MLIR_NAMES or name.startswith("float"):
        return x
    return x.astype(np.uint8 if name.startswith("u") else np.int8)


def _lowest_bits(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return integers modulo 16 or 4; floats are truncated, those beyond i32 are 0."""
    if x.dtype.kind not in "iub":
        wide = np.asarray(x.astype(np.float64))
        x = np.where(np.abs(np.trunc(wide)) < 2.0**31, wide, 0.0).astype(np.int64)
    bits = bit_width(parse_dtype(dtype_name(dtype)))
    return (x.astype(np.int64) & ((1 << bits) - 1)).astype(np.uint8).view(dtype)


def exponents(x: Array, saturate: bool, rounding: str) -> Array:
    """Return the exponents of f32 as the bits of f8E8M0FNU."""
    bits = np.asarray(x).view(np.uint32) & np.uint32(0x7FFFFFFF)
    exponent, fraction = bits >> 23, bits & 0x7FFFFF
    least = {"up": 1, "nearest": 0x400000, "down": 0x800000}[rounding]
    more = fraction >= least
    if rounding == "nearest":  # 2^-127 itself has this bit
        more &= (exponent > 0) | (fraction > 0x400000)
    more &= exponent < (254 if saturate else 255)
    return (exponent + more).astype(np.uint8)


def as_codes(array: Array) -> Array:
    """Return an array of a storage type as the bits of its elements, a byte each; any other as it is."""
    return array.view(np.uint8) if array.dtype.name in MLIR_NAMES else array


def of_codes(array: Array, dtype: Attribute | None) -> Array:
    """Return bytes, with or without a type of numpy's, as elements of a storage type, if that is meant."""
    plain = array.dtype == np.uint8 or (array.dtype.kind == "V" and array.dtype.name == "void8")
    if dtype is None or not is_storage(dtype) or not plain:
        return array
    codes = array.view(np.uint8) & np.uint8((1 << bit_width(dtype)) - 1)
    return codes.view(numpy_dtype(dtype))


def packed(array: Array) -> Array:
    """Return the bytes that hold an array of a storage type."""
    width = bit_width(STORAGE[dtype_name(array.dtype)])
    codes = np.ascontiguousarray(array).reshape(-1).view(np.uint8) & np.uint8((1 << width) - 1)
    places = 8 // width
    rows = np.zeros((-(-codes.size // places), places), np.uint8)
    rows.reshape(-1)[: codes.size] = codes
    return np.bitwise_or.reduce(rows << (width * np.arange(places, dtype=np.uint8)), axis=1)


def unpacked(data: Array, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return the array of a storage type that some bytes hold."""
    width = bit_width(STORAGE[dtype_name(dtype)])
    places = width * np.arange(8 // width, dtype=np.uint8)
    codes = (np.asarray(data, np.uint8).reshape(-1, 1) >> places) & np.uint8((1 << width) - 1)
    return codes.reshape(-1)[: prod(shape)].view(dtype).reshape(shape)


# Memory ----------------------------------------------------------------------------------------


class PackedArray(np.ndarray[Any, Any]):
    """Elements of less than a byte in memory that is also accessed as bytes: the source of truth is
    `memory`, which `read` unpacks."""

    memory: Array

    @classmethod
    def on(cls, memory: Array, shape: Sequence[int], dtype: np.dtype[Any]) -> PackedArray:
        """Return the elements of some bytes."""
        found = unpacked(memory, shape, dtype).view(cls)
        found.memory = memory
        return found


def memory_of(shape: Sequence[int], element: Attribute) -> Array:
    """Return memory not yet written (`values.poisoned`)."""
    array = poisoned(shape, element)
    if not is_storage(element) or per_byte(element) == 1:
        return array
    return PackedArray.on(packed(array), shape, array.dtype)


def read(value: Any) -> Any:
    """Return the current contents of memory; any other value as it is."""
    if not isinstance(value, PackedArray):
        return value
    return unpacked(value.memory, value.shape, value.dtype)


def write(target: Array, value: Array) -> None:
    """Overwrite memory by an array of the same sizes."""
    if isinstance(target, PackedArray):
        target.memory[...] = packed(read(value))
    else:
        target[...] = read(value)


def reinterpreted(source: Array, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return the memory of a storage type as bytes, the reverse, or under another shape."""
    if isinstance(source, PackedArray):
        if source.dtype == dtype:
            return PackedArray.on(source.memory, shape, dtype)
        return source.memory.view(dtype).reshape(tuple(shape))
    stored = dtype if dtype.name in MLIR_NAMES else source.dtype
    if per_byte(STORAGE[MLIR_NAMES[stored.name]]) == 1:
        return source.reshape(-1).view(dtype).reshape(tuple(shape))
    if stored == dtype:
        return PackedArray.on(source.reshape(-1), shape, dtype)
    return packed(source).view(dtype).reshape(tuple(shape))
