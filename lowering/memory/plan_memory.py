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
      func.call @f(%n, %x, %a) {relax.offset = "256 * n"} : ...
      %b = memref.alloc(%n) {relax.offset = "256 * n"} : memref<?x64xf32>

A frame has as many bytes as the attribute says, in the symbolic variables of the function; values whose
lifetimes do not overlap share them. The frames of the functions that it calls lie in it too, from the
offset on that the call says, or after it where their size is not known ahead. The attributes tell where
memory may come from and change no meaning: an allocation without a place is one of its own, and so are all
where there is no frame. No place have results that the caller owns, what a loop or branch allocates for
those who asked for it (`relax-hoist-buffers` leaves that only where sizes change), and what has sizes that
are known only once the function is running.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from lowering.memory.callees import Frames, callees_first, calls_of, functions_of, without_frames
from lowering.memory.lifetimes import values_of
from lowering.memory.placement import Placement, place
from lowering.memory.sizes import SymbolicSizes
from relax_dialect.call_graph import ops_inside
from relax_dialect.prim_func import FRAME, OFFSET
from relax_dialect.symbolic import Expr


def plan_memory(module: ModuleOp) -> None:
    """Give the allocations of all functions their places."""
    functions = functions_of(module)
    frames = Frames(without_frames(module))
    for name in callees_first(functions):
        function = functions[name]
        sizes = SymbolicSizes(function, functions)
        frames.note(function, sizes, plan_function(function, sizes, frames))


def plan_function(function: func.FuncOp, sizes: SymbolicSizes, frames: Frames) -> Expr | None:
    """Give the allocations of a function their places; gives the size of its frame, if it has one."""
    function.attributes.pop(FRAME, None)
    for op in ops_inside(function):
        if isinstance(op, memref.AllocOp | func.CallOp):
            op.attributes.pop(OFFSET, None)
    own = values_of(function, sizes)
    if not any(value.is_placeable for value in own):
        return None
    placement = place([*own, *frames.values(function, sizes)])
    if not any(value in placement.places for value in own):
        return None
    _note_places(function, placement)
    _note_other_calls(function, placement, sizes, frames)
    return placement.size


def _note_places(function: func.FuncOp, placement: Placement) -> None:
    function.attributes[FRAME] = StringAttr(str(placement.size))
    for value, found in placement.places.items():
        value.op.attributes[OFFSET] = StringAttr(str(found.start))


def _note_other_calls(
    function: func.FuncOp, placement: Placement, sizes: SymbolicSizes, frames: Frames
) -> None:
    """What has no place in a frame that other calls share comes after it."""
    if not any(value.memref is None for value in placement.places):
        return
    for _, call in calls_of(function):
        size = frames.of_call(call, sizes)
        if OFFSET not in call.attributes and (size is None or size.value != 0):
            call.attributes[OFFSET] = StringAttr(str(placement.size))


class PlanMemoryPass(ModulePass):
    """Places for allocations, see the module docstring."""

    name = "relax-plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plan_memory(op)
