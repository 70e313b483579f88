"""DLPack's structures, and numpy's arrays as them."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from relax_dialect.errors import RelaxError

KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
"""numpy's letters for DLPack's type codes."""

CODES = {letter: code for code, letter in KINDS.items()}

HANDLE = 3
"""DLPack's code for an opaque handle, which an object is."""

BFLOAT = 4
"""DLPack's code for bfloat16, which numpy itself has not."""


def bfloat16() -> np.dtype[Any]:
    """numpy's type for bf16, from the package `ml_dtypes`."""
    from relax_dialect.interpret.runtime_values import bfloat16  # takes longer than loading a model

    return bfloat16()


class DLDevice(ctypes.Structure):
    """The device of a tensor: (1, 0) is the CPU."""

    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    """DLPack's element type."""

    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    """DLPack's tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


STORED = {
    "float8_e4m3fn": (10, 8), "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8), "float8_e8m0fnu": (14, 8), "float4_e2m1fn": (17, 4),
    "int4": (0, 4), "uint4": (1, 4), "int2": (0, 2), "uint2": (1, 2),
}  # fmt: skip
"""DLPack's codes and widths of storage types, by the names of `ml_dtypes`."""

TensorPointer = ctypes.POINTER(DLTensor)


class ForeignMemory:
    """Memory that is C's, as numpy sees it while the call lasts."""

    def __init__(self, tensor: DLTensor, writable: bool):
        dtype = tensor.dtype
        if dtype.bits < 8 or (dtype.code, dtype.bits) in STORED.values():
            raise RelaxError(
                "a function from outside: expected tensors of element types to compute with, found one of "
                f"a storage type (DLPack's type code {dtype.code} with {dtype.bits} bits); cast it first"
            )
        self.is_bfloat = dtype.code == BFLOAT
        self.__array_interface__ = {
            "shape": tuple(tensor.shape[: tensor.ndim]),
            "typestr": f"{'|' if dtype.bits == 8 else '<' if sys.byteorder == 'little' else '>'}"
            f"{KINDS.get(dtype.code, 'u')}{dtype.bits // 8}",
            "data": ((tensor.data or 0) + tensor.byte_offset, not writable),
            "version": 3,
        }


def array_of(memory: ForeignMemory) -> np.ndarray:
    """Return the memory as an array."""
    interface = memory.__array_interface__
    if 0 in interface["shape"]:
        array = np.empty(interface["shape"], interface["typestr"])
    else:
        array = np.asarray(memory)
    return array.view(bfloat16()) if memory.is_bfloat else array


def is_known(dtype: np.dtype[Any]) -> bool:
    """Return whether DLPack has an element type of numpy's."""
    return (dtype.kind in CODES or dtype.name == "bfloat16") and dtype.isnative


def describe_stored(array: np.ndarray) -> tuple[DLTensor, Any]:
    """Return a tensor of a row-major array of a storage type, packed as C has it, and the objects that must
    outlive it."""
    from relax_dialect.interpret.stored_values import packed

    code, bits = STORED[array.dtype.name]
    data = array.view(np.uint8) if bits == 8 else packed(array)
    tensor = DLTensor()
    lives = describe(data, tensor)
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor.ndim = array.ndim
    tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    tensor.dtype = DLDataType(code, bits, 1)
    return tensor, (lives, shape)


def stored_array(data: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return the bytes of a tensor of a storage type as its array."""
    from relax_dialect.interpret.runtime_values import ml_dtype
    from relax_dialect.interpret.stored_values import unpacked

    dtype = ml_dtype(name)
    return data.view(dtype).reshape(shape) if STORED[name][1] == 8 else unpacked(data, shape, dtype)


def describe(array: np.ndarray, tensor: DLTensor) -> Any:
    """Make a tensor of a row-major array; return the objects that must outlive the tensor."""
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor.data = array.ctypes.data
    tensor.device = DLDevice(1, 0)
    tensor.ndim = array.ndim
    tensor.dtype = DLDataType(CODES.get(array.dtype.kind, BFLOAT), 8 * array.dtype.itemsize, 1)
    tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    tensor.strides = None
    tensor.byte_offset = 0
    return array, shape
