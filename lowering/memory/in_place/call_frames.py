"""The functions that each function of a module calls, and the memory of their frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.external.library_kernel import codegen_of
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.memory.plan.lifetimes import ALIGNMENT, OwnedMemory
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.symbolic import Expr

NOTHING = symbolic.const(0)


def functions_of(module: ModuleOp) -> dict[str, func.FuncOp]:
    """Return the functions with a body that is compiled, by their symbols."""
    return {
        op.sym_name.data: op
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and len(op.body.blocks) == 1 and codegen_of(op) is None
    }


def without_frames(module: ModuleOp) -> dict[str, Size]:
    """Return the functions that a library computes, which take nothing."""
    found = (op for op in module.body.block.ops if isinstance(op, func.FuncOp))
    return {op.sym_name.data: NOTHING for op in found if codegen_of(op) is not None}


def calls_of(function: func.FuncOp) -> list[tuple[int, func.CallOp]]:
    """Return the calls of a function with their numbers."""
    return [(i, op) for i, op in enumerate(walk_ops(function)) if type(op) is func.CallOp]


def callees_first(functions: Mapping[str, func.FuncOp]) -> Sequence[str]:
    """Return the functions in an order in which callees precede their callers, recursive functions at the
    end."""
    callers: dict[str, set[str]] = defaultdict(set)
    waiting: dict[str, set[str]] = {}
    for name, function in functions.items():
        callees = (op.callee.string_value() for _, op in calls_of(function))
        waiting[name] = {c for c in callees if c in functions}
        for callee in waiting[name]:
            callers[callee].add(name)
    order = {name: None for name, callees in waiting.items() if not callees}
    work = list(order)
    while work:
        done = work.pop()
        for caller in callers[done]:
            waiting[caller].discard(done)
            if not waiting[caller]:
                order[caller] = None
                work.append(caller)
    return [*order, *(name for name in functions if name not in order)]


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
            return symbolic.maximum(NOTHING, *callees)
        except SymbolicError:
            return None
