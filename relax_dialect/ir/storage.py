"""Storage types: element types that tensors have in memory, and that nothing computes with.

They are MLIR's floats of 8 and 4 bits and integers of 4 and 2 bits. Elements of less than a byte are packed
as ONNX packs them: in row-major order, the first of a byte in its lowest bits, the last byte filled up with
zeros. In numpy they are the types of the package `ml_dtypes`, which has a byte for each element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from relax_dialect.mapped_data import Bytes, bytes_of

_SIGNLESS, _UNSIGNED = Signedness.SIGNLESS, Signedness.UNSIGNED

STORAGE: dict[str, Attribute] = {
    "f8E4M3FN": Float8E4M3FNType(),
    "f8E4M3FNUZ": Float8E4M3FNUZType(),
    "f8E5M2": Float8E5M2Type(),
    "f8E5M2FNUZ": Float8E5M2FNUZType(),
    "f8E8M0FNU": Float8E8M0FNUType(),
    "f4E2M1FN": Float4E2M1FNType(),
    "i4": IntegerType(4, _SIGNLESS),
    "ui4": IntegerType(4, _UNSIGNED),
    "i2": IntegerType(2, _SIGNLESS),
    "ui2": IntegerType(2, _UNSIGNED),
}
"""The storage types by MLIR's names."""

NUMPY_NAMES: dict[str, str] = {
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f4E2M1FN": "float4_e2m1fn",
    **{f"{sign}i{width}": f"{sign}int{width}" for sign in ("", "u") for width in (4, 2)},
}
"""The names of `ml_dtypes` by MLIR's."""
MLIR_NAMES = {numpy_name: name for name, numpy_name in NUMPY_NAMES.items()}

STORAGE_TYPES = frozenset(STORAGE.values())
_KINDS = frozenset(map(type, STORAGE_TYPES))
SCALE = STORAGE["f8E8M0FNU"]
"""The type of scales, which are powers of two: it has neither a sign nor zero."""


FEW = 64
"""The number of elements that mostly suffices to see that not all are equal."""


def mask_error(value: object) -> str | None:
    """Return why a masked array cannot be used, None for other values."""
    if not isinstance(value, np.ma.MaskedArray):
        return None
    return (
        "expected an array whose elements all count, found a masked array, whose mask would be lost; pass "
        "x.filled(value), or x.data"
    )


def is_storage(dtype: Attribute | None) -> bool:
    """Return whether an element type is a storage type."""
    return type(dtype) in _KINDS and dtype in STORAGE_TYPES


def bit_width(dtype: Any) -> int:
    """Return the bits of an element of a storage type: 8, 4 or 2."""
    return dtype.bitwidth


def dense_bytes(array: np.ndarray[Any, Any]) -> Bytes:
    """Return the bytes of an array as a dense constant holds them: a byte for a boolean, 0 or -1, and for
    an element of a storage type, its bits with the sign of an integer; all else in little-endian order."""
    data = np.asarray(array)
    if data.dtype == np.bool_:
        data = -data.astype(np.int8)
    elif data.dtype.name in ("int4", "int2"):
        data = data.astype(np.int8)
    elif data.dtype.name not in MLIR_NAMES:
        data = data.astype(data.dtype.newbyteorder("<"), copy=False)
    return bytes_of(data)


def is_repeated(data: bytes | memoryview, width: int) -> bool:
    """Return whether all elements of so many bytes are the same; mostly a few show that they are not."""
    if not data or len(data) % width:
        return False
    elements = np.frombuffer(data, np.uint8).reshape(-1, width)
    return all(bool((part == elements[0]).all()) for part in (elements[:FEW], elements))


def per_byte(dtype: Any) -> int:
    """Return the number of elements of a storage type in a byte."""
    return 8 // bit_width(dtype)
