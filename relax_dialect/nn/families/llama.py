"""Llama, Mistral and Qwen2: RMS norms, rotary embeddings, grouped queries and gated units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relax_dialect.nn.attention import Attention, Rotary
from relax_dialect.nn.families.decoder import RotaryDecoder, read, require
from relax_dialect.nn.layers import Embedding, Linear, RMSNorm, SwiGLU
from relax_dialect.nn.module import Module, ModuleList, emit


class LlamaLayer(Module):
    """A layer: attention, then gated units, each after a norm and added to its input."""

    def __init__(self, config: Mapping[str, Any], attention: Attention):
        width, epsilon = config["hidden_size"], read(config, "rms_norm_eps", 1e-6)
        self.input_layernorm = RMSNorm(width, epsilon)
        self.self_attn = attention
        self.post_attention_layernorm = RMSNorm(width, epsilon)
        bias = read(config, "mlp_bias", False)
        self.mlp = SwiGLU(width, read(config, "intermediate_size"), bias)

    def forward(self, x: Any, angles: Any, cache: Any) -> Any:
        x = emit(x + self.self_attn(self.input_layernorm(x), angles, cache))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(RotaryDecoder):
    """The decoder of the configurations `llama`, `mistral` and `qwen2`."""

    DROPPED = ("rotary_emb.inv_freq",)

    def __init__(self, config: Mapping[str, Any]):
        require(config, "hidden_act", "silu")
        width, heads = read(config, "hidden_size"), read(config, "num_attention_heads")
        self.words, self.positions = (
            read(config, "vocab_size"),
            read(config, "max_position_embeddings", 2048),
        )
        self.key_heads = read(config, "num_key_value_heads", heads)
        self.depth = read(config, "head_dim", width // heads)
        self.layer_count = read(config, "num_hidden_layers")
        self.embed_tokens = Embedding(self.words, width)
        self.layers = ModuleList(
            LlamaLayer(config, self._attention(config, i)) for i in range(self.layer_count)
        )
        self.norm = RMSNorm(width, read(config, "rms_norm_eps", 1e-6))
        self.lm_head = Linear(width, self.words, bias=False)
        self.is_tied = bool(config.get("tie_word_embeddings", False))
        if self.is_tied:
            self.lm_head.weight = self.embed_tokens.weight
        scaling = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
        base = scaling.get("rope_theta", config.get("rope_theta", 10000.0))
        self.rotary = Rotary(self.depth, base, scaling)

    def _attention(self, config: Mapping[str, Any], layer: int) -> Attention:
        is_qwen = config["model_type"] == "qwen2"
        bias = is_qwen or config.get("attention_bias", False)
        window = config.get("sliding_window")
        if is_qwen and not config.get("use_sliding_window", False):
            window = None
        if window and layer < config.get("max_window_layers", 0) and is_qwen:
            window = None
        return Attention(
            config["hidden_size"], config["num_attention_heads"], self.key_heads, self.depth, bias,
            bias and not is_qwen, window,
        )  # fmt: skip

    def head(self, x: Any) -> Any:
        return self.lm_head(self.norm(x))
