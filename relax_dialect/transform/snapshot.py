"""A snapshot of a function, to restore when a rewrite is abandoned."""

from __future__ import annotations

from xdsl.ir import Operation

from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.transform.regions import set_type


class Snapshot:
    """The ops inside a root, with their operands, properties and types.

    Ops that were taken out must not have been erased: detach them, without operands.
    """

    def __init__(self, root: Operation):
        inside = list(walk_ops(root))
        blocks = [block for op in inside for block in blocks_of(op)]
        self._blocks = [(block, block.arg_types, tuple(block.ops)) for block in blocks]
        self._ops = [(op, op.operands[:], op.result_types, dict(op.properties)) for op in inside]

    def restore(self) -> None:
        """Restore everything that was changed; ops that were added are dropped."""
        for block, types, ops in self._blocks:
            for argument, type in zip(block.args, types):
                set_type(argument, type)
            kept = set(ops)
            for op in tuple(block.ops):
                op.detach()
                if op not in kept:
                    op.operands = []
            block.add_ops(ops)
        for op, operands, types, properties in self._ops:
            op.operands = operands
            op.properties = properties
            for result, type in zip(op.results, types):
                set_type(result, type)
