"""Buffers with spare capacity for values that grow in a loop (`relax-concat-in-place`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, Region, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.insertion import Inserter
from lowering.memory.in_place.bytes import BYTES, symbolic_bytes, tensor_at
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.memory.in_place.owned_buffers import allocate, index
from relax_dialect import symbolic

LEAST = 1 << 14
"""The least capacity of a growable buffer in bytes: few allocations for small values."""

TIMES, MOST = 128, 1 << 20
"""The initial capacity in multiples of the initial size, and its maximum in bytes: the rows of a short
loop, such as a segment of one in the backward pass, are not copied."""


def with_room(insert: Inserter, room: SSAValue, used: SSAValue, needed: SSAValue) -> SSAValue:
    """Ensure capacity for `needed` bytes, of which `used` are in use.

    Returns the buffer, or a reallocation with twice the needed bytes:

        %large = scf.if %fits -> (memref<?xi8>) {
          scf.yield %room
        } else {
          %new = memref.alloc(%twice)  // 16 KiB at least
          memref.copy %room[0 to %used], %new[0 to %used]
          memref.dealloc %room
          scf.yield %new
        }
    """
    size = insert(memref.DimOp(room, index(insert, 0)))
    fits = insert(arith.CmpiOp(needed, size, "sle"))
    same, other = Block([scf.YieldOp(room)]), Block()
    grow = Inserter(end=other)
    start = index(grow, 0)
    twice = grow(arith.MuliOp(needed, index(grow, 2)))
    new = allocate(grow, BYTES, [grow(arith.MaxSIOp(twice, index(grow, LEAST)))], room.name_hint)
    halves = [tensor_at(grow, whole, start, BYTES, [used]) for whole in (room, new)]
    for op in (memref.CopyOp(*halves), memref.DeallocOp.get(room), scf.YieldOp(new)):
        grow.place(op)
    return insert(scf.IfOp(fits, [BYTES], Region(same), Region(other)), room.name_hint)


def bytes_at_first(result: SSAValue, init: memref.AllocOp, sizes: SymbolicSizes) -> Sequence[Size]:
    """Return the initial capacities of a state in bytes: that of the result if it is known, else a multiple
    of the initial size."""
    return _final(result, sizes) or _ahead(init, sizes)


def _final(result: SSAValue, sizes: SymbolicSizes) -> Sequence[Size]:
    """Return the bytes that a result is checked to have, if it is."""
    type = result.type
    assert isinstance(type, MemRefType)
    checked: dict[int, Size] = {}
    for axis, size in _compared(result):
        known = sizes.of(size)
        if known is not None and sizes.symbols.keys() >= set(known.free_variables):
            checked[axis] = known
    shape = [
        checked.get(axis) if size == DYNAMIC_INDEX else static
        for axis, (size, static) in enumerate(zip(type.get_shape(), sizes.shape(result)))
    ]
    found = symbolic_bytes(type, shape)
    return () if found is None else (found,)


def _ahead(init: memref.AllocOp, sizes: SymbolicSizes) -> Sequence[Size]:
    """Return the initial capacity in bytes of a state of unknown final length."""
    assert isinstance(init.memref.type, MemRefType)
    found = symbolic_bytes(init.memref.type, sizes.shape(init.memref))
    return () if found is None else (symbolic.minimum(found * TIMES, MOST),)


def _compared(result: SSAValue) -> Iterator[tuple[int, SSAValue]]:
    """Yield the dimensions of a memref that run-time checks compare, and the other operands."""
    for use in result.uses:
        op = use.operation
        if isinstance(op, memref.CastOp):
            yield from _compared(op.dest)
        elif isinstance(op, memref.DimOp) and (axis := known_integer(op.index)) is not None:
            for other in op.result.uses:
                test = other.operation
                if isinstance(test, arith.CmpiOp) and _is_required(test.result):
                    yield axis, test.rhs if test.lhs is op.result else test.lhs


def _is_required(condition: SSAValue) -> bool:
    return any(isinstance(use.operation, cf.AssertOp) for use in condition.uses)
