"""Index values as linear forms: whole multiples of counters and of other values, and a number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.constants import known_integer
from relax_dialect.ir.walk import defining_block

MOST_STEPS = 64
"""The most ops that are followed for one form: values before them are taken as they are."""


@dataclass(frozen=True)
class LinearForm:
    """`8 * %t + %i + 3`."""

    terms: Mapping[SSAValue, int] = field(default_factory=dict)
    constant: int = 0


def linear(parts: Iterable[tuple[SSAValue | int, int]]) -> LinearForm:
    """Return the sum of multiples of values and numbers."""
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
    return LinearForm({value: times for value, times in terms.items() if times}, constant)


def _summands(value: SSAValue) -> list[tuple[SSAValue, int]] | None:
    """Return the values whose multiples add up to a value."""
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


def is_inside(value: SSAValue, block: Block) -> bool:
    """Return whether a value is defined in a block or in one nested in it."""
    found = defining_block(value)
    while found is not None and found is not block:
        parent: Operation | None = found.parent_op()
        found = None if parent is None else parent.parent
    return found is block
