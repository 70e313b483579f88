"""The lattice of types: subtyping, join and meet."""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.type_variables import free_variables, fresh_names, rename_bound
from relax_dialect.ir.types import (
    OBJECT,
    Dims,
    FuncType,
    PrimType,
    ShapeType,
    TensorType,
    tuple_type,
)


def _dims_within(narrow: Dims | None, wide: Dims | None) -> bool:
    if wide is None:
        return True
    return (
        narrow is not None
        and len(narrow) == len(wide)
        and all(w is None or n is w for n, w in zip(narrow, wide))
    )


def is_subtype(narrow: Attribute, wide: Attribute) -> bool:
    """Return whether every value of type `narrow` is provably one of type `wide`."""
    if narrow == wide or wide == OBJECT:
        return True
    if isinstance(narrow, TensorType) and isinstance(wide, TensorType):
        return wide.dtype in (None, narrow.dtype) and _dims_within(narrow.shape, wide.shape)
    if isinstance(narrow, ShapeType) and isinstance(wide, ShapeType):
        return _dims_within(narrow.shape, wide.shape)
    if isinstance(narrow, PrimType):
        return wide == i64
    if isinstance(narrow, TupleType) and isinstance(wide, TupleType):
        return len(narrow.types) == len(wide.types) and all(
            is_subtype(n, w) for n, w in zip(narrow.types, wide.types)
        )
    if isinstance(narrow, FuncType) and isinstance(wide, FuncType):
        if len(narrow.variables) != len(wide.variables):
            return False
        if narrow.variables.data:
            taken = (*free_variables(narrow), *free_variables(wide), *wide.bound)
            names = fresh_names(narrow, taken)
            narrow, wide = rename_bound(narrow, names), rename_bound(wide, names)
        return (
            (narrow.is_pure or not wide.is_pure)
            and len(narrow.inputs) == len(wide.inputs)
            and all(is_subtype(w, n) for n, w in zip(narrow.inputs, wide.inputs))
            and is_subtype(narrow.output, wide.output)
        )
    return False


def _join_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x is y else None for x, y in zip(a, b))


def join(a: Attribute, b: Attribute) -> Attribute:
    """Return the least type that holds the values of both: `[n, 4]` and `[n, 8]` join to `[n, ?]`."""
    if a == b:
        return a
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        dtype = a.dtype if a.dtype == b.dtype else None
        return TensorType.get(_join_dims(a.shape, b.shape), dtype)
    if isinstance(a, ShapeType) and isinstance(b, ShapeType):
        return ShapeType(_join_dims(a.shape, b.shape))
    if isinstance(a, PrimType) and isinstance(b, PrimType):
        return i64
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.types) == len(b.types):
        return tuple_type(join(x, y) for x, y in zip(a.types, b.types))
    if is_subtype(a, b):
        return b
    return a if is_subtype(b, a) else OBJECT


def _dims_contradict(a: Dims | None, b: Dims | None) -> bool:
    if a is None or b is None:
        return False
    return len(a) != len(b) or any(
        x is not None and y is not None and symbolic.provably_different(x, y) for x, y in zip(a, b)
    )


def contradict(a: Attribute, b: Attribute) -> bool:
    """Return whether no value can be of both types."""
    if a == b or OBJECT in (a, b):
        return False
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        dtypes_differ = a.dtype is not None and b.dtype is not None and a.dtype != b.dtype
        return dtypes_differ or _dims_contradict(a.shape, b.shape)
    if (isinstance(a, ShapeType) and isinstance(b, ShapeType)) or (
        isinstance(a, PrimType) and isinstance(b, PrimType)
    ):
        return _dims_contradict(a.shape, b.shape)
    if isinstance(a, PrimType) or isinstance(b, PrimType):
        return i64 not in (a, b)
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        return len(a.types) != len(b.types) or any(
            contradict(x, y) for x, y in zip(a.types, b.types)
        )
    if isinstance(a, FuncType) and isinstance(b, FuncType):
        return len(a.inputs) != len(b.inputs)
    return True


def hides_effects(found: Attribute, declared: Attribute) -> bool:
    """Return whether a function that may have effects would count as pure once a value is `declared`."""
    if isinstance(found, TupleType) and isinstance(declared, TupleType):
        return any(map(hides_effects, found.types, declared.types))
    if isinstance(found, FuncType) and isinstance(declared, FuncType):
        return (
            (declared.is_pure and not found.is_pure)
            or any(map(hides_effects, declared.inputs, found.inputs))
            or hides_effects(found.output, declared.output)
        )
    return False
