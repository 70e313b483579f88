"""pack: an operand as a tile reads it, in memory of its own (BLIS's and MLIR's pack, TVM's cache_read)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.pack.packing import pack
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Pack(Primitive):
    """Copy the part of an operand that a tile reads to a panel: elements along a loop are contiguous there.

        linalg.generic ins(%a [8, k], %b[0, %j] [k, 48]) outs(%c [8, 48])
    ->  with pack(in1, d1)
        linalg.generic {copy} ins(%b[0, %j] [k, 48]) outs(%panel)
        linalg.generic ins(%a [8, k], %panel [k, 48]) outs(%c [8, 48])

    A tile that is not filled has zeros after its elements, so that `pad` may read them. With `rest`, only
    such tiles are packed. Every tile is packed at its own position; see `hoist`, and `pack_constant`. With
    `inside`, the elements along another loop are contiguous at each index of the panel:

    ->  with split(d2, 4), tile(d1, 48), pack(in1, d1, inside=d3)
        linalg.generic {copy} ins(%b [4 * %d2 + %d3, %j + %d1]) outs(%panel [%d2, 4 * %d1 + %d3])

    Refused: a result, a loop that the operand is not read along, an `inside` loop that it is not read along
    or whose trip count is unknown.
    """

    NAME: ClassVar = "pack"

    operand_name: str
    loop_name: str
    rest: bool = False
    inside: str = ""

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        d = self.loop(kernel, self.loop_name)
        inside = self.loop_inside(kernel, number, d, self.inside)
        for leaf in self.unwritten(kernel):
            access = self.given(kernel, leaf, number)
            if inside is not None and not isinstance(leaf.room(d), int):
                raise self.refused(
                    kernel,
                    f"expected a known width of panels with d{inside} inside, found that of d{d}, which is "
                    "symbolic; tile it",
                )
            if not access.walks(d) or (self.rest and d not in leaf.rooms):
                tiled = " that has been tiled" if self.rest else ""
                raise self.refused(
                    kernel,
                    f"expected an operand read along a loop{tiled}, found d{d}; name another one",
                )
            if access.lead or access.filled:
                raise self.refused(
                    kernel, f"expected {self.operand_name} in place, found it packed"
                )
            if leaf.is_rest(d) or not self.rest:
                pack(kernel, leaf, number, d, inside)
