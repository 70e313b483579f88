"""Which values the attributes of operators may have at all, so that `has_attr` refuses any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import BaseAttr, IRDLOperation, OptionalDef, PropertyDef

from relax_dialect.builder.values import element_type
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.syntax.pattern_names import operators
from relax_dialect.dpl.syntax.suggestions import found_text
from relax_dialect.errors import RelaxError


def _is_number(value: object) -> bool:
    return isinstance(value, Real | np.bool_)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_numbers(value: object) -> bool:
    return _is_number(value) or (isinstance(value, list | tuple) and all(map(_is_number, value)))


def _is_element_type(value: object) -> bool:
    try:
        return isinstance(value, str) and element_type(value) is not None
    except RelaxError:
        return False


KINDS: Mapping[type, tuple[str, Callable[[Any], bool]]] = {
    IntegerAttr: ("a number", _is_number),
    FloatAttr: ("a number", _is_number),
    StringAttr: ("a text", _is_text),
    SymbolRefAttr: ("a text", _is_text),
    DenseArrayBase: ("numbers", _is_numbers),
    ArrayAttr: ("a list", _is_list),
    TypeAttribute: ("an element type", _is_element_type),
}
"""For the class of an attribute its name in errors, and whether it accepts a Python value."""


def require_value(name: str, wanted: object, kinds: Iterable[type[Operation]] | None) -> None:
    """Refuse a value that the attribute of this name can have in none of the ops (None: in no op).

    Raises `PatternError`; an attribute that the definitions do not name may have any value.
    """
    known = operators().values() if kinds is None else list(kinds)
    found: dict[str, None] = {}
    for kind in known:
        definition = _definition(kind, name)
        if definition is None or (accepted := _accepted(definition)) is None:
            if kinds is None and definition is None:
                continue
            return
        if wanted is None:
            if isinstance(definition, OptionalDef):
                return
        elif any(_may_be(wanted, base) for base in accepted):
            return
        found.update(dict.fromkeys(KINDS[base][0] for base in accepted))
    if not found:
        return
    left = ", which is never left out" if wanted is None else ""
    raise PatternError(
        f"has_attr({name!r}): expected {' or '.join(found)}, found {found_text(wanted)}{left}; look it "
        "up in docs/operators.md"
    )


def _definition(kind: type[Operation], name: str) -> PropertyDef | None:
    if not issubclass(kind, IRDLOperation):
        return None
    return kind.get_irdl_definition().properties.get(name)


def _accepted(definition: PropertyDef) -> list[type] | None:
    """Return the classes of an attribute; None if one of them is not in the table."""
    constraint = definition.constr
    bases = {constraint.attr} if isinstance(constraint, BaseAttr) else constraint.get_bases()
    if bases is None or any(base not in KINDS for base in bases):
        return None
    return sorted(bases, key=lambda base: base.__name__)


def _may_be(wanted: object, base: type) -> bool:
    return isinstance(wanted, base) if isinstance(wanted, Attribute) else KINDS[base][1](wanted)
