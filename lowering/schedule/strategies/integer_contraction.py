"""The schedule of a contraction of 8-bit integers: four products in each lane are one instruction.

recenter(in1)                    // where both operands have signs, or none has
fuse_epilogue()
pad_reduction(d2, 4)             // where the depth is no multiple of four
split(d2, 4)
tile(d0, 128, balanced=true)
tile(d1, 48, multiple=16)
pack_constant(in1, d1, inside=d3)
tile(d0, 8, balanced=true)
pad(d1)
specialize(d0)
intrinsic(dot4_u8i8, d3)
vectorize(d1, 16)
unroll_and_jam(d0)
unroll_and_jam(d1)
split_accumulators(d2, 8)
outline(contract)

In panels, four bytes of a column are contiguous: at compile time if the right operand is constant. The left
one is read in place if its depth is last in memory, and packed that way otherwise. A convolution becomes a
product before, `img2col(262144)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.byte_products import find, have_one_sign, multiplies_bytes
from lowering.schedule.match.convolution import find as find_convolution
from lowering.schedule.memrefs.vector_intrinsics import OPERATIONS
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.hoist import Hoist
from lowering.schedule.primitives.img2col import Img2col
from lowering.schedule.primitives.intrinsic import Intrinsic
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad_reduction import PadReduction
from lowering.schedule.primitives.recenter import Recenter
from lowering.schedule.primitives.split import Split
from lowering.schedule.strategies.contraction import ContractionSchedule, contract
from lowering.support.target import Cpu


def is_product(op: linalg.GenericOp) -> bool:
    """Return whether an op is a contraction of 8-bit integers."""
    return find(op) is not None


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Return the schedule of a contraction of 8-bit integers."""
    return contract(kernel, cpu, find, IntegerContractionSchedule)


def is_convolution(op: linalg.GenericOp) -> bool:
    """Return whether an op is a convolution of 8-bit integers, of which windows may be gathered."""
    found = find_convolution(op, multiplies_bytes)
    return found is not None and found.is_plain


def convolution_steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule of a convolution of 8-bit integers: a product of filters and windows."""
    yield Img2col(cpu.l2 // 2)
    yield from steps(kernel, cpu)


class IntegerContractionSchedule(ContractionSchedule):
    """Chooses the steps for one contraction of bytes."""

    OPERATION: ClassVar = "dot4_u8i8"

    def steps(self) -> Iterator[Primitive]:
        """Yield the schedule."""
        found, group = self.found, OPERATIONS[self.OPERATION].group
        left, right = found.left, found.right
        is_recentered = have_one_sign(left.value, right.value)
        if is_recentered:
            yield Recenter(self.right)
        if found.epilogue or is_recentered:
            yield FuseEpilogue()
        depth = found.extent(found.depth)
        if depth < 0 or depth % group:
            yield PadReduction(self.depth, group)
        if left.last != found.depth:
            yield Pack("in0" if self.right == "in1" else "in1", self.depth)
        yield Split(self.depth, group)
        inside = f"d{len(found.op.get_iterator_types())}"
        if self.is_constant:
            packing = (PackConstant(self.right, self.column, inside),)
        else:
            packing = Pack(self.right, self.column, inside=inside), Hoist(self.right)
        yield from self._tiles(packing, Intrinsic(self.OPERATION, inside))
