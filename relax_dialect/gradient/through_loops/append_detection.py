"""Append-only parts of the state of a loop.

    ys = while ... (concat(ys, f(y)))        gy = ...
                                             while iterations are left
                                               the gradients of f(y) from the last rows of gys
                                             the gradient of the first ys: the rows that are left

No iteration reads such a part, so it is not kept, and its cotangent is not shortened in every iteration:
the cotangent of the loop's result is unchanged, and the backward loop carries the end of the rows left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.symbol_scopes import candidate_symbols, free_symbols
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.symbolic import Expr


@dataclass(frozen=True)
class Appended:
    """A part of the state to which every iteration prepends or appends rows, along an axis."""

    type: TensorType
    """The type of the whole, in all iterations."""
    axis: int
    before: Sequence[SSAValue]
    after: Sequence[SSAValue]
    ops: Sequence[Operation]
    """The ops that join them, and name sizes for it."""

    @property
    def no_rows(self) -> list[Expr] | None:
        """Return the sizes of an empty part, to which rows are appended before they are joined with the
        initial value; None if they are unknown."""
        sizes = [
            symbolic.const(0) if i == self.axis else s for i, s in enumerate(self.type.shape or ())
        ]
        known = [size for size in sizes if size is not None]
        return known if len(known) == len(sizes) and self.type.dtype is not None else None


def appended_parts(loop: WhileOp) -> dict[int, Appended]:
    """Return the append-only parts of a loop, by state index."""
    tests = loop.condition.block.args
    ways = {
        index: part
        for index, test in enumerate(tests)
        if not test.first_use and (part := _appended(loop, index)) is not None
    }
    while lost := _named_for_others(loop, ways):
        for index in lost:
            del ways[index]
    return ways


def _named_for_others(loop: WhileOp, parts: dict[int, Appended]) -> list[int]:
    """Return the parts whose joining ops are the only definition of a size that other ops of the body
    use."""
    own = {each for part in parts.values() for each in part.ops}
    needed: set[str] = set()
    defined: set[str] = set()
    for each in loop.body.block.ops:
        if each not in own:
            needed.update(free_symbols(each))
            defined.update(candidate_symbols(each))
    for type in (*loop.operand_types, *loop.result_types):
        defined.update(free_variables(type))
    needed -= defined
    return [
        index
        for index, part in parts.items()
        if any(not needed.isdisjoint(candidate_symbols(each)) for each in part.ops)
    ]


def appending(block: Block) -> set[Operation]:
    """Return the ops of the body of a loop that serve append-only parts only."""
    loop = block.parent_op()
    parts = appended_parts(loop) if isinstance(loop, WhileOp) else {}
    return {each for part in parts.values() for each in part.ops}


def _appended(loop: WhileOp, index: int) -> Appended | None:
    """Return a part that is only concatenated with others and passed to the next iteration, or None."""
    block = loop.body.block
    ops: list[Operation] = []
    joined: tuple[ConcatOp, int] | None = None
    value: SSAValue = block.args[index]
    while isinstance(user := value.get_user_of_unique_use(), MatchOp | ConcatOp):
        if user.parent is not block or (isinstance(user, ConcatOp) and joined is not None):
            return None
        if isinstance(user, ConcatOp):
            joined = user, list(user.operands).index(value)
        ops.append(user)
        value = user.results[0]
    if joined is None or not value.has_one_use() or loop.next_state[index] is not value:
        return None
    concat, place = joined
    if concat.axis is None:
        return None
    type = loop.results[index].type
    if not isinstance(type, TensorType) or type.shape is None:
        return None
    before, after = concat.operands[:place], concat.operands[place + 1 :]
    return Appended(type, concat.axis % len(type.shape), before, after, ops)
