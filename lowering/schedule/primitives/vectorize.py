"""vectorize: neighbouring elements at once (MLIR's, TVM's and Halide's vectorize)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Vectorize(Directive):
    """Compute a number of elements along a loop as one vector.

        for %d0 = 0 to n { y[%d0] = x[%d0] + 1 }
    ->  with vectorize(d0, 16)
        for %d0 = 0 to n - n mod 16 step 16 { y[%d0 .. %d0 + 15] = x[%d0 .. %d0 + 15] + 1 }
        for %d0 = n - n mod 16 to n { y[%d0] = x[%d0] + 1 }

    Elements that are read may also be a few apart, `x[2 * %d0]`.

    With `shifted`, the last vector begins earlier instead of single iterations, so that some elements are
    computed twice (Halide's ShiftInwards); loops shorter than a vector have shorter ones, of a quarter:

        if n >= 16 { for %v = 0 to n step 16 { %d0 = min(%v, n - 16), y[%d0 .. %d0 + 15] = ... } }
        else if n >= 4 { ... by vectors of 4 } else { ... one by one }

    Refused: a loop that reduces (see split_reduction), operands whose elements are not contiguous along the
    loop, a second loop with vectors; `shifted` if elements that are read or added to would be written
    twice, and on a loop that is jammed.
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
        directives = self.along_rows(kernel, leaf, d, self.lanes)
        if not self.shifted:
            return directives
        self._check_shifted(kernel, leaf, d)
        return replace(directives, shifted=directives.shifted | {d})

    def _check_shifted(self, kernel: Kernel, leaf: Leaf, d: int) -> None:
        """Raises `RelaxError` if elements may not be computed twice."""
        stage, first = leaf.stage, leaf.stages[leaf.main - 1] if leaf.main else None
        written = {viewed_memref(access.value) for access in stage.outputs}
        read = {viewed_memref(access.value) for access in stage.accesses[: stage.inputs]}
        begins = first is not None and first.start is not None and len(stage.outputs) == 1
        is_whole = all(map(stage.overwrites, (access.value for access in stage.outputs)))
        if not read.isdisjoint(written) or not (begins if leaf.reductions() else is_whole):
            raise self.refused(
                kernel,
                "expected an op that only writes its results, which may be done twice, found sums, or a "
                "result that is read too; leave `shifted` out",
            )
        if d in leaf.directives.jammed:
            raise self.refused(
                kernel,
                f"expected an existing loop, found d{d} jammed already; leave `shifted` out",
            )
