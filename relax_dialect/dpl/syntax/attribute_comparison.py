"""Comparison of attributes and elements with Python values, for `has_attr` and `is_constant`."""

from __future__ import annotations

import math
from functools import cache
from struct import error as StructError
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from relax_dialect.builder.values import element_type
from relax_dialect.dpl.syntax.pattern_names import (
    FUNCTION_ATTRIBUTES,
    OPERATOR_ATTRIBUTES,
    operators,
)
from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.storage import is_repeated
from relax_dialect.ops.fields import MISSING, AttributeField
from relax_dialect.ops.forms import ELEMENT_TYPE
from relax_dialect.ops.operator import (
    attribute_value,
    declared_attribute,
    default_of,
    meant_by,
    plan_of,
)
from relax_dialect.ops.type_rules import is_bool


def has_attribute(op: Operation | type[Operation], name: str, wanted: object) -> bool:
    """Return whether an op, or its operator, has an attribute that means a value.

    An attribute that is left out means its default, and so does None; an operator's attributes are
    compared in the one form of all values that mean the same (`ops/meanings.py`).
    """
    if (read := OPERATOR_ATTRIBUTES.get(name)) is not None:
        return read(op) == wanted
    if not isinstance(op, Operation):
        return False
    found = _given(op, name)
    field = declared_attribute(op, name)
    if field is not None and _means(op, field, found, wanted):
        return True
    if wanted is None:
        return found is None and field is None
    return found is not None and equals(found, wanted)


def _means(op: Operation, field: AttributeField, found: Attribute | None, wanted: object) -> bool:
    """Return whether a declared attribute is equivalent to a value, under the semantics of the op."""
    if wanted is None:
        value = default_of(op, field)
        if value is MISSING:
            return False
    elif isinstance(wanted, Attribute):
        if not isinstance(wanted, field.form.attributes):
            return False
        if found is not None and field.meaning is None:
            return found == wanted
        value = field.form.decode(wanted)
    else:
        try:
            value = field.form.decode(field.form.encode(wanted))
        except (RelaxError, TypeError, ValueError, OverflowError):
            return False
    own, meant = attribute_value(op, field.name), meant_by(op, field.name, value)
    if isinstance(found, FloatAttr) and isinstance(meant, float):
        return _holds(found.type, own, meant)
    return own == meant


def attribute_of(op: Operation, name: str) -> object:
    """Return an attribute of an op; where it is left out its default, or None."""
    found = _given(op, name)
    field = declared_attribute(op, name)
    return default_of(op, field) if found is None and field is not None else found


def _given(op: Operation, name: str) -> Attribute | None:
    """Return an attribute of an op, or of the function that it calls; None if it is omitted."""
    found = op.properties.get(name, op.attributes.get(name))
    if found is None and name in FUNCTION_ATTRIBUTES and op.name == "relax.call":
        callee = ModuleSymbols(op)(op.callee_name)  # pyright: ignore[reportAttributeAccessIssue]
        found = None if callee is None else callee.attributes.get(name)
    return found


@cache
def has_one_spelling(name: str) -> bool:
    """Return whether an attribute of that name has one spelling for each meaning, whichever op has it."""
    plans = [plan for kind in operators().values() if (plan := plan_of(kind)) is not None]
    fields = [plan.by_name[name] for plan in plans if name in plan.by_name]
    return all(field.meaning is None and field.form is not ELEMENT_TYPE for field in fields)


def equals(attribute: Attribute, wanted: object) -> bool:
    """Return whether an attribute equals an attribute or Python value."""
    if isinstance(wanted, Attribute):
        return attribute == wanted
    if isinstance(attribute, StringAttr):
        return attribute.data == wanted
    if isinstance(attribute, IntegerAttr):
        value = attribute.value.data
        return bool(value) is wanted if isinstance(wanted, bool) else value == wanted
    if isinstance(attribute, FloatAttr):
        return isinstance(wanted, int | float) and _holds(
            attribute.type, attribute.value.data, wanted
        )
    if isinstance(attribute, ArrayAttr) and isinstance(wanted, list | tuple):
        return len(attribute) == len(wanted) and all(map(equals, attribute, wanted))
    values = getattr(attribute, "get_values", None)
    if values is not None and isinstance(wanted, list | tuple):
        return list(values()) == list(wanted)
    if isinstance(wanted, str) and is_element_type(attribute):
        return attribute == _element_type(wanted)
    return str(attribute) == wanted


def _element_type(name: str) -> Attribute | None:
    try:
        return element_type(name)
    except RelaxError:
        return None


def _holds(type: Any, value: float, number: float) -> bool:
    """Return whether an element equals a number, up to the precision of its type."""
    if value == number or (value != value and number != number):
        return True
    try:
        packed = type.pack((number,))
        return isinstance(number, float) and packed == type.pack((value,))
    except (AttributeError, NotImplementedError, OverflowError, StructError, TypeError, ValueError):
        return False


def first_number(dense: DenseIntOrFPElementsAttr) -> float | int | bool | None:
    """Return the first element of a constant, None if it is empty."""
    if not dense.data.data or 0 in dense.get_shape():
        return None
    first: Any = next(iter(dense.iter_values()))
    return bool(first) if is_bool(dense.get_element_type()) else first


def is_full_of(dense: DenseIntOrFPElementsAttr, number: float | int | bool) -> bool:
    """Return whether all elements of a constant, of which there is one or more, are a number.

    The number is rounded to the type of floating-point elements.
    """
    first = first_number(dense)
    if first is None:
        return False
    data: Any = dense.data.data
    type: Any = dense.get_element_type()
    width = type.size
    return is_repeated(data, width) and _holds(type, first, number)


def is_exact(number: float | int | bool) -> bool:
    """Return whether every floating-point type holds a number exactly: it has 8 binary digits at most."""
    fraction, exponent = math.frexp(number) if math.isfinite(number) else (0.3, 0)
    return (fraction * 256).is_integer() and -13 <= exponent <= 16


def is_plain(wanted: object) -> bool:
    """Return whether only one attribute is equal to a value of `has_attr`."""
    if isinstance(wanted, list | tuple):
        return all(map(is_plain, wanted))
    if isinstance(wanted, str):
        return _element_type(wanted) is None
    if isinstance(wanted, float):
        return is_exact(wanted)
    return isinstance(wanted, int | Attribute) and not isinstance(wanted, bool)
