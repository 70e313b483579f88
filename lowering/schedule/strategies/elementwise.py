"""The schedule of an elementwise op: loops that walk the same memory one after the other become one.

collapse(d0, d1)                 // linalg.generic on memref<nx7x7xf32> -> on memref<nx49xf32>
collapse(d0, d1)                 //                                     -> on memref<?xf32>

Short innermost loops leave vectors half empty, and rows of any length begin anywhere in a vector. Ops that
read an argument along another loop than the result follow `transpose`. Functions such as tanh and exp are
computed in vectors, `vectorize(d0, 16)`: for a scalar remainder, C compilers create masks for all later
ops, while vectors have instructions for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import has_index
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.regroup.collapse_loops import first_pair
from lowering.schedule.strategies import reduction, transpose
from lowering.support.target import Cpu
from relax_dialect.ir.mlir.mlir_ops import ErfcOp

_FUNCTIONS = (math.ExpOp, math.TanhOp, math.ErfOp, ErfcOp)

_BODY = (
    *_FUNCTIONS,
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp),
    *(arith.MaximumfOp, arith.MinimumfOp, arith.ConstantOp, linalg.YieldOp),
)
"""The ops on elements that vectors have."""


def is_elementwise(op: Operation) -> bool:
    """Return whether every point of an op's loops computes elements of its own."""
    return (
        isinstance(op, linalg.GenericOp)
        and {kind.data.value for kind in op.get_iterator_types()} == {"parallel"}
        and all(isinstance(value.type, MemRefType) for value in op.operands)
        and not any(has_index(op.body.block))
    )


def has_steps(op: linalg.GenericOp) -> bool:
    """Return whether an op is elementwise, and there is something to be done about its loops."""
    return is_elementwise(op) and (
        _pair(op) is not None or transpose.find(op) is not None or has_functions(op)
    )


def has_functions(op: linalg.GenericOp) -> bool:
    """Return whether an elementwise op computes functions of floats that lie in rows."""
    body = list(op.body.block.ops)
    return (
        isinstance(op.parent_op(), FuncOp)
        and all(isinstance(own, _BODY) for own in body)
        and any(isinstance(own, _FUNCTIONS) for own in body)
        and all(reduction.has_floats(value.type) for value in op.operands)
        and len({value.type.element_type for value in op.operands}) == 1  # pyright: ignore
        and op.body.block.args[-1].first_use is None
        and reduction.lies_in_a_row(op, len(op.get_iterator_types()) - 1)
    )


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Collapse loops, then transpose squares of arguments along other loops, or vectorize."""
    while (pair := _pair(kernel.op)) is not None:
        yield Collapse(*(f"d{d}" for d in pair))
    if (found := transpose.find(kernel.op)) is not None:
        yield from transpose.steps(found, cpu)
    elif has_functions(kernel.op):
        yield from _vectors(kernel, cpu)


def _vectors(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the last loop by vectors that it fills."""
    extent = kernel.extents[kernel.count - 1]
    lanes = cpu.lanes(kernel.op.outputs[0].type.element_type.bitwidth)  # pyright: ignore
    while isinstance(extent, int) and lanes > extent:
        lanes //= 2
    if lanes >= reduction.FEWEST:
        yield Vectorize(f"d{kernel.count - 1}", lanes)


def _pair(op: linalg.GenericOp) -> tuple[int, int] | None:
    """Two loops that may be one; none inside of loops, where ops work on tiles."""
    return first_pair(op) if isinstance(op.parent_op(), FuncOp) else None
