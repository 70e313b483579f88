"""strip: two loops in pieces of so many elements of both (strip-mining)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernel import Kernel, Leaf
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.tiling import Strips, places


@dataclass(frozen=True)
class Strip(Primitive):
    """Compute whole turns of an outer loop, as many as have so many elements, or a part of a long one.

        linalg.generic {(d0, d1) -> (d0, d1)} ins(%x : m x n) outs(%y)
    ->  with strip(d0, d1, 512)
        %wide = min(%n, 512), %high = 512 / %wide
        scf.for %top = 0 to %m step %high { scf.for %left = 0 to %n step %wide {
          linalg.generic ins(%x[%top, %left] [%high, %wide]) outs(%y[%top, %left] [%high, %wide])
        }}

    Sizes need not be known. What a piece holds lies in one piece in memory where both loops walk
    neighbouring dimensions: ops that only do that walk it by one loop.

    Refused: loops that reduce, or that have been tiled.
    """

    NAME: ClassVar = "strip"

    outer: str
    inner: str
    elements: int

    def apply(self, kernel: Kernel) -> None:
        outer, inner = self.loop(kernel, self.outer), self.loop(kernel, self.inner)
        self.at_least_one(kernel, self.elements, "a strip")
        if outer == inner:
            raise self.refused(
                kernel, f"expected two loops, found d{outer} twice; name another one"
            )
        for leaf in self.unwritten(kernel):
            for d in (outer, inner):
                if d in leaf.reductions():
                    raise self.refused(
                        kernel,
                        f"expected loops over different elements, found d{d}, which reduces; tile it",
                    )
                if d in leaf.rooms:
                    raise self.refused(
                        kernel,
                        f"expected loops as they were, found d{d} in tiles; put strip before tile",
                    )
            self._strip(kernel, leaf, outer, inner)

    def _strip(self, kernel: Kernel, leaf: Leaf, outer: int, inner: int) -> None:
        kernel.lift(leaf)
        write = kernel.writer(leaf.start)
        height = write.larger(leaf.sizes[outer], 1)
        wide = write.smaller(write.larger(leaf.sizes[inner], 1), self.elements)
        high = write.unsigned_quotient(self.elements, wide)
        strips = write.ceil_quotient(height, high)
        high = write.ceil_quotient(height, strips)  # of equal height, but for the last one
        found: list[Leaf] = []
        for rows in places(kernel, leaf, outer, Strips(high)):
            for part in places(kernel, rows, inner, Strips(wide)):
                strips = [*part.strips, (outer, inner)]
                found.append(replace(part, strips=strips, single=leaf.single))
        kernel.replace(leaf, found)
