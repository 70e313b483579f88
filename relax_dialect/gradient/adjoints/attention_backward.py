"""The gradient of attention, differentiated as a composition."""

from __future__ import annotations

from typing import Any

from relax_dialect.gradient.adjoints.attention import Attended
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ops.attention_backward import AttentionBackwardOp


@expansion(AttentionBackwardOp)
def attention_backward(of: Applied[AttentionBackwardOp]) -> Any:
    """The products that it consists of, with the scores of all heads at once."""
    forward = Applied(of.op.forward(), of.inputs[1:], of.outputs, of.builder, of.named)
    return Attended(forward).back(of.x)
