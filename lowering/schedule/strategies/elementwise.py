"""The schedule of an elementwise op: loops that walk the same memory one after the other become one.

collapse(d0, d1)                 // linalg.generic on memref<nx7x7xf32> -> on memref<nx49xf32>
collapse(d0, d1)                 //                                     -> on memref<?xf32>

Short loops innermost leave vectors half empty, and rows of any length begin anywhere in a vector. What
reads an argument along another loop than the result follows `transpose`.
"""

from __future__ import annotations

from itertools import pairwise

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.schedule.collapse import are_one
from lowering.schedule.contraction import has_index
from lowering.schedule.primitives.collapse import Collapse


def is_elementwise(op: Operation) -> bool:
    """Whether every point of an op's loops computes elements of its own."""
    return (
        isinstance(op, linalg.GenericOp)
        and {kind.data.value for kind in op.get_iterator_types()} == {"parallel"}
        and all(isinstance(value.type, MemRefType) for value in op.operands)
        and not any(has_index(op.body.block))
    )


def next_step(op: linalg.GenericOp) -> Collapse | None:
    """The first two loops that may be one."""
    loops = range(len(op.get_iterator_types()))
    pair = next((pair for pair in pairwise(loops) if are_one(op, *pair)), None)
    return None if pair is None else Collapse(*(f"d{d}" for d in pair))
