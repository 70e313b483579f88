"""hoist: panels packed once, before the loops that do not change them (loop-invariant code motion)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.pack.packing import hoist
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Hoist(Primitive):
    """Pack all panels of an operand before the outermost loop that none of them depends on, before
    loops around the kernel too where nothing in them writes the operand.

        for %i { for %j { copy %b[0, %j] to %panel; ... %panel ... } }
    ->  with hoist(in1)
        for %j { copy %b[0, %j] to %panels[%j] }
        for %i { for %j { ... %panels[%j] ... } }

    A branch is not left: the panels of a version are packed in it.

    Refused: an operand that has not been packed, panels of tiles of tiles.
    """

    NAME: ClassVar = "hoist"

    operand_name: str

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        leaves = [leaf for leaf in self.unwritten(kernel) if number in leaf.packed]
        if not leaves:
            raise self.refused(
                kernel, f"expected {self.operand_name} in panels, found it in place; pack it first"
            )
        for leaf in leaves:
            if leaf.packed[number].tiling is None:
                raise self.refused(
                    kernel,
                    f"expected panels of a loop that was tiled once, found tiles of tiles of "
                    f"d{leaf.packed[number].loop}; pack {self.operand_name} before the second tile",
                )
        hoist(kernel, leaves, number)
