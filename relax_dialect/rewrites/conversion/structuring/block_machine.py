"""Blocks as one loop over the number of the next block: for graphs that are no nest.

    %state, %slots... = scf.while (number of the first block, arguments of the first block) {
      scf.condition(%state != number of the exit) ...
    } do {
      scf.if (%state == 1) { ops of block 1; yield number of the next block, slots } else { ... }
    }

A slot holds an argument of a block, or a value that other blocks use. The entry runs before the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.builder import Builder
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.walk import defining_block
from relax_dialect.rewrites.conversion.structuring.block_nest import erase_last
from relax_dialect.rewrites.conversion.structuring.blocks import Blocks, Edge, edges

INDEX = IndexType()


@dataclass
class _Leaving:
    """A terminator that has been taken out of its block."""

    edges: Sequence[Edge]
    condition: SSAValue | None
    location: LocationAttr

    @classmethod
    def of(cls, block: Block) -> _Leaving:
        leaving, last = [(target, list(args)) for target, args in edges(block)], block.last_op
        assert last is not None
        found = cls(leaving, last.operands[0] if len(leaving) > 1 else None, last.location)
        erase_last(block)
        return found


class BlockMachine:
    """Writes the blocks of a function as a loop."""

    def __init__(self, blocks: Blocks, name: str):
        self.blocks, self.name = blocks, name
        self.inner = [b for b in blocks.order if b is not blocks.entry]
        self.numbers = {block: number for number, block in enumerate(self.inner)}
        self.slots: list[SSAValue] = []
        for block in self.inner:
            outside = (v for v in blocks.used_outside(block) if v not in block.args)
            self.slots += [*block.args, *outside]
        self.types = [INDEX, *(slot.type for slot in self.slots)]

    def write(self) -> Block:
        """Return the one block that the function becomes."""
        entry, exit = self.blocks.entry, self.blocks.exit
        uses = {
            slot: [(use, self.blocks.block_of(use)) for use in slot.uses] for slot in self.slots
        }
        homes = {slot: b for b in self.inner for slot in self.slots if defining_block(slot) is b}
        body = Block(arg_types=self.types)
        state, *held = body.args
        for value, slot in zip(held, self.slots):
            value.name_hint = slot.name_hint
        for slot, value in zip(self.slots, held):
            for use, block in uses[slot]:
                if slot in homes[slot].args or block is not homes[slot]:
                    use.operation.operands[use.index] = value
        leaving = _Leaving.of(entry)
        out = Builder(InsertPoint.at_end(entry))
        first = self._next(leaving, [self._default(out, s.type) for s in self.slots], out)
        condition = Block(arg_types=self.types)
        test = Builder(InsertPoint.at_end(condition))
        last = _number(test, self.numbers[exit])
        more = test.insert(arith.CmpiOp(condition.args[0], last, "ne"))
        test.insert(scf.ConditionOp(more, *condition.args))
        values = self._cases(body, state, held)
        Builder(InsertPoint.at_end(body)).insert(scf.YieldOp(*values))
        loop = out.insert(scf.WhileOp(first, self.types, Region(condition), Region(body)))
        for slot, value, result in zip(self.slots, held, loop.results[1:]):
            result.name_hint = slot.name_hint
            for use in list(value.uses):
                if self.blocks.block_of(use) is exit:
                    use.operation.operands[use.index] = result
        for op in list(exit.ops):
            op.detach()
            entry.add_op(op)
        self.blocks.region.detach_block(entry)
        return entry

    def _cases(self, body: Block, state: SSAValue, held: Sequence[SSAValue]) -> list[SSAValue]:
        """Emit a chain of tests for the number of each block but the exit; returns the state and slots."""
        where, made = body, list[scf.IfOp]()
        cases = [block for block in self.inner if block is not self.blocks.exit]
        for number, block in enumerate(cases):
            is_last = number == len(cases) - 1
            out = Builder(InsertPoint.at_end(where))
            if is_last:
                self._run(block, where, held)
                break
            test = out.insert(arith.CmpiOp(state, _number(out, self.numbers[block]), "eq"))
            self._run(block, chosen := Block(), held)
            made.append(out.insert(scf.IfOp(test, self.types, Region(chosen), Region(Block()))))
            where = made[-1].false_region.block
        if not made:
            end = where.last_op
            assert end is not None
            values = list(end.operands)
            erase_last(where)
            return values
        for outer, inner in pairwise(made):
            outer.false_region.block.add_op(scf.YieldOp(*inner.results))
        return list(made[0].results)

    def _run(self, block: Block, into: Block, held: Sequence[SSAValue]) -> None:
        """Move the ops of a block, and yield the state and the slots after them."""
        leaving = _Leaving.of(block)
        for op in list(block.ops):
            op.detach()
            into.add_op(op)
        own = {s: s for s in self.slots if s.owner not in self.inner and s.owner.parent is into}  # pyright: ignore
        slots = [own.get(slot, value) for slot, value in zip(self.slots, held)]
        out = Builder(InsertPoint.at_end(into))
        out.insert(scf.YieldOp(*self._next(leaving, slots, out)))

    def _next(
        self, leaving: _Leaving, slots: Sequence[SSAValue], out: Builder
    ) -> Sequence[SSAValue]:
        """Return the state and the slots after a block."""

        def along(at: Builder, edge: Edge) -> list[SSAValue]:
            target, args = edge
            passed: dict[SSAValue, SSAValue] = dict(zip(target.args, args))
            kept = [passed.get(s, v) for s, v in zip(self.slots, slots)]
            return [_number(at, self.numbers[target]), *kept]

        if leaving.condition is None:
            return along(out, leaving.edges[0])
        sides = Block(), Block()
        for edge, side in zip(leaving.edges, sides):
            at = Builder(InsertPoint.at_end(side))
            at.insert(scf.YieldOp(*along(at, edge)))
        then, otherwise = map(Region, sides)
        made = out.insert(scf.IfOp(leaving.condition, self.types, then, otherwise))
        inherit([made], leaving.location)
        return made.results

    def _default(self, out: Builder, type: Attribute) -> SSAValue:
        """Return the initial value of a slot."""
        match type:
            case IndexType():
                return _number(out, 0)
            case IntegerType():
                return out.insert(arith.ConstantOp(IntegerAttr(0, type))).result
            case TensorType():
                sizes = [_number(out, 0) for s in type.get_shape() if s == DYNAMIC_INDEX]
                return out.insert(tensor.EmptyOp(sizes, type)).tensor
            case _ if isinstance(type, AnyFloat):
                return out.insert(arith.ConstantOp(FloatAttr(0.0, type))).result
            case _:
                raise RelaxError(
                    f"{self.name}: expected blocks that form branches and loops, or that pass "
                    f"scalars and tensors to each other, found a value of {type}; define it in the first "
                    "block"
                )


def _number(out: Builder, value: int) -> SSAValue:
    return out.insert(arith.ConstantOp(IntegerAttr(value, INDEX))).result
