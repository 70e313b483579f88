"""factor_out: a factor that jammed iterations share, applied to their sum (distributivity)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.match.contraction import factor_in
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class FactorOut(Directive):
    """Multiply the sum of the jammed iterations of reduction loops by a factor that is the same for all.

        for %d2 = 0 to g { s += a[%d2, 0] * (b[%d2, 0] * c[%d2]); s += a[%d2, 1] * (b[%d2, 1] * c[%d2]) }
    ->  with factor_out(in2)
        for %d2 = 0 to g { s += (a[%d2, 0] * b[%d2, 0] + a[%d2, 1] * b[%d2, 1]) * c[%d2] }

    The terms are reassociated: sums of floats may be rounded differently.

    Refused: an operand that is no factor of the right factor of a sum of products, or that jammed reduction
    loops read along, a kernel without such loops.
    """

    NAME: ClassVar = "factor_out"

    operand_name: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        number = self.operand(kernel, self.operand_name)
        stage, own = leaf.stage, leaf.directives
        jammed = own.jammed & {*leaf.reductions()}
        if not jammed or any(stage.accesses[number].walks(d) for d in jammed):
            raise self.refused(
                kernel,
                f"expected jammed reduction loops, none of which walks {self.operand_name}, found others; "
                "jam them first, or leave it out",
            )
        assert stage.body is not None
        if factor_in(stage.body.block, number) is None:
            raise self.refused(
                kernel,
                f"expected a sum of products a * (b * {self.operand_name}), found another body; leave it "
                "out",
            )
        return replace(own, factored=number)
