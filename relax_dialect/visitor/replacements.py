"""Values that a mutator has replaced, and the ops that are erased for it."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from relax_dialect.ir.walk import blocks_of


class Replacements:
    """The replaced values of one function; ops are erased at the end of their region, as later handlers may
    look at them."""

    def __init__(self, is_dead: Callable[[Operation], bool]):
        self._is_dead = is_dead
        self.values: dict[SSAValue, SSAValue] = {}
        self._doomed: dict[Region | None, list[Operation]] = {}
        """The replaced ops of each region."""
        self._orphans: dict[Block, list[Operation]] = {}
        """The ops that lost a use, by their block."""

    def get(self, value: SSAValue) -> SSAValue:
        """Return the replacement of a value, or the value."""
        return self.values.get(value, value)

    def give_up(self, op: Operation) -> None:
        """Drop the uses of an op to be erased at once: later handlers must not count them."""
        stack = [op]
        while stack:
            current = stack.pop()
            for operand in current.operands:
                self._lost_use(operand)
            current.operands = ()
            stack.extend(o for b in blocks_of(current) for o in b.ops)
        self._doomed.setdefault(op.parent_region(), []).append(op)

    def _lost_use(self, value: SSAValue) -> None:
        if isinstance(value, OpResult) and (block := value.op.parent) is not None:
            self._orphans.setdefault(block, []).append(value.op)

    def leave(self, region: Region) -> None:
        """Erase the replaced ops of a region, then the pure ops that nothing uses any more."""
        self._erase_doomed(self._doomed.pop(region, []))
        for block in region.blocks:
            self._erase_dead(block)

    def _erase_doomed(self, doomed: list[Operation]) -> None:
        for op in doomed:
            for result in op.results:
                if result.first_use is not None:  # in a part that a handler skipped
                    result.replace_all_uses_with(self.values[result])
        for op in doomed:
            op.detach()
            op.erase()

    def _erase_dead(self, block: Block) -> None:
        work = self._orphans.pop(block, [])
        while work:
            op = work.pop()
            if op.parent is not block or not self._is_dead(op):
                continue
            operands = tuple(op.operands)
            op.detach()
            op.erase()
            for operand in operands:
                self._lost_use(operand)
            work.extend(self._orphans.pop(block, []))

    def clear(self) -> None:
        """Reset the state of one function; a handler that raised may have left it half done."""
        for doomed in reversed(self._doomed.values()):
            self._erase_doomed(doomed)
        self._doomed.clear()
        self._orphans.clear()
        self.values.clear()
