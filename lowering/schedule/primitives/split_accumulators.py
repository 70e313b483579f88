"""split_accumulators: several partial sums for each result, where a tile has few (LLVM's interleaving)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.memrefs.combiners import accumulator
from lowering.schedule.primitives.directive import Directive

MOST = 64
"""The most accumulators that make sense, far above the capacity of registers."""


@dataclass(frozen=True)
class SplitAccumulators(Directive):
    """Unroll a reduction loop until at least `least` accumulators are independent of each other.

        for %d2 = 0 to k { s += a[%d2] * b[%d2] }
    ->  with split_accumulators(d2, 2)
        for %d2 = 0 to k - k mod 2 step 2 { s += a[%d2] * b[%d2]; t += a[%d2 + 1] * b[%d2 + 1] }
        for %d2 = k - k mod 2 to k { s, t = t, s + a[%d2] * b[%d2] }
        s + t

    An addition waits for the previous one to the same accumulator. A tile of few results (one row) has
    several accumulators for each, a tile of `least` results or more is unchanged.

    The terms are reassociated: sums and products of floats may be rounded differently.

    Refused: a loop that does not reduce, one that is jammed, unrolled, or has lanes, and reductions other
    than one sum, product, maximum or minimum.
    """

    NAME: ClassVar = "split_accumulators"

    loop_name: str
    least: int

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d, own = self.loop(kernel, self.loop_name), leaf.directives
        self.at_least_one(kernel, self.least, "a number of accumulators", MOST)
        if d not in leaf.reductions():
            raise self.refused(
                kernel, f"expected a loop that reduces, found d{d}, which does not; name one"
            )
        if d in {*own.jammed, *own.unrolled, *own.vectors}:
            raise self.refused(
                kernel,
                f"expected a loop not yet unrolled, found d{d} jammed, unrolled or with lanes "
                "already; take one of them out",
            )
        stage = leaf.stage
        assert stage.body is not None
        if accumulator(stage.body.block) is None or any(o.walks(d) for o in stage.outputs):
            raise self.refused(
                kernel,
                "expected one sum, product, maximum or minimum, found another reduction, whose order "
                "counts; leave it as it is",
            )
        return replace(own, accumulators={**own.accumulators, d: self.least})
