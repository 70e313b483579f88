"""intrinsic: iterations of a loop as one instruction (TVM's tensorize, Exo's replace)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand, TiledStage
from lowering.schedule.match.byte_products import byte_type, have_one_sign, is_sum_of_byte_products
from lowering.schedule.match.grouped_contraction import grouped_body
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.vector_intrinsics import OF_7_BITS, OPERATIONS
from lowering.schedule.primitives.directive import Directive


@dataclass(frozen=True)
class Intrinsic(Directive):
    """Do all iterations of a loop as one operation on vectors, which many machines have an instruction for.

        for %d3 = 0 to 4 { c[%d0, %d1] += ext(a[%d0, 4 * %d2 + %d3]) * ext(b[%d2, 4 * %d1 + %d3]) }
    ->  with intrinsic(dot4_u8i8, d3), vectorize(d1, 16)
        c[%d0, %d1 .. %d1 + 15] = dot4_u8i8(c[..], a[%d0, 4 * %d2 .. + 3] in all lanes, b[%d2, 4 * %d1 ..])

    Elements that fill no vector are computed one by one, as before. Sums that are scaled by group are taken
    of all jammed iterations of a group, then scaled.

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
        numbers = self._factors(kernel, leaf.stage)
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
            self._check_row(kernel, leaf.stage.accesses[number], number, d)
        return replace(leaf.directives, intrinsic=(self.operation, d))

    def _factors(self, kernel: Kernel, stage: TiledStage) -> Sequence[int]:
        """Return the numbers of the operands that are bytes. Raises `RelaxError` for a body that the
        operation does not compute."""
        assert stage.body is not None
        block = stage.body.block
        if (grouped := grouped_body(block)) is None and not is_sum_of_byte_products(block):
            raise self.refused(
                kernel,
                "expected a body that adds up products of bytes in i32, or scales them by group, found "
                "another; leave it out",
            )
        if self.operation == OF_7_BITS and (grouped is None or not grouped.is_in_halves):
            raise self.refused(
                kernel,
                "expected unsigned factors of which a byte has two, found others; write dot4_u8i8",
            )
        if grouped is not None:
            return sorted(grouped.bytes)
        left, right = (access.value for access in stage.accesses[: stage.inputs])
        if have_one_sign(left, right):
            raise self.refused(
                kernel,
                f"expected bytes of which one operand has signs, found {byte_type(left)} twice; "
                "recenter one",
            )
        return range(stage.inputs)

    def _check_row(self, kernel: Kernel, access: TiledOperand, number: int, d: int) -> None:
        """Raises `RelaxError` for an operand whose elements do not lie in a row along a loop."""
        assert access.map is not None
        *outer, last = [linear(expr)[0] for expr in access.map.results]
        if last.get(d) != 1 or any(d in own for own in outer):
            raise self.refused(
                kernel,
                f"expected the elements of {kernel.operand_name(number)} to lie in a row along d{d}, "
                "found them apart; pack it first",
            )
