"""Checkpoints: blocks and functions of which gradients keep what goes in alone.

relax.func private @layer(%x: T) -> T attributes {checkpoint} { ... }
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

CHECKPOINT = "checkpoint"


def wrong_checkpoint(op: Operation, rule: str) -> str:
    """What is wrong with the attribute that says that an op is a checkpoint."""
    found = op.attributes.get(CHECKPOINT, UnitAttr())
    if isinstance(found, UnitAttr):
        return ""
    return (
        f"expected '{CHECKPOINT}' without a value ({rule}), found {found}; write attributes "
        f"{{{CHECKPOINT}}}, or leave it out"
    )
