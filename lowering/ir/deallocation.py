"""Deallocation: the block that owns memory frees it, after its last use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.memref_views import VIEW_OPS


def users_in(buffer: SSAValue, block: Block) -> Iterator[Operation]:
    """Yield the ops of a block that use a buffer, or contain ops that do."""
    work = [buffer]
    while work:
        for use in work.pop().uses:
            op = use.operation
            if isinstance(op, VIEW_OPS):
                work.append(op.results[0])
            while op.parent is not block:
                parent = op.parent_op()
                assert parent is not None
                op = parent
            yield op


def free_after_last_use(
    block: Block,
    owned: Iterable[SSAValue],
    freeing: Callable[[SSAValue], Operation] = memref.DeallocOp.get,
) -> None:
    """Free the values that a block owns after their last use, unused ones at once."""
    number = {op: i for i, op in enumerate(block.ops)}
    for value in owned:
        last = max(users_in(value, block), key=number.__getitem__, default=value.owner)
        if isinstance(last, Operation):
            block.insert_op_after(freeing(value), last)
        elif block.first_op is not None:
            block.insert_op_before(freeing(value), block.first_op)
