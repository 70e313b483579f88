"""Buffers of bytes that contain tensors at offsets: `memref.view`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, i8
from xdsl.ir import Operation, SSAValue

from lowering.ir.insertion import Inserter
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.memory.in_place.owned_buffers import allocate, computed, index
from lowering.memory.plan.lifetimes import element_size
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError

BYTES = MemRefType(i8, [DYNAMIC_INDEX])


def dynamic_sizes(insert: Inserter, value: SSAValue) -> Sequence[SSAValue]:
    """Return the sizes of a memref's dynamic dimensions."""
    assert isinstance(value.type, MemRefType)
    return [
        insert(memref.DimOp(value, index(insert, axis)))
        for axis, size in enumerate(value.type.get_shape())
        if size == DYNAMIC_INDEX
    ]


def byte_count(insert: Inserter, type: MemRefType, dynamic: Sequence[SSAValue]) -> SSAValue:
    """Return the bytes of a memref that exists, so that their number is no more than memory has."""
    static = [size for size in type.get_shape() if size != DYNAMIC_INDEX]
    factor = element_size(type.element_type)
    for size in static:
        factor *= size
    found = index(insert, factor)
    for size in dynamic:
        found = insert(arith.MuliOp(found, size))
    return found


def symbolic_bytes(type: MemRefType, shape: Sequence[Size]) -> Size:
    """Return the bytes of a memref whose sizes are known."""
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        return None
    try:
        return symbolic.product(known) * element_size(type.element_type)
    except SymbolicError:
        return None


def tensor_at(
    insert: Inserter,
    room: SSAValue,
    start: SSAValue,
    type: MemRefType,
    dynamic: Sequence[SSAValue],
    hint: str | None = None,
) -> SSAValue:
    """Return the tensor that starts at a byte."""
    return insert(memref.ViewOp(room, start, dynamic, type), hint)


def as_bytes(
    alloc: memref.AllocOp,
    sizes: SymbolicSizes,
    *least: Size,
    before: Operation | None = None,
) -> SSAValue | None:
    """Allocate bytes for the memref of an allocation, before it or another op, and at least `least`; None
    if their number is not known before any check."""
    type = alloc.memref.type
    assert isinstance(type, MemRefType)
    wanted = [symbolic_bytes(type, sizes.shape(alloc.memref)), *least]
    known = [size for size in wanted if size is not None]
    if len(known) < len(wanted):
        return None
    insert = Inserter(before=before or alloc)
    count = computed(insert, BYTES, [symbolic.maximum(0, *known)], sizes.symbols)
    if count is None:
        return None
    room = allocate(insert, BYTES, count, alloc.memref.name_hint)
    sizes.shapes[room] = [symbolic.maximum(0, *known)]
    return room
