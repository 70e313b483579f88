"""The kernel of a filter whose taps are counted: neighbouring samples in a vector, all taps at once.

unroll_and_jam(d2)       // the taps
vectorize(d1, 16)        // neighbouring samples; as many as the vectors of the CPU hold

The sums of a vector stay in a register, and each tap is read once for all of its samples. The compiler's
own schedule of a reduction, in which the taps are the inner loop, takes up to five times as long.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineMap

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import is_sum_of_products
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.strategies.kinds import KernelKind
from lowering.schedule.strategies.reduction import has_floats
from lowering.support.target import Cpu

MOST_TAPS = 64
"""More taps are not written out."""


def is_filter(op: linalg.GenericOp) -> bool:
    """Returns whether an op is `y[..., i] += x[..., i + r] * taps[r]` of floats."""
    loops = AffineMap.identity(len(op.get_iterator_types())).results
    if len(loops) < 2:
        return False
    *rows, i, r = loops
    maps = [(*rows, i + r), (r,), (*rows, i)]
    return (
        is_sum_of_products(op.body.block)
        and [a.data.results for a in op.get_indexing_maps()] == maps
        and all(has_floats(value.type) for value in op.operands)
    )


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule; nothing for many taps, or if their number is known only at run time."""
    samples, taps = kernel.count - 2, kernel.count - 1
    turns = kernel.extents[taps]
    if isinstance(turns, int) and turns <= MOST_TAPS:
        bits = kernel.op.outputs[0].type.element_type.bitwidth  # pyright: ignore
        yield UnrollAndJam(f"d{taps}")
        yield Vectorize(f"d{samples}", cpu.lanes(bits))


FILTER = KernelKind("filter", is_filter, steps)
