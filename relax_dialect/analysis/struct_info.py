"""Types, which TVM calls struct info: their sizes, and their comparison."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.ir.lattice import contradict, is_subtype, join
from relax_dialect.ir.type_variables import bare_variables, free_variables, map_dims, substitute
from relax_dialect.ir.types import FuncType, tuple_type
from relax_dialect.symbolic import Expr


def get_static_type(type: Attribute) -> Attribute:
    """Return a type without its sizes: ranks and element types are left, in functions too.

    `!relax.tensor<[n, 4], f32>` becomes `!relax.tensor<[?, ?], f32>`.
    """
    if isinstance(type, TupleType):
        return tuple_type(map(get_static_type, type.types))
    if isinstance(type, FuncType):
        inputs = map(get_static_type, type.inputs)
        return FuncType(inputs, get_static_type(type.output), pure=type.is_pure)
    return map_dims(type, lambda dim: None)


def erase_to_well_defined(
    type: Attribute, shape_var_map: Mapping[str, Expr] | None = None
) -> Attribute:
    """Return the type with the variables of `shape_var_map` replaced by their values.

    A size that names any other becomes unknown.
    """
    known = shape_var_map or {}
    return substitute(type, {name: known.get(name) for name in free_variables(type)})


def tir_vars_in_struct_info(type: Attribute) -> list[str]:
    """Return the symbolic variables that a type names, in order of appearance."""
    return list(free_variables(type))


def definable_tir_vars_in_struct_info(type: Attribute) -> list[str]:
    """Return the symbolic variables that a value of a type defines: its sizes that are a bare variable."""
    return list(bare_variables(type))


def collect_non_negative_expressions(type: Attribute) -> list[Expr]:
    """Return the sizes in a type that are no constants, each once: none of them can be negative.

    The sizes in a function type are excluded, as no value has them.
    """
    found: dict[Expr, None] = {}

    def collect(dim: Expr | None) -> Expr | None:
        if dim is not None and not dim.is_constant:
            found[dim] = None
        return dim

    map_dims(type, collect)
    return list(found)


class BaseCheckResult(IntEnum):
    """Whether a value of one type is one of another."""

    FAIL_L0 = 0
    """Never: the types have no value in common."""
    FAIL_L1 = 1
    """Perhaps: ranks, element types or kinds of values have to be checked at run time."""
    FAIL_L2 = 2
    """Perhaps: all but the sizes is right."""
    PASS = 3
    """Always."""


def struct_info_base_check(base: Attribute, derived: Attribute) -> BaseCheckResult:
    """Return whether every value of type `derived` is one of type `base`."""
    if is_subtype(derived, base):
        return BaseCheckResult.PASS
    if contradict(base, derived):
        return BaseCheckResult.FAIL_L0
    if is_subtype(get_static_type(derived), get_static_type(base)):
        return BaseCheckResult.FAIL_L2
    return BaseCheckResult.FAIL_L1


def struct_info_lca(lhs: Attribute, rhs: Attribute) -> Attribute:
    """Return the least type that holds the values of both."""
    return join(lhs, rhs)
