"""The attributes required by `has_attr` and `is_constant`, compared by PDL as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from struct import error as StructError
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptionalDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

from relax_dialect.builder.values import element_type
from relax_dialect.dpl.pdl.refusals import refuse
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.attribute_comparison import has_attribute, is_full_of
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_names import OPERATOR_ATTRIBUTES
from relax_dialect.errors import RelaxError
from relax_dialect.ir.mlir.builtin_types import to_builtin
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.type_rules import is_bool, is_float


def wanted_attribute(kind: type[Operation], name: str, wanted: object, pattern: Node) -> Attribute:
    """Return the only attribute of an op that equals the required value; refuse if there are others."""
    if name in OPERATOR_ATTRIBUTES:
        refuse(
            pattern, f"has_attr({name}), of the operator and not of its call", "name the operators"
        )
    definition = (
        kind.get_irdl_definition().properties.get(name) if issubclass(kind, IRDLOperation) else None
    )
    if wanted is None or (
        isinstance(definition, OptionalDef) and has_attribute(kind.create(), name, wanted)
    ):
        refuse(
            pattern,
            f"has_attr({name}, {wanted}), which holds too where the attribute is left out",
            "leave has_attr out, or keep the rule in Python",
        )
    found = [
        attribute
        for attribute in _spellings(wanted)
        if definition is None or _allows(definition.constr, attribute)
    ]
    if len(found) != 1:
        refuse(
            pattern,
            f"has_attr({name}, {wanted!r}), which is {len(found)} attributes of {kind.name}",
            "write the attribute itself, as IntegerAttr(1, 64)",
        )
    return found[0]


def _spellings(wanted: object) -> Iterator[Attribute]:
    """Yield the attributes that a Python value may be."""
    if isinstance(wanted, Attribute):
        yield wanted
    elif isinstance(wanted, bool):
        yield IntegerAttr(-int(wanted), i1)
        yield IntegerAttr(int(wanted), i64)
    elif isinstance(wanted, int):
        yield IntegerAttr(wanted, i64)
        yield FloatAttr(float(wanted), f64)
    elif isinstance(wanted, float):
        yield FloatAttr(wanted, f64)
    elif isinstance(wanted, str):
        yield StringAttr(wanted)
        with suppress(RelaxError):
            yield element_type(wanted)
    elif isinstance(wanted, list | tuple):
        if all(isinstance(item, int) and not isinstance(item, bool) for item in wanted):
            yield DenseArrayBase.from_list(i64, list(wanted))
        items = [list(_spellings(item))[:1] for item in wanted]
        if all(items):
            yield ArrayAttr(item for (item,) in items)


def _allows(constraint: Any, attribute: Attribute) -> bool:
    try:
        constraint.verify(attribute, VerificationContext())
    except VerifyException:
        return False
    return True


def full_constants(
    node: nodes.ConstantNode, type: Attribute | None
) -> list[DenseIntOrFPElementsAttr]:
    """Return the constants of a type all of whose elements are a number: two for a signed zero."""
    number = node.number
    assert number is not None
    if not isinstance(type, TensorType) or type.dtype is None:
        refuse(
            node,
            f"is_constant({number}) of any type",
            f"state the whole type: is_constant({number}).has_type(...)",
        )
    builtin = to_builtin(type)
    sizes = builtin.get_shape()
    if any(size < 0 for size in sizes) or 0 in sizes or number != number:
        refuse(
            node,
            f"is_constant({number}) of type {type}",
            "state a type whose sizes are numbers above 0",
        )
    count = int(np.prod(sizes, dtype=np.int64))
    found: list[DenseIntOrFPElementsAttr] = []
    for element in _elements(number, type.dtype):
        try:
            dense: Any = DenseIntOrFPElementsAttr.from_list(builtin, [element] * count)  # pyright: ignore
        except (OverflowError, StructError, ValueError, VerifyException):
            continue
        found += [dense] if is_full_of(dense, number) else []
    if not found:
        refuse(
            node, f"is_constant({number}) of type {type}", "ask for a number that the type holds"
        )
    return found


def _elements(number: float, dtype: Attribute) -> list[float | int]:
    """Return the elements that may be equal to a number; floating-point zeros have a sign."""
    if is_float(dtype):
        return [float(number)] if number else [0.0, -0.0]
    if not math.isfinite(number):
        return []
    return [-int(number) if is_bool(dtype) else int(number)]
