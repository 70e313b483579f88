"""fuse_epilogue: elementwise ops after the main one, tile by tile (Halide's compute_at)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import stage_of
from lowering.schedule.match.contraction import epilogue_of, walked
from lowering.schedule.memrefs.deferred_frees import free_later
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class FuseEpilogue(Primitive):
    """Compute the ops that follow element by element along with the main op, tile by tile.

        linalg.generic {(d0, d1, d2)} outs(%c)              // tiled later: on %c[%i, %j]
        linalg.generic {(d0, d1)} ins(%c, %b) outs(%y)
    ->  with fuse_epilogue()
        both on the tile %c[%i, %j], the first of them before the second

    Refused: no such op follows, one reads other elements or writes over an operand, tiles have been made.
    """

    NAME: ClassVar = "fuse_epilogue"

    def apply(self, kernel: Kernel) -> None:
        (leaf,) = kernel.leaves[:1]
        if len(kernel.leaves) > 1 or leaf.scopes or not leaf.ops or leaf.directives:
            raise self.refused(
                kernel, "expected the kernel as a whole, found tiles; fuse before tile"
            )
        if len(leaf.stages) > 1 + (kernel.fill is not None):
            raise self.refused(
                kernel,
                "expected a kernel with nothing fused yet, found some; take one step out, or put this "
                "one first",
            )
        out = leaf.stage.outputs[0]
        loops = walked(out.map) if out.map is not None else None
        main = kernel.op
        found = [] if loops is None or None in loops else list(epilogue_of(main, out.value))
        if not found:
            raise self.refused(
                kernel,
                "expected an op on the same elements after the main one, found none; leave it out",
            )
        own = [loop for loop in loops or () if loop is not None]
        free_later(main, found[-1])
        kernel.end.detach()
        block = main.parent
        assert block is not None
        block.insert_op_after(kernel.end, found[-1])
        leaf.stages = (*leaf.stages, *(stage_of(op, own, kernel.count) for op in found))
        leaf.ops += found
