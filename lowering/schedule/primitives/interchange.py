"""interchange: the order of the loops (MLIR's interchange, Halide's and TVM's reorder)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Interchange(Directive):
    """Put the loops of a tile in an order, outermost first.

        for %d0 { for %d1 { for %d2 { c[%d0, %d1] += a[%d0, %d2] * b[%d2, %d1] } } }
    ->  with interchange(d0, d2, d1)
        for %d0 { for %d2 { for %d1 { c[%d0, %d1] += a[%d0, %d2] * b[%d2, %d1] } } }

    A reduction loop around a parallel one keeps its sums in memory.

    Refused: names that are not each loop exactly once, a running reduction, whose iterations follow each
    other, and several reduction loops in another order than before, which would round sums differently.
    """

    NAME: ClassVar = "interchange"

    loops: tuple[str, ...]

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        order = [self.loop(kernel, name) for name in self.loops]
        if sorted(order) != list(range(kernel.count)):
            raise self.refused(
                kernel,
                f"expected each of d0 to d{kernel.count - 1} once, found {', '.join(self.loops)}; "
                "name all loops",
            )
        reductions = leaf.reductions()
        if any(output.walks(d) for output in leaf.stage.outputs for d in reductions):
            raise self.refused(
                kernel,
                "expected elements that do not depend on each other, found a running reduction",
            )
        inner = [d for d in order if d in reductions]
        if inner != sorted(inner):
            raise self.refused(
                kernel,
                "expected the loops that reduce in the order that they have, found "
                f"{', '.join(f'd{d}' for d in inner)}; sums would be rounded differently",
            )
        return replace(leaf.directives, order=tuple(order))
