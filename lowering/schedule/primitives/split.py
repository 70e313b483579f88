"""split: one loop as two (Halide's and TVM's split, Exo's divide_loop)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import TiledOperand, TiledStage
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Split(Primitive):
    """Split a loop in two: the inner one, a new loop with the next number, has the trip count `factor`.

        linalg.generic {(d0, d1, d2) -> (d0, d2)} ins(%a : 8 x 512) ...
    ->  with split(d2, 4)
        linalg.generic {(d0, d1, d2, d3) -> (d0, 4 * d2 + d3)} ins(%a : 8 x 512) ...

    The loop itself keeps a quarter of its iterations here, the new one is inside.

    Refused: a trip count that is not known to be a multiple (`pad_reduction` makes it one), tiles or
    versions that have been made.
    """

    NAME: ClassVar = "split"

    loop_name: str
    factor: int

    def apply(self, kernel: Kernel) -> None:
        d = self.loop(kernel, self.loop_name)
        self.at_least_one(kernel, self.factor, "a factor")
        leaf = self.whole_leaf(kernel)
        extent = kernel.extents[d]
        known = kernel.multiples.get(d, 1) if isinstance(extent, SSAValue) else extent
        if known % self.factor:
            raise self.refused(
                kernel,
                f"expected a number of iterations that {self.factor} divides, found d{d} of another; pad "
                "it",
            )
        kernel.lift(leaf)
        write = kernel.writer(leaf.before)
        new, count = kernel.count, kernel.count + 1
        fewer = write.unsigned_quotient(extent, self.factor)
        dims: list[AffineExpr] = [AffineDimExpr(e) for e in range(new)]
        dims[d] = dims[d] * self.factor + AffineDimExpr(new)
        walked = AffineMap(count, 0, tuple(dims))
        kernel.count = count
        kernel.multiples.pop(d, None)
        kernel.extents = {**kernel.extents, d: fewer, new: self.factor}
        stages = tuple(_split(stage, d, new, walked) for stage in leaf.stages)
        inside = replace(
            leaf,
            stages=stages,
            offsets={**leaf.offsets, new: 0},
            sizes={**leaf.sizes, d: fewer, new: self.factor},
            ops=[],
        )
        kernel.replace(leaf, [inside])


def _split(stage: TiledStage, d: int, new: int, walked: AffineMap) -> TiledStage:
    """Return a stage over the loops that there are now."""
    accesses = tuple(_moved(access, walked) for access in stage.accesses)
    loops, kinds = [*stage.loops], [*stage.kinds]
    if d in loops:
        place = loops.index(d) + 1
        loops.insert(place, new)
        if kinds:
            kinds.insert(place, kinds[place - 1])
    return replace(stage, accesses=accesses, loops=tuple(loops), kinds=kinds)


def _moved(access: TiledOperand, walked: AffineMap) -> TiledOperand:
    return access if access.map is None else replace(access, map=access.map.compose(walked))
