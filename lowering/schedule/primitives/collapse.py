"""collapse: two loops that are contiguous in memory as one (OpenMP's collapse, TVM's fuse)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.row_groups import common, with_fills
from lowering.schedule.match.tile_sizes import put_views_first
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.fuse_stages import FuseStages
from lowering.schedule.regroup.collapse_loops import collapse_loops, followers
from lowering.schedule.regroup.collapse_rows import collapse_rows, last_two


@dataclass(frozen=True)
class Collapse(Primitive):
    """Walk two neighbouring loops as one, which replaces the inner one.

        linalg.generic {(d0, d1, d3), (d2, d3) -> (d0, d1, d2)} ins(%x : 4 x 7 x k, %w) outs(%y : 4 x 7 x n)
    ->  with collapse(d0, d1)
        linalg.generic {(d0, d2), (d1, d2) -> (d0, d1)} ins(%x : 28 x k, %w) outs(%y : 28 x n)

    The loops after the outer one move up by one. The elementwise ops after a reduction are collapsed too,
    so that they may be fused.

    Reduction loops are collapsed too, if they follow each other in every operand that they walk; and the
    last two loops of several stages, which all of them walk together.

    Refused: loops that do not follow each other in the result, operands that walk only one of them, or in
    another order, or with gaps in memory, tiles that have been made.
    """

    NAME: ClassVar = "collapse"
    TAKES_STAGES: ClassVar = True

    outer: str
    inner: str

    def apply(self, kernel: Kernel) -> None:
        outer, inner = self.loop(kernel, self.outer), self.loop(kernel, self.inner)
        if kernel.stages:
            self._collapse_rows(kernel, (outer, inner))
            return
        self.check_places(kernel)
        main = kernel.whole()
        if main is None or len(kernel.leaves[0].stages) > 2:
            raise self.refused(
                kernel,
                "expected the kernel as it was, found it changed; collapse before other steps",
            )
        new = collapse_loops(main, kernel.fill, followers(main), outer, inner)
        if new is None:
            raise self.refused(
                kernel,
                f"expected d{outer} and d{inner} to be neighbours in the result and in every operand, in "
                "memory too, found them apart; leave them as they are",
            )
        kernel.start(new)

    def _collapse_rows(self, kernel: Kernel, pair: tuple[int, int]) -> None:
        """Make all stages of a kernel walk two loops as one."""
        stages = FuseStages(()).part(kernel)
        group = common(stages)
        if group is not None:
            stages = with_fills(stages, [loop[-1] for loop in group.loops])
            put_views_first(stages)
            group = common(stages)
        if group is None or last_two(group) != pair:
            d, e = pair
            raise self.refused(
                kernel,
                f"expected d{d} and d{e} to be the last two loops of all stages, which walk no memory of "
                "their own with them, found others; leave them as they are",
            )
        collapse_rows(group)
        kernel.name_loops(kernel.op)
