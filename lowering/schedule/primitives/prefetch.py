"""prefetch: elements of later iterations of a loop, loaded into the cache ahead (Halide's prefetch)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Prefetch(Directive):
    """Prefetch in every iteration of a loop the elements of an operand some iterations ahead.

        for %d2 = 0 to k { ... b[%d2, 0 .. 15] ... }
    ->  with prefetch(in1, d2, 8)
        for %d2 = 0 to k { prefetch b[%d2 + 8, 0]; ... b[%d2, 0 .. 15] ... }

    In squares that are transposed (see transpose) each row prefetches its own elements.

    Refused: an operand that is not read along the loop, a loop all of whose iterations are jammed.
    """

    NAME: ClassVar = "prefetch"

    operand_name: str
    loop_name: str
    distance: int

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        number, d = self.operand(kernel, self.operand_name), self.loop(kernel, self.loop_name)
        self.at_least_one(kernel, self.distance, "a distance")
        if not leaf.stage.accesses[number].walks(d):
            raise self.refused(
                kernel,
                f"expected a loop that {self.operand_name} is read along, found d{d}; name another one",
            )
        if d in leaf.single:
            raise self.refused(
                kernel, f"expected a loop with iterations, found one iteration of d{d}"
            )
        if d in leaf.directives.jammed:
            raise self.refused(kernel, f"expected an existing loop, found d{d} jammed already")
        ahead = {**leaf.directives.ahead, number: (d, self.distance)}
        return replace(leaf.directives, ahead=ahead)
