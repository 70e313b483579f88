"""What stands in the innermost loops of lowered operators: no division of indices, whatever the divisor is."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)
DIVISIONS = (
    *(arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
    *(arith.RemSIOp, arith.RemUIOp),
)


def innermost_divisions(module: ModuleOp) -> Iterator[tuple[str, Operation]]:
    """The divisions of indices in loops that hold no other loop, each with the name of its function."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        for loop in [op for op in function.walk() if isinstance(op, LOOPS)]:
            inside = list(loop.walk())
            if any(isinstance(op, LOOPS) for op in inside[1:]):
                continue
            for op in inside:
                if isinstance(op, DIVISIONS) and isinstance(op.results[0].type, IndexType):
                    yield function.sym_name.data, op
