"""align_loads: rows read by whole vectors, others picked out of two of them (Halide's AlignLoads)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class AlignLoads(Directive):
    """Read rows by aligned vectors, and shuffle unaligned vectors out of two of them.

        y[%d0 .. %d0 + 15] = x[%d0 .. %d0 + 15] * a + x[%d0 + 1 .. %d0 + 16] * b
    ->  with align_loads(in0, d0), vectorize(d0, 16)
        v0 = x[%d0 .. %d0 + 15]; v1 = x[%d0 + 16 .. %d0 + 31]
        y[%d0 .. %d0 + 15] = v0 * a + shuffle(v0, v1, [1 .. 16]) * b

    Neighbours along the loop may be two elements apart then: `x[2 * %d0]`.

    Refused: an operand that `cache_read` has not copied in rows of whole vectors (`align`), a loop that
    does not walk its rows by steps of 1 or 2 from their beginning, others that walk the rows and are not
    jammed (`unroll_and_jam` them before), loops with vectors already (`vectorize` comes after, and refuses
    iterations that do not fill vectors).
    """

    NAME: ClassVar = "align_loads"

    operand_name: str
    loop_name: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        number = self.operand(kernel, self.operand_name)
        d = self.loop(kernel, self.loop_name)
        access = self.given(kernel, leaf, number)
        if leaf.directives.vectors or number in leaf.directives.turned:
            raise self.refused(
                kernel, "expected loops without vectors, found some; vectorize after this"
            )
        if access.map is None or access.aligned < 2:
            raise self.refused(
                kernel,
                f"expected a copy of {self.operand_name} in rows of whole vectors, found it elsewhere; "
                "make one with cache_read and align",
            )
        *outer, last = [linear(expr)[0] for expr in access.map.results]
        if any(d in own for own in outer) or last.get(d) not in (1, 2):
            raise self.refused(
                kernel,
                f"expected a loop along the rows of {self.operand_name}, by 1 or 2 elements, found d{d}; "
                "name another one",
            )
        if access.origin.get(d) != leaf.offsets[d]:
            raise self.refused(
                kernel,
                f"expected tiles that begin where rows of {self.operand_name} do, found some of d{d} that "
                "do not; tile before cache_read",
            )
        copied = {o for o in leaf.single if access.origin.get(o) == leaf.offsets[o]}
        if standing := [o for o in last if o not in (d, *leaf.directives.jammed, *copied)]:
            raise self.refused(
                kernel,
                f"expected all iterations of d{standing[0]} at once, which walks the rows too, found them "
                "one by one; unroll_and_jam it first",
            )
        return replace(leaf.directives, aligned={**leaf.directives.aligned, number: d})
