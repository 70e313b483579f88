"""specialize: code of its own for each number of iterations that a tile may have (Halide's specialize)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive

MOST = 64
"""For how many numbers of iterations code is made at most."""


@dataclass(frozen=True)
class Specialize(Directive):
    """Choose the code by the number of iterations, which is known in each.

        linalg.generic ins(%a [%h, 512]) ...
    ->  with specialize(d0)
        scf.index_switch %h
        case 1 { linalg.generic ins(%a [1, 512]) ... }
        case 2 { linalg.generic ins(%a [2, 512]) ... }

    With `iterations`, there is code for that number, and one more for all others:

        scf.if %h == 3 { generic ins(%a [3, 512]) } else { generic ins(%a [%h, 512]) }

    Refused: a loop whose number of iterations has no bound, so that it has not been tiled, or a large one,
    unless `iterations` names one; a loop with vectors.
    """

    NAME: ClassVar = "specialize"

    loop_name: str
    iterations: int = 0

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        if isinstance(leaf.sizes[d], int):
            return leaf.directives
        if self.iterations:
            self.at_least_one(kernel, self.iterations, "a number of iterations", MOST)
            if d in leaf.directives.vectors:
                raise self.refused(kernel, f"expected a loop without vectors, found d{d} with some")
            likely = {**leaf.directives.likely, d: self.iterations}
            return replace(leaf.directives, likely=likely)
        if not leaf.choices.get(d):
            raise self.refused(
                kernel,
                f"expected a loop that has been tiled, found d{d} of any number of iterations; tile it",
            )
        self.at_least_one(kernel, len(leaf.choices[d]), "a number of tiles that differ", MOST)
        return replace(leaf.directives, specialized=(*leaf.directives.specialized, d))
