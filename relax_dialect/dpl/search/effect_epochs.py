"""The epochs of an ordered block: an op with an effect ends one.

Ops of one epoch may be reordered subject to dependences. A driver that applies many rules keeps the numbers
while the block changes, so that it need not scan the ops between the ops of a match.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation

from relax_dialect.ir.purity import ModuleSymbols, is_pure


class Epochs:
    """The number of ops with an effect before each op of a block, counted lazily."""

    def __init__(self, lookup: ModuleSymbols):
        self._lookup = lookup
        self._numbers: dict[Block, dict[Operation, int]] = {}

    def are_one(self, ops: Iterable[Operation]) -> bool:
        """Return whether no effect occurs between ops of one block; the last one itself may have one."""
        return len({self._number(op) for op in ops}) == 1

    def _number(self, op: Operation) -> int:
        block = op.parent
        assert block is not None
        numbers = self._numbers.get(block)
        if numbers is None:
            numbers = self._numbers[block] = {}
            count = 0
            for other in block.ops:
                numbers[other] = count
                count += not is_pure(other, self._lookup)
        return numbers[op]

    def forget(self, op: Operation) -> None:
        """Invalidate the counts of the block of an op."""
        if op.parent is not None:
            self._numbers.pop(op.parent, None)

    def placed(self, ops: Iterable[Operation], before: Operation) -> None:
        """Number new ops inserted before another one; an op with an effect invalidates the counts."""
        block = before.parent
        numbers = None if block is None else self._numbers.get(block)
        if block is None or numbers is None:
            return
        for op in ops:
            numbers[op] = numbers[before]
            if not is_pure(op, self._lookup):
                del self._numbers[block]
                return
