"""The schedule of powers in tiles of rows, as those of a softmax: vectors while the next rows are
prefetched.

when d1 >= 16 {                       // where the length is not known
  prefetch(in0, d1, 3072)             // the next tile: a quarter of the first cache is what this one reads
  vectorize(d1, 16, shifted=true)     // the end of a row by one more vector, which begins earlier
}

A power takes some 15 operations: time to load the elements that the first stage of the next tile, a
maximum, would wait for.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, math
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.primitives.when import AtLeast, When
from lowering.schedule.strategies import reduction
from lowering.schedule.strategies.elementwise import is_elementwise
from lowering.schedule.strategies.reduction import has_floats, is_local, lies_in_a_row
from lowering.support.target import Cpu

_BODY = (
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.ConstantOp,
    math.ExpOp,
    linalg.YieldOp,
)
"""The ops that compute an element."""


def is_power(op: linalg.GenericOp) -> bool:
    """Return whether an op in a loop writes powers of floats to other memory than it reads, row by row."""
    body, out = list(op.body.block.ops), viewed_memref(op.outputs[0])
    return (
        not isinstance(op.parent_op(), FuncOp)
        and is_elementwise(op)
        and all(isinstance(own, _BODY) for own in body)
        and any(isinstance(own, math.ExpOp) for own in body)
        and all(has_floats(value.type) for value in op.operands)
        and all(viewed_memref(value) is not out for value in op.inputs)
        and lies_in_a_row(op, len(op.get_iterator_types()) - 1)
    )


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Vectors along rows, and the rows of the next tile ahead."""
    leaf, d = kernel.leaves[0], kernel.count - 1
    bits = kernel.op.outputs[0].type.element_type.bitwidth  # pyright: ignore
    extent, name, lanes = kernel.extents[d], f"d{d}", cpu.lanes(bits)
    while isinstance(extent, int) and lanes > extent:
        lanes //= 2
    if lanes < reduction.FEWEST or not leaf.may_repeat():
        return
    inputs = enumerate(leaf.stage.accesses[: leaf.stage.inputs])
    read = (number for number, access in inputs if access.walks(d) and not is_local(access.value))
    ahead = [Prefetch(f"in{number}", name, max(cpu.l1 * 2 // bits, 1)) for number in read]
    found = *ahead, Vectorize(name, lanes, shifted=True)
    if isinstance(extent, int):
        yield from found
    else:
        yield When((AtLeast((name,), lanes),), found)
