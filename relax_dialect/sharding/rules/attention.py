"""Attention: batches and heads are independent."""

from __future__ import annotations

from relax_dialect.ops import attention as ops
from relax_dialect.sharding.registry import Factors, Labels, shape_of, shards

HEADS: Labels = ("batch", None, "heads", None)


@shards(ops.AttentionOp)
def attention(op: ops.AttentionOp) -> Factors:
    operands = [HEADS] * 3
    if op.bias is not None:
        batch, heads, _, _ = (size is not None and size.value == 1 for size in shape_of(op.bias))
        operands.append((None if batch else "batch", None if heads else "heads", None, None))
    return Factors(operands, [HEADS])


@shards(ops.RotaryEmbeddingOp)
def rotary_embedding(op: ops.RotaryEmbeddingOp) -> Factors | None:
    angles = (*("batch" if shape_of(op.cos)[0] is shape_of(op.x)[0] else None,), None, None)
    if op.position_ids is not None or len(shape_of(op.cos)) != 3 or angles[0] is None:
        return None
    return Factors([HEADS, angles, angles], [HEADS])
