"""split_reduction: partial sums in lanes (Halide's and TVM's rfactor, MLIR's split-reduction)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.match.arg_reduction import placed
from lowering.schedule.memrefs.combiners import combiner
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class SplitReduction(Directive):
    """Reduce in lanes of elements a fixed distance apart, and the lanes at the end.

        for %d1 = 0 to n { s = s + x[%d1] }
    ->  with split_reduction(d1, 16)
        for %d1 = 0 to n - n mod 16 step 16 { lanes = lanes + x[%d1 .. %d1 + 15] }
        s = s + the sum of lanes
        for %d1 = n - n mod 16 to n { s = s + x[%d1] }

    A maximum or minimum may be reduced together with its index, as for argmax: a lane records the begin of
    its vector, and of lanes that are equal the first index is taken.

    If `unroll` writes vectors one after the other, each of them has lanes of its own. For maxima and
    minima, which may take a term twice, the last vector begins earlier instead of single iterations.

    The terms are reassociated: sums and products of floats may be rounded differently.

    Refused: a loop that does not reduce, a body that is more than a term and a sum, product, maximum or
    minimum, elements that are not contiguous along the loop.
    """

    NAME: ClassVar = "split_reduction"

    loop_name: str
    lanes: int

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        if d not in leaf.reductions():
            raise self.refused(
                kernel,
                f"expected a loop that reduces, found d{d}, which does not; vectorize takes it",
            )
        if d in leaf.directives.jammed:
            raise self.refused(
                kernel,
                f"expected an existing loop, found d{d} jammed already; take one of them out",
            )
        stage = leaf.stage
        assert stage.body is not None
        is_known = combiner(stage.body.block) or placed(stage.body.block)
        if not is_known or any(o.walks(d) for o in stage.outputs):
            raise self.refused(
                kernel,
                "expected one sum, product, maximum or minimum of floats, found another reduction, "
                "whose order counts; leave it as it is",
            )
        return self.along_rows(kernel, leaf, d, self.lanes)
