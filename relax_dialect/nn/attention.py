"""Attention with rotary embeddings, grouped queries, a window and a cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.kv_cache import LayerCache
from relax_dialect.nn.layers import Linear
from relax_dialect.nn.module import Module, emit, sizes
from relax_dialect.symbolic import Expr

Angles = tuple[Value, Value]
"""Cosine and sine of the angle of each pair of numbers at each position: [batch, length, pairs]."""


class Rotary(Module):
    """The angles of rotary embeddings (Su and others, 2021): position * base^(-2 i / depth)."""

    def __init__(self, depth: int, base: float = 10000.0, scaling: Mapping[str, Any] | None = None):
        self.speeds = scaled_speeds(
            1.0 / base ** (np.arange(0, depth, 2, dtype=np.float32) / np.float32(depth)),
            scaling or {},
        )

    def forward(self, positions: Value, batch: Expr | int = 1) -> Any:
        """Return the angles of positions [batch, length], or [1, length] for all sequences of a batch."""
        angles = emit(op.expand_dims(op.astype(positions, "f32"), [2]) * self.speeds)
        shape = [batch, sizes(positions)[1], self.speeds.size]
        return tuple(op.broadcast_to(emit(f(angles)), shape) for f in (op.cos, op.sin))


def scaled_speeds(speeds: np.ndarray, scaling: Mapping[str, Any]) -> np.ndarray:
    """Return the speeds of a configuration's `rope_scaling`: linear, or that of Llama 3, which slows down
    the wavelengths above `original_max_position_embeddings / high_freq_factor`."""
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return speeds.astype(np.float32)
    if kind == "linear":
        return (speeds / scaling["factor"]).astype(np.float32)
    if kind != "llama3":
        raise ModuleError(
            f"rope_scaling: expected the type default, linear or llama3, found {kind!r}; this model needs "
            "angles that are not supported"
        )
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    turns = scaling["original_max_position_embeddings"] * speeds / (2 * np.pi)
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return (speeds * (smooth + (1 - smooth) / scaling["factor"])).astype(np.float32)


class CausalAttention(Module):
    """Causal attention of `heads` query heads, groups of which share one of `key_heads`; further classes
    state from which linear maps queries, keys and values come."""

    o_proj: Linear

    def __init__(self, heads: int, key_heads: int, depth: int, window: int | None = None):
        if heads % key_heads:
            raise ModuleError(
                f"Attention: expected a number of key heads that divides {heads}, found {key_heads}; "
                "correct the configuration"
            )
        self.heads, self.key_heads, self.depth, self.window = heads, key_heads, depth, window

    def projected(self, x: Value) -> Sequence[Any]:
        """Return queries, keys and values of the tokens: [batch, length, heads * depth]."""
        raise NotImplementedError

    def forward(
        self, x: Value, angles: Angles | None = None, cache: LayerCache | None = None
    ) -> Any:
        batch, length = sizes(x)[:2]
        counts = self.heads, self.key_heads, self.key_heads
        query, key, value = (
            op.reshape(each, [batch, length, count, self.depth])
            for each, count in zip(self.projected(x), counts, strict=True)
        )
        if angles is not None:
            query, key = (op.rotary_embedding(each, *angles) for each in (query, key))
        key, value = emit((key, value)) if cache is None else cache.append(key, value)
        mask = None if cache is None else cache.mask
        found = op.attention(
            query, key, value, mask, causal_mask="BottomRight", window_size=self.window
        )
        return self.o_proj(op.reshape(found, [batch, length, self.heads * self.depth]))


class Attention(CausalAttention):
    """Attention of [batch, length, width] to the same, with the names of Llama's."""

    def __init__(
        self,
        width: int,
        heads: int,
        key_heads: int | None = None,
        depth: int | None = None,
        bias: bool = False,
        output_bias: bool | None = None,
        window: int | None = None,
        dtype: str = "f32",
    ):
        super().__init__(heads, key_heads or heads, depth or width // heads, window)
        keys = self.key_heads * self.depth
        self.q_proj = Linear(width, heads * self.depth, bias, dtype)
        self.k_proj = Linear(width, keys, bias, dtype)
        self.v_proj = Linear(width, keys, bias, dtype)
        out = bias if output_bias is None else output_bias
        self.o_proj = Linear(heads * self.depth, width, out, dtype)

    def projected(self, x: Value) -> Sequence[Any]:
        return self.q_proj(x), self.k_proj(x), self.v_proj(x)
