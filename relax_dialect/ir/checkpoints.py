"""Checkpoints: blocks and functions for which gradients keep only the inputs.

relax.func private @layer(%x: T) -> T attributes {checkpoint} { ... }
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

CHECKPOINT = "checkpoint"


def wrong_checkpoint(op: Operation, rule: str) -> str:
    """Return the error in the attribute that marks an op as a checkpoint, or "" if it is valid."""
    found = op.attributes.get(CHECKPOINT, UnitAttr())
    if isinstance(found, UnitAttr):
        return ""
    return (
        f"expected '{CHECKPOINT}' without a value ({rule}), found {found}; write attributes "
        f"{{{CHECKPOINT}}}, or leave it out"
    )
