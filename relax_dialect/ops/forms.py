"""The forms that an attribute of an operator has: a value of Python, and xDSL's attribute for it.

`encode` accepts the values that a user may write, and raises `TypeError`, `ValueError` or `RelaxError` for
anything else; `decode` returns the value of the operator's accessor.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import copysign
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, TypeAttribute

from relax_dialect.ir.spelling import as_dtype

Number: TypeAlias = int | float


@dataclass(frozen=True)
class AttributeForm:
    """One kind of attribute."""

    expected: str
    """Its name in errors."""

    attributes: Any
    """The classes of xDSL's attributes that have it, as a constraint."""

    encode: Callable[[Any], Attribute]
    decode: Callable[[Any], Any]


def whole_number(value: Any) -> int:
    """Return a number of i64, of Python or numpy; a bool is none."""
    if isinstance(value, bool | np.bool_):
        raise TypeError
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError
    return found


def _whole_numbers(value: Any) -> tuple[int, ...]:
    """Return one number, or a list of them, as a tuple."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return (whole_number(value),)
    return tuple(map(whole_number, value))


def _truth(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    raise TypeError


def _real(value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


@lru_cache(maxsize=4096)
def _integer_attribute(value: int) -> Attribute:
    return IntegerAttr(value, i64)


@lru_cache(maxsize=4096)
def _integers_attribute(values: tuple[int, ...]) -> Attribute:
    return DenseArrayBase.from_list(i64, values)


@lru_cache(maxsize=4096)
def _real_attribute(value: float, sign: float) -> Attribute:
    """Return the attribute of a float; the sign distinguishes the zeros in the cache."""
    return FloatAttr(value, f64)


@lru_cache(maxsize=4096)
def _text_attribute(value: str) -> Attribute:
    return StringAttr(value)


_TRUTHS = {value: IntegerAttr(int(value), IntegerType(1)) for value in (False, True)}


def encode_real(value: Any) -> Attribute:
    found = _real(value)
    return _real_attribute(found, copysign(1.0, found))


def integers(attribute: Any) -> tuple[int, ...]:
    """Return the numbers of an `array<i64: ...>`."""
    return tuple(map(int, attribute.get_values()))


def number(attribute: IntegerAttr | FloatAttr) -> Number:
    """Return the Python number that an attribute holds; true is 1."""
    if isinstance(attribute, FloatAttr):
        return float(attribute.value.data)
    value, type = int(attribute.value.data), attribute.type
    return value & 1 if isinstance(type, IntegerType) and type.width.data == 1 else value


def number_form(of_float: Attribute = f64) -> AttributeForm:
    """Return the form of a whole number, or of a number of a floating-point type."""

    def encode(value: Any) -> Attribute:
        if isinstance(value, bool | np.bool_):
            return _TRUTHS[bool(value)]
        if isinstance(value, Integral):
            return _integer_attribute(whole_number(value))
        return FloatAttr(_real(value), of_float)  # pyright: ignore[reportArgumentType, reportCallIssue]

    return AttributeForm("a number", IntegerAttr | FloatAttr, encode, number)


INTEGER = AttributeForm(
    "an integer",
    IntegerAttr,
    lambda value: _integer_attribute(whole_number(value)),
    lambda attribute: int(attribute.value.data),
)
INTEGERS = AttributeForm(
    "an integer or a list of integers",
    DenseArrayBase,
    lambda value: _integers_attribute(_whole_numbers(value)),
    integers,
)
FLAG = AttributeForm(
    "True or False",
    IntegerAttr,
    lambda value: _TRUTHS[_truth(value)],
    lambda attribute: bool(attribute.value.data),
)
REAL = AttributeForm(
    "a number", FloatAttr, encode_real, lambda attribute: float(attribute.value.data)
)
REALS = AttributeForm(
    "a list of numbers",
    DenseArrayBase,
    lambda values: DenseArrayBase.from_list(f64, [_real(v) for v in values]),
    lambda attribute: tuple(map(float, attribute.get_values())),
)
TEXT = AttributeForm(
    "a text",
    StringAttr,
    lambda value: _text_attribute(_text(value)),
    lambda attribute: attribute.data,
)
ELEMENT_TYPE = AttributeForm(
    "an element type", TypeAttribute, as_dtype, lambda attribute: attribute
)
