"""strip: two loops in pieces of a number of elements of both (strip-mining)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.ir.index_writer import Term
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.kernels.tiles import places
from lowering.schedule.memrefs.tiling import Strips
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Strip(Primitive):
    """Compute strips of whole iterations of an outer loop with at most `elements` elements, or parts of a
    long one.

        linalg.generic {(d0, d1) -> (d0, d1)} ins(%x : m x n) outs(%y)
    ->  with strip(d0, d1, 512)
        %wide = min(%n, 512), %high = 512 / %wide
        scf.for %top = 0 to %m step %high { scf.for %left = 0 to %n step %wide {
          linalg.generic ins(%x[%top, %left] [%high, %wide]) outs(%y[%top, %left] [%high, %wide])
        }}

    Sizes need not be known. The memory of a piece is contiguous if both loops walk neighbouring dimensions:
    ops whose operands all are walk it by one loop.

    With `whole`, iterations of the outer loop are never cut, however long they are. With `high` and `wide`,
    the copies that later steps make of a piece have capacity for multiples of so many iterations of the
    outer and inner loop, so that `pad` may compute these; pieces are as high themselves, except for the
    last one.

    Refused: loops that reduce, or that have been tiled.
    """

    NAME: ClassVar = "strip"

    outer: str
    inner: str
    elements: int
    high: int = 1
    wide: int = 1
    whole: bool = False

    def apply(self, kernel: Kernel) -> None:
        outer, inner = self.loop(kernel, self.outer), self.loop(kernel, self.inner)
        self.at_least_one(kernel, self.elements, "a strip")
        self.at_least_one(kernel, self.high, "a height")
        self.at_least_one(kernel, self.wide, "a width")
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
        height = write.ceil_quotient(write.larger(leaf.sizes[outer], 1), self.high)
        wide = write.times(
            write.ceil_quotient(write.larger(leaf.sizes[inner], 1), self.wide), self.wide
        )
        if not self.whole:
            wide = write.smaller(wide, max(self.elements // self.wide, 1) * self.wide)
        high = write.unsigned_quotient(write.unsigned_quotient(self.elements, wide), self.high)
        if self.whole or self.high > 1 or self.wide > 1:
            high = write.larger(high, 1)
        strips = write.ceil_quotient(height, high)
        high = write.ceil_quotient(height, strips)  # of equal height, except for the last one
        high = write.times(high, self.high)
        for size, by in ((high, self.high), (wide, self.wide)):
            if not isinstance(size, int):
                kernel.divisors[size] = by
        found: list[Leaf] = []
        for rows in places(kernel, leaf, outer, Strips(high, high if self.high > 1 else None)):
            for part in self._rows(kernel, rows, inner, wide):
                one_piece = (outer, inner) if max(self.high, self.wide) == 1 else None
                strips = [*part.strips, *([one_piece] if one_piece else [])]
                found.append(replace(part, strips=strips, single=leaf.single))
        kernel.replace(leaf, found)

    def _rows(self, kernel: Kernel, leaf: Leaf, d: int, wide: Term) -> Iterable[Leaf]:
        """Return the parts of an inner loop, or all of it."""
        if not self.whole:
            return places(kernel, leaf, d, Strips(wide, wide if self.wide > 1 else None))
        return [replace(leaf, rooms={**leaf.rooms, d: wide})]
