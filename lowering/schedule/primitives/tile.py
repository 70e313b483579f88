"""tile: a loop in pieces, the computation of a piece inside (MLIR's tile, Halide's and TVM's split)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.emit.materialize import place
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.kernels.tiles import places
from lowering.schedule.memrefs.tiling import Tiling
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Tile(Primitive):
    """Compute a loop in tiles of a number of iterations.

        linalg.generic {(d0, d1) -> (d0, d1)} ins(%x : 100 x n) outs(%y)
    ->  with tile(d0, 16)
        scf.for %t = 0 to 6 {
          linalg.generic ins(%x[16 * %t, 0] [16, n]) outs(%y[16 * %t, 0] [16, n])
        }
        linalg.generic ins(%x[96, 0] [4, n]) outs(%y[96, 0] [4, n])

    The rest, of symbolic sizes too, comes last; tiles of one iteration remove the loop. All ops that have
    been fused are in the pieces. A reduction loop leaves the ops fused before and after it outside, unless
    it is one piece.

    With `balanced`, tiles differ by one iteration at most: 17 iterations in tiles of 8 are 6 + 6 + 5, so
    that no tile is left with one; with `multiple`, by that many iterations, except for the last one. With
    `shifted`, the last tile is as large as all and begins earlier, so that some elements are computed twice
    (Halide's ShiftInwards):

        scf.for %t = 0 to 7 {
          %i = min(16 * %t, 84)
          linalg.generic ins(%x[%i, 0] [16, n]) outs(%y[%i, 0] [16, n])
        }

    Refused: a loop that the kernel lacks, a tile larger than the loop; `shifted` with other options, if
    sums or elements that are read would be written twice, for a loop that may be shorter than a tile, and
    if operands have been copied along the loop.
    """

    NAME: ClassVar = "tile"

    loop_name: str
    size: int
    balanced: bool = False
    multiple: int = 1
    shifted: bool = False

    def apply(self, kernel: Kernel) -> None:
        d = self.loop(kernel, self.loop_name)
        self.at_least_one(kernel, self.size, "a tile")
        self.at_least_one(kernel, self.multiple, "a multiple")
        if self.size % self.multiple:
            raise self.refused(
                kernel,
                f"expected a size that {self.multiple} divides, found {self.size}; change one",
            )
        extent = kernel.extents[d]
        if isinstance(extent, int) and 0 < extent < self.size and self.multiple == 1:
            raise self.refused(
                kernel,
                f"expected a tile no larger than the loop, which has {extent} iterations, found "
                f"{self.size}; make it smaller or leave it out",
            )
        tiling = Tiling(self.size, self.balanced, self.multiple, self.shifted)
        kernel.tilings.setdefault(d, tiling)
        for leaf in self.unwritten(kernel):
            if self.shifted:
                self._check_shifted(kernel, leaf, d)
            if d in leaf.single:
                raise self.refused(
                    kernel, f"expected a loop with iterations, found one iteration of d{d}"
                )
            size = leaf.sizes[d]
            is_larger = not isinstance(size, int) or size >= self.size
            if d not in leaf.rooms or is_larger or self.shifted:
                if d in leaf.rooms:
                    kernel.tilings[d] = None
                _tile(kernel, leaf, d, tiling)

    def _check_shifted(self, kernel: Kernel, leaf: Leaf, d: int) -> None:
        """Raises `RelaxError` if elements may not be computed twice, or a tile may not fit."""
        if self.balanced or self.multiple > 1:
            raise self.refused(
                kernel,
                "expected tiles of one size, found balanced ones, or multiples; take these out",
            )
        if not leaf.may_repeat():
            raise self.refused(
                kernel,
                "expected one op that only writes its results, which may be done twice, found sums, "
                "several ops, or a result that is read too; leave `shifted` out",
            )
        if any(d in access.origin for access in leaf.stage.accesses):
            raise self.refused(
                kernel,
                f"expected operands in place along d{d}, since a tile may begin before a copy does, found "
                "some copied; tile with `shifted` before",
            )
        extent = kernel.extents[d]
        least = extent if isinstance(extent, int) else leaf.least.get(d, 0)
        if least < self.size:
            raise self.refused(
                kernel,
                f"expected a loop known to have {self.size} iterations, found d{d} that may have fewer; "
                f"put it into `when d{d} >= {self.size}`",
            )


def _tile(kernel: Kernel, leaf: Leaf, d: int, tiling: Tiling) -> None:
    kernel.lift(leaf)
    stages, main, after = leaf.stages, leaf.main, ()
    if d in leaf.reductions() and leaf.sizes[d] != tiling.size:
        place(kernel, replace(leaf, stages=stages[:main], ops=[]))
        stages, main, after = (stages[main],), 0, stages[main + 1 :]
    inside = replace(leaf, stages=stages, main=main)
    kernel.replace(leaf, list(places(kernel, inside, d, tiling)))
    place(kernel, replace(leaf, stages=after, ops=[]))
