"""Walks over ops and blocks that do not recurse, and the names of symbols."""

from __future__ import annotations

from collections.abc import Container, Iterator

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue


def symbol_name(op: Operation) -> str | None:
    """Return the symbol that an op defines."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def unique_name(base: str, taken: Container[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def is_private(op: Operation) -> bool:
    """Return whether a symbol is known in its module only."""
    visibility = op.get_attr_or_prop("sym_visibility")
    return isinstance(visibility, StringAttr) and visibility.data == "private"


def walk_ops(root: Operation) -> Iterator[Operation]:
    """Yield an op and all ops nested in it, in the order of the text; linear also for deep nesting."""
    stack = [root]
    while stack:
        op = stack.pop()
        yield op
        if not op.regions:
            continue
        for region in reversed(op.regions):
            block = region.last_block
            while block is not None:
                inner = block.last_op
                while inner is not None:
                    stack.append(inner)
                    inner = inner._prev_op  # pyright: ignore[reportPrivateUsage] - half of the time
                block = block.prev_block


def discard(block: Block) -> None:
    """Drop the operands of all ops of a block, nested ones included.

    xDSL's `drop_all_references` does this too, but recurses once for each level.
    """
    for op in block.ops:
        for inner in walk_ops(op):
            inner.operands = ()


def blocks_of(op: Operation) -> list[Block]:
    """Return the blocks of an op's regions, without those nested deeper."""
    return [block for region in op.regions for block in region.blocks]


def defining_block(value: SSAValue) -> Block | None:
    """Return the block of an argument, or of the op whose result a value is; None if the op is detached."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent
