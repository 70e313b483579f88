"""The innermost loops of lowered operators: no division of indices, whatever the divisor is,
but for loops that run once for an axis, not for each element, and what a C compiler takes out of the loop: what
it does not change, by a constant."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import known_integer
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import PARALLEL

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)
DIVISIONS = (
    *(arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
    *(arith.RemSIOp, arith.RemUIOp),
)


TABLES = ("adaptive_", "avg_pool", "resize", "view")
"""The names of operators that divide in loops which stand in no other: those that make a table of the
places along an axis, and the memory of numbers under another type, where a division is a shift."""


def divisions(op: Operation) -> Iterator[Operation]:
    """The divisions of indices in an op."""
    for inner in walk_ops(op):
        if isinstance(inner, DIVISIONS) and isinstance(inner.results[0].type, IndexType):
            yield inner


def innermost_divisions(module: ModuleOp) -> Iterator[tuple[str, Operation]]:
    """The divisions of indices in loops that hold no other loop, each with the name of its function."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        name = function.sym_name.data
        loops = [op for op in walk_ops(function) if isinstance(op, LOOPS)]
        split = [op for op in walk_ops(function) if PARALLEL in op.attributes]
        holding = {op for loop in (*loops, *split) for op in around(loop)}
        for loop in loops:
            if loop in holding:
                continue
            if name.startswith(TABLES) and not isinstance(loop.parent_op(), LOOPS):
                continue
            for op in divisions(loop):
                if known_integer(op.operands[1]) is None or changes(op.operands[0], loop):
                    yield name, op


def around(op: Operation) -> Iterator[Operation]:
    """The ops that an op stands in."""
    while (parent := op.parent_op()) is not None:
        yield parent
        op = parent


def changes(value: SSAValue, loop: Operation) -> bool:
    """Whether a value may be another at each turn of a loop."""
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    if owner is None or not loop.is_ancestor(owner):
        return False
    if owner is loop or owner.regions or not owner.operands:
        return True
    return any(changes(operand, loop) for operand in owner.operands)
