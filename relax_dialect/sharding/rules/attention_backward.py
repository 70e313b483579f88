"""Gradients of attention: batches and heads are independent."""

from __future__ import annotations

from relax_dialect.ops import attention_backward as ops
from relax_dialect.sharding.registry import Factors, shards
from relax_dialect.sharding.rules.attention import HEADS


@shards(ops.AttentionBackwardOp)
def attention_backward(op: ops.AttentionBackwardOp) -> Factors | None:
    return None if op.bias is not None else Factors([HEADS] * 4, [HEADS] * 3)
