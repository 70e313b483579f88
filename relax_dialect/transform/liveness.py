"""Liveness: the ops that a function needs to evaluate, which are its effects, checks and results, and their
transitive operands.

An op without effects whose results are unused is never evaluated, in any form or at any level, even if its
own check would have failed. Ops with effects and `relax.match_*`, which check, are always live; those in a
closure take effect when it is called, so they do not keep the closure alive. An output of a block is live
if the block's result is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

from xdsl.ir import Block, Operation, OpResult, SSAValue, Use
from xdsl.traits import IsTerminator, RecursiveMemoryEffect

from relax_dialect.ir.purity import ModuleSymbols, has_no_effect, is_pure
from relax_dialect.ir.traits import DefersEffects, has_trait, kind_has
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.transform.regions import erase, remake


@dataclass
class Liveness:
    """The ops in the body of a function that are evaluated, and the block results that are used."""

    ops: set[Operation] = field(default_factory=set)
    outputs: set[SSAValue] = field(default_factory=set)

    def uses(self, op: Operation) -> bool:
        """Return whether an op that is evaluated, or a result of a block that is used, is computed from an
        op."""
        return any(self._is_live(use) for result in op.results for use in result.uses)

    def _is_live(self, use: Use) -> bool:
        block = use.operation.parent_op()
        if isinstance(block, BlockOp) and kind_has(type(use.operation), IsTerminator):
            return block.results[use.index] in self.outputs
        return use.operation in self.ops

    def dead_ops(self, root: Operation) -> list[Operation]:
        """Return the outermost ops inside `root` that are never evaluated."""
        found: list[Operation] = []
        stack = list(_blocks(root))
        while stack:
            for op in stack.pop().ops:
                if op not in self.ops:
                    found.append(op)
                elif op.regions:
                    stack.extend(_blocks(op))
        return found

    def wider_blocks(self) -> list[BlockOp]:
        """Return the evaluated blocks that have unused results."""
        return [op for op in self.ops if _is_block(op) and not self.outputs.issuperset(op.results)]


def find_live(func: Operation, symbols: ModuleSymbols | None = None) -> Liveness:
    """Return the ops of a function that are evaluated; linear, and without recursion."""
    kept = _kept_ops(func, symbols or ModuleSymbols(func))
    live = Liveness()
    pending: list[Operation] = []

    def enter(block: Block) -> None:
        pending.extend(op for op in block.ops if op in kept or kind_has(type(op), IsTerminator))

    def demand(value: SSAValue) -> None:
        """Mark the sources of a value, through the blocks that pass it out."""
        while isinstance(value, OpResult) and _is_block(value.op):
            if value in live.outputs:
                return
            live.outputs.add(value)
            pending.append(value.op)
            value = value.op.output.operands[value.index]
        if isinstance(value, OpResult) and value.op not in live.ops:
            pending.append(value.op)

    for block in _blocks(func):
        enter(block)
    while pending:
        op = pending.pop()
        if op in live.ops:
            continue
        live.ops.add(op)
        if not kind_has(type(op), IsTerminator) or not isinstance(op.parent_op(), BlockOp):
            for operand in op.operands:
                demand(operand)
        for block in _blocks(op) if op.regions else ():
            enter(block)
    return live


def remove_dead_ops(func: Operation, symbols: ModuleSymbols | None = None) -> None:
    """Remove the ops of a function that are never evaluated, and unused block outputs."""
    live = find_live(func, symbols)
    dead = live.dead_ops(func)
    for op in dead:  # they may use each other in any order
        for inner in walk_ops(op):
            inner.operands = ()
    used = {
        block: [i for i, result in enumerate(block.results) if result in live.outputs]
        for block in live.wider_blocks()
    }
    for block, kept in used.items():  # a block may pass out the output of another
        block.output.operands = [block.output.operands[i] for i in kept]
    for block, kept in used.items():
        remake(block, kept)
    for op in dead:
        erase(op)


def _kept_ops(func: Operation, symbols: ModuleSymbols) -> set[Operation]:
    """Return the ops that are evaluated whenever their region is: effects, checks, and ops that contain
    them."""
    kept: set[Operation] = set()
    pure_calls: dict[str, bool] = {}
    for op in reversed(list(walk_ops(func))):  # nested ops come before their parent
        if op is func or kind_has(type(op), IsTerminator):
            continue
        if op not in kept and not isinstance(op, MatchOp) and _is_pure(op, symbols, pure_calls):
            continue
        kept.add(op)
        holder = op.parent_op()
        if holder is not None and not has_trait(holder, DefersEffects):
            kept.add(holder)
    return kept


def _is_pure(op: Operation, symbols: ModuleSymbols, pure_calls: dict[str, bool]) -> bool:
    """Return whether an op is pure, apart from its nested ops."""
    if kind_has(type(op), RecursiveMemoryEffect):
        return True
    if op.name != "relax.call":
        return has_no_effect(op)
    name: str = op.callee_name  # pyright: ignore[reportAttributeAccessIssue]
    if name not in pure_calls:
        pure_calls[name] = is_pure(op, symbols)
    return pure_calls[name]


def _is_block(op: Operation) -> TypeGuard[BlockOp]:
    return bool(op.regions) and isinstance(
        op, BlockOp
    )  # called for every operand: the first test is fast


def _blocks(op: Operation) -> list[Block]:
    return blocks_of(op)
