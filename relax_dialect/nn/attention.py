"""Attention with rotary embeddings, grouped queries, a window and a cache."""

from __future__ import annotations

from collections.abc import Mapping
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


class Attention(Module):
    """Causal attention of `heads` query heads, groups of which share one of `key_heads`, with the names of
    Llama's: [batch, length, width] to [batch, length, width]."""

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
        self.heads, self.key_heads = heads, key_heads or heads
        if heads % self.key_heads:
            raise ModuleError(
                f"Attention: expected a number of key heads that divides {heads}, found "
                f"{self.key_heads}; correct the configuration"
            )
        self.depth, self.window = depth or width // heads, window
        for name, count in (("q", heads), ("k", self.key_heads), ("v", self.key_heads)):
            setattr(self, f"{name}_proj", Linear(width, count * self.depth, bias, dtype))
        out = bias if output_bias is None else output_bias
        self.o_proj = Linear(heads * self.depth, width, out, dtype)

    def forward(
        self, x: Value, angles: Angles | None = None, cache: LayerCache | None = None
    ) -> Any:
        return self.o_proj(self.attended(*self.projected(x), angles, cache))

    def projected(self, x: Value) -> tuple[Any, Any, Any]:
        """Return queries, keys and values of the tokens: [batch, length, heads * depth]."""
        return self.q_proj(x), self.k_proj(x), self.v_proj(x)

    def attended(
        self, query: Any, key: Any, value: Any, angles: Angles | None, cache: LayerCache | None
    ) -> Any:
        """Return what the tokens attend to, [batch, length, heads * depth]."""
        batch, length = sizes(query)[:2]
        query = op.reshape(query, [batch, length, self.heads, self.depth])
        key, value = (
            op.reshape(each, [batch, length, self.key_heads, self.depth]) for each in (key, value)
        )
        if angles is not None:
            query, key = (op.rotary_embedding(each, *angles) for each in (query, key))
        key, value = emit((key, value)) if cache is None else cache.append(key, value)
        query = emit(query)
        if key.dtype != query.dtype:
            key, value = key.astype(query.dtype), value.astype(query.dtype)
        mask = [] if cache is None or cache.mask is None else [cache.mask]
        found = op.attention(
            query, key, value, *mask, causal_mask="BottomRight", window_size=self.window
        )
        return op.reshape(found, [batch, length, self.heads * self.depth])
