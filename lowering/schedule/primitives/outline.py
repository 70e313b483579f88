"""outline: the loops of a tile in a function of their own (MLIR's loop.outline)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Outline(Directive):
    """Put the loops of the main op into a function, shared with all kernels that have the same.

        scf.for %d2 ... vector.fma ...
    ->  with outline(contract)
        call @contract_8x48_f32(%depth, %a, %b, %c)

    The function is not inlined: it has all registers to itself, and a compiler spills no sums.

    Refused: loops without a directive that writes them out.
    """

    NAME: ClassVar = "outline"

    function: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        if not leaf.directives:
            raise self.refused(
                kernel,
                "expected loops that are vectorized, unrolled or jammed, found none; do so first",
            )
        return replace(leaf.directives, outlined=self.function)
