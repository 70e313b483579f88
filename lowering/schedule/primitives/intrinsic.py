"""intrinsic: iterations of a loop as one instruction (TVM's tensorize, Exo's replace)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.match.byte_products import byte_type, have_one_sign, is_sum_of_byte_products
from lowering.schedule.match.grouped_contraction import grouped_body
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.vector_intrinsics import OPERATIONS
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Intrinsic(Directive):
    """Do all iterations of a loop as one operation on vectors, which many machines have an instruction for.

        for %d3 = 0 to 4 { c[%d0, %d1] += ext(a[%d0, 4 * %d2 + %d3]) * ext(b[%d2, 4 * %d1 + %d3]) }
    ->  with intrinsic(dot4_u8i8, d3), vectorize(d1, 16)
        c[%d0, %d1 .. %d1 + 15] = dot4_u8i8(c[..], a[%d0, 4 * %d2 .. + 3] in all lanes, b[%d2, 4 * %d1 ..])

    Elements that fill no vector are computed one by one, as before.

    Refused: an operation that is unknown, a body that it does not compute (`recenter` makes one operand
    unsigned, the other signed), a loop of other than its number of iterations (`split` makes one), operands
    whose elements do not lie in a row along it (`pack` them), vectors that have been made already.
    """

    NAME: ClassVar = "intrinsic"

    operation: str
    loop_name: str

    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        d = self.loop(kernel, self.loop_name)
        known = OPERATIONS.get(self.operation)
        if known is None:
            raise self.refused(
                kernel, f"expected one of {', '.join(OPERATIONS)}, found {self.operation}; name one"
            )
        stage = leaf.stage
        assert stage.body is not None
        grouped = grouped_body(stage.body.block)
        if grouped is None and not is_sum_of_byte_products(stage.body.block):
            raise self.refused(
                kernel,
                "expected a body that adds up products of bytes in i32, or scales them by group, found "
                "another; leave it out",
            )
        numbers = [*range(stage.inputs)] if grouped is None else sorted(grouped.bytes)
        left, right = (stage.accesses[number].value for number in numbers[:2])
        if grouped is None and have_one_sign(left, right):
            raise self.refused(
                kernel,
                f"expected bytes of which one operand has signs, found {byte_type(left)} twice; "
                "recenter one",
            )
        has_7_bits = grouped is not None and grouped.is_in_halves
        if self.operation == "dot4_u7i8" and not has_7_bits:
            raise self.refused(
                kernel, "expected unsigned factors up to 127, found bytes; write dot4_u8i8"
            )
        if leaf.sizes[d] != known.group or d not in leaf.reductions():
            raise self.refused(
                kernel,
                f"expected a loop that reduces, of {known.group} iterations, found d{d}; split one",
            )
        if leaf.directives.vectors or d in leaf.directives.jammed | {*leaf.directives.unrolled}:
            raise self.refused(
                kernel,
                f"expected iterations that nothing has been said of, found d{d} with vectors or written "
                "out; put it before vectorize, unroll and unroll_and_jam",
            )
        for number in numbers:
            access = stage.accesses[number]
            assert access.map is not None
            *outer, last = [linear(expr)[0] for expr in access.map.results]
            if last.get(d) != 1 or any(d in own for own in outer):
                raise self.refused(
                    kernel,
                    f"expected the elements of {kernel.operand_name(number)} to lie in a row along d{d}, "
                    "found them apart; pack it first",
                )
        return replace(leaf.directives, intrinsic=(self.operation, d))
