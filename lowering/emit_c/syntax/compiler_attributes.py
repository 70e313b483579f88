"""Compiler options for single functions: a guard against gcc 12, which at -O3 vectorises some branches
around loads wrongly.

If an innermost loop of two iterations has a branch around a load, gcc unrolls the loop and loads both
elements under one mask, from the wrong addresses. The function is then compiled without conversion of
branches to masks. (Of 2,592 loop nests with such branches gcc 12.2 compiled 10 wrongly, each with an
innermost loop of two iterations, and none of them without that conversion.)
"""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from lowering.ir.constants import known_integer
from relax_dialect.ir.walk import walk_ops

KEEP_BRANCHES = "KEEP_BRANCHES"
"""The macro before such a function."""

NOINLINE = "NOINLINE"
"""The macro before a function marked `relax.noinline`, such as a tile whose accumulators fill the
registers: inlined, gcc would not keep them there, and it would specialize a function that is not inlined
for the strides of its callers. Kernels that loops call have it too (`called_in_loops`)."""

PREFETCH = "PREFETCH"
"""The macro that prefetches an element, if the C compiler supports it."""

MOST_TURNS = 4
"""The greatest trip count of a loop that counts as short, to be on the safe side."""

MOST_UNROLLED = 16
"""The greatest trip count of loops that gcc unrolls completely, so that the loop around them is
innermost."""


def keeps_branches(function: FuncOp) -> bool:
    """Return whether a function has a short loop with a branch around a load, with no loop in it that
    stays."""
    loops = [op for op in walk_ops(function) if isinstance(op, scf.ForOp)]
    return any(
        1 < turns(loop) <= MOST_TURNS and _loads_in_a_branch(loop) and not _holds_a_loop(loop)
        for loop in loops
    )


def _holds_a_loop(loop: scf.ForOp) -> bool:
    """Return whether there is a loop in a loop that is not unrolled whole."""
    inner = (op for op in walk_ops(loop) if op is not loop)
    return any(
        isinstance(op, scf.WhileOp)
        or (isinstance(op, scf.ForOp) and not 0 < turns(op) <= MOST_UNROLLED)
        for op in inner
    )


def turns(loop: scf.ForOp) -> int:
    """Return the trip count of a loop; 0 if it is unknown."""
    bounds = [known_integer(value) for value in (loop.lb, loop.ub, loop.step)]
    if None in bounds:
        return 0
    start, stop, step = (bound for bound in bounds if bound is not None)
    return len(range(start, stop, step)) if step else 0


def _loads_in_a_branch(loop: scf.ForOp) -> bool:
    branches = (op for op in walk_ops(loop) if isinstance(op, scf.IfOp))
    return any(isinstance(op, memref.LoadOp) for branch in branches for op in walk_ops(branch))


LONG = 64
"""The elements from which on a loop takes longer than a call of the function that contains it."""


def called_in_loops(module: ModuleOp) -> set[str]:
    """Return the functions with long loops that loops over functions call: inlined into one large function,
    which has pointers to all its buffers, they would read these from memory at each element."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    calls = (op for f in functions.values() for op in walk_ops(f) if isinstance(op, CallOp))
    called = {call.callee.string_value() for call in calls if _is_repeated(call)}
    return {name for name in called & functions.keys() if _is_long(functions[name])}


def _is_repeated(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.WhileOp):
        parent = parent.parent_op()
    return parent is not None


def _is_long(function: FuncOp) -> bool:
    """Return whether nested loops have a large total trip count, or an unknown one."""
    for op in walk_ops(function):
        count, around = 0, op
        while isinstance(around, scf.ForOp):
            count = max(count, 1) * (turns(around) or LONG)
            around = around.parent_op()
        if count >= LONG:
            return True
    return False
