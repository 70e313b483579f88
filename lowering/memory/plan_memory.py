"""relax-plan-memory: allocations get places in one frame of memory for each call of a function.

    func.func @main(%n: index {relax.symbol = "n"}, ...) {
      %a = memref.alloc(%n) : memref<?x64xf32>
      func.call @f(%n, %x, %a) : ...
      %b = memref.alloc(%n) : memref<?x64xf32>
      func.call @g(%n, %a, %b) : ...
      memref.dealloc %a : memref<?x64xf32>
      ...
    ->
    func.func @main(...) attributes {relax.frame = "512 * n"} {
      %a = memref.alloc(%n) {relax.offset = "0"} : memref<?x64xf32>
      %b = memref.alloc(%n) {relax.offset = "256 * n"} : memref<?x64xf32>

A frame has as many bytes as the attribute says, in the symbolic variables of the function; values whose
lifetimes do not overlap share them. The attributes tell where memory may come from and change no meaning:
an allocation without a place is one of its own, and so are all where there is no frame. No place have
results, which the caller owns, what a loop or branch hands on, and what has sizes that are known only once
the function is running.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from lowering.memory.lifetimes import values_of
from lowering.memory.placement import place
from relax_dialect.prim_func import FRAME, OFFSET


def plan_memory(function: func.FuncOp) -> None:
    """Give the allocations of a function their places."""
    values = values_of(function)
    placement = place(values)
    for value in values:
        if (alloc := value.alloc) is None:
            continue
        alloc.attributes.pop(OFFSET, None)
        if (offset := placement.offset(value)) is not None:
            alloc.attributes[OFFSET] = StringAttr(str(offset))
    function.attributes.pop(FRAME, None)
    if placement.places:
        function.attributes[FRAME] = StringAttr(str(placement.size))


class PlanMemoryPass(ModulePass):
    """Places for allocations, see the module docstring."""

    name = "relax-plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and len(function.body.blocks) == 1:
                plan_memory(function)
