"""Index values as linear forms: whole multiples of counters and of other values, and a number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.constants import known_integer

MOST_STEPS = 64
"""How many ops are looked through for one form: values made before them are taken as they are."""

DEEPEST = 8
"""How many bounds are looked through for a bound."""


@dataclass(frozen=True)
class Linear:
    """`8 * %t + %i + 3`."""

    terms: Mapping[SSAValue, int] = field(default_factory=dict)
    constant: int = 0

    def bounds(self, depth: int = DEEPEST) -> tuple[int | None, int | None]:
        """The least and the greatest number that it may be, as far as they are known."""
        low: int | None = self.constant
        high: int | None = self.constant
        for value, times in self.terms.items():
            ends = [None if end is None else times * end for end in _bounds(value, depth)]
            least, most = ends if times > 0 else ends[::-1]
            low = None if low is None or least is None else low + least
            high = None if high is None or most is None else high + most
        return low, high


def linear(parts: Iterable[tuple[SSAValue | int, int]]) -> Linear:
    """The sum of values and numbers, each so many times."""
    terms: defaultdict[SSAValue, int] = defaultdict(int)
    constant, steps, work = 0, 0, list(parts)
    while work:
        value, times = work.pop()
        steps += 1
        known = value if isinstance(value, int) else known_integer(value)
        if known is not None:
            constant += times * known
            continue
        assert isinstance(value, SSAValue)
        if (inner := _summands(value)) is None or steps > MOST_STEPS:
            terms[value] += times
        else:
            work += [(part, times * factor) for part, factor in inner]
    return Linear({value: times for value, times in terms.items() if times}, constant)


def _summands(value: SSAValue) -> list[tuple[SSAValue, int]] | None:
    """The values whose multiples add up to a value."""
    match value.owner:
        case arith.AddiOp(lhs=lhs, rhs=rhs):
            return [(lhs, 1), (rhs, 1)]
        case arith.SubiOp(lhs=lhs, rhs=rhs):
            return [(lhs, 1), (rhs, -1)]
        case arith.MuliOp(lhs=lhs, rhs=rhs):
            for factor, other in ((lhs, rhs), (rhs, lhs)):
                if (known := known_integer(factor)) is not None:
                    return [(other, known)]
    return None


def _bounds(value: SSAValue, depth: int) -> tuple[int | None, int | None]:
    """The same for one value: a counter is below the end of its loop, a minimum below all its operands."""
    if depth == 0:
        return None, None
    if isinstance(owner := value.owner, Block):
        loop = owner.parent_op()
        if not isinstance(loop, scf.ForOp) or value is not owner.args[0]:
            return None, None
        low, _ = linear([(loop.lb, 1)]).bounds(depth - 1)
        _, high = linear([(loop.ub, 1)]).bounds(depth - 1)
        return low, None if high is None else high - 1
    if isinstance(owner, memref.DimOp):
        return 0, None
    if not isinstance(owner, arith.MinSIOp | arith.MaxSIOp):
        return None, None
    sides = [linear([(operand, 1)]).bounds(depth - 1) for operand in owner.operands]
    lows = [low for low, _ in sides if low is not None]
    highs = [high for _, high in sides if high is not None]
    if isinstance(owner, arith.MinSIOp):
        return min(lows) if len(lows) == 2 else None, min(highs, default=None)
    return max(lows, default=None), max(highs) if len(highs) == 2 else None


def is_inside(value: SSAValue, block: Block) -> bool:
    """Whether a value is defined in a block or in one nested in it."""
    found: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while found is not None and found is not block:
        parent: Operation | None = found.parent_op()
        found = None if parent is None else parent.parent
    return found is block
