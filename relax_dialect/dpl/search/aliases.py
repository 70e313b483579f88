"""The program as patterns see it: values through the bindings and blocks that pass them on.

A block's result is the value that its `relax.output` passes out, and a `relax.let` is the value it
binds. So a pattern matches the same in graph form, in A-normal form and in dataflow blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import CallableOpInterface

from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.control import ClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import LetOp


def through_blocks(value: SSAValue) -> SSAValue:
    """Return the value that a block's result aliases; any other value is itself."""
    while isinstance(value, OpResult) and isinstance(value.op, BlockOp):
        value = value.op.output.operands[value.index]
    return value


def source(value: SSAValue) -> SSAValue:
    """Return the value that blocks and lets pass on: two are one to a pattern if their sources are one."""
    while isinstance(value, OpResult):
        op = value.op
        if isinstance(op, LetOp):
            value = op.operands[0]
        elif isinstance(op, BlockOp):
            value = op.output.operands[value.index]
        else:
            break
    return value


def is_parameter(value: SSAValue) -> bool:
    """Return whether a value is a parameter of a function or closure, or of a block that is in no op."""
    if not isinstance(value, BlockArgument):
        return False
    parent = value.block.parent_op()
    return (
        parent is None
        or isinstance(parent, FuncOp | ClosureOp)
        or has_trait(parent, CallableOpInterface)
    )


def owner(value: SSAValue) -> Operation | None:
    """Return the op that defines a value, looking through bindings; None for a parameter."""
    found = source(value)
    return found.op if isinstance(found, OpResult) else None


def users(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use a value, seen through bindings; a terminator where it leaves a region."""
    work = [value]
    while work:
        for use in work.pop().uses:
            op = use.operation
            if isinstance(op, LetOp):
                work.append(op.result)
            elif isinstance(op, OutputOp):
                block = op.parent_op()
                assert isinstance(block, BlockOp)
                work.append(block.results[use.index])
            else:
                yield op
