"""The values of a graph while it is imported: known arrays, symbolic sizes, values of the program.

`Known` and `SizeArray` become values of the program only if a converter requests a tensor, in its scope; so
chains of operators over shapes leave nothing in the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.builder import Value
from relax_dialect.ir.storage import NUMPY_NAMES, is_storage
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.type_rules import is_bool, is_unsigned
from relax_dialect.symbolic import Expr

Array: TypeAlias = "np.ndarray[Any, Any]"
Shape: TypeAlias = "tuple[Expr, ...]"

I64 = np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class Known:
    """An array that is known when the model is imported."""

    array: Array
    name: str = ""

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    @property
    def shape(self) -> Shape:
        return tuple(map(symbolic.const, self.array.shape))


@dataclass(frozen=True, eq=False)
class SizeArray:
    """A small array of integers, each a symbolic expression: an array of objects of numpy.

    The elements may be negative; a floating-point `dtype` denotes integers of that type.
    """

    array: Array
    dtype: np.dtype[Any] = I64
    name: str = ""

    @property
    def shape(self) -> Shape:
        return tuple(map(symbolic.const, self.array.shape))


@dataclass(frozen=True, eq=False)
class Stack:
    """A sequence whose length is known only at run time: tensors of one type, the rows of one tensor."""

    tensor: Value


@dataclass(frozen=True, eq=False)
class Growing:
    """A sequence inside of a loop: earlier elements are unknown, the iteration's own are known."""

    items: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Nothing:
    """The value of an empty optional."""


NOTHING = Nothing()

Imported: TypeAlias = "Known | SizeArray | Value | tuple[Any, ...] | Stack | Growing | Nothing"
"""A value of the graph; a tuple is a sequence whose length is known."""


def kind_of(value: Imported) -> str:
    """Describe the kind of a value in errors."""
    match value:
        case tuple():
            return f"a sequence of length {len(value)}"
        case Stack():
            return "a sequence of unknown length"
        case Growing():
            return "a sequence to which a loop appends"
        case Nothing():
            return "an empty optional"
        case _:
            return "a tensor"


def exprs(array: Array) -> Array:
    """Return an array of integers as one of symbolic expressions."""
    found = np.empty(array.shape, object)
    flat = array.reshape(-1)
    found.reshape(-1)[:] = [e if isinstance(e, Expr) else symbolic.const(int(e)) for e in flat]
    return found


def of_exprs(array: Array, dtype: Any = np.int64, name: str = "") -> Known | SizeArray:
    """Wrap an array of expressions; it is known if each of them is a number."""
    array = np.asarray(array, object)
    values = [e.value if isinstance(e, Expr) else int(e) for e in array.reshape(-1)]
    if all(v is not None for v in values):
        return Known(np.array(values, np.dtype(dtype)).reshape(array.shape), name)
    return SizeArray(exprs(array), np.dtype(dtype), name)


def is_natural(size: Expr) -> bool:
    """Returns whether an expression is known to be at least 0."""
    low = size.bounds()[0]
    return low is not None and low >= 0


def vector(sizes: Sequence[Expr | int], name: str = "") -> Known | SizeArray:
    """Return sizes as a vector of i64."""
    array = np.empty(len(sizes), object)
    array[:] = list(sizes)
    return of_exprs(array, np.int64, name)


def numpy_dtype(dtype: Attribute | None) -> np.dtype[Any] | None:
    """Return numpy's type for an element type of ours."""
    if isinstance(dtype, BFloat16Type):
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    if is_storage(dtype):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, NUMPY_NAMES[str(dtype)]))
    if isinstance(dtype, AnyFloat):
        return np.dtype(f"f{dtype.bitwidth // 8}")
    if isinstance(dtype, IntegerType):
        if is_bool(dtype):
            return np.dtype(bool)
        return np.dtype(f"{'u' if is_unsigned(dtype) else 'i'}{dtype.width.data // 8}")
    return None


def tensor_type(value: Value) -> TensorType | None:
    """Return the type of a value that is a tensor."""
    type = value.value.type
    return type if isinstance(type, TensorType) else None
