"""relax-plan-memory: allocations get offsets in one frame of memory for each call of a function.

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

The attribute states the frame's size in bytes, in the symbolic variables of the function; values whose
lifetimes do not overlap share bytes. The frames of its callees lie in it too, from the offset of the call
on, or reach beyond its end if their size is not known ahead. The attributes say where memory may come from
and change no semantics: an allocation without an offset is separate, and so are all of a function without a
frame. Results that the caller owns have no offset, nor have results that a loop or branch allocates
(`relax-buffer-results-to-out-params` leaves those only if sizes change), nor values whose sizes are known
only at run time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from lowering.external.library_kernel import codegen_of
from lowering.memory.in_place.call_graph import callees_first, calls_of, functions_of
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes, magnitude
from lowering.memory.in_place.size_order import ZERO, larger
from lowering.memory.plan.lifetimes import ALIGNMENT, MEMORY_OPS, OwnedMemory, values_of
from lowering.memory.plan.placement import LONGEST, Placement, place
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import FRAME, OFFSET
from relax_dialect.symbolic import Expr


def plan_memory(module: ModuleOp) -> None:
    """Assign offsets to the allocations of all functions."""
    functions = functions_of(module)
    frames = Frames(without_frames(module))
    for name in callees_first(functions):
        function = functions[name]
        if not _has_memory(function):
            frames.taken[name] = ZERO
            continue
        sizes = SymbolicSizes(function, functions)
        frames.note(function, sizes, *plan_function(function, sizes, frames))


def _has_memory(function: func.FuncOp) -> bool:
    """Return whether a function has values of its own or callees; most kernels have neither."""
    function.attributes.pop(FRAME, None)
    return any(isinstance(op, MEMORY_OPS) for op in walk_ops(function))


def plan_function(
    function: func.FuncOp, sizes: SymbolicSizes, frames: Frames
) -> tuple[Expr | None, bool]:
    """Assign offsets to the allocations of a function; return the size of its frame, if it has one, and
    whether the frames of all its callees lie in it."""
    for op in walk_ops(function):
        if isinstance(op, MEMORY_OPS):
            op.attributes.pop(OFFSET, None)
    own = values_of(function, sizes)
    if not any(value.is_placeable for value in own):
        return None, True
    placement = place([*own, *frames.values(function, sizes)])
    if not any(value in placement.places for value in own):
        return None, True
    _note_places(function, placement)
    return placement.size, _note_other_calls(function, placement, sizes, frames)


def _note_places(function: func.FuncOp, placement: Placement) -> None:
    function.attributes[FRAME] = StringAttr(str(placement.size))
    for value, (start, _) in placement.places.items():
        value.op.attributes[OFFSET] = StringAttr(str(start))


def _note_other_calls(
    function: func.FuncOp, placement: Placement, sizes: SymbolicSizes, frames: Frames
) -> bool:
    """Place the other callees' frames after the values that are live during the call: they may reach beyond
    the end of the function's own frame. Return whether there are no such frames."""
    others: dict[func.CallOp, Expr] = {}
    for number, call in calls_of(function):
        size = frames.of_call(call, sizes)
        if OFFSET not in call.attributes and (size is None or size.value != 0):
            others[call] = _end_of_needed(number, placement)
    shared = any(value.memref is None for value in placement.places)
    if shared or any(at is not placement.size for at in others.values()):
        for call, at in others.items():
            call.attributes[OFFSET] = StringAttr(str(at))
    return not others


def _end_of_needed(number: int, placement: Placement) -> Expr:
    """Return the end of the values that are live during an op, or of the whole frame if that expression is
    too long."""
    end = symbolic.const(0)
    try:
        for value, (_, place_end) in placement.places.items():
            if value.start <= number and (value.end is None or value.end > number):
                end = larger(end, place_end)
        magnitude((placement.bound, end))
    except SymbolicError:  # too large to reason about
        return placement.size
    return end if len(str(end)) <= LONGEST else placement.size


# Frames of callees


def without_frames(module: ModuleOp) -> dict[str, Size]:
    """Return the functions that a library computes, which take nothing."""
    found = (op for op in module.body.block.ops if isinstance(op, func.FuncOp))
    return {op.sym_name.data: ZERO for op in found if codegen_of(op) is not None}


@dataclass
class Frames:
    """The memory that calls take for frames, each with its header; None if it is not known ahead, since
    external functions may call back or the function is recursive."""

    taken: dict[str, Size]
    """The memory of a call of each function that is planned already, in its own variables."""

    def of_call(self, call: func.CallOp, sizes: SymbolicSizes) -> Size:
        """Return the memory of a call, in the variables of the caller."""
        name = call.callee.string_value()
        taken = self.taken.get(name)
        known = sizes.bindings(call)
        if taken is None or not known.keys() >= set(taken.free_variables):
            return None
        try:
            return taken.substitute(known)
        except SymbolicError:
            return None

    def values(self, function: func.FuncOp, sizes: SymbolicSizes) -> list[OwnedMemory]:
        """Return the frames of a function's callees, as values that are live during the calls."""
        found: list[OwnedMemory] = []
        for number, call in calls_of(function):
            size = self.of_call(call, sizes)
            if size is not None and size.value != 0:
                name = f"frames of @{call.callee.string_value()}"
                found.append(OwnedMemory(call, None, name, (), size, number, number + 1))
        return found

    def note(
        self, function: func.FuncOp, sizes: SymbolicSizes, frame: Expr | None, is_closed: bool
    ) -> None:
        """Record the memory of a call of a function whose own frame is known, and whether the frames of all
        its callees lie in it."""
        taken = self._taken(function, sizes, frame) if is_closed else None
        self.taken[function.sym_name.data] = taken

    def _taken(self, function: func.FuncOp, sizes: SymbolicSizes, frame: Expr | None) -> Size:
        callees: list[Expr] = []
        for _, call in calls_of(function):
            if (size := self.of_call(call, sizes)) is None:
                return None
            callees.append(size)
        try:
            if frame is not None:  # which contains the frames of its callees
                return frame + ALIGNMENT
            return symbolic.maximum(ZERO, *callees)
        except SymbolicError:
            return None


class PlanMemoryPass(ModulePass):
    """Frame offsets of allocations, see the module docstring."""

    name = "relax-plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plan_memory(op)
