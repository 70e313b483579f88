"""unroll: iterations written one after the other (the name everywhere)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive

MOST = 256
"""The most iterations that are unrolled."""


@dataclass(frozen=True)
class Unroll(Directive):
    """Unroll a loop by a factor; vectors count as iterations.

        for %d0 = 0 to n { f(%d0) }
    ->  with unroll(d0, 2)
        for %d0 = 0 to n - n mod 2 step 2 { f(%d0); f(%d0 + 1) }
        for %d0 = n - n mod 2 to n { f(%d0) }

    Refused: a loop all of whose iterations are jammed already, more iterations than make sense.
    """

    NAME: ClassVar = "unroll"

    loop_name: str
    factor: int

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        self.at_least_one(kernel, self.factor, "a factor", MOST)
        if d in leaf.directives.jammed:
            raise self.refused(kernel, f"expected an existing loop, found d{d} jammed already")
        return replace(leaf.directives, unrolled={**leaf.directives.unrolled, d: self.factor})
