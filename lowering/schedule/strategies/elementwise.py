"""The schedule of an elementwise op: loops that walk the same memory one after the other become one.

collapse(d0, d1)                 // linalg.generic on memref<nx7x7xf32> -> on memref<nx49xf32>
collapse(d0, d1)                 //                                     -> on memref<?xf32>

Short loops innermost leave vectors half empty, and rows of any length begin anywhere in a vector. What
reads an argument along another loop than the result follows `transpose`.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.schedule.collapse import first_pair
from lowering.schedule.contraction import has_index
from lowering.schedule.kernel import Kernel
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.strategies import transpose
from lowering.target import Cpu


def is_elementwise(op: Operation) -> bool:
    """Whether every point of an op's loops computes elements of its own."""
    return (
        isinstance(op, linalg.GenericOp)
        and {kind.data.value for kind in op.get_iterator_types()} == {"parallel"}
        and all(isinstance(value.type, MemRefType) for value in op.operands)
        and not any(has_index(op.body.block))
    )


def has_steps(op: linalg.GenericOp) -> bool:
    """Whether an op is elementwise, and there is something to be done about its loops."""
    return is_elementwise(op) and (_pair(op) is not None or transpose.find(op) is not None)


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Loops as one, then squares of what runs along other loops."""
    while (pair := _pair(kernel.op)) is not None:
        yield Collapse(*(f"d{d}" for d in pair))
    if (found := transpose.find(kernel.op)) is not None:
        yield from transpose.steps(found, cpu)


def _pair(op: linalg.GenericOp) -> tuple[int, int] | None:
    """Two loops that may be one; none inside of loops, where ops work on tiles."""
    return first_pair(op) if isinstance(op.parent_op(), FuncOp) else None
