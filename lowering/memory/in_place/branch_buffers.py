"""The results of branches lie in buffers that are allocated before them.

%y = scf.if %c -> (memref<?xf32>) {        %y = memref.alloc(%n) : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>      scf.if %c {
  func.call @f(%x, %a) ...            ->       func.call @f(%x, %y) ...
  scf.yield %a                               } else {
} else {                                       func.call @g(%x, %y) ...
  ...                                        }
"""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import (
    allocate,
    computed,
    is_allocated_in,
    is_known,
    replaced,
    stand_in,
)


def hoist_from_branches(op: scf.IfOp, sizes: SymbolicSizes) -> None:
    """Hoist allocations that both branches of an if yield, if their sizes are known before it."""
    if not op.false_region.blocks:
        return
    ends = [region.block.last_op for region in op.regions]
    hoisted: dict[int, SSAValue] = {}
    for index, result in enumerate(op.results):
        if not isinstance(result.type, MemRefType):
            continue
        buffers = [uncast(end.operands[index]) for end in ends if end is not None]
        if not all(
            is_allocated_in(buffer, end.parent)
            and sum(uncast(value) is buffer for value in end.operands) == 1
            for buffer, end in zip(buffers, ends)
            if end is not None
        ):
            continue
        shape = sizes.shape(result)
        if not is_known(shape):
            continue
        insert = Inserter(before=op)
        dynamic = computed(insert, result.type, shape, sizes.symbols)
        if dynamic is None:
            continue
        fresh = allocate(insert, result.type, dynamic, result.name_hint)
        sizes.shapes[fresh] = shape
        for buffer in buffers:
            assert isinstance(buffer.owner, memref.AllocOp)
            stand_in(buffer.owner, fresh, sizes)
        hoisted[index] = fresh
    if not hoisted:
        return
    rest = [index for index in range(len(op.results)) if index not in hoisted]
    for end in ends:
        assert end is not None
        end.operands = [end.operands[index] for index in rest]
    regions = [op.detach_region(region) for region in list(op.regions)]
    new = scf.IfOp(op.cond, [op.results[i].type for i in rest], regions[0], regions[1])
    kept = dict(zip(rest, new.results))
    for index, result in kept.items():
        result.name_hint = op.results[index].name_hint
        if isinstance(result.type, MemRefType):
            sizes.shapes[result] = sizes.shape(op.results[index])
    replaced(op, new, hoisted | kept)
