"""relax-buffer-results-to-out-params: functions, branches and loops write results to buffers of the caller.

    %a = func.call @f(%n, %x) : ... -> memref<?xf32>
    ->
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @f(%n, %x, %a) : ...

The allocation of a result of a function, a branch or a loop iteration moves to the caller or the block
around, if its size is known there: so `relax-plan-memory` can place it in their frames, and a loop does not
allocate in every iteration. Functions with external callers keep their results. The results of branches are
described in `branch_buffers.py`, the state of loops in `double_buffering.py`, the results of functions in
`out_params.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from lowering.memory.in_place.branch_buffers import hoist_from_branches
from lowering.memory.in_place.call_graph import callees_first, calls_of, functions_of
from lowering.memory.in_place.double_buffering import hoist_from_loop
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.out_params import OutParams
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


class BufferResultsToOutParamsPass(ModulePass):
    """Result buffers allocated by the caller, see the module docstring."""

    name = "relax-buffer-results-to-out-params"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoist_buffers(op)
