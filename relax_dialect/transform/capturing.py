"""Captures of ops that become a function: values defined outside, and sizes that no captured value
determines."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.ir.types import ShapeType
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.core import ShapeOp
from relax_dialect.symbolic import var


def captured_values(
    inside: Collection[Operation], holder: Operation | None = None
) -> list[SSAValue]:
    """Return the values from elsewhere that ops use, in the order of their first use.

    `inside` holds the ops nested in them too. The `holder` of a region is one of these; its own operands
    do not count.
    """
    blocks = {block for op in inside for block in blocks_of(op)}
    found: dict[SSAValue, None] = {}
    for op in inside:
        if op is not holder:
            for operand in op.operands:
                owner = operand.owner
                own = owner in blocks if isinstance(owner, Block) else owner in inside
                if not own:
                    found[operand] = None
    return list(found)


def sizes_argument(names: Sequence[str], before: Operation) -> SSAValue:
    """Return a shape of symbolic variables in front of an op: a parameter of its type binds them."""
    block = before.parent
    assert block is not None
    sizes = ShapeType(map(var, names))
    shape = ShapeOp.create(properties={"sizes": sizes.dims}, result_types=[sizes])
    block.insert_op_before(shape, before)
    return shape.result
