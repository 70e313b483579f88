"""Relax values in memory, and the signatures of lowered functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import BFloat16Type, IndexType, MemRefType, TupleType, i64
from xdsl.ir import Attribute, SSAValue

from lowering.memory.functions.external_forms import OBJECT as OBJECT_KIND
from lowering.memory.functions.external_forms import SCALAR, SHAPE, TENSOR, FunctionKind, Kinds
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.in_place import fields_of, in_place
from relax_dialect.ir.mlir.builtin_types import builtin_sizes
from relax_dialect.ir.storage import NUMPY_NAMES, is_storage
from relax_dialect.ir.type_variables import defined_variables, map_dims
from relax_dialect.ir.types import (
    OBJECT,
    Dim,
    FuncType,
    ObjectType,
    PrimType,
    ShapeType,
    TensorType,
    leaf_types,
)
from relax_dialect.ops import core
from relax_dialect.symbolic import MAX_EXTENT

INDEX = IndexType()

# Values ----------------------------------------------------------------------------------------


@dataclass
class LoweredTensor:
    """A tensor in memory; `owner` is the allocation it lies in where this function owns it."""

    memref: SSAValue
    type: TensorType
    owner: SSAValue | None = None


@dataclass
class UnrankedTensor:
    """A tensor whose rank is known at run time alone: its elements and its sizes (i64), a vector each."""

    elements: LoweredTensor
    sizes: LoweredTensor
    type: TensorType


@dataclass
class ShapeSizes:
    """A shape value: one `index` value per size."""

    sizes: list[SSAValue]


@dataclass
class ObjectReference:
    """An object or a function value; `owner` is the reference to it where this function owns one."""

    value: SSAValue
    type: Attribute
    owner: SSAValue | None = None


Leaf: TypeAlias = "LoweredTensor | UnrankedTensor | ShapeSizes | ObjectReference | SSAValue"
Lowered: TypeAlias = "Leaf | tuple[Lowered, ...]"


def leaves(value: Lowered) -> Iterable[Leaf]:
    """Yield the parts of a possibly nested tuple, in order."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, tuple):
            stack.extend(reversed(current))
        else:
            yield current


@lru_cache(4096)
def memref_type(type: TensorType) -> MemRefType:
    """Return the memref that holds a tensor of known rank and element type, in row-major order."""
    assert type.shape is not None and type.dtype is not None
    sizes = builtin_sizes(type.shape)
    if (count := prod(size for size in sizes if size > 0)) > MAX_EXTENT:
        raise RelaxError(
            f"{type}: expected sizes whose product is at most {MAX_EXTENT}, found {count}, which no "
            "memory holds; correct the type"
        )
    return MemRefType(type.dtype, sizes)


# Signatures ------------------------------------------------------------------------------------


@dataclass
class LoweredParameter:
    """A part of a parameter as the lowered function takes it."""

    name: str
    type: Attribute


@dataclass
class LoweredSignature:
    """Parameters and result of a lowered function; its symbols come first."""

    symbols: list[str]
    params: list[LoweredParameter]
    output: Attribute
    """The type of the result, in the variables of the parameters."""
    results: list[Attribute]
    """The types of the returned parts of it, in order: without those written over parameters."""


def signature(function: core.FuncOp) -> LoweredSignature:
    """Return the lowered signature of a function; `RelaxError` if a type has no lowered form."""
    where = f"relax.func @{function.sym_name.data}"
    params: list[LoweredParameter] = []
    for argument in function.body.block.args:
        parts = leaf_types(argument.type)
        name = argument.name_hint or f"arg{argument.index}"
        for index, part in enumerate(parts):
            params.append(LoweredParameter(name if len(parts) == 1 else f"{name}_{index}", part))
            with blaming(argument):
                require_lowerable(where, f"parameter '{params[-1].name}'", part)
    symbols = list(defined_variables(p.type for p in params))
    output = _output(function, where, frozenset(symbols))
    fields = fields_of(output)
    new = compress(fields, [i < 0 for i in in_place(function)] or [True] * len(fields))
    results = [part for field in new for part in leaf_types(field)]
    return LoweredSignature(symbols, params, output, results)


def _output(function: core.FuncOp, where: str, symbols: frozenset[str]) -> Attribute:
    """Return the declared type of the result, or if it is not specific enough, the type of the returned
    value."""
    output = function.function_type.output
    if says_too_little(output):
        output = function.return_op.value.type

    def visible(dim: Dim) -> Dim:
        return dim if dim is not None and symbols.issuperset(dim.free_variables) else None

    for part in leaf_types(output):
        require_joined(where, "the result", part)
    return map_dims(output, visible)


def is_lowerable(type: Attribute) -> bool:
    """Return whether values of a type have a representation in memory."""
    if isinstance(type, TensorType):
        return type.shape is not None and type.dtype is not None
    if isinstance(type, ShapeType):
        return type.shape is not None
    if is_handle(type) or isinstance(type, PrimType):
        return True
    return not (isinstance(type, MemRefType) or type.name.startswith("relax."))


def is_unranked(type: Attribute) -> bool:
    """Return whether a type is of tensors whose element type alone is known."""
    return isinstance(type, TensorType) and type.shape is None and type.dtype is not None


def is_handle(type: Attribute) -> bool:
    """Return whether values of a type are held as objects."""
    return isinstance(type, ObjectType | FuncType)


def says_too_little(type: Attribute) -> bool:
    """Return whether the origin of a value describes it better than its declared type."""
    return any(part == OBJECT or not is_lowerable(part) for part in leaf_types(type))


def known_outside(type: Attribute | None) -> None:
    """Refuse an element type that compiled code does not pass to external functions or function values."""
    if is_storage(type):
        raise RelaxError(
            "functions from outside and function values: expected tensors of element types to compute "
            f"with, found {type}, a storage type; cast it first, with relax.astype, or pass its bytes, by "
            "relax.view"
        )


def kinds_of(type: Attribute) -> Kinds:
    """Return the kind of a value of a type, for external functions."""
    match type:
        case TupleType():
            return tuple(map(kinds_of, type.types))
        case FuncType():
            dtypes = [_dtype(t) for i in (*type.inputs, type.output) for t in leaf_types(i)]
            return FunctionKind(
                tuple(map(kinds_of, type.inputs)), kinds_of(type.output), (*dtypes,)
            )
        case TensorType():
            known_outside(type.dtype)
            return TENSOR
        case ShapeType():
            return SHAPE
        case ObjectType():
            return OBJECT_KIND
        case _:
            return SCALAR


def _dtype(type: Attribute) -> str:
    """numpy's name for the element type of a value; empty for a value without one."""
    if is_handle(type) or isinstance(type, ShapeType):
        return ""
    element = type.dtype if isinstance(type, TensorType) else scalar_type(type)
    return "" if element is None else dtype_name(element)


def dtype_name(element: Attribute) -> str:
    """numpy's name for an element type."""
    if is_storage(element):
        return NUMPY_NAMES[str(element)]
    return "bfloat16" if isinstance(element, BFloat16Type) else numpy_dtype(element).name


def lowered_types(type: Attribute) -> list[Attribute]:
    """Return the types of the values that represent one of a type."""
    if is_unranked(type):
        return [memref_type(part) for part in unranked_parts(type)]
    if isinstance(type, TensorType):
        return [memref_type(type)]
    if is_handle(type):
        return [OBJECT]
    return [INDEX] * len(type.shape or ()) if isinstance(type, ShapeType) else [scalar_type(type)]


def unranked_parts(type: Attribute) -> tuple[TensorType, TensorType]:
    """Return the types of the elements and of the sizes of a tensor of unknown rank."""
    assert isinstance(type, TensorType)
    return TensorType.get((None,), type.dtype), TensorType.get((None,), i64)


def scalar_type(type: Attribute) -> Attribute:
    """Return the builtin type of a scalar."""
    return i64 if isinstance(type, PrimType) else type


def require_joined(where: str, what: str, type: Attribute) -> None:
    """Refuse the type of a branch's or function's result, which may be a tensor of unknown rank, if its
    values have no representation in memory."""
    if not is_unranked(type):
        require_lowerable(where, what, type)


def require_lowerable(where: str, what: str, type: Attribute) -> None:
    """Refuse a type whose values have no representation in memory."""
    if isinstance(type, TensorType):
        if type.shape is None or type.dtype is None:
            raise RelaxError(
                f"{where}: {what}: expected a tensor of known rank and element type, found {type}; "
                "declare both, with '?' for a size that is not known"
            )
    elif isinstance(type, ShapeType):
        if type.shape is None:
            raise RelaxError(
                f"{where}: {what}: expected a shape with a known number of sizes, found {type}; "
                "declare the sizes, with '?' for one that is not known"
            )
    elif is_storage(type):
        raise RelaxError(
            f"{where}: {what}: expected a number to compute with, found {type}, a storage type; take a "
            f"tensor of rank 0, {TensorType.get((), type)}"
        )
    elif not is_lowerable(type):  # pyright: ignore
        raise RelaxError(
            f"{where}: {what}: expected a tensor, a shape, a tuple of them or a scalar, found {type}; "
            "values of other types cannot be compiled"
        )
