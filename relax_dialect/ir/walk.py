"""The parents of values and ops."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue


def defining_block(value: SSAValue) -> Block | None:
    """Return the block of an argument, or of the op whose result a value is; None if the op is detached."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent
