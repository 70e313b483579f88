"""The arguments that an operator is called with: matched with its fields, and refused in its own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter
from typing import Any, NoReturn

from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.base import IllFormedOpError
from relax_dialect.ops.fields import MISSING, AttributeField, OperandField
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.text.wording import found_text, nearest

ELSEWHERE: Mapping[str, str] = {
    "dim": "axis",
    "dims": "axes",
    "eps": "epsilon",
    "input": "x",
    "keepdim": "keepdims",
    "stride": "strides",
}
"""Names that other libraries have for arguments, and ours."""


def refuse(cls: Any, expected: str, found: str, mend: str) -> NoReturn:
    """Report arguments that do not fit an operator."""
    raise IllFormedOpError(f"{cls.name}: expected {expected}, found {found}; {mend}")


def call_text(cls: Any, parameters: Sequence[Parameter]) -> str:
    """Return the call syntax of an operator, for errors."""
    shown = [p.name if p.default is p.empty else f"{p.name}=..." for p in parameters]
    return f"{cls.name.removeprefix('relax.')}({', '.join(shown)})"


def bind(
    cls: Any, parameters: Sequence[Parameter], given: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Return the argument for each parameter of a constructor, `MISSING` for an omitted one."""
    if len(given) > len(parameters):
        count = f"{len(parameters)} argument{'s' if len(parameters) != 1 else ''}"
        refuse(cls, f"at most {count}", str(len(given)), f"write {call_text(cls, parameters)}")
    values = [*given, *[MISSING] * (len(parameters) - len(given))]
    places = {parameter.name: place for place, parameter in enumerate(parameters)}
    for name, value in named.items():
        place = places.get(name)
        if place is None:
            _refuse_name(cls, parameters, name)
        if values[place] is not MISSING:
            refuse(cls, f"'{name}' once", "it by position and by name", "leave one of them out")
        values[place] = value
    for parameter, value in zip(parameters, values):
        if value is MISSING and parameter.default is parameter.empty:
            mend = f"write {call_text(cls, parameters)}"
            refuse(cls, f"'{parameter.name}'", "no argument for it", mend)
    return values


def _refuse_name(cls: Any, parameters: Sequence[Parameter], name: str) -> NoReturn:
    names = [parameter.name for parameter in parameters]
    other = ELSEWHERE.get(name)
    meant = other if other in names else nearest(name, names)
    mend = f"the nearest is '{meant}'" if meant else f"write {call_text(cls, parameters)}"
    refuse(cls, f"arguments {', '.join(names)}" if names else "no argument", f"'{name}'", mend)


def one_operand(cls: Any, field: OperandField, given: Any) -> SSAValue:
    """Return the value passed for an operand: itself, the only result of an op, or the value of a builder's
    handle."""
    if isinstance(given, OpResult | SSAValue):  # of most values the first is the class
        return given
    if isinstance(given, Operation):
        if len(given.results) == 1:
            return given.results[0]
        expected, count = f"one value as '{field.name}'", len(given.results) or "no"
        refuse(cls, expected, f"the op {given.name} with {count} results", "write one of them")
    value = getattr(given, "value", None)
    if isinstance(value, SSAValue):
        return value
    mend = "pass a value of the program, or write the call with `op` of the builder"
    refuse(cls, f"a value as '{field.name}'", found_text(given), mend)


def operands_of(cls: Any, field: OperandField, given: Any) -> Sequence[SSAValue]:
    """Return the values passed for an operand: one, none for an omitted optional one, or many."""
    if not field.many:
        left_out = given is MISSING or given is None
        if left_out and field.default is None:
            return ()
        if field.make is not None:
            given = field.make(cls, given)
        elif field.type is ShapeType and isinstance(given, Iterable) and not isinstance(given, str):
            given = ShapeOp(given)
        return (one_operand(cls, field, given),)
    if isinstance(given, SSAValue | Operation | str) or not hasattr(given, "__iter__"):
        mend = f"write {field.name}=[...], also around one"
        refuse(cls, f"a list of values as '{field.name}'", found_text(given), mend)
    return tuple(one_operand(cls, field, each) for each in given)


def attribute_of(cls: Any, field: AttributeField, given: Any) -> Attribute:
    """Return the argument for an attribute, as an attribute of xDSL."""
    form = field.form
    if isinstance(given, Attribute):
        if isinstance(given, form.attributes):
            return given
    else:
        try:
            return form.encode(given)
        except RelaxError as error:
            raise IllFormedOpError(f"{cls.name}: {field.name}: {error}") from None
        except (TypeError, ValueError, OverflowError):
            pass
    is_optional = field.default is not MISSING
    mend = (
        f"leave it out for {field.spelled_default!r}" if is_optional else f"correct '{field.name}'"
    )
    refuse(cls, f"{form.expected} as '{field.name}'", found_text(given), mend)
