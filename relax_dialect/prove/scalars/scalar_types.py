"""Element types as sorts of z3: IEEE floats, bit vectors, booleans; and numbers of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.prove.scalars.real_numbers import real_number
from relax_dialect.prove.verdicts import Outside
from relax_dialect.prove.z3_package import z3

FLOATS: Mapping[type[Attribute], tuple[int, int]] = {
    Float16Type: (5, 11),
    BFloat16Type: (8, 8),
    Float32Type: (8, 24),
    Float64Type: (11, 53),
}
"""The bits of the exponent and of the significand, the hidden one included."""


@dataclass(frozen=True)
class ScalarType:
    """An element type: its kind ("float", "signed", "unsigned", "bool", "real" or "whole") and its bits."""

    element: Attribute
    kind: str
    width: int

    def __str__(self) -> str:
        return str(self.element)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_real(self) -> bool:
        """Whether its numbers are real numbers, all of them or the integers."""
        return self.kind in ("real", "whole")

    @property
    def is_integer(self) -> bool:
        return self.kind in ("signed", "unsigned")

    @property
    def is_signed(self) -> bool:
        return self.kind == "signed"

    @cached_property
    def sort(self) -> Any:
        """The sort of its numbers."""
        if self.is_real:
            return z3.RealSort()
        if self.is_float:
            return z3.FPSort(*FLOATS[type(self.element)])
        return z3.BoolSort() if self.kind == "bool" else z3.BitVecSort(self.width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type."""
        return numpy_dtype(self.element)


REALS = ScalarType(Float64Type(), "real", 64)
WHOLE = ScalarType(IntegerType(64), "whole", 64)

_OVER_REALS: ContextVar[bool] = ContextVar("_OVER_REALS", default=False)


@contextmanager
def over_reals() -> Iterator[None]:
    """Take floats and signed integers for real numbers."""
    token = _OVER_REALS.set(True)
    try:
        yield
    finally:
        _OVER_REALS.reset(token)


def scalar_type(element: Attribute | None) -> ScalarType:
    """Return the scalar type of an element type; `Outside` if proofs do not know it."""
    found = _scalar_type(element)
    if _OVER_REALS.get() and (found.is_float or found.is_signed):
        return REALS if found.is_float else WHOLE
    return found


@lru_cache(256)
def _scalar_type(element: Attribute | None) -> ScalarType:
    if element is None:
        raise Outside("tensors of unknown element type")
    if type(element) in FLOATS:
        return ScalarType(element, "float", sum(FLOATS[type(element)]))
    if isinstance(element, IntegerType) and element.width.data in (1, 8, 16, 32, 64):
        signed = element.signedness.data is not Signedness.UNSIGNED
        kind = "signed" if signed else "unsigned"
        kind = "bool" if element.width.data == 1 else kind
        return ScalarType(element, kind, element.width.data)
    raise Outside(f"the element type {element}")


def number(value: Any, type: ScalarType) -> Any:
    """Return a number as a term, rounded to its type as numpy does."""
    if type.is_real:
        return real_number(value)
    with np.errstate(all="ignore"):
        array = np.asarray(value).astype(type.dtype)
    if type.kind == "bool":
        return z3.BoolVal(bool(array))
    if type.is_integer:
        return z3.BitVecVal(int(array), type.width)
    if np.isnan(array):
        return z3.fpNaN(type.sort)
    bits = int(array.view(f"u{array.dtype.itemsize}"))
    return z3.fpBVToFP(z3.BitVecVal(bits, type.width), type.sort)


def array_of(term: Any, type: ScalarType) -> np.ndarray[Any, Any]:
    """Return the number of a constant term, as an array of no dimension."""
    if type.kind == "bool":
        return np.asarray(z3.is_true(term), np.bool_)
    bits = term if type.is_integer else z3.simplify(z3.fpToIEEEBV(term))
    found = bits.as_long() if z3.is_bv_value(bits) else _bits_of_nan(type)
    return np.asarray(found, f"u{type.width // 8}").view(type.dtype)


def _bits_of_nan(type: ScalarType) -> int:
    return int(np.asarray(np.nan).astype(type.dtype).view(f"u{type.width // 8}"))


def is_same(a: Any, b: Any) -> Any:
    """Return whether two scalars have the same bits, except for NaN payloads: z3's equality, not
    IEEE's."""
    return a == b
