"""Operands and results of ops by their definitions: their number, and the classes of their values.

A class is a kind of type: a tensor, a shape, a tuple, a function. Classes are disjoint.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TupleType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef

from relax_dialect.ir.types import FuncType, ObjectType, PrimType, ShapeType, TensorType

Classes = frozenset[type[Attribute]]
"""Classes of types; None means all."""

WORDS: dict[type[Attribute], str] = {
    TensorType: "a tensor",
    ShapeType: "a shape",
    TupleType: "a tuple",
    FuncType: "a function",
}


MOST = 3
"""As many classes are named."""


def classes_text(classes: Classes) -> str:
    """Return the classes as errors name them."""
    names = sorted({_word(c) for c in classes})
    names = names if len(names) <= MOST else [*names[:MOST], "the like"]
    return " or ".join(names) or "nothing"


def _word(kind: type[Attribute]) -> str:
    scalar = issubclass(kind, AnyFloat | IntegerType | IndexType | PrimType)
    return "a scalar" if scalar else WORDS.get(kind, kind.__name__)


def class_of(type: Attribute) -> Classes | None:
    """Return the class of a type, and of all that are narrower."""
    return None if isinstance(type, ObjectType) else frozenset([type.__class__])


def joined(several: Iterable[Classes | None]) -> Classes | None:
    """Return the classes of all."""
    found: set[type[Attribute]] = set()
    for classes in several:
        if classes is None:
            return None
        found |= classes
    return frozenset(found)


def met(one: Classes | None, two: Classes | None) -> Classes | None:
    """Return the classes of both."""
    if one is None or two is None:
        return two if one is None else one
    return one & two


@cache
def operand_counts(kind: type[Operation]) -> tuple[int, int | None]:
    """Return the least and the greatest number of operands, None for no limit."""
    if not issubclass(kind, IRDLOperation):
        return 0, None
    definitions = [definition for _, definition in kind.get_irdl_definition().operands]
    least = sum(not isinstance(d, VariadicDef) for d in definitions)
    if any(_is_many(d) for d in definitions):
        return least, None
    return least, len(definitions)


def _is_many(definition: object) -> bool:
    return isinstance(definition, VariadicDef) and not isinstance(definition, OptionalDef)


@cache
def operand_classes(kind: type[Operation], position: int) -> Classes | None:
    """Return the classes of the values that operand `position` may be."""
    if not issubclass(kind, IRDLOperation):
        return None
    definitions = [definition for _, definition in kind.get_irdl_definition().operands]
    fixed = next((n for n, d in enumerate(definitions) if isinstance(d, VariadicDef)), None)
    if fixed is None or position < fixed:
        return _classes(definitions[position]) if position < len(definitions) else None
    return joined(map(_classes, definitions[fixed:]))


@cache
def result_classes(kind: type[Operation]) -> Classes | None:
    """Return the classes of the results of an op."""
    if not issubclass(kind, IRDLOperation):
        return None
    return joined(_classes(definition) for _, definition in kind.get_irdl_definition().results)


def _classes(definition: Any) -> Classes | None:
    constraint = definition.constr
    while not hasattr(
        constraint, "get_bases"
    ):  # a constraint of a range holds for each of its values
        constraint = getattr(constraint, "constr", None) or getattr(constraint, "constraint", None)
        if constraint is None:
            return None
    bases = constraint.get_bases()
    return None if bases is None or ObjectType in bases else frozenset(bases)


@cache
def gives_several(kind: type[Operation]) -> bool:
    """Return whether an op may have several results, each of which is an output."""
    if not issubclass(kind, IRDLOperation):
        return True
    results = kind.get_irdl_definition().results
    return len(results) > 1 or any(isinstance(d, VariadicDef) for _, d in results)


def has_output(kind: type[Operation], index: int) -> bool:
    """Return whether an op may have an output of this number: one of its results, or a tuple field."""
    if not issubclass(kind, IRDLOperation):
        return True
    results = [definition for _, definition in kind.get_irdl_definition().results]
    if any(isinstance(d, VariadicDef) for d in results):
        return True
    if len(results) != 1:
        return index < len(results)
    classes = _classes(results[0])
    return classes is None or TupleType in classes


def outputs_text(kind: type[Operation]) -> str:
    """Describe the number of outputs of an op, for an output that does not exist."""
    assert issubclass(kind, IRDLOperation)
    count = len(kind.get_irdl_definition().results)
    return (
        f"{count}, counted from 0" if count > 1 else "one, which is no tuple" if count else "none"
    )
