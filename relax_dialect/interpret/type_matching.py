"""Matching of values against types at run time: variables are bound or solved for, all else is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    TupleType,
    i64,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import ExecutionError, SymbolicError
from relax_dialect.interpret.machine import Sizes
from relax_dialect.interpret.runtime_values import dtype_name, numpy_dtype
from relax_dialect.ir import types
from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dims, FuncType, PrimType, ShapeType, TensorType
from relax_dialect.prim.run_time_checks import (
    large_size,
    no_size,
    unsolved_size,
    wrong_size,
)
from relax_dialect.symbolic import MAX_EXTENT, Expr

NO_DEFINITIONS: Mapping[str, str] = MappingProxyType({})


class TypedValue(NamedTuple):
    """A value, its expected type, and its name in errors (`@main: argument 'x'`)."""

    what: str
    type: Attribute
    value: Any
    known: Attribute | None = None
    """The type that the value had before, if that may be an object."""


class _Shape(NamedTuple):
    what: str
    dims: Dims
    sizes: tuple[int, ...]
    is_number: bool = False


def match_types(
    entries: Iterable[TypedValue], sizes: Sizes, definitions: Mapping[str, str] = NO_DEFINITIONS
) -> None:
    """Check values against their types, and bind in `sizes` the variables that the types define.

    All variables are bound first; then every dimension but `?` is checked. Raises `ExecutionError` for
    a mismatch; errors report `definitions` with the variables' sizes.
    """
    shapes: list[_Shape] = []
    stack = list(entries)[::-1]
    while stack:
        entry = stack.pop()
        match entry.type:
            case TensorType():
                _check_array(entry, entry.type.dtype)
                _match_rank(entry, entry.type.shape, entry.value.shape, shapes)
            case ShapeType():
                _check_shape_value(entry)
                _match_rank(entry, entry.type.shape, entry.value, shapes)
            case PrimType():
                _check_scalar(entry._replace(type=i64))
                number = (int(entry.value),)
                shapes.append(_Shape(entry.what, entry.type.shape, number, is_number=True))
            case TupleType():
                fields = entry.type.types.data
                _check_tuple(entry, len(fields))
                known = entry.known.types if isinstance(entry.known, TupleType) else None
                stack += [
                    TypedValue(
                        f"{entry.what}, field {i}",
                        field,
                        entry.value[i],
                        known.data[i] if known is not None else entry.known,
                    )
                    for i, field in reversed(list(enumerate(fields)))
                ]
            case BuiltinTensorType():
                _check_array(entry, entry.type.element_type)
                dims = from_builtin(entry.type).shape
                _match_rank(entry, dims, entry.value.shape, shapes)
            case MemRefType():
                _check_array(entry, entry.type.element_type)
                dims = from_builtin(
                    BuiltinTensorType(entry.type.element_type, entry.type.get_shape())
                ).shape
                _match_rank(entry, dims, entry.value.shape, shapes)
            case FuncType():
                _check_function(entry, entry.type.is_pure)
            case type if isinstance(type, IndexType | IntegerType | AnyFloat):
                _check_scalar(entry)
    for shape in shapes:
        for position, (dim, size) in enumerate(zip(shape.dims, shape.sizes)):
            if shape.is_number:
                if dim is not None and dim.is_variable and not 0 <= size <= MAX_EXTENT:
                    raise ExecutionError(f"{shape.what}: {no_size(size)}")
            elif size > MAX_EXTENT:
                raise ExecutionError(f"{shape.what}: {large_size(size, position)}")
            if dim is not None and dim.name is not None:
                sizes.setdefault(dim.name, size)
    solved = iter(_solve(shapes, sizes))
    for shape in shapes:
        _check_sizes(shape, sizes, definitions, list(islice(solved, len(shape.dims))))


def _solve(shapes: Sequence[_Shape], sizes: Sizes) -> list[str]:
    """Bind the variables that affine sizes are solved for; return the variable that each size defines, or
    an empty name."""
    patterns = [dim for shape in shapes for dim in shape.dims]
    solved = [""] * len(patterns)
    if all(v in sizes for dim in patterns if dim is not None for v in dim.free_variables):
        return solved
    actual = [(shape.what, size) for shape in shapes for size in shape.sizes]
    for name, at in symbolic.definitions(patterns, sizes.__contains__).items():
        pattern, (what, found) = patterns[at], actual[at]
        assert pattern is not None
        affine = symbolic.affine_in(pattern, name)
        assert affine is not None
        solved[at] = name
        sizes[name] = affine.nearest(_evaluated(what, affine.rest, sizes), found)
        if sizes[name] > MAX_EXTENT:
            raise ExecutionError(f"{what}: {no_size(sizes[name])}")
    return solved


def _evaluated(what: str, size: Expr, sizes: Sizes) -> int:
    try:
        return size.evaluate(sizes, as_size=True)
    except SymbolicError as error:
        raise ExecutionError(f"{what}: {error}") from None


def _check_sizes(
    shape: _Shape, sizes: Sizes, definitions: Mapping[str, str], solved: Sequence[str]
) -> None:
    for position, (dim, found, name) in enumerate(zip(shape.dims, shape.sizes, solved)):
        if dim is None:
            continue
        expected = _evaluated(shape.what, dim, sizes)
        if expected == found:
            continue
        place = None if shape.is_number else position
        if name:
            message = unsolved_size(dim, name, expected, place, found)
        else:
            message = wrong_size(dim, expected, place, found, definitions.get(dim.name or "", ""))
        raise ExecutionError(f"{shape.what}: {message}")


def _match_rank(
    entry: TypedValue, dims: Dims | None, sizes: tuple[int, ...], shapes: list[_Shape]
) -> None:
    if dims is None:
        return
    if len(dims) != len(sizes):
        raise ExecutionError(
            f"{entry.what}: expected {len(dims)} dimensions, {dims_text(dims)}, "
            f"found {len(sizes)}, {list(sizes)}"
        )
    shapes.append(_Shape(entry.what, dims, sizes))


def _check_array(entry: TypedValue, element: Attribute | None) -> None:
    if not isinstance(entry.value, np.ndarray):
        raise ExecutionError(
            f"{entry.what}: expected an array of type {entry.type}, found {kind_of(entry.value)}; "
            "make one with numpy.asarray"
        )
    if element is not None and entry.value.dtype != numpy_dtype(element):
        raise ExecutionError(
            f"{entry.what}: expected element type {element}, found "
            f"{dtype_name(entry.value.dtype)}; convert the array with astype"
        )


def _check_shape_value(entry: TypedValue) -> None:
    value = entry.value
    if not isinstance(value, tuple) or not all(isinstance(s, int | np.integer) for s in value):
        raise ExecutionError(
            f"{entry.what}: expected a shape, as a tuple of ints, found {kind_of(value)}"
        )
    if any(s < 0 for s in value):
        raise ExecutionError(f"{entry.what}: expected sizes of at least 0, found {list(value)}")


def _check_tuple(entry: TypedValue, count: int) -> None:
    if not isinstance(entry.value, tuple):
        raise ExecutionError(
            f"{entry.what}: expected a tuple of {count} fields, found {kind_of(entry.value)}"
        )
    if len(entry.value) != count:
        raise ExecutionError(
            f"{entry.what}: expected a tuple of {count} fields, found {len(entry.value)}"
        )


def _check_function(entry: TypedValue, pure: bool) -> None:
    if not callable(entry.value):
        found = kind_of(entry.value)
        if entry.known == types.OBJECT:  # of which compiled code knows no more
            found = "nothing" if entry.value is None else "another object"
        raise ExecutionError(
            f"{entry.what}: expected a function, found {found}; pass a closure or a Python callable"
        )
    if pure and not getattr(entry.value, "is_pure", True):  # a Python callable is taken at its word
        raise ExecutionError(
            f"{entry.what}: expected a function without effects, found one that may have some; write "
            "'impure' in its type"
        )


def _check_scalar(entry: TypedValue) -> None:
    if isinstance(entry.type, IndexType):
        if not isinstance(entry.value, int | np.integer) or isinstance(entry.value, bool):
            raise ExecutionError(f"{entry.what}: expected an int, found {kind_of(entry.value)}")
        if not -(2**63) <= entry.value < 2**63:
            raise ExecutionError(f"{entry.what}: expected an int of 64 bits, found {entry.value}")
        return
    dtype = numpy_dtype(entry.type)
    if getattr(entry.value, "dtype", None) != dtype or np.ndim(entry.value) != 0:
        raise ExecutionError(
            f"{entry.what}: expected a scalar of type {entry.type}, found {kind_of(entry.value)}; "
            f"make one with numpy.{dtype.name}"
        )


def kind_of(value: Any) -> str:
    """Return the kind of a value, for errors."""
    if isinstance(value, np.ndarray):
        return f"an array of {dtype_name(value.dtype)} of shape {list(value.shape)}"
    if isinstance(value, np.generic):
        return f"a scalar of type {dtype_name(value.dtype)}"
    return f"a Python {type(value).__name__}"
