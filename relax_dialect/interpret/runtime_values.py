"""Values as numpy sees them: element types, constants, and fresh memory.

A tensor or memref is an array of the numpy type of its elements, a scalar a numpy scalar, and a scalar
`index` an int (numpy's or Python's). numpy has no bf16 and no storage types: theirs are those of the
package `ml_dtypes` (the extra `bf16`). In a `linalg` body, which is computed for many points at once, a
scalar is an array over these points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ShapedType,
    Signedness,
    TupleType,
    i64,
)
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.ir.storage import MLIR_NAMES, NUMPY_NAMES, bit_width, is_storage
from relax_dialect.ir.types import PrimType

Array: TypeAlias = np.ndarray[Any, Any]

_FLOATS: dict[Attribute, str] = {
    Float16Type(): "float16",
    Float32Type(): "float32",
    Float64Type(): "float64",
}
_NAMES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "bool": "i1",
    **MLIR_NAMES,
}


@lru_cache(maxsize=256)
def numpy_dtype(element: Attribute) -> np.dtype[Any]:
    """Return the numpy type of an element type. Raises `RelaxError` if there is none."""
    if element in _FLOATS:
        return np.dtype(_FLOATS[element])
    if isinstance(element, BFloat16Type):
        return bfloat16()
    if is_storage(element):
        return ml_dtype(NUMPY_NAMES[str(element)])
    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    if isinstance(element, IntegerType):
        width, unsigned = element.width.data, element.signedness.data is Signedness.UNSIGNED
        if width == 1:
            return np.dtype(np.bool_)
        if width in (8, 16, 32, 64):
            return np.dtype(f"{'u' if unsigned else ''}int{width}")
    raise RelaxError(
        f"element type {element} cannot be interpreted: expected f16, bf16, f32, f64, index, or an "
        "integer of 1, 8, 16, 32 or 64 bits; convert to one of them"
    )


def bfloat16() -> np.dtype[Any]:
    """Return numpy's type for bf16, which another package provides."""
    return ml_dtype("bfloat16")


def ml_dtype(name: str) -> np.dtype[Any]:
    """Return a numpy type of the package `ml_dtypes`."""
    try:
        import ml_dtypes
    except ImportError:
        raise RelaxError(
            f"element type {_NAMES[name]} has no numpy type: expected the package ml_dtypes to be "
            "installed, found none; install it (pip install ml_dtypes), or convert to f32"
        ) from None
    return np.dtype(getattr(ml_dtypes, name))


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return the MLIR name of a numpy type (`float32` -> `f32`), numpy's own if there is none."""
    if dtype.kind in "iu":
        return f"{'u' if dtype.kind == 'u' else ''}i{8 * dtype.itemsize}"
    return _NAMES.get(str(dtype), str(dtype))


def from_dense(attribute: DenseIntOrFPElementsAttr) -> Array:
    """Return the elements of a constant, read-only and without a copy."""
    element = attribute.get_element_type()
    shape = attribute.get_shape()
    data = np.frombuffer(attribute.data.data, _storage(element))
    if data.dtype != (dtype := numpy_dtype(element)):
        if is_storage(element):
            data = (data & np.uint8((1 << bit_width(element)) - 1)).view(dtype)
        else:
            data = data.astype(dtype)
    if data.size == 1:
        return np.broadcast_to(data[0], shape)
    return data.reshape(shape)


def _storage(element: Attribute) -> np.dtype[Any]:
    """Return the numpy type of the bytes of a constant: booleans are stored as 0 and -1, storage types as
    bits."""
    if is_storage(element):
        return np.dtype(np.uint8)
    dtype = numpy_dtype(element)
    return np.dtype(np.int8) if dtype == np.bool_ else dtype.newbyteorder("<")


def constant(attribute: Attribute) -> Any:
    """Return the value of a scalar or dense constant attribute."""
    match attribute:
        case DenseIntOrFPElementsAttr():
            return from_dense(attribute)
        case IntegerAttr() if isinstance(attribute.type, IndexType):
            return attribute.value.data
        case IntegerAttr():
            # A pattern of bits, which may be written as signed or unsigned.
            bits = np.uint64(attribute.value.data % 2**64)
            dtype = numpy_dtype(attribute.type)
            return (bits & np.uint64(1)).astype(dtype) if dtype == np.bool_ else bits.astype(dtype)
        case FloatAttr():
            return numpy_dtype(attribute.type).type(attribute.value.data)
    raise RelaxError(f"expected a number or dense<...> as a constant, found {attribute}")


def poisoned(shape: Sequence[int], element: Attribute) -> Array:
    """Return memory not yet written, filled so that reading it shows: NaN, or a conspicuous number."""
    for size in shape:
        if size < 0:
            raise RelaxError(f"expected sizes of at least 0, found {list(shape)}")
    array = np.empty(tuple(shape), numpy_dtype(element))
    poison(array)
    return array


def poison(array: Array) -> None:
    """Overwrite memory that holds no value (yet, or any more)."""
    if array.flags.writeable:
        number = array.dtype.kind in "iub" or array.dtype.itemsize == 1
        array[...] = np.array(0x5A if number else np.nan).astype(array.dtype)


def run_time_shape(type: Attribute, dynamic: Sequence[Any]) -> tuple[int, ...]:
    """Return the sizes of a builtin shaped type, with the values in `dynamic` for each `?`."""
    assert isinstance(type, ShapedType)
    return fill_dynamic(type.get_shape(), dynamic)


def fill_dynamic(static: Sequence[int], dynamic: Sequence[Any]) -> tuple[int, ...]:
    """Return a list of static and dynamic entries (offsets, sizes, strides) as ints."""
    rest = iter(dynamic)
    return tuple(int(next(rest)) if s == DYNAMIC_INDEX else int(s) for s in static)


def convert(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a scalar or array in another element type; a scalar stays a scalar."""
    return np.asarray(value).astype(dtype)[()]


def fresh(array: Any) -> Array:
    """Return a row-major copy, so that values share no memory."""
    return np.array(array, order="C", copy=True)


def as_scalar(type: Attribute, value: Any) -> Any:
    """Return a number as a scalar parameter takes it: Python's and numpy's, rounded to a float type, or
    whole numbers that an integer type holds; in tuples too. Anything else stays, for its check to
    refuse."""
    if isinstance(type, TupleType) and isinstance(value, tuple):
        fits = len(value) == len(type.types.data)
        return tuple(map(as_scalar, type.types.data, value)) if fits else value
    type = i64 if isinstance(type, PrimType) else type
    if not isinstance(type, IndexType | IntegerType | AnyFloat):
        return value
    if not isinstance(value, int | float | np.generic):
        return value
    if isinstance(type, IndexType):
        return int(value) if isinstance(value, np.integer) else value
    dtype = numpy_dtype(type)
    is_truth, is_whole = isinstance(value, bool | np.bool_), isinstance(value, int | np.integer)
    if dtype == np.bool_:
        return np.asarray(value, dtype) if is_truth else value
    if isinstance(type, AnyFloat):
        is_real = is_whole or isinstance(value, float | np.floating)
        with np.errstate(over="ignore"):
            return np.asarray(value).astype(dtype) if is_real and not is_truth else value
    info = np.iinfo(dtype)
    fits = is_whole and not is_truth and info.min <= int(value) <= info.max
    return np.asarray(int(value), dtype) if fits else value


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of floats computed in f64 and rounded once to the element type.

    This is the reference of transcendental functions: for f32 and f16 it is the nearest value in all but a
    few cases in a billion, and for f64 it is the result of the math library.
    """

    def rounded(*values: Any) -> Any:
        dtype = np.asarray(values[0]).dtype
        wide = (np.asarray(value, dtype=np.float64) for value in values)
        return np.asarray(function(*wide)).astype(dtype)[()]

    return rounded
