"""The schedule of a single reduction: sums, products, maxima and minima of floats along some axes.

collapse(d0, d1)                 // the mean of images, (n, c, h, w) -> (n, c)
collapse(d1, d2)                 // their rows are one
when d1 >= 32 {                  // where the length is not known
  split_reduction(d1, 16)        // vectors of the CPU
  unroll(d1, 4)                  // so that no addition waits for the one before
  prefetch(in0, d1, 768)         // what is read once, by a sixteenth of the first cache ahead
}

Loops that follow each other in memory are one, so that short rows fill vectors. Reductions along other axes
than the last, such as sums of columns, stay as they are: the C compiler fills vectors with neighbours. The
greatest or least element and its index (argmax) are reduced together, in vectors from two in a row on. The
rest of a row after the vectors of maxima or minima is one more vector, which begins earlier.

Integers of any width are reduced by the C compiler's own vectors; only their loops become one, so that rows
are long: relax-split-reductions then cuts them into blocks, where `all` and `any` may end.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, MemRefType, i1
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lowering.ir.memref_views import is_contiguous, viewed_memref
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.arg_reduction import placed
from lowering.schedule.match.contraction import has_index
from lowering.schedule.match.row_groups import reduces_an_array
from lowering.schedule.memrefs.combiners import combiner, is_idempotent
from lowering.schedule.memrefs.subscripts import is_linear
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.split_reduction import SplitReduction
from lowering.schedule.primitives.unroll import Unroll
from lowering.schedule.primitives.when import AtLeast, When
from lowering.schedule.regroup.collapse_loops import first_pair
from lowering.support.target import Cpu

VECTORS = 4
"""The number of vectors that are reduced separately."""

FEWEST = 4
"""The fewest elements that are worth a vector."""

FEWEST_PLACES = 2
"""The fewest vectors in a row that are worth it if indices are reduced with them."""


def is_reduction(op: Operation) -> bool:
    """Return whether an op reduces floats by a reorderable operation, or numbers to a maximum or minimum
    with its index; inside loops, only ops that read each element of an array once."""
    return (
        isinstance(op, linalg.GenericOp)
        and "reduction" in {kind.data.value for kind in op.get_iterator_types()}
        and (_is_plain(op) or placed(op.body.block) is not None)
        and (isinstance(op.parent_op(), FuncOp) or (_is_plain(op) and reduces_an_array(op)))
    )


def _is_plain(op: linalg.GenericOp) -> bool:
    return (
        all(has_floats(value.type) for value in op.operands)
        and _is_bare(op)
        and combiner(op.body.block) is not None
    )


def _is_bare(op: linalg.GenericOp) -> bool:
    """Return whether an op reduces into one array, and reads its operands at sums of its counters alone."""
    return (
        len(op.outputs) == 1
        and not any(has_index(op.body.block))
        and all(is_linear(e) for map_ in op.get_indexing_maps() for e in map_.data.results)
    )


def is_integer_reduction(op: Operation) -> bool:
    """Return whether an op of a function reduces integers into one array of them."""
    return (
        isinstance(op, linalg.GenericOp)
        and isinstance(op.parent_op(), FuncOp)
        and "reduction" in {kind.data.value for kind in op.get_iterator_types()}
        and all(has_integers(value.type) for value in op.operands)
        and _is_bare(op)
    )


def has_floats(type: object) -> bool:
    """Return whether a type is memory of floats of at least 32 bits."""
    return isinstance(type, MemRefType) and isinstance(type.element_type, Float32Type | Float64Type)


def has_integers(type: object) -> bool:
    """Return whether a type is memory of integers, truth values among them."""
    return isinstance(type, MemRefType) and isinstance(type.element_type, IntegerType)


def integer_steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Loops that follow each other in memory as one."""
    while (pair := first_pair(kernel.op)) is not None:
        yield Collapse(*(f"d{d}" for d in pair))


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Collapse loops, then vectorize along the contiguous reduction loop, if there is one."""
    has_places = placed(kernel.op.body.block) is not None
    if not has_places:
        yield from integer_steps(kernel, cpu)
    leaf = kernel.leaves[0]
    rows = [d for d in leaf.reductions() if lies_in_a_row(kernel.op, d)]
    if not rows:
        return
    d = rows[-1]  # there are several if operands are reduced along loops of their own
    extent = kernel.extents[d]
    bits = kernel.op.outputs[0].type.element_type.bitwidth  # pyright: ignore
    lanes, name = cpu.lanes(bits), f"d{d}"
    far = kernel.choose("prefetch", max(cpu.l1 // 2 // bits, 1), (0,))
    vectors = kernel.choose("vectors", VECTORS, (2, 8))
    read = [n for n, access in enumerate(leaf.stage.accesses) if access.walks(d)]
    ahead = [
        Prefetch(f"in{n}", name, far) for n in read[:1] if far and not is_local(kernel.operands[n])
    ]
    if not isinstance(extent, int):
        split = SplitReduction(name, lanes), Unroll(name, vectors), *ahead
        fewest = lanes if is_idempotent(kernel.op.body.block) else 2 * lanes
        fewest = FEWEST_PLACES * lanes if has_places else fewest
        yield When((AtLeast((name,), fewest),), split)
        return
    while lanes > (extent // FEWEST_PLACES if has_places else extent):
        lanes //= 2
    if lanes < FEWEST:
        return
    yield SplitReduction(name, lanes)
    if (count := min(vectors, extent // lanes)) > 1:
        yield Unroll(name, count)
    yield from ahead


def is_local(value: SSAValue) -> bool:
    """Return whether memory is that of the tile at hand, and near."""
    source = viewed_memref(value).owner
    return isinstance(source, memref.AllocOp | memref.AllocaOp)


def lies_in_a_row(op: linalg.GenericOp, d: int) -> bool:
    """Return whether all operands that a loop walks have their last dimension along it."""
    own = [
        (value.type, map_.data.results)
        for value, map_ in zip(op.operands, op.get_indexing_maps())
        if any(d in e.used_dims() for e in map_.data.results)
    ]
    return bool(own) and all(
        isinstance(type, MemRefType)
        and is_contiguous(type)
        and type.element_type != i1
        and results[-1] == AffineDimExpr(d)
        and not any(d in e.used_dims() for e in results[:-1])
        for type, results in own
    )
