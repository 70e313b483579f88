"""Graph form by its definition: every op that is needed, once each time the region of its place is entered.

Written to be obviously right, not fast: what is needed is a fixed point, a place is found by comparing
lists of regions, and a value is asked for where it is used. It knows the ops of `random_functions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.interpret import evaluate
from relax_dialect.interpret.calls import packed
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, IfOp
from relax_dialect.ops.core import FuncOp, MatchCastOp
from relax_dialect.ops.effects import CallPurePackedOp
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.ops.loops import WhileOp


def needed_ops(func: FuncOp) -> set[Operation]:
    """All ops less those without effects whose results only such ops use."""
    ops = [op for op in walk_ops(func) if op is not func]
    needed = set(ops)

    def has_check(op: Operation) -> bool:
        return isinstance(op, MatchCastOp) or any(
            has_check(inner)
            for region in op.regions
            if not isinstance(op, ClosureOp)
            for inner in region.block.ops
            if inner in needed
        )

    def is_used(value: SSAValue) -> bool:
        return any(
            use.operation in needed
            and (
                not isinstance(use.operation, OutputOp)
                or is_used(_result_of(use.operation, use.index))
            )
            for use in value.uses
        )

    while True:
        dead = [
            op
            for op in ops
            if op in needed
            and not op.has_trait(IsTerminator)
            and not has_check(op)
            and not any(map(is_used, op.results))
        ]
        if not dead:
            return needed
        for op in dead:
            needed.difference_update(walk_ops(op))


def _result_of(output: Operation, index: int) -> SSAValue:
    block = output.parent_op()
    assert isinstance(block, BlockOp)
    return block.results[index]


@dataclass
class Places:
    """Where the ops of a function are evaluated: the region of a branch, a closure or the function."""

    needed: set[Operation]
    memo: dict[Operation, Block] = field(default_factory=dict)

    def place(self, op: Operation) -> Block:
        if op not in self.memo:
            self.memo[op] = self._find(op)
        return self.memo[op]

    def _find(self, op: Operation) -> Block:
        if not _in_graph(op) or isinstance(op, LetOp) or op.has_trait(IsTerminator):
            return _frame(op.parent)
        if any(isinstance(each, MatchCastOp) for each in walk_ops(op) if each in self.needed):
            return _frame(op.parent)  # what checks stays where it is written
        uses = [
            self._path(self.place(user)) for result in op.results for user in self._users(result)
        ]
        common = [step[0] for step in zip(*uses) if all(s is step[0] for s in step)]
        around = [op.parent]
        while (holder := around[-1].parent_op()) is not None and holder.parent is not None:  # pyright: ignore
            around.append(holder.parent)
        for number, block in enumerate(common):  # nothing sinks into a loop
            if isinstance(block.parent_op(), WhileOp) and block not in around:
                return common[number - 1]
        return common[-1]

    def _path(self, block: Block) -> list[Block]:
        """The regions around a place, outermost first, as they lie once every op is in its own place."""
        path = [block]
        while not isinstance(owner := path[-1].parent_op(), FuncOp):
            assert owner is not None
            path.append(self.place(owner))
        return path[::-1]

    def _users(self, value: SSAValue) -> list[Operation]:
        found: list[Operation] = []
        for use in value.uses:
            user = use.operation
            if user not in self.needed:
                continue
            if isinstance(user, OutputOp):
                result = _result_of(user, use.index)
                inner = self._users(result)
                # nothing leaves a graph that stands in ordered text
                found += inner if _in_graph(result.owner) or not inner else [user]  # pyright: ignore
            else:
                found.append(user)
        return found


def _frame(block: Block | None) -> Block:
    """The region of a branch, closure or function that a block is part of."""
    while isinstance(block.parent_op(), BlockOp):  # pyright: ignore
        block = block.parent_op().parent  # pyright: ignore
    assert block is not None
    return block


@cache
def _in_graph(op: Operation) -> bool:
    """Whether an op is a node that may sink."""
    around = op.parent_op()
    while not isinstance(around, GraphOp | BindingBlockOp | DataflowOp | FuncOp):
        assert around is not None
        around = around.parent_op()
    return isinstance(around, GraphOp)


@dataclass(eq=False)
class Region:
    """A region that has been entered, and the values evaluated in it."""

    block: Block
    around: Region | None
    values: dict[SSAValue, Any] = field(default_factory=dict)


class Evaluation:
    """Evaluates a function, each op in the innermost region entered that is its place."""

    def __init__(self, func: FuncOp):
        self.func = func
        self.places = Places(needed_ops(func))
        self.placed: dict[Block, list[Operation]] = {}
        for op in walk_ops(func):
            if op in self.places.needed:
                self.placed.setdefault(self.places.place(op), []).append(op)

    def run(self, *args: Any) -> Any:
        return self.enter(self.func.body.block, None, args)

    def enter(self, block: Block, around: Region | None, args: tuple[Any, ...]) -> Any:
        return self.results(block, around, args)[0]

    def results(self, block: Block, around: Region | None, args: tuple[Any, ...]) -> list[Any]:
        """Evaluate what has its place in a region, and give what the region does."""
        region = Region(block, around, dict(zip(block.args, args)))
        for op in self.placed[block]:
            for result in op.results:
                if not isinstance(op, BlockOp):
                    self.value(result, region)
        assert block.last_op is not None
        return [self.value(operand, region) for operand in block.last_op.operands]

    def value(self, value: SSAValue, region: Region | None) -> Any:
        if isinstance(value, OpResult) and isinstance(value.op, BlockOp):
            return self.value(value.op.output.operands[value.index], region)
        place = self.places.place(value.op) if isinstance(value, OpResult) else value.owner
        while region is not None and region.block is not place:
            region = region.around
        assert region is not None, "a use lies in the place of what it uses"
        if value not in region.values:
            assert isinstance(value, OpResult)
            found = self.evaluate(value.op, region)
            several = isinstance(value.op, WhileOp)
            region.values.update(zip(value.op.results, found if several else [found]))
        return region.values[value]

    def evaluate(self, op: Operation, region: Region) -> Any:
        args = [self.value(operand, region) for operand in op.operands]
        match op:
            case LetOp() | MatchCastOp():
                return args[0]
            case IfOp():
                branch = op.then_region if args[0] else op.else_region
                return self.enter(branch.block, region, ())
            case WhileOp():
                state = args
                while self.enter(op.condition.block, region, tuple(state)):
                    state = self.results(op.body.block, region, tuple(state))
                return state
            case ClosureOp():
                return lambda *given: self.enter(op.body.block, region, given)
            case CallClosureOp():
                return args[0](*args[1:])
            case CallPurePackedOp():
                return packed(op)(*args)
            case _:
                return np.asarray(evaluate(op, *args)[0])
