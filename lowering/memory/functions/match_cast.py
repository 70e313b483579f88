"""`relax.match_shape` and `relax.match_cast`: values checked against the types that they are cast to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering, type_of
from lowering.memory.functions.external_forms import OBJECT as PACKED_OBJECT
from lowering.memory.functions.external_forms import PackedForm
from lowering.memory.functions.lowered_signature import (
    INDEX,
    Leaf,
    Lowered,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    UnrankedTensor,
    is_handle,
    memref_type,
)
from lowering.memory.functions.shape_checks import match, size_matches
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, hides_effects
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.order import describe
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import (
    OBJECT,
    Dim,
    Dims,
    FuncType,
    PrimType,
    ShapeType,
    Sized,
    TensorType,
)
from relax_dialect.ops import core
from relax_dialect.prim.run_time_checks import check, definition_of, literal, shape_holes


def lower_match(body: FunctionLowering, op: core.MatchShapeOp | core.MatchCastOp) -> None:
    what = describe(op)
    defined = [name for name in op.candidates() if name not in body.symbols]
    for name in defined:
        body.definitions.pop(name, None)  # of a region that has ended
    value = body.values[op.value]
    body.values[op.result] = match_value(body, what, value, op.value.type, op.result.type)
    for name in defined:
        body.definitions[name] = definition_of(name, what, op.location)


def match_value(
    body: FunctionLowering, what: str, value: Lowered, old: Attribute, new: Attribute
) -> Lowered:
    """Check one value, part by part, against the type it is cast to."""
    if isinstance(value, UnrankedTensor):
        if contradict(value.type, new):
            _refuse(body, what, value.type, new)
        if not isinstance(new, TensorType) or new.shape is None:
            return value
        value = with_rank(body, f"{body.where}: {what}", value, new.shape)
    actual = type_of(value)
    if isinstance(value, ObjectReference):
        return _match_handle(body, what, value, new)
    if contradict(actual, new) and not isinstance(value, tuple):
        return _mismatch(body, what, value, actual, new)
    if isinstance(value, tuple):
        if not isinstance(new, TupleType):
            if contradict(actual, new):
                _refuse(body, what, actual, new)
            return value
        if len(new.types) != len(value):
            _refuse(body, what, actual, new)
        olds = old.types if isinstance(old, TupleType) else actual.types  # pyright: ignore
        return tuple(
            match_value(body, f"{what}, field {i}", v, o, n)
            for i, (v, o, n) in enumerate(zip(value, olds, new.types))
        )
    if not isinstance(new, Sized) or new.shape is None:
        return value
    known = value.type.shape if isinstance(value, LoweredTensor) else _shape_of(old)
    entries = size_matches(f"{body.where}: {what}", new.shape, known, value)
    match(body, entries, body.symbols, body.sizes, own_scope=True)
    if not isinstance(value, LoweredTensor):
        return value
    assert isinstance(new, TensorType)
    narrowed = TensorType.get(
        tuple(n if n is not None else o for n, o in zip(new.shape, value.type.shape or ())),
        value.type.dtype,
    )
    cast = body.cast(value, memref_type(narrowed))
    return LoweredTensor(cast.memref, narrowed, cast.owner)


def with_rank(
    body: FunctionLowering, what: str, value: UnrankedTensor, shape: Dims
) -> LoweredTensor:
    """Return a tensor of unknown rank, which must be that of a shape; the sizes are not compared.

    %rank = memref.dim %sizes, %c0        cf.assert %is_2, "... expected 2 dimensions, [n, m], found {%0}"
    %n = memref.load %sizes[%c0]          %y = memref.reinterpret_cast %elements to ... sizes: [%n, %m]
    """
    row, places = value.sizes.memref, [body.sizes.constant(i) for i in range(len(shape))]
    rank = body.add(memref.DimOp(row, body.sizes.constant(0)))
    holds = body.add(arith.CmpiOp(rank, body.sizes.constant(len(shape)), "eq"))
    expected = f"expected {len(shape)} dimensions, {dims_text(shape)}, found {{%0}}"
    body.block.add_op(check(holds, f"{literal(what)}: {expected}", shows=True))
    numbers = [body.add(memref.LoadOp.get(row, [place])) for place in places]
    sizes = [body.add(arith.IndexCastOp(number, INDEX)) for number in numbers]
    return body.view(value.elements, sizes, TensorType.get((None,) * len(shape), value.type.dtype))


def _match_handle(
    body: FunctionLowering, what: str, value: ObjectReference, new: Attribute
) -> ObjectReference:
    """Return an object that is to be one, or a function."""
    if not is_handle(new):
        raise RelaxError(
            f"{body.where}: {what}: expected an object or a function, which is all that is known "
            f"of the value in compiled code, found {new}; declare that type where the value is made"
        )
    known = isinstance(value.type, FuncType) and not hides_effects(value.type, new)
    if isinstance(new, FuncType) and not known:
        place = prefixed(f"{body.where}: {what}", body.location)
        kind = "pure" if new.is_pure else "any"
        form = PackedForm("check_function", (PACKED_OBJECT,), place=place, checks=kind)
        symbol = body.module.declare(form, [OBJECT], [])
        body.block.add_op(func.CallOp(symbol, [value.value], []))
    return ObjectReference(value.value, new, value.owner)


def _refuse(body: FunctionLowering, what: str, actual: Attribute, new: Attribute) -> NoReturn:
    raise RelaxError(
        f"{body.where}: {what}: expected a type that the value can have, which is of {actual}, "
        f"found {new}; correct the target type"
    )


def _mismatch(
    body: FunctionLowering, what: str, value: Leaf, actual: Attribute, new: Attribute
) -> Lowered:
    """Fail at run time if this is reached; return a value for the code after it."""
    dims = getattr(actual, "shape", None)
    sizes: Sequence[SSAValue]
    match value, new:
        case LoweredTensor(), TensorType():
            if new.dtype is not None and new.dtype != value.type.dtype:
                _fail(
                    body,
                    f"{what}: expected element type {new.dtype}, found {value.type.dtype}; "
                    "convert the array with astype",
                )
            sizes = [body.actual_size(value, i) for i in range(len(dims or ()))]
        case ShapeSizes(), ShapeType():
            sizes = value.sizes
        case _:
            _refuse(body, what, actual, new)
    if new.shape is not None and len(new.shape) == len(sizes):
        entries = size_matches(f"{body.where}: {what}", new.shape, dims, value)
        match(body, entries, body.symbols, body.sizes, own_scope=True)
    elif new.shape is not None:
        found = (
            shape_holes(dims or ()) if isinstance(value, LoweredTensor) else f"{len(sizes)} sizes"
        )
        _fail(
            body,
            f"{literal(what)}: expected {len(new.shape)} dimensions, {dims_text(new.shape)}, found "
            f"{len(sizes)}, {found}",
            shows=True,
        )
        sizes = [_any_size(body, dim) for dim in new.shape]
    if isinstance(new, ShapeType):
        return ShapeSizes(list(sizes))
    assert isinstance(value, LoweredTensor)
    shape = new.shape if new.shape is not None else value.type.shape
    narrowed = TensorType.get(shape, new.dtype or value.type.dtype)
    sizes = [body.sizes.size(d) if d is not None else n for d, n in zip(shape or (), sizes)]
    return body.allocate(narrowed, sizes)


def _fail(body: FunctionLowering, message: str, shows: bool = False) -> None:
    never = body.add(arith.ConstantOp(IntegerAttr.from_bool(False)))
    where = literal(body.where) if shows else body.where
    body.block.add_op(check(never, f"{where}: {message}", shows))


def _any_size(body: FunctionLowering, dim: Dim) -> SSAValue:
    """Return a size after a check that fails; its variables are 0 from here on."""
    zero = body.sizes.constant(0)
    for name in () if dim is None else dim.free_variables:
        body.symbols.setdefault(name, zero)
    return zero


def _shape_of(type: Attribute) -> Dims | None:
    return type.shape if isinstance(type, ShapeType | PrimType) else None


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    core.MatchShapeOp: lower_match,
    core.MatchCastOp: lower_match,
}
