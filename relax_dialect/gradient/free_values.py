"""The ops of a block, and the values captured by ops with regions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.ir.walk import blocks_of


def statements(block: Block) -> list[Operation]:
    """Return the ops of a block but its terminator."""
    return list(block.ops)[:-1]


def terminator(block: Block) -> Operation:
    """Return the op that ends a block."""
    last = block.last_op
    assert last is not None
    return last


class Captures:
    """The values captured by an op and the ops in its regions, each once, in order.

    Results are cached for ops with regions, so that a nest of them is walked once.
    """

    def __init__(self) -> None:
        self._known: dict[Operation, Sequence[SSAValue]] = {}

    def __call__(self, op: Operation) -> Sequence[SSAValue]:
        if not op.regions:
            return op.operands
        if op not in self._known:
            blocks = blocks_of(op)
            found = dict.fromkeys([*op.operands, *(v for b in blocks for v in self.of_block(b))])
            self._known[op] = tuple(found)
        return self._known[op]

    def of_block(self, block: Block) -> Sequence[SSAValue]:
        """Return the same for the ops of a block together."""
        own: set[SSAValue] = {r for op in block.ops for r in op.results}
        own.update(block.args)
        return [v for v in dict.fromkeys(v for op in block.ops for v in self(op)) if v not in own]
