"""The lives of a function's buffers: which op of a block uses one first or last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.deallocation import users_in
from lowering.ir.memref_views import VIEW_OPS

LOOKS = (memref.DimOp, *VIEW_OPS)
"""Ops that do not read the contents of a buffer."""


@dataclass
class Lives:
    """The positions of ops in their blocks, also while ops are inserted and replaced."""

    number: dict[Block, dict[Operation, int]] = field(default_factory=dict)

    def at(self, op: Operation) -> int:
        """Return the position of an op in its block."""
        block = op.parent
        assert block is not None
        if op not in self.number.get(block, ()):
            self.number[block] = {o: i for i, o in enumerate(block.ops)}
        return self.number[block][op]

    def set(self, op: Operation, at: int) -> None:
        """Record the position of an op that replaces another, or has been moved behind another."""
        assert op.parent is not None
        self.number[op.parent][op] = at

    def is_last_use(self, op: Operation, buffer: SSAValue, but: Sequence[Operation] = ()) -> bool:
        """Return whether no op of its block, except for some that free it, uses a buffer after an op."""
        assert op.parent is not None
        users = (user for user in users_in(buffer, op.parent) if user not in but)
        return all(self.at(user) <= self.at(op) for user in users)

    def is_first_use(
        self, op: Operation, buffer: SSAValue, but: tuple[type[Operation], ...] = ()
    ) -> bool:
        """Return whether no op of its block, except for ops of some kinds, uses a buffer before an op."""
        assert op.parent is not None
        users = (user for user in users_in(buffer, op.parent) if not isinstance(user, but))
        return all(self.at(user) >= self.at(op) for user in users)
