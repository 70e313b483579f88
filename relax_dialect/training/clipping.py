"""Limits of the gradients before an optimizer sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, TypeAlias

from xdsl.dialects.builtin import f32, f64

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.training.numbers import within

Clip: TypeAlias = Callable[[BlockBuilder, Sequence[Value]], Sequence[Any]]
"""All gradients of a step, as they are limited; they are emitted by the builder."""


def clip_by_value(limit: float) -> Clip:
    """Each element to `-limit..limit`, PyTorch's clip_grad_value_."""
    within("clip_by_value: limit", limit)
    return lambda builder, gradients: [op.clip(g, -limit, limit) for g in gradients]


def clip_by_norm(limit: float) -> Clip:
    """Scale all gradients by one factor, so that the Euclidean norm of all their elements is at most
    `limit` (Pascanu et al., 2013); `min(limit / (norm + 1e-6), 1)`, PyTorch's clip_grad_norm_."""
    within("clip_by_norm: limit", limit)

    def clipped(builder: BlockBuilder, gradients: Sequence[Value]) -> Sequence[Any]:
        wide = f64 if any(g.dtype == f64 for g in gradients) else f32
        squares = [op.sum(op.square(_as(g, g.dtype, wide))) for g in gradients]
        norm = op.sqrt(reduce(add, squares))
        factor = builder.emit(op.minimum(limit / (norm + 1e-6), 1.0))
        return [g * _as(factor, wide, g.dtype) for g in gradients]

    return clipped


def _as(value: Any, own: Any, dtype: Any) -> Any:
    return value if own == dtype else op.astype(value, dtype)
