"""Values of programs as proofs see them: a tensor is the term of its element at an index.

An index is a list of symbolic sizes (`relax_dialect.symbolic`), in variables of their own; so are sizes.
Every value has a key: two values of one key are equal, as they are computed by the same operators.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType
from relax_dialect.prove.scalars.scalar_types import ScalarType, scalar_type
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.verdicts import Outside
from relax_dialect.symbolic import Expr, const, var

Index: TypeAlias = tuple[Expr, ...]
Element: TypeAlias = Callable[[Terms, Index], Any]

ZERO, ONE = const(0), const(1)


class Keys:
    """Numbers for the ways in which values are computed, each way with its own."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, *way: Hashable) -> int:
        """Return the number of a way."""
        return self._known.setdefault(way, len(self._known))


@dataclass(frozen=True, eq=False)
class TensorTerm:
    """A tensor of known rank."""

    key: int
    shape: Index
    dtype: Attribute | None
    element: Element

    @property
    def type(self) -> ScalarType:
        """The element type."""
        return scalar_type(self.dtype)

    def at(self, terms: Terms, index: Index) -> Any:
        """Return the element at an index, computed once."""
        known = terms.memo
        position = (self.key, index)
        if position not in known:
            known[position] = self.element(terms, index)
        return known[position]


@dataclass(frozen=True, eq=False)
class Unknown:
    """A value of which only the key is known: a tensor of unknown rank, an object, a scalar."""

    key: int


@dataclass(frozen=True, eq=False)
class ShapeTerm:
    """A shape value."""

    key: int
    sizes: Index


@dataclass(frozen=True, eq=False)
class Fields:
    """A tuple."""

    key: int
    fields: Sequence[Value]


Value: TypeAlias = TensorTerm | Unknown | ShapeTerm | Fields


def unknown_value(keys: Keys, key: int, type: Attribute) -> Value:
    """Return the value of a type that has a key: its elements are symbols."""
    match type:
        case TupleType():
            parts = [
                unknown_value(keys, keys.of("field", key, i), t) for i, t in enumerate(type.types)
            ]
            return Fields(key, parts)
        case TensorType() if type.shape is not None:
            shape = tuple(
                var(f"size{key}_{d}__") if s is None else s for d, s in enumerate(type.shape)
            )
            return TensorTerm(key, shape, type.dtype, _symbols(key, type.dtype))
        case _:
            return Unknown(key)


def _symbols(key: int, dtype: Attribute | None) -> Element:
    return lambda terms, index: terms.leaf((key, index), scalar_type(dtype).sort)


def as_tensor(value: Value, what: str) -> TensorTerm:
    """Return a value that is a tensor of known rank."""
    if isinstance(value, TensorTerm):
        return value
    raise Outside(f"{what} of a value of unknown rank")
