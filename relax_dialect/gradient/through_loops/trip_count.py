"""Upper bounds of trip counts, from a condition on a counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.ir import SSAValue

from relax_dialect.ops.binary import (
    AddOp,
    FloorModOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    SubtractOp,
)
from relax_dialect.ops.loops import WhileOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import number_of


def most_turns(loop: WhileOp) -> Any | None:
    """Return the least bound found in `i < most and ...`, for a counter with a constant step."""
    found = [turns for test in _conditions(loop.test) for turns in _turns_while(loop, test)]
    return min(found, default=None)


def _conditions(test: SSAValue) -> Iterator[SSAValue]:
    """Yield the conjuncts of a condition."""
    if isinstance(test.owner, LogicalAndOp):
        for operand in test.owner.operands:
            yield from _conditions(operand)
    else:
        yield test


def _turns_while(loop: WhileOp, test: SSAValue) -> Iterator[Any]:
    """Yield bounds of the trip count from a comparison of a counter with a loop-invariant value."""
    if isinstance(test.owner, LessOp | LessEqualOp):
        low, high = test.owner.operands
    elif isinstance(test.owner, GreaterOp | GreaterEqualOp):
        high, low = test.owner.operands
    else:
        return
    or_equal = isinstance(test.owner, LessEqualOp | GreaterEqualOp)
    for index, argument in enumerate(loop.condition.block.args):
        step = _step(loop, index)
        if argument is low and step is not None and step > 0:
            room = _difference(high, loop.inits[index])
        elif argument is high and step is not None and step < 0:
            room = _difference(loop.inits[index], low)
        else:
            continue
        if room is not None:
            yield room // abs(step) + 1 if or_equal else -(-room // abs(step))


def _step(loop: WhileOp, index: int) -> Any | None:
    """Return the step of a part of the state, if it is constant."""
    following, argument = loop.next_state[index].owner, loop.body.block.args[index]
    if not isinstance(following, AddOp | SubtractOp) or following.operands[0] is not argument:
        return None
    step = number_of(following.operands[1])
    return -step if step is not None and isinstance(following, SubtractOp) else step


def _difference(high: SSAValue, low: SSAValue) -> Any | None:
    """Return a bound of the difference of two values."""
    if isinstance(high.owner, AddOp) and high.owner.operands[0] is low:
        return number_of(high.owner.operands[1])
    most, least = _most(high), number_of(low)
    return None if most is None or least is None else most - least


def _most(value: SSAValue) -> Any | None:
    """Return a number that a value is not above."""
    if isinstance(value.owner, FloorModOp):
        divisor = number_of(value.owner.operands[1])
        return divisor - 1 if divisor is not None and divisor > 0 else None
    if isinstance(value.owner, AddOp):
        one, other = map(_most, value.owner.operands)
        return None if one is None or other is None else one + other
    return number_of(value)
