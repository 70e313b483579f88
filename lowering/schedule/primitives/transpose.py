"""transpose: squares read by rows and transposed in registers (MLIR's vector.transpose as shuffles)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType

from lowering.ir.memref_views import is_contiguous
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Transpose(Directive):
    """Read an operand by vectors along a loop that is jammed, for vectors along another loop.

        for %d1 = 0 to 16 { y[0, %d1] = x[%d1, 0]; ... y[15, %d1] = x[%d1, 15] }
    ->  with transpose(in0, d0), vectorize(d1, 16)
        r0 = x[0, 0 .. 15]; ... r15 = x[15, 0 .. 15]      // rows
        c0, ..., c15 = shuffles of r0, ..., r15           // columns
        y[0, 0 .. 15] = c0; ... y[15, 0 .. 15] = c15

    The operand's elements need not lie in a row along the loop with vectors then.

    Refused: a result, a loop that is not jammed (`unroll_and_jam` it before), elements that do not lie in a
    row along it, loops with vectors already (`vectorize` comes after), iterations that vectors do not fill.
    """

    NAME: ClassVar = "transpose"

    operand_name: str
    loop_name: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        number = self.operand(kernel, self.operand_name)
        d = self.loop(kernel, self.loop_name)
        if number >= leaf.stage.inputs:
            raise self.refused(kernel, "expected an operand that is only read, found a result")
        if leaf.directives.vectors:
            raise self.refused(
                kernel, "expected loops without vectors, found some; vectorize after this"
            )
        if d not in leaf.directives.jammed or not isinstance(leaf.sizes[d], int):
            raise self.refused(
                kernel,
                f"expected a loop of a known number of iterations that are done at once, found d{d}; "
                "unroll_and_jam it first",
            )
        access = leaf.stage.accesses[number]
        exprs = [] if access.map is None else [linear(e)[0] for e in access.map.results]
        along = [d in own for own in exprs]
        if sum(along) != 1 or not along[-1] or exprs[-1][d] != 1 or not _in_rows(access.value.type):
            raise self.refused(
                kernel,
                f"expected the elements of {self.operand_name} to lie in a row along d{d}, found them "
                "apart; take another loop",
            )
        return replace(leaf.directives, turned={**leaf.directives.turned, number: d})


def _in_rows(type: object) -> bool:
    return isinstance(type, MemRefType) and is_contiguous(type)
