"""The blocks of a function or an `scf.execute_region`, and the edges between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, cf, func, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint

from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.locations import inherit
from relax_dialect.transform.regions import erase

Edge = tuple[Block, Sequence[SSAValue]]
"""A block that another one branches to, and the values of its arguments."""


class Blocks:
    """The reachable blocks of a region; all returns or yields are edges to one exit."""

    def __init__(self, region: Region, types: Sequence[Attribute]):
        self.region = region
        for block in list(self.region.blocks):
            if isinstance(last := block.last_op, cf.SwitchOp):
                _expand_switch(block, last)
        self.entry = self.region.blocks[0]
        self.exit = _single_exit(region, types)
        reachable = _reached([self.entry], {b: successors(b) for b in self.region.blocks})
        for block in list(self.region.blocks):
            if block not in reachable and block is not self.exit:
                self.region.erase_block(block, safe_erase=False)
        self.order = [b for b in self.region.blocks if b is not self.exit] + [self.exit]
        self.successors = {block: successors(block) for block in self.order}
        self.predecessors = _reversed(self.successors)
        self._owners = {op: block for block in self.order for op in block.ops}

    def block_of(self, use: Use) -> Block | None:
        """Return the block that contained a use before ops were moved, possibly in a nested region."""
        op: Operation | None = use.operation
        while op is not None and op not in self._owners:
            op = op.parent_op()
        return None if op is None else self._owners[op]

    def used_outside(self, block: Block) -> list[SSAValue]:
        """Return the values of a block that other blocks use."""
        values = [*block.args, *(result for op in block.ops for result in op.results)]
        return [v for v in values if any(self.block_of(use) is not block for use in v.uses)]

    def natural_loop(self, header: Block) -> set[Block]:
        """Return the blocks of the natural loop of a header, which dominates the blocks that branch back
        to it. Empty for a block that is no header."""
        forward = {b: s if b is not header else () for b, s in self.successors.items()}
        around = _reached([self.entry], forward) - {header}
        inside = _reached([header], self.successors)
        latches = [b for b in self.predecessors[header] if b in inside and b not in around]
        backward = {b: p if b is not header else () for b, p in self.predecessors.items()}
        return _reached(latches, backward) | {header} if latches else set()

    def post_dominators(self) -> Mapping[Block, Block]:
        """For each block the next one through which every path to the exit leads; none for blocks from
        which no path leads to it."""
        ends = _reached([self.exit], self.predecessors)
        through: dict[Block, set[Block]] = {b: set(ends) for b in ends} | {self.exit: {self.exit}}
        changing = True
        while changing:
            changing = False
            for block in reversed(self.order):
                if block not in ends or block is self.exit:
                    continue
                after = [through[s] for s in self.successors[block] if s in ends]
                found = set.intersection(*after) | {block}
                changing |= found != through[block]
                through[block] = found
        return {
            block: max(through[block] - {block}, key=lambda b: len(through[b]))
            for block in ends
            if block is not self.exit
        }


def successors(block: Block) -> Sequence[Block]:
    """Return the blocks that a block branches to, each once."""
    last = block.last_op
    return () if last is None else tuple(dict.fromkeys(last.successors))


def edges(block: Block) -> Sequence[Edge]:
    """Return the edges that leave a block: one, or where its condition holds and where it does not."""
    match last := block.last_op:
        case cf.BranchOp():
            return [(last.successor, last.arguments)]
        case cf.ConditionalBranchOp():
            taken = (last.then_block, last.then_arguments)
            return [taken, (last.else_block, last.else_arguments)]
        case func.ReturnOp() | scf.YieldOp():
            return []
        case _:
            what = "nothing" if last is None else last.name
            with blaming(last or block.parent_op()):
                raise RelaxError(
                    "relax-convert-cf-to-scf: expected cf.br, cf.cond_br, cf.switch, func.return or "
                    f"scf.yield at the end of a block, found {what}; end it in one of them"
                )


def _reached(start: Sequence[Block], edges: Mapping[Block, Sequence[Block]]) -> set[Block]:
    found, stack = set(start), list(start)
    while stack:
        new = [b for b in edges[stack.pop()] if b not in found]
        found.update(new)
        stack += new
    return found


def _reversed(edges: Mapping[Block, Sequence[Block]]) -> Mapping[Block, Sequence[Block]]:
    found: dict[Block, list[Block]] = {block: [] for block in edges}
    for block, following in edges.items():
        for each in following:
            found[each].append(block)
    return found


def _single_exit(region: Region, types: Sequence[Attribute]) -> Block:
    """Create the only block that returns or yields: the values to return are its arguments."""
    exit, owner = Block(arg_types=types), region.parent_op()
    assert owner is not None
    kind = func.ReturnOp if isinstance(owner, func.FuncOp) else scf.YieldOp
    exit.add_op(end := kind(*exit.args))
    inherit([end], owner.location)
    for block in list(region.blocks):
        if isinstance(last := block.last_op, kind):
            block.add_op(branch := cf.BranchOp(exit, *last.operands))
            inherit([branch], last.location)
            erase(last)
    region.add_block(exit)
    return exit


def _expand_switch(block: Block, switch: cf.SwitchOp) -> None:
    """Write a switch as a comparison and a branch for each of its cases."""
    region = block.parent
    assert region is not None
    values = () if switch.case_values is None else tuple(switch.case_values.get_values())
    switch.detach()
    for value, target, args in zip(values, switch.case_blocks, switch.case_operand):
        region.insert_block_after(following := Block(), block)
        out = Builder(InsertPoint.at_end(block))
        case = out.insert(arith.ConstantOp(IntegerAttr(value, switch.flag.type)))  # pyright: ignore
        test = out.insert(arith.CmpiOp(switch.flag, case, "eq"))
        branch = out.insert(cf.ConditionalBranchOp(test, target, args, following, ()))
        inherit([case, test, branch], switch.location)
        block = following
    block.add_op(last := cf.BranchOp(switch.default_block, *switch.default_operands))
    inherit([last], switch.location)
    switch.erase()
