"""Between which values an integer lies that was extended from a narrower type, and how many of them a
sum may have."""

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from lowering.ir.constants import known_integer


@dataclass(frozen=True)
class Span:
    """The least and the greatest value that an integer may have, both signed."""

    low: int
    high: int

    def block_length(self, width: int) -> int:
        """The number of elements, a multiple of 256, whose sums all fit into a signed type."""
        largest = max(abs(self.low), abs(self.high), 1)
        return (2 ** (width - 1) - 1) // largest // 256 * 256


def span_of(value: SSAValue) -> Span | None:
    """The range of an integer that was extended, or chosen from such; None if it is not known."""
    owner = value.owner
    if (known := known_integer(value)) is not None:
        return Span(known, known)
    if isinstance(owner, arith.ExtUIOp | arith.ExtSIOp):
        assert isinstance(owner.input.type, IntegerType)
        size = 2**owner.input.type.width.data
        return (
            Span(0, size - 1)
            if isinstance(owner, arith.ExtUIOp)
            else Span(-size // 2, size // 2 - 1)
        )
    if isinstance(owner, arith.SelectOp) and isinstance(value.type, IntegerType):
        sides = span_of(owner.lhs), span_of(owner.rhs)
        if sides[0] and sides[1]:
            return Span(min(s.low for s in sides if s), max(s.high for s in sides if s))
    return None
