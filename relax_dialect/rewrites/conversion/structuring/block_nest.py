"""Blocks as a nest of branches and loops, if they are one.

A branch ends at the immediate post-dominator of its block; the only exit of a natural loop is its header.
`plan` reads the graph and changes nothing; `write` moves the ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from relax_dialect.ir.locations import inherit
from relax_dialect.ir.walk import defining_block
from relax_dialect.rewrites.conversion.structuring.blocks import Blocks, edges
from relax_dialect.transform.regions import erase

DEEPEST = 200
"""Branches and loops that nest deeper than this are left to a block machine."""


@dataclass(frozen=True)
class StraightBlock:
    """A block that one edge leaves."""

    block: Block


@dataclass(frozen=True)
class Branch:
    """A block with two outgoing edges, and the plans from each of them to their join."""

    block: Block
    sides: tuple[Plan, Plan]
    join: Block


@dataclass(frozen=True)
class Loop:
    """The header of a loop and its body, which is entered where the condition has the value `enters`."""

    header: Block
    blocks: frozenset[Block]
    body: Plan
    enters: bool


Plan: TypeAlias = "list[StraightBlock | Branch | Loop]"


class Planner:
    """Finds the nest of blocks; `plan` returns None if they are none."""

    def __init__(self, blocks: Blocks):
        self.blocks = blocks
        self.joins: Mapping[Block, Block] = blocks.post_dominators()
        self.seen: set[Block] = set()

    def plan(self) -> Plan | None:
        return self._until(self.blocks.entry, self.blocks.exit, 0)

    def _until(self, block: Block, stop: Block, depth: int) -> Plan | None:
        """Return the steps from a block up to, but not including, `stop`; None if the blocks are no
        nest."""
        found: Plan = []
        while block is not stop:
            if block in self.seen or block not in self.joins or depth > DEEPEST:
                return None
            self.seen.add(block)
            inside = self.blocks.natural_loop(block)
            step = self._loop(block, inside, depth) if inside else self._step(block, depth)
            if step is None:
                return None
            found.append(step)
            block = _next(step)
        return found

    def _step(self, block: Block, depth: int) -> StraightBlock | Branch | None:
        leaving = edges(block)
        if len(leaving) == 1:
            return StraightBlock(block)
        join = self.joins[block]
        taken, other = (self._until(target, join, depth + 1) for target, _ in leaving)
        return None if taken is None or other is None else Branch(block, (taken, other), join)

    def _loop(self, header: Block, inside: set[Block], depth: int) -> Loop | None:
        targets = [target for target, _ in edges(header)]
        stays = [target in inside for target in targets]
        if sorted(stays) != [False, True]:
            return None
        leaves = (s for b in inside - {header} for s in self.blocks.successors[b])
        if not inside.issuperset(leaves):
            return None
        body = self._until(targets[stays.index(True)], header, depth + 1)
        return None if body is None else Loop(header, frozenset(inside), body, stays[0])


def _next(step: StraightBlock | Branch | Loop) -> Block:
    match step:
        case StraightBlock(block):
            return edges(block)[0][0]
        case Branch(join=join):
            return join
        case Loop(header=header, enters=enters):
            return edges(header)[enters][0]


class NestWriter:
    """Moves the ops of blocks into a nest."""

    def __init__(self, blocks: Blocks):
        self.blocks = blocks

    def write(self, plan: Plan) -> Block:
        """Return the one block that the function becomes."""
        entry = self.blocks.entry
        body = Block(arg_types=entry.arg_types)
        for new, old in zip(body.args, entry.args):
            new.name_hint = old.name_hint
        values = self._steps(plan, body, body.args)
        _enter(self.blocks.exit, values)
        _move(self.blocks.exit, body)
        return body

    def _steps(self, plan: Plan, into: Block, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Write steps at the end of a block; the arguments of the block that follows them."""
        for step in plan:
            match step:
                case StraightBlock(block):
                    _enter(block, values)
                    _move(block, into)
                    values = _values(into, 0)
                    erase_last(into)
                case Branch():
                    values = self._branch(step, into, values)
                case Loop():
                    values = self._loop(step, into, values)
        return values

    def _branch(self, step: Branch, into: Block, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        _enter(step.block, values)
        _move(step.block, into)
        last = into.last_op
        assert isinstance(last, cf.ConditionalBranchOp)

        def side(number: int) -> Region:
            block = Block()
            given = self._steps(step.sides[number], block, _values(into, number))
            block.add_op(scf.YieldOp(*given))
            return Region(block)

        sides = side(0), side(1)
        made = scf.IfOp(last.cond, step.join.arg_types, *sides)
        _put_in_place_of(last, made)
        return made.results

    def _loop(self, step: Loop, into: Block, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        header = step.header
        outside = self.blocks.used_outside(header)
        last = header.last_op
        assert isinstance(last, cf.ConditionalBranchOp)
        stay, leave = (1 - step.enters, int(step.enters))
        passed = list(
            dict.fromkeys([*outside, *_own(header, [*_values(header, 0), *_values(header, 1)])])
        )
        before = Block(arg_types=header.arg_types)
        after = Block(arg_types=[v.type for v in passed])
        for new, old in (*zip(before.args, header.args), *zip(after.args, passed)):
            new.name_hint = old.name_hint
        inner: dict[SSAValue, SSAValue] = dict(zip(passed, after.args))
        loop = scf.WhileOp(values, [v.type for v in passed], Region(before), Region(after))
        outer: dict[SSAValue, SSAValue] = dict(zip(passed, loop.results))
        body_values = [inner.get(v, v) for v in _values(header, stay)]
        left_values = [outer.get(v, v) for v in _values(header, leave)]
        for value in outside:
            for use in list(value.uses):
                user = self.blocks.block_of(use)
                if user is not header:
                    new = inner if user in step.blocks else outer
                    use.operation.operands[use.index] = new[value]
        for result, value in zip(loop.results, passed):
            result.name_hint = value.name_hint
        replaced: dict[SSAValue, SSAValue] = dict(zip(header.args, before.args))
        _enter(header, before.args)
        _move(header, before)
        out = Builder(InsertPoint.before(last))
        test = last.cond
        if not step.enters:
            true = out.insert(arith.ConstantOp(IntegerAttr(1, i1)))
            test = out.insert(arith.XOrIOp(test, true.result)).result
        _put_in_place_of(last, scf.ConditionOp(test, *(replaced.get(v, v) for v in passed)))
        into.add_op(loop)
        inherit([loop], last.location)
        after.add_op(scf.YieldOp(*self._steps(step.body, after, body_values)))
        return left_values


def _own(block: Block, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Return the values that a block defines, or is passed."""
    return [v for v in values if defining_block(v) is block]


def _enter(block: Block, values: Sequence[SSAValue]) -> None:
    """Replace the arguments of a block by the values passed to it."""
    for argument, value in zip(block.args, values, strict=True):
        if value.name_hint is None:
            value.name_hint = argument.name_hint
        argument.replace_all_uses_with(value)


def _move(block: Block, into: Block) -> None:
    for op in list(block.ops):
        op.detach()
        into.add_op(op)


def _values(block: Block, number: int) -> Sequence[SSAValue]:
    """Return the values that a block passes along one of its outgoing edges."""
    return list(edges(block)[number][1])


def erase_last(block: Block) -> None:
    """Remove the terminator of a block."""
    assert block.last_op is not None
    erase(block.last_op)


def _put_in_place_of(old: Operation, new: Operation) -> None:
    assert old.parent is not None
    inherit([new], old.location)
    old.parent.insert_op_before(new, old)
    erase(old)
