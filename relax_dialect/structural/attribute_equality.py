"""Comparison of attributes and types: the parts that must be equal, and the names in them that must
correspond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dims, DimsAttr, ExprAttr, FuncType
from relax_dialect.symbolic import Expr, var

Bound: TypeAlias = Mapping[str, int]
"""The variables that a function type binds itself, numbered."""


BOUND = "relax_bound_"
"""The prefix of the names of such variables, the same in both programs."""


def counts(key: str, op: Operation, root: object) -> bool:
    """Return whether an attribute is compared: names kept for TVM (`tir.params`) and roots' visibility are
    not.

    So a prim func that is read from TIR equals the one that `te.create_prim_func` makes.
    """
    return not key.startswith("tir.") and not (key == "sym_visibility" and op is root)


class Different(NamedTuple):
    """Two things that do not correspond."""

    left: object
    right: object


class EqualSizes(NamedTuple):
    """Two sizes that must be equal once variables are renamed."""

    left: Expr
    right: Expr


class Symbols(NamedTuple):
    """Two names of functions that must correspond."""

    left: str
    right: str


Demand: TypeAlias = Different | EqualSizes | Symbols


def compare(a: Attribute, b: Attribute) -> Iterator[Demand]:
    """Yield the demands that make two attributes equal up to names."""
    stack: list[tuple[Attribute, Attribute, Bound, Bound]] = [(a, b, {}, {})]
    while stack:
        left, right, bound, other_bound = stack.pop()
        if type(left) is not type(right):
            yield Different(left, right)
            return
        match left, right:
            case DimsAttr(), DimsAttr():
                yield from _compare_dims(left.data, right.data, bound, other_bound)
                continue
            case ExprAttr(), ExprAttr():
                yield from _compare_dims((left.data,), (right.data,), bound, other_bound)
                continue
            case SymbolRefAttr(), SymbolRefAttr():
                if left.nested_references != right.nested_references:
                    yield Different(left, right)
                yield Symbols(left.root_reference.data, right.root_reference.data)
                continue
            case DenseIntOrFPElementsAttr(), DenseIntOrFPElementsAttr():
                if left.type != right.type or elements(left) != elements(right):
                    yield Different(left, right)
                continue
            case FuncType(), FuncType():
                bound = {**bound, **_numbered(left, len(bound))}
                other_bound = {**other_bound, **_numbered(right, len(other_bound))}
                inner = ((left.inputs, right.inputs), (left.output, right.output))
                same = len(left.variables) == len(right.variables) and left.purity == right.purity
                pairs = list(inner) if same else None
            case ArrayAttr(), ArrayAttr():
                same = len(left.data) == len(right.data)
                pairs = list(zip(left.data, right.data)) if same else None
            case DictionaryAttr(), DictionaryAttr():
                same = left.data.keys() == right.data.keys()
                pairs = [(v, right.data[k]) for k, v in left.data.items()] if same else None
            case ParametrizedAttribute(), ParametrizedAttribute():
                pairs = list(zip(left.parameters, right.parameters))
            case _:
                pairs = [] if left == right else None
        if pairs is None:
            yield Different(left, right)
            return
        stack.extend((x, y, bound, other_bound) for x, y in reversed(pairs))


def _numbered(type: FuncType, start: int) -> dict[str, int]:
    return {v.data: start + i for i, v in enumerate(type.variables)}


def _compare_dims(a: Dims | None, b: Dims | None, left: Bound, right: Bound) -> Iterator[Demand]:
    if (a is None) != (b is None) or len(a or ()) != len(b or ()):
        yield Different(dims_text(a), dims_text(b))
        return
    for x, y in zip(a or (), b or ()):
        if x is None or y is None:
            if x is not y:
                yield Different(dims_text(a), dims_text(b))
        elif x.is_constant or y.is_constant:
            if x is not y:
                yield Different(x, y)
        else:
            yield EqualSizes(_numbered_size(x, left), _numbered_size(y, right))


def _numbered_size(size: Expr, bound: Bound) -> Expr:
    """Return a size with the variables that a function type binds under names of their own."""
    if bound.keys().isdisjoint(size.free_variables):
        return size
    return size.substitute(
        {v: var(f"{BOUND}{bound[v]}") for v in size.free_variables if v in bound}
    )


def elements(dense: DenseIntOrFPElementsAttr) -> bytes:
    """Return the elements of a constant, the one of a splat once however it is written."""
    data = bytes(dense.data.data)
    width = dense.type.element_type.compile_time_size
    count = len(data) // width
    return data[:width] if count > 1 and data == data[:width] * count else data
