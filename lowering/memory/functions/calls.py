"""Calls of prim funcs and of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import MemRefType, StringAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.emission import Told, never_negative
from lowering.memory.functions.lowered_signature import (
    Leaf,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    UnrankedTensor,
    leaves,
    lowered_types,
    memref_type,
)
from lowering.memory.functions.match_cast import with_rank
from lowering.memory.functions.ownership import nest
from lowering.memory.functions.shape_checks import match, size_matches
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import Dim, ShapeType, Sized, TensorType
from relax_dialect.ir.unify import unify
from relax_dialect.ops import calls, core
from relax_dialect.prim.run_time_checks import PLACE, called, place_of
from relax_dialect.prim.signature import signature
from relax_dialect.prim.size_ops import SizeEmitter

Require: TypeAlias = Callable[[int, TensorType, Sequence[SSAValue]], None]
"""Requires conditions on a result, by its number, type and sizes."""


def lower_call_tir(
    body: FunctionLowering, op: calls.TirCallOp, require_of_result: Require | None = None
) -> None:
    """Call a prim func, which writes its results to fresh buffers."""
    callee = body.module.symbols.get(op.callee_name)
    assert isinstance(callee, func.FuncOp)
    found = signature(callee)
    if callee.function_type.outputs.data:
        raise RelaxError(
            f"{body.where}: relax.call_tir: expected @{op.callee_name} to write its results into "
            "memref arguments, found a function on tensors; run relax-bufferize first"
        )
    origin = place_of(op)
    require = partial(body.require_size, place=origin)
    bound = {
        name: body.sizes.size(size)
        for name, size in zip(found.unbound, op.symbols.data or () if op.symbols else ())
        if size is not None
    }
    sizes = SizeEmitter.of_known(body.add, bound, require)
    args = [_buffer(body, op, a) for a in op.args]
    inputs = callee.body.block.args[len(found.symbols) : len(found.symbols) + len(args)]
    names = [f"'{a.name_hint or f'#{a.index}'}'" for a in inputs]
    _match_arguments(body, op, names, found.params, args, bound, sizes)
    for name in dict.fromkeys(v for t in found.results for v in free_variables(t)):
        if name not in bound:
            raise RelaxError(
                f"{body.where}: relax.call_tir @{op.callee_name}: expected the sizes of its results "
                f"from its arguments, found '{name}' in no relax.dims of theirs; add it there, or an "
                f'index argument with relax.symbol = "{name}"'
            )
    outs: list[LoweredTensor] = []
    unproved: list[SSAValue] = []
    _, known_types = op.infer_with(callee)
    for index, (result, type, known) in enumerate(zip(op.results, found.results, known_types)):
        assert isinstance(known, TensorType) and type.shape is not None
        values = [sizes.size(d) for d in type.shape if d is not None]
        if origin:
            values = [_room(body, d, v, unproved) for d, v in zip(type.shape, values, strict=True)]
        else:
            for dim, size in zip(type.shape, values, strict=True):
                if dim is not None and not never_negative(dim):
                    body.require_not_negative(size, "")
        if require_of_result is not None:
            require_of_result(index, known, values)
        outs.append(body.allocate(known, values, result.name_hint))
        body.values[result] = outs[-1]
    inputs = iter(callee.function_type.inputs.data[len(found.symbols) :])
    operands = [bound[s] for s in found.symbols]
    operands += [body.cast(b, _expect_memref(next(inputs))).memref for b in (*args, *outs)]
    body.block.add_op(call := func.CallOp(op.callee_name, operands, []))
    if origin:
        call.attributes[PLACE] = StringAttr(f"{body.where}: {origin}")
    for size in unproved:
        body.require_not_negative(size, origin)


def _room(body: FunctionLowering, dim: Dim, size: SSAValue, unproved: list[SSAValue]) -> SSAValue:
    """Return a size to allocate: 0 if it is negative, as the op that checks it reports the error."""
    if dim is None or never_negative(dim):
        return size
    unproved.append(size)
    return body.add(arith.MaxSIOp(size, body.sizes.constant(0)))


def _buffer(body: FunctionLowering, op: Operation, value: SSAValue) -> LoweredTensor:
    lowered = body.values[value]
    if not isinstance(lowered, LoweredTensor):
        raise RelaxError(f"{body.where}: {op.name}: expected tensors, found {value.type}")
    return lowered


def lower_call(body: FunctionLowering, op: calls.CallOp) -> None:
    callee = body.module.symbols.get(op.callee_name)
    assert isinstance(callee, core.FuncOp)
    target = body.module.signature_of(callee)
    args = [
        leaf
        for name, a, type in zip(names_of(callee), op.args, callee.body.block.arg_types)
        for leaf in leaves(body.fit(f"{called(callee)}: argument {name}", body.values[a], type))
    ]
    args = [
        _with_rank(body, f"{called(callee)}: argument {name}", arg, param.type)
        for name, arg, param in zip(parameter_names(callee), args, target.params, strict=True)
    ]
    bound: dict[str, SSAValue] = {}
    sizes = SizeEmitter.of_known(body.add, bound, body.require_size)
    names: list[str] = []
    shaped_types: list[Sized] = []
    shaped_args: list[Told] = []
    for name, param, arg in zip(parameter_names(callee), target.params, args, strict=True):
        if isinstance(param.type, Sized) and isinstance(arg, ObjectReference):
            raise RelaxError(
                f"{body.where}: {describe(op)}: expected a value of type {param.type} for {name}, "
                f"found one of type {arg.type}, of which compiled code makes none; declare the type "
                "it has"
            )
        if isinstance(param.type, Sized) and not isinstance(arg, ObjectReference):
            names.append(name)
            shaped_types.append(param.type)
            shaped_args.append(arg)
    _match_arguments(body, op, names, shaped_types, shaped_args, bound, sizes)
    operands = [bound[s] for s in target.symbols]
    for param, arg in zip(target.params, args):
        if isinstance(arg, LoweredTensor):
            assert isinstance(param.type, TensorType)
            operands.append(body.cast(arg, memref_type(param.type)).memref)
        elif isinstance(arg, ShapeSizes):
            assert isinstance(param.type, ShapeType)
            dims = param.type.shape or ()
            operands += [s for s, d in zip(arg.sizes, dims) if d is None]
        else:
            operands.append(arg.value if isinstance(arg, ObjectReference) else arg)
    if op.callee_name in body.module.recursion.passing:
        operands.append(body.level if body.level is not None else body.sizes.constant(0))
    types = [t for result in target.results for t in lowered_types(result)]
    symbol = body.module.nested.get(op.callee_name, op.callee_name)
    call = func.CallOp(symbol, operands, types)
    body.block.add_op(call)
    unification = unify(op.name, callee.function_type.inputs.data, op.operand_types)
    results = iter(call.results)
    parts = [
        body.received(unification.apply(type), results, op.result.name_hint)
        for type in target.results
    ]
    body.values[op.result] = nest(target.output, iter(parts))


def _with_rank(
    body: FunctionLowering, what: str, value: Leaf, type: Attribute
) -> LoweredTensor | ShapeSizes | ObjectReference | SSAValue:
    """Return an argument of the rank that its parameter has."""
    if not isinstance(value, UnrankedTensor):
        return value
    assert isinstance(type, TensorType) and type.shape is not None
    return with_rank(body, what, value, type.shape)


def _match_arguments(
    body: FunctionLowering,
    op: calls.SymbolCallOp,
    names: Sequence[str],
    params: Sequence[Sized],
    args: Sequence[Told],
    bound: dict[str, SSAValue],
    sizes: SizeEmitter,
) -> None:
    entries = [
        entry
        for name, param, arg in zip(names, params, args, strict=True)
        for entry in size_matches(
            f"{called(body.module.symbols[op.callee_name])}: argument {name}",
            param.shape,
            arg.type.shape if isinstance(arg, LoweredTensor) else None,
            arg,
        )
    ]
    match(body, entries, bound, sizes, own_scope=False)


def names_of(callee: core.FuncOp) -> list[str]:
    """Return the names of a function's parameters in messages."""
    return [f"'{p.name_hint or f'#{p.index}'}'" for p in callee.body.block.args]


def parameter_names(callee: core.FuncOp) -> list[str]:
    """Return the names of a function's parameters, and of the fields of tuple parameters, in messages."""
    names: list[str] = []
    stack = list(zip(names_of(callee), callee.body.block.arg_types))[::-1]
    while stack:
        name, type = stack.pop()
        if isinstance(type, TupleType):
            fields = [(f"{name}, field {i}", field) for i, field in enumerate(type.types)]
            stack.extend(reversed(fields))
        else:
            names.append(name)
    return names


def _expect_memref(type: Attribute) -> MemRefType:
    assert isinstance(type, MemRefType)
    return type


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    calls.CallTirOp: lower_call_tir,
    calls.CallOp: lower_call,
}
