"""The symbolic variables in types: the variables that a type names or its values define, and their
substitution."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, FuncType, Sized, map_sizes, tuple_type
from relax_dialect.symbolic import Expr


def _leaves(type: Attribute, into_functions: bool = True) -> Iterable[tuple[Sized, frozenset[str]]]:
    """Yield the nested types whose values carry sizes, each with the variables bound around it."""
    stack: list[tuple[Attribute, frozenset[str]]] = [(type, frozenset())]
    while stack:
        current, bound = stack.pop()
        if isinstance(current, Sized):
            yield current, bound
        elif isinstance(current, TupleType):
            stack.extend((t, bound) for t in reversed(current.types.data))
        elif isinstance(current, FuncType) and into_functions:
            bound = bound | current.bound
            stack.extend((t, bound) for t in (current.output, *reversed(current.inputs.data)))


@lru_cache(maxsize=65536)
def free_variables(type: Attribute) -> tuple[str, ...]:
    """Return the symbolic variables a type names and does not bind itself, in order of appearance."""
    found: dict[str, None] = {}
    for leaf, bound in _leaves(type):
        for dim in leaf.shape or ():
            if dim is not None:
                found.update(dict.fromkeys(v for v in dim.free_variables if v not in bound))
    return tuple(found)


@lru_cache(maxsize=65536)
def sizes_in(type: Attribute) -> Dims:
    """Return the sizes that a value of a type carries, in order. A function value has no sizes to read, so
    those in its type are excluded.
    """
    leaves = _leaves(type, into_functions=False)
    return tuple(dim for leaf, _ in leaves for dim in leaf.shape or ())


@lru_cache(maxsize=65536)
def bare_variables(type: Attribute) -> tuple[str, ...]:
    """Return the variables that are bare sizes, in order of appearance: a match of this type defines
    them."""
    return tuple(symbolic.defined_by(sizes_in(type)))


def defined_variables(
    types: Iterable[Attribute], is_known: Callable[[str], bool] | None = None
) -> tuple[str, ...]:
    """Return the variables that the parameters of a function define: bare sizes in order of appearance,
    then variables that affine sizes are solved for, as in `[4 * h]` and `[m, m + n]`. Variables that are
    known before are excluded.
    """
    if is_known is None:
        return _defined_variables(tuple(types))
    return tuple(symbolic.definitions([d for type in types for d in sizes_in(type)], is_known))


@lru_cache(maxsize=4096)
def _defined_variables(types: tuple[Attribute, ...]) -> tuple[str, ...]:
    return tuple(symbolic.definitions(dim for type in types for dim in sizes_in(type)))


def undefined_variable(type: Attribute, defined: Container[str]) -> str:
    """Return the error for a variable of a parameter's type that the parameters do not define, empty if
    there is none."""
    for name in free_variables(type):
        if name not in defined:
            sizes = (f"'{d}' of " for d in sizes_in(type) if d and name in d.free_variables)
            return (
                "expected every symbolic variable of the parameters to be a whole dimension of one of "
                f"them, or the only unknown of an affine one such as 4 * {name} (S2), found '{name}' in "
                f"{next(sizes, '')}{type}; add a parameter of type !relax.shape<[{name}]> or "
                f"!relax.prim<{name}>"
            )
    return ""


def map_dims(type: Attribute, f: Callable[[Dim], Dim]) -> Attribute:
    """Return the type with `f` applied to every size outside of function types."""
    if isinstance(type, Sized):
        return map_sizes(type, f)
    if isinstance(type, TupleType):
        return tuple_type(map_dims(t, f) for t in type.types)
    return type


def substitute(type: Attribute, mapping: Mapping[str, Expr | None]) -> Attribute:
    """Return the type with free variables replaced; a variable mapped to None makes its dimension
    unknown."""
    if not mapping or not any(v in mapping for v in free_variables(type)):
        return type
    if isinstance(type, FuncType):
        inner = {k: v for k, v in mapping.items() if k not in type.bound}
        incoming = {n for v in inner.values() if v is not None for n in v.free_variables}
        if incoming & type.bound:
            taken = incoming.union(inner, free_variables(type))
            type = rename_bound(type, fresh_names(type, taken))
        return FuncType(
            [substitute(t, inner) for t in type.inputs],
            substitute(type.output, inner),
            (v.data for v in type.variables),
            pure=type.is_pure,
        )
    if isinstance(type, TupleType):
        return tuple_type(substitute(t, mapping) for t in type.types)
    known = {k: v for k, v in mapping.items() if v is not None}

    def replace(dim: Dim) -> Dim:
        if dim is None or any(v in mapping and mapping[v] is None for v in dim.free_variables):
            return None
        try:
            return dim.substitute(known)
        except symbolic.SymbolicOverflow:
            return None

    return map_dims(type, replace)


def fresh_names(type: FuncType, taken: Iterable[str]) -> list[str]:
    """Return a name for every bound variable that is neither taken nor another one's."""
    used = {*taken, *type.bound}
    names: list[str] = []
    for variable in type.variables:
        number = 1
        while (name := f"{variable.data}_{number}") in used:
            number += 1
        used.add(name)
        names.append(name)
    return names


def rename_bound(type: FuncType, names: Sequence[str]) -> FuncType:
    """Return the same function type with its bound variables renamed, so that none is free in its parts."""
    mapping = {v.data: symbolic.var(name) for v, name in zip(type.variables, names)}
    inputs = [substitute(t, mapping) for t in type.inputs]
    return FuncType(inputs, substitute(type.output, mapping), names, pure=type.is_pure)
