"""Memory that ops between others free, once the others are computed together."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation


def free_later(first: Operation, last: Operation) -> None:
    """Move deallocations between two different ops behind the second."""
    if first is last:
        return
    block = last.parent
    assert block is not None
    freed: list[Operation] = []
    op = first.next_op
    while op is not None and op is not last:
        if isinstance(op, memref.DeallocOp):
            freed.append(op)
        op = op.next_op
    for op in reversed(freed):
        op.detach()
        block.insert_op_after(op, last)
