"""Phi: attention and MLP side by side after one layer norm, and partly rotated heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from relax_dialect.builder import op
from relax_dialect.nn.attention import Attention, Rotary
from relax_dialect.nn.families.decoder import RotaryDecoder, read, require
from relax_dialect.nn.layers import MLP, Embedding, LayerNorm, Linear
from relax_dialect.nn.module import Module, ModuleList


class PhiLayer(Module):
    """A layer: attention and an MLP of one normed input, both added to it."""

    def __init__(self, width: int, heads: int, key_heads: int, inner: int, epsilon: float):
        self.input_layernorm = LayerNorm(width, epsilon)
        self.self_attn = Attention(width, heads, key_heads, bias=True)
        self.mlp = MLP(width, inner, op.gelu_tanh)

    def forward(self, x: Any, angles: Any, cache: Any) -> Any:
        normed = self.input_layernorm(x)
        return x + self.self_attn(normed, angles, cache) + self.mlp(normed)


class Phi(RotaryDecoder):
    """The decoder of the configuration `phi`."""

    RENAMED: ClassVar = {"self_attn.dense.": "self_attn.o_proj."}

    def __init__(self, config: Mapping[str, Any]):
        require(config, "hidden_act", "gelu_new")
        require(config, "qk_layernorm", False)
        width, heads = read(config, "hidden_size"), read(config, "num_attention_heads")
        self.words, self.positions = (
            read(config, "vocab_size"),
            read(config, "max_position_embeddings", 2048),
        )
        self.key_heads = read(config, "num_key_value_heads", heads)
        self.depth, self.layer_count = width // heads, read(config, "num_hidden_layers")
        epsilon, inner = read(config, "layer_norm_eps", 1e-5), read(config, "intermediate_size")
        self.embed_tokens = Embedding(self.words, width)
        self.layers = ModuleList(
            PhiLayer(width, heads, self.key_heads, inner, epsilon) for _ in range(self.layer_count)
        )
        self.final_layernorm = LayerNorm(width, epsilon)
        self.lm_head = Linear(width, self.words)
        scaling = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
        part = scaling.get("partial_rotary_factor", config.get("partial_rotary_factor", 0.5))
        base = scaling.get("rope_theta", config.get("rope_theta", 10000.0))
        self.rotary = Rotary(int(self.depth * part), base, scaling)

    def head(self, x: Any) -> Any:
        return self.lm_head(self.final_layernorm(x))
