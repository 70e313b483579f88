"""cache_read: the input of a tile in memory of its own (TVM's cache_read, MLIR's promotion of subviews)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.pack.halo import cache_read, padded_outside
from lowering.schedule.primitives.base import Primitive

MOST_ALIGNED = 4096
"""The largest number that rows are made multiples of."""


@dataclass(frozen=True)
class CacheRead(Primitive):
    """Copy the part of an operand that a tile reads, in its own layout: each element once.

        linalg.generic {(d0, d1) -> (d0 + d1)} ins(%x[%i] [18]) outs(%y[%i] [16])
    ->  with cache_read(in0)
        linalg.generic {copy} ins(%x[%i] [18]) outs(%local)
        linalg.generic {(d0, d1) -> (d0 + d1)} ins(%local) outs(%y[%i] [16])

    An operand whose padding has been fused by fuse_producer is copied from its unpadded source, and the
    filler is written around it. If several loops walk one dimension, `pack` copies an element for each of
    their iterations, this once.

    With `align`, the rows of the copy are multiples of that many elements, so that each begins where
    vectors do and `align_loads` may read whole ones. The capacity of loops beyond their iterations is
    filled with zeros.

    Refused: a result, an operand that has been packed, a kernel that has not been tiled.
    """

    NAME: ClassVar = "cache_read"

    operand_name: str
    align: int = 1

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        self.at_least_one(kernel, self.align, "a multiple", MOST_ALIGNED)
        for leaf in self.unwritten(kernel):
            access = self.given(kernel, leaf, number)
            if access.map is None or access.lead or access.origin:
                raise self.refused(
                    kernel, f"expected {self.operand_name} in place, found it copied already"
                )
            if not leaf.rooms:
                raise self.refused(
                    kernel, "expected tiles, found the kernel as a whole; tile it first"
                )
            if (d := padded_outside(kernel, leaf, access)) is not None:
                raise self.refused(
                    kernel,
                    f"expected padding along dimensions that are read in tiles, found some of {d} of "
                    f"{self.operand_name}, along which one element is read; make its tiles larger",
                )
            cache_read(kernel, leaf, number, self.align)
