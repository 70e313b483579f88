"""Parts of the state of a loop that each turn only appends rows to.

    ys = while ... (concat(ys, f(y)))        gy = ...
                                             while turns are left
                                               the gradients of f(y) from the last rows of gys
                                             the gradient of the first ys: the rows that are left

No turn reads such a part, so none is kept of it, and its cotangent is not made shorter from turn to turn:
that of what the loop gives stays as it is, and the loop back carries where the rows end that are left.
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
    """A part of the state that rows are put before or after in every turn, along an axis."""

    type: TensorType
    """That of the whole, in all turns."""
    axis: int
    before: Sequence[SSAValue]
    after: Sequence[SSAValue]
    ops: Sequence[Operation]
    """What joins them, and names sizes for it."""

    @property
    def no_rows(self) -> list[Expr] | None:
        """The sizes of rows that are none, which others are appended to before they are joined with what
        there was; None if that is not possible."""
        sizes = [
            symbolic.const(0) if i == self.axis else s for i, s in enumerate(self.type.shape or ())
        ]
        known = [size for size in sizes if size is not None]
        return known if len(known) == len(sizes) and self.type.dtype is not None else None


def appended_parts(loop: WhileOp) -> dict[int, Appended]:
    """Those of a loop, by their places in the state."""
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
    """The parts whose sizes are named, by what joins them alone, for what else there is in the body."""
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
    """The ops of the body of a loop that serve appended parts alone."""
    loop = block.parent_op()
    parts = appended_parts(loop) if isinstance(loop, WhileOp) else {}
    return {each for part in parts.values() for each in part.ops}


def _appended(loop: WhileOp, index: int) -> Appended | None:
    """A part that is joined with others and then given to the next turn, and used in no other way."""
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
