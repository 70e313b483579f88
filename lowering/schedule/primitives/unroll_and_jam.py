"""unroll_and_jam: all iterations of a loop inside of the others (LLVM's and MLIR's unroll-and-jam)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive, turns_in_program, turns_of

MOST = 1024
"""The most elements or vectors that are computed at once, far above the capacity of registers."""


@dataclass(frozen=True)
class UnrollAndJam(Directive):
    """Do all iterations of a loop at once, inside of all remaining loops, with a register for each result.

        for %d0 = 0 to 2 { for %d2 = 0 to k { c[%d0] += a[%d0, %d2] * b[%d2] } }
    ->  with unroll_and_jam(d0)
        for %d2 = 0 to k { c0 += a[0, %d2] * b[%d2]; c1 += a[1, %d2] * b[%d2] }

    If a loop is specialized for one trip count, its versions for other trip counts are not jammed.

    Refused: a loop whose trip count is unknown (`tile` it, and `specialize` it if tiles differ), one with
    vectors that its iterations do not fill (`pad` it) or with partial sums in them, and more elements than
    make sense (`tile` it).
    """

    NAME: ClassVar = "unroll_and_jam"

    loop_name: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        if d in leaf.directives.unrolled or d in leaf.directives.shifted:
            raise self.refused(
                kernel, f"expected a loop not yet unrolled, found d{d} unrolled or shifted already"
            )
        if d in leaf.directives.vectors and d in leaf.reductions():
            raise self.refused(
                kernel,
                f"expected a loop without partial sums in lanes, found d{d} with some; take one out",
            )
        size = turns_in_program(leaf, d)
        known = {*leaf.directives.specialized, *leaf.directives.likely}
        if not isinstance(size, int) and d not in known:
            raise self.refused(
                kernel,
                f"expected a loop of a known number of iterations, found d{d} of a symbolic one; tile it, "
                "and specialize it where its tiles differ",
            )
        self.check_filled(kernel, leaf, d, leaf.directives.vectors.get(d, 1))
        directives = replace(leaf.directives, jammed=leaf.directives.jammed | {d})
        at_once = prod(_iterations(leaf, directives, loop) for loop in directives.jammed)
        self.at_least_one(kernel, max(at_once, 1), "a number of elements at once", MOST)
        return directives


def _iterations(leaf: Leaf, directives: Directives, d: int) -> int:
    """Return the number of copies of a jammed loop's body, by vectors if it has some."""
    return max(turns_of(leaf, d)) // directives.vectors.get(d, 1)
