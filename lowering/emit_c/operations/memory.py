"""Statements of memref: buffers, elements and views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from lowering.emit_c.operations import frames
from lowering.emit_c.operations.control import c_string
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.c_expressions import (
    CExpr,
    Prec,
    add,
    assignment,
    multiply,
    number,
    parenthesised,
)
from lowering.emit_c.syntax.c_memrefs import CBuffer
from lowering.emit_c.syntax.c_types import memref_strides, scalar_type
from lowering.emit_c.syntax.compiler_attributes import PREFETCH
from lowering.ir.memref_views import is_dense, kept_dimensions
from lowering.memory.in_place.bytes import BYTES
from lowering.support.target import ALIGNMENT
from relax_dialect.errors import RelaxError
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp


def sizes_of(body: FunctionBody, t: MemRefType, dynamic: Sequence[SSAValue]) -> tuple[CExpr, ...]:
    """Return the sizes of an allocation."""
    rest = iter(dynamic)
    return tuple(body.atom(next(rest)) if d < 0 else number(d) for d in t.get_shape())


def emit_alloc(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.AllocOp)
    t = op.memref.type
    assert isinstance(t, MemRefType)
    if memref_strides(t) is not None:
        raise RelaxError(f"C: memref.alloc: expected a row-major type, found {t}")
    if isinstance(op.alignment, IntegerAttr) and op.alignment.value.data > ALIGNMENT:
        raise RelaxError(
            f"C: memref.alloc: expected an alignment of at most {ALIGNMENT}, found "
            f"{op.alignment.value.data}"
        )
    element = scalar_type(t.element_type)
    sizes = sizes_of(body, t, op.dynamic_sizes)
    variable = body.fresh(op.memref, role(body, op.memref))
    what = c_string(f"{body.signature.symbol}: {variable}")
    if _is_room(body, op.memref):
        body.file.helpers.use_runtime("allocate_room")
        own = f"allocate_room(&live, {what}, {sizes[0].text})"
    else:
        body.file.helpers.use_runtime("allocate")
        shape = f"(const int64_t[]){{{', '.join(s.text for s in sizes)}}}" if sizes else "NULL"
        own = f"allocate(&live, {what}, sizeof({element.memory}), {len(sizes)}, {shape})"
    if (place := frames.place(body, op)) is not None:
        own = f"{frames.FRAME} != NULL ? {place} : {own}"
    body.line(f"{element.memory} *const {variable} = {own};")
    body.line_if(f"{variable} == NULL", body.fail())
    body.values[op.memref] = CBuffer(variable, element, sizes)


def _is_room(body: FunctionBody, buffer: SSAValue) -> bool:
    """Return whether a buffer is bytes that later hold tensors, as the growable buffers of loops."""
    return buffer.type == BYTES and not body.file.has_arena and not frames.has_place(buffer)


def role(body: FunctionBody, buffer: SSAValue) -> str:
    """Return the name of a buffer that has none in the program: after the call that fills it."""
    for use in buffer.uses:
        if isinstance(call := use.operation, func.CallOp):
            callee = body.file.signature(call.callee.string_value())
            if use.index < len(callee.params) and callee.params[use.index].is_result:
                return f"{callee.symbol}_{callee.params[use.index].name}"
    return "buffer"


def emit_alloca(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.AllocaOp)
    t = op.memref.type
    assert isinstance(t, MemRefType)
    if memref_strides(t) is not None or any(d < 0 for d in t.get_shape()):
        raise RelaxError(
            f"C: memref.alloca: expected a row-major type of static shape, found {t}; "
            "use memref.alloc for sizes known at run time"
        )
    element = scalar_type(t.element_type)
    buffer = CBuffer(
        body.fresh(op.memref, "local"), element, tuple(number(d) for d in t.get_shape())
    )
    count = buffer.count().literal
    align = f"_Alignas({op.alignment.value.data}) " if isinstance(op.alignment, IntegerAttr) else ""
    body.declare_text(f"{align}{element.memory} {buffer.base}[{max(1, count or 0)}];", buffer.base)
    body.values[op.memref] = buffer


def emit_dealloc(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.DeallocOp)
    body.flush()
    buffer = body.buffer(op.memref)
    base = buffer.base
    if frames.has_place(op.memref):
        body.file.helpers.use_runtime("enter_frame")
        body.line(f"drop({frames.FRAME}, {base});")
        return
    if _is_room(body, op.memref):
        body.file.helpers.use_runtime("deallocate_room")
        body.line(f"deallocate_room({base}, {buffer.sizes[0].text});")
        return
    body.file.helpers.use_runtime("deallocate")
    body.line(f"deallocate({base});")


FEW = 16
"""The most contiguous elements that are copied one by one: the C compiler may join them with their
neighbours."""


def emit_load(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.LoadOp)
    b = body.buffer(op.memref)
    indices = body.exprs(op.indices)
    body.define(op.res, b.splat if b.splat is not None else b.at(indices))


def emit_store(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.StoreOp)
    value = body.expr(op.value)
    target = body.buffer(op.memref).at(body.exprs(op.indices))
    body.flush()
    body.line(assignment(target.text, value))


def emit_prefetch(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, PrefetchOp)
    place = body.buffer(op.memref).at(body.exprs(op.indices))
    hints = f"{int(op.is_write.value.data)}, {op.locality.value.data}"
    body.file.helpers.use_runtime(PREFETCH)
    body.line(f"PREFETCH(&{place.text}, {hints});")


def emit_dim(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.DimOp)
    sizes = body.buffer(op.source).sizes
    index = body.expr(op.index).literal
    if index is None or not 0 <= index < len(sizes):
        raise RelaxError(
            f"C: memref.dim: expected a constant dimension from 0 to {len(sizes) - 1}, found "
            f"{body.expr(op.index).text}"
        )
    body.define(op.result, sizes[index])


def emit_rank(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.RankOp)
    body.values[op.rank] = number(len(body.buffer(op.source).sizes))


def emit_copy(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.CopyOp)
    source, target = body.buffer(op.source), body.buffer(op.destination)
    body.flush()
    sizes = [s if s.literal is not None else t for s, t in zip(source.sizes, target.sizes)]
    source, target = (replace(buffer, sizes=tuple(sizes)) for buffer in (source, target))
    is_in_loop = isinstance(op.parent_op(), scf.ForOp)
    if source.strides is not None or target.strides is not None:
        dense = max(source.dense_from(), target.dense_from())
        _copy_runs(body, source, target, dense, [], is_in_loop)
        return
    copy = _copy_run(body, source, target, 0, [], is_row=is_in_loop)
    analysis = body.file.analysis
    if analysis.group(op.source) is analysis.group(op.destination):  # and so may be one buffer
        body.line_if(f"{target.base} != {source.base}", copy)
    else:
        body.line(copy)


def _copy_runs(
    body: FunctionBody,
    source: CBuffer,
    target: CBuffer,
    dense: int,
    at: list[CExpr],
    is_in_loop: bool,
) -> None:
    """Emit loops over the dimensions before the contiguous ones, and a copy of these."""
    rank, run = len(source.sizes), reduce(multiply, source.sizes[dense:], number(1))
    is_short = run.literal is not None and run.literal <= FEW
    if len(at) == rank:
        body.line(f"{target.at(at).text} = {source.at(at).text};")
    elif len(at) == dense and not is_short:
        is_row = bool(at) or is_in_loop
        body.line(_copy_run(body, source, target, dense, at, is_row=is_row))
    else:
        with body.names.scope():
            i = body.names.fresh("ijkl"[min(len(at), 3)])
            size = parenthesised(source.sizes[len(at)], Prec.ADD)
            with body.braces(f"for (int64_t {i} = 0; {i} < {size}; ++{i})"):
                _copy_runs(body, source, target, dense, [*at, CExpr(i)], is_in_loop)


def _copy_run(
    body: FunctionBody,
    source: CBuffer,
    target: CBuffer,
    dense: int,
    at: list[CExpr],
    *,
    is_row: bool,
) -> str:
    """Emit a copy of the contiguous elements at some indices, as one row of many: one of unknown length may
    be short."""
    run = reduce(multiply, source.sizes[dense:], number(1))
    size = f"(size_t){parenthesised(run, Prec.UNARY)} * sizeof({target.element.memory})"
    if target.element.is_packed:
        size = f"((size_t){parenthesised(run, Prec.UNARY)} * {target.element.bits} + 7) / 8"
    zeros = [number(0)] * (len(source.sizes) - dense)
    places = [
        b.base if not at else f"{b.base} + {parenthesised(b.offset([*at, *zeros]), Prec.ADD)}"
        for b in (target, source)
    ]
    copy = "copy_row" if is_row and run.literal is None else "memcpy"
    if copy == "copy_row":
        body.file.helpers.use_runtime(copy)
    return f"{copy}({places[0]}, {places[1]}, {size});"


def emit_get_global(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.GetGlobalOp)
    t = op.memref.type
    assert isinstance(t, MemRefType)
    only_loads = all(isinstance(u.operation, memref.LoadOp) for u in op.memref.uses)
    symbol, constants = op.name_.string_value(), body.file.constants
    base, splat = constants.pointer(symbol, only_loads)
    element = scalar_type(t.element_type)
    if body.file.analysis.is_written(op.memref) and constants.is_constant(symbol):
        variable = body.fresh(op.memref)
        body.declare_text(f"{element.memory} *{variable} = ({element.memory} *){base};", variable)
        base = variable
    body.values[op.memref] = CBuffer(
        base, element, tuple(number(d) for d in t.get_shape()), splat=splat
    )


# Views


def define_view(
    body: FunctionBody,
    result: SSAValue,
    source: CBuffer,
    offset: CExpr,
    sizes: Sequence[CExpr],
    strides: Sequence[CExpr],
) -> None:
    """Defines a memref that starts `offset` elements into another."""
    t = result.type
    assert isinstance(t, MemRefType)
    base = source.base
    if offset.literal != 0:
        base = body.fresh(result, "view")
        const = "" if body.file.analysis.is_written(result) else "const "
        body.declare_text(
            f"{const}{source.element.memory} *const {base} = {source.base} + "
            f"{parenthesised(offset, Prec.MUL)};",
            base,
        )
    row_major = memref_strides(t) is None
    body.values[result] = CBuffer(
        base, source.element, tuple(sizes), None if row_major else tuple(strides)
    )


def mixed(body: FunctionBody, static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[CExpr]:
    """Return the static sizes, with operands for the dynamic ones."""
    rest = iter(dynamic)
    return [body.atom(next(rest)) if s == DYNAMIC_INDEX else number(s) for s in static]


def emit_subview(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.SubviewOp)
    source = body.buffer(op.source)
    offsets = mixed(body, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(body, op.static_sizes.get_values(), op.sizes)
    steps = mixed(body, op.static_strides.get_values(), op.strides)
    strides = [multiply(a, b) for a, b in zip(steps, source.explicit_strides())]
    t = op.result.type
    assert isinstance(t, MemRefType)
    shape = list(t.get_shape())
    if len(shape) < len(sizes):
        kept = kept_dimensions(op)
        if kept is None:
            raise RelaxError("C: memref.subview: the result's shape does not match its sizes")
        sizes = [sizes[i] for i in kept]
        strides = [strides[i] for i in kept]
    define_view(body, op.result, source, source.offset(offsets), sizes, strides)


def emit_cast(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.CastOp)
    source, t = body.buffer(op.source), op.dest.type
    if not isinstance(t, MemRefType):
        raise RelaxError(f"C: memref.cast to {t} is not supported: expected a ranked memref")
    sizes = tuple(s if d < 0 else number(d) for s, d in zip(source.sizes, t.get_shape()))
    strides = None if memref_strides(t) is None else source.explicit_strides()
    body.values[op.dest] = CBuffer(source.base, source.element, sizes, strides, source.splat)


def emit_collapse_shape(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.CollapseShapeOp)
    source, t = body.buffer(op.src), op.src.type
    assert isinstance(t, MemRefType)
    groups = [[i.value.data for i in group] for group in op.reassociation]
    if not all(is_dense(t, g[0], g[-1]) for g in groups if g):
        raise RelaxError(f"C: {op.name}: expected dimensions without gaps between them, found {t}")
    sizes = [reduce(multiply, (source.sizes[i] for i in g), number(1)) for g in groups]
    strides = source.explicit_strides()
    define_view(body, op.result, source, number(0), sizes, [strides[g[-1]] for g in groups if g])


def emit_expand_shape(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.ExpandShapeOp)
    source = body.buffer(op.src)
    sizes = mixed(body, op.static_output_shape.get_values(), op.output_shape)
    strides: list[CExpr] = []
    for group, stride in zip(op.reassociation, source.explicit_strides()):
        inner: list[CExpr] = []
        for i in reversed([i.value.data for i in group]):
            inner.append(stride)
            stride = multiply(sizes[i], stride)
        strides += reversed(inner)
    define_view(body, op.result, source, number(0), sizes, strides)


def emit_reinterpret_cast(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, memref.ReinterpretCastOp)
    sizes = mixed(body, op.static_sizes.get_values(), op.sizes)
    row_major = memref_strides(op.result.type) is None
    strides = () if row_major else mixed(body, op.static_strides.get_values(), op.strides)
    offset = reduce(add, mixed(body, op.static_offsets.get_values(), op.offsets), number(0))
    define_view(body, op.result, body.buffer(op.source), offset, sizes, strides)


def emit_view(body: FunctionBody, op: Operation) -> None:
    """Emit a tensor at an offset in a buffer of bytes."""
    assert isinstance(op, memref.ViewOp)
    t = op.result.type
    assert isinstance(t, MemRefType)
    element, shift = scalar_type(t.element_type), body.expr(op.byte_shift)
    base = body.buffer(op.source).base
    if shift.literal != 0:
        base = f"({base} + {parenthesised(shift, Prec.MUL)})"
    variable = body.fresh(op.result, "view")
    const = "" if body.file.analysis.is_written(op.result) else "const "
    body.declare_text(
        f"{const}{element.memory} *const {variable} = ({const}{element.memory} *)(void *){base};",
        variable,
    )
    sizes = sizes_of(body, t, op.sizes)
    body.values[op.result] = CBuffer(variable, element, sizes)


STATEMENTS = {
    "memref.alloc": emit_alloc,
    "memref.alloca": emit_alloca,
    "memref.dealloc": emit_dealloc,
    "memref.load": emit_load,
    "memref.store": emit_store,
    "memref.prefetch": emit_prefetch,
    "memref.dim": emit_dim,
    "memref.rank": emit_rank,
    "memref.copy": emit_copy,
    "memref.get_global": emit_get_global,
    "memref.subview": emit_subview,
    "memref.cast": emit_cast,
    "memref.collapse_shape": emit_collapse_shape,
    "memref.expand_shape": emit_expand_shape,
    "memref.reinterpret_cast": emit_reinterpret_cast,
    "memref.view": emit_view,
}
