"""pack_constant: weights as tiles read them, laid out at compile time (TVM's layout rewrite)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.pack.packing import pack_constant
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class PackConstant(Primitive):
    """Lay out an operand that is constant in every call in panels, ahead of time.

        relax.call_tir @f(%x, %w), %w : 512 x 500;  linalg.generic ins(%a, %w[0, %j] [512, 48]) ...
    ->  with pack_constant(in1, d1)
        relax.call_tir @f(%x, %p), %p : 11 x 512 x 48;  linalg.generic ins(%a, %p[%j] [512, 48]) ...

    Each iteration of a loop that has been tiled one by one has panels of its own, those of a batch for
    example. With `inside`, the elements along another loop are contiguous at each index of a panel, as for
    `pack`.

    Refused: an operand that some call computes, or that has other uses, a loop that has not been tiled or
    whose trip count is unknown, an `inside` loop that the operand is not read along.
    """

    NAME: ClassVar = "pack_constant"

    operand_name: str
    loop_name: str
    inside: str = ""

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        d = self.loop(kernel, self.loop_name)
        leaves = self.unwritten(kernel)
        access = leaves[0].stage.accesses[number]
        if not access.walks(d) or d not in kernel.tilings or not isinstance(kernel.extents[d], int):
            raise self.refused(
                kernel,
                "expected an operand read along a loop of known length that has been tiled, found "
                f"d{d}; tile it",
            )
        if (tiling := kernel.tilings[d]) is None:
            raise self.refused(
                kernel,
                f"expected a loop that has been tiled once, found tiles of tiles of d{d}; put it before "
                "the second tile",
            )
        if access.lead or access.filled:
            raise self.refused(kernel, f"expected {self.operand_name} in place, found it packed")
        inside = self.loop_inside(kernel, number, d, self.inside)
        iterations = [kernel.extents[e] for e in access.map.used_dims()] if access.map else []
        if not all(isinstance(n, int) for n in iterations):
            raise self.refused(
                kernel,
                f"expected {self.operand_name} of known sizes, found symbolic ones; pack it on each call",
            )
        is_version = any(loop is None for _, loop in leaves[0].scopes)  # the other one reads it too
        if is_version or not pack_constant(kernel, number, d, tiling, inside):
            raise self.refused(
                kernel,
                f"expected constants for {self.operand_name} in every call, and no other use of it, "
                "found others; pack it on each call",
            )
