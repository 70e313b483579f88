"""relax-buffer-results-to-out-params: functions, branches and loops write results to buffers of the caller.

    %a = func.call @f(%n, %x) : ... -> memref<?xf32>
    ->
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @f(%n, %x, %a) : ...

The allocation of a result of a function, a branch or a loop iteration moves to the caller or the block
around, if its size is known there: so `relax-plan-memory` can place it in their frames, and a loop does not
allocate in every iteration. Functions with external callers keep their results. The state of loops is
described in `double_buffering.py`, the results of functions in `out_params.py`. The results of branches lie
in buffers that are allocated before them:

    %y = scf.if %c -> (memref<?xf32>) {        %y = memref.alloc(%n) : memref<?xf32>
      %a = memref.alloc(%n) : memref<?xf32>      scf.if %c {
      func.call @f(%x, %a) ...            ->       func.call @f(%x, %y) ...
      scf.yield %a                               } else {
    } else {                                       func.call @g(%x, %y) ...
      ...                                        }
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.in_place.call_graph import callees_first, calls_of, functions_of
from lowering.memory.in_place.double_buffering import hoist_from_loop
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.out_params import OutParams
from lowering.memory.in_place.owned_buffers import (
    allocate,
    computed,
    is_allocated_in,
    is_known,
    replaced,
    stand_in,
)
from relax_dialect.ir.walk import blocks_of


def hoist_buffers(module: ModuleOp) -> None:
    """Allocate the results of functions, branches and loops before them."""
    functions = functions_of(module)
    results = OutParams(module, functions)
    done: set[str] = set()
    for name in callees_first(functions):
        function = functions[name]
        called = {call.callee.string_value() for _, call in calls_of(function)} & functions.keys()
        inner = [op for op in _inner_first(function) if _gives_memory(op)]
        if inner or any(isinstance(t, MemRefType) for t in function.function_type.outputs):
            sizes = SymbolicSizes(function, functions)
            for op in inner:
                if isinstance(op, scf.IfOp):
                    hoist_from_branches(op, sizes)
                elif isinstance(op, scf.WhileOp):
                    hoist_from_loop(op, sizes)
            if called <= done:  # not recursive: each activation would hold the result of the next
                results.give(function, sizes)
        done |= {name} if called <= done else set()


def _gives_memory(op: Operation) -> bool:
    return isinstance(op, scf.IfOp | scf.WhileOp) and any(
        isinstance(t, MemRefType) for t in op.result_types
    )


def _inner_first(function: func.FuncOp) -> Iterator[Operation]:
    """Yield the ops with regions in program order, nested ones before the op around them."""
    stack = [(op, False) for op in reversed(list(function.body.block.ops)) if op.regions]
    while stack:
        op, is_done = stack.pop()
        if is_done:
            yield op
            continue
        stack.append((op, True))
        blocks = blocks_of(op)
        inner = [o for block in blocks for o in block.ops if o.regions]
        stack.extend((o, False) for o in reversed(inner))


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


class BufferResultsToOutParamsPass(ModulePass):
    """Result buffers allocated by the caller, see the module docstring."""

    name = "relax-buffer-results-to-out-params"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoist_buffers(op)
