"""Python values as arguments of emitted C: numbers, and arrays by DLPack, without a copy if that can be."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lowering.emit_c.syntax.c_source import Parameter
from lowering.emit_c.syntax.narrow_float_bits import NARROW, bits_of
from lowering.memory.functions.external_forms import OBJECT
from lowering.runtime.c_values import reference
from lowering.runtime.dlpack import BFLOAT, STORED, DLTensor, describe_stored
from lowering.runtime.objects import Handle, ObjectApi
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.arguments import unwritable
from relax_dialect.interpret.foreign import is_foreign, to_numpy
from relax_dialect.interpret.type_matching import kind_of

SCALARS: dict[str, Any] = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
    **dict.fromkeys(NARROW, ctypes.c_uint16),
    **{f"int{b}": getattr(ctypes, f"c_int{b}") for b in (8, 16, 32, 64)},
    **{f"uint{b}": getattr(ctypes, f"c_uint{b}") for b in (8, 16, 32, 64)},
}


class Export(NamedTuple):
    """A way to export a DLTensor from numpy, and its offset in the capsule."""

    ask: Callable[[np.ndarray], Any]
    capsule: bytes
    offset: int
    read_only: bool
    """Whether read-only arrays can be exported; if not, they are copied."""


PLAIN_EXPORT = Export(lambda a: a.__dlpack__(), b"dltensor", 0, False)
VERSIONED_EXPORT = Export(
    lambda a: a.__dlpack__(max_version=(1, 0)), b"dltensor_versioned", 32, True
)


def find_export() -> Export:
    """DLPack 1.0 where numpy has it (from 2.1 on), else the form before it."""
    try:
        VERSIONED_EXPORT.ask(np.zeros(1))
    except TypeError:
        return PLAIN_EXPORT
    return VERSIONED_EXPORT


capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

Convert = Callable[[Any, list[Any]], Any]
"""Converts a Python value to a C argument; objects that must outlive the call are added to the list."""


@cache
def exporter() -> Convert:
    """Return the function that passes a writable, contiguous array of a native type."""
    ask, capsule_name, offset, _ = find_export()

    def export(array: np.ndarray, kept: list[Any]) -> int:
        kept.append(capsule := ask(array))
        return capsule_pointer(capsule, capsule_name) + offset

    return export


def converter(where: str, p: Parameter, api: ObjectApi | None = None) -> Convert:
    """Return the function that checks and passes a parameter's argument; errors start with `where`."""
    if p.kind == "object":
        assert api is not None
        kind = p.function or OBJECT

        def pass_object(value: Any, kept: list[Any]) -> int | None:
            if (address := reference(api, where, kind, value)) is not None:
                kept.append(Handle(api, address))
            return address

        return pass_object
    if p.kind == "scalar":
        return lambda value, _: scalar(where, p.dtype, value)
    ask, capsule_name, offset, read_only = find_export()
    written, export = p.written, exporter()
    # numpy has one object for each native type
    expected = None if p.dtype in (*STORED, "bfloat16") else np.dtype(p.dtype)

    def pass_stored(array: np.ndarray, kept: list[Any]) -> int:
        """Pass an array of a storage type; packed elements are copied, and so cannot be written in
        place."""
        tensor, lives = describe_stored(array)
        if written and tensor.dtype.bits < 8:
            raise ExecutionError(
                f"{where} is written in place: expected elements of a byte at least, found "
                f"{array.dtype}; take the result instead"
            )
        kept.append((tensor, lives))
        return ctypes.addressof(tensor)

    def convert(value: Any, kept: list[Any]) -> int:
        """Pass an array as numpy's own DLTensor, without a copy if it is contiguous."""
        if type(value) is np.ndarray and value.dtype is expected and value.flags.carray:
            return export(value, kept)
        if written and (wrong := unwritable(value)) is not None:
            raise ExecutionError(f"{where}: {wrong}")
        array = value if type(value) is np.ndarray else as_array(where, value)
        flags = array.flags
        if not flags.c_contiguous or not flags.aligned or not (read_only or flags.writeable):
            array = array.copy(order="C")
        name = _name(array.dtype)
        if name in STORED:
            return pass_stored(array, kept)
        is_bfloat = array.dtype.kind == "V" and name == "bfloat16"
        try:
            capsule = ask(array.view(np.uint16) if is_bfloat else array)
        except BufferError:
            raise ExecutionError(
                f"{where}: expected numbers in native byte order, found {array.dtype}; convert the "
                "array with astype"
            ) from None
        kept.append(capsule)
        address = capsule_pointer(capsule, capsule_name) + offset
        if is_bfloat:  # numpy's DLPack does not know the type
            DLTensor.from_address(address).dtype.code = BFLOAT
        return address

    return convert


@cache
def _name(dtype: np.dtype) -> str:
    """numpy's name of an element type, which it makes anew each time."""
    return dtype.name


def as_array(where: str, value: Any) -> np.ndarray:
    """Return a value with memory of its own as a plain array: tensors of other libraries, numpy's scalars
    and subclasses."""
    if not is_foreign(value):
        raise ExecutionError(
            f"{where}: expected an array, found a Python {type(value).__name__}; make one with "
            "numpy.asarray"
        )
    return to_numpy(value, where)


def scalar(where: str, dtype: str, value: Any) -> Any:
    """Return a number as a C argument; nothing is rounded or wrapped silently."""
    c_type = SCALARS[dtype]
    is_truth = isinstance(value, bool | np.bool_)
    if isinstance(value, str | bytes) or is_truth != (dtype == "bool"):
        raise ExecutionError(f"{where}: expected a number for {dtype}, found {kind_of(value)}")
    try:
        if dtype in NARROW:
            return c_type(bits_of(float(value), dtype))
        if dtype.startswith("float"):
            return c_type(float(value))
        number = operator.index(value) if dtype != "bool" else bool(value)
    except TypeError:
        raise ExecutionError(
            f"{where}: expected a number for {dtype}, found {kind_of(value)}"
        ) from None
    if c_type(number).value != number:
        raise ExecutionError(f"{where}: {number} does not fit into {dtype}")
    return c_type(number)
