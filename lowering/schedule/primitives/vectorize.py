"""vectorize: neighbouring elements at once (MLIR's, TVM's and Halide's vectorize)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernel import Kernel, Leaf
from lowering.schedule.nest import Directives
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Vectorize(Directive):
    """Compute so many elements along a loop as one vector.

        for %d0 = 0 to n { y[%d0] = x[%d0] + 1 }
    ->  with vectorize(d0, 16)
        for %d0 = 0 to n - n mod 16 step 16 { y[%d0 .. %d0 + 15] = x[%d0 .. %d0 + 15] + 1 }
        for %d0 = n - n mod 16 to n { y[%d0] = x[%d0] + 1 }

    With `shifted`, the last vector begins earlier where the turns do not fill it, so that some elements are
    computed twice and none alone; a loop shorter than a vector goes on one by one.

    Refused: a loop that reduces (see split_reduction), operands whose elements do not lie in a row along
    the loop, a second loop with vectors; `shifted` where what is written is read too, or several ops are
    computed together.
    """

    NAME: ClassVar = "vectorize"

    loop_name: str
    lanes: int
    shifted: bool = False

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        if d in leaf.reductions():
            raise self.refused(
                kernel, f"expected a loop over different elements, found d{d}, which reduces; "
                "split_reduction takes such a loop"
            )  # fmt: skip
        if self.shifted and not leaf.may_repeat():
            raise self.refused(
                kernel,
                "expected one op that only writes its results, which may be done twice, found sums, "
                "several ops, or a result that is read too; leave `shifted` out",
            )
        found = self.along_rows(kernel, leaf, d, self.lanes)
        return replace(found, shifted=found.shifted | {d}) if self.shifted else found
