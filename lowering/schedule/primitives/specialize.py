"""specialize: code of its own for each number of turns that a tile may have (Halide's specialize)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernel import Kernel
from lowering.schedule.leaf import Leaf
from lowering.schedule.nest import Directives
from lowering.schedule.primitives.directive import Directive

MOST = 64
"""For how many numbers of turns code is made at most."""


@dataclass(frozen=True)
class Specialize(Directive):
    """Choose the code by the number of turns, which is known in each.

        linalg.generic ins(%a [%h, 512]) ...
    ->  with specialize(d0)
        scf.index_switch %h
        case 1 { linalg.generic ins(%a [1, 512]) ... }
        case 2 { linalg.generic ins(%a [2, 512]) ... }

    With `turns`, there is code for that number, and one more for all others:

        scf.if %h == 3 { generic ins(%a [3, 512]) } else { generic ins(%a [%h, 512]) }

    Refused: a loop whose number of turns has no bound, so that it has not been tiled, or a large one,
    unless `turns` names one; a loop with vectors.
    """

    NAME: ClassVar = "specialize"

    loop_name: str
    turns: int = 0

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        if isinstance(leaf.sizes[d], int):
            return leaf.directives
        if self.turns:
            self.at_least_one(kernel, self.turns, "a number of turns", MOST)
            if d in leaf.directives.vectors:
                raise self.refused(kernel, f"expected a loop without vectors, found d{d} with some")
            likely = {**leaf.directives.likely, d: self.turns}
            return replace(leaf.directives, likely=likely)
        if not leaf.choices.get(d):
            raise self.refused(
                kernel,
                f"expected a loop that has been tiled, found d{d} of any number of turns; tile it",
            )
        self.at_least_one(kernel, len(leaf.choices[d]), "a number of tiles that differ", MOST)
        return replace(leaf.directives, specialized=(*leaf.directives.specialized, d))
