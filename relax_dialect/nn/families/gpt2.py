"""GPT-2: layer norms, learned positions, and one linear map for queries, keys and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from relax_dialect.builder import op
from relax_dialect.nn.attention import CausalAttention
from relax_dialect.nn.families.decoder import Decoder, read, require
from relax_dialect.nn.kv_cache import OpenCache
from relax_dialect.nn.layers import MLP, Embedding, LayerNorm, Linear
from relax_dialect.nn.module import Module, ModuleList, emit


class FusedAttention(CausalAttention):
    """Attention whose queries, keys and values are one linear map."""

    def __init__(self, width: int, heads: int):
        super().__init__(heads, heads, width // heads)
        self.c_attn = Linear(width, 3 * width)
        self.o_proj = Linear(width, width)

    def projected(self, x: Any) -> Sequence[Any]:
        return emit(op.split(self.c_attn(x), 3, axis=-1))


class GPT2Layer(Module):
    """A layer: attention, then an MLP, each after a norm and added to its input."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float, activation: Any):
        self.ln_1 = LayerNorm(width, epsilon)
        self.attn = FusedAttention(width, heads)
        self.ln_2 = LayerNorm(width, epsilon)
        self.mlp = MLP(width, inner, activation)

    def forward(self, x: Any, cache: Any) -> Any:
        x = emit(x + self.attn(self.ln_1(x), None, cache))
        return x + self.mlp(self.ln_2(x))


class GPT2(Decoder):
    """The decoder of the configuration `gpt2`."""

    PREFIX = "transformer."
    TRANSPOSED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    DROPPED = (".attn.bias", ".attn.masked_bias")
    RENAMED: ClassVar = {
        "mlp.c_fc": "mlp.fc1",
        "mlp.c_proj": "mlp.fc2",
        "attn.c_proj": "attn.o_proj",
    }

    def __init__(self, config: Mapping[str, Any]):
        require(config, "activation_function", "gelu_new", "gelu_pytorch_tanh", "gelu")
        require(config, "scale_attn_by_inverse_layer_idx", False)
        width, heads = read(config, "n_embd"), read(config, "n_head")
        self.words, self.positions = read(config, "vocab_size"), read(config, "n_positions", 1024)
        self.key_heads, self.depth, self.layer_count = (
            heads,
            width // heads,
            read(config, "n_layer"),
        )
        inner = config.get("n_inner") or 4 * width
        epsilon = config.get("layer_norm_epsilon", 1e-5)
        is_exact = config.get("activation_function") == "gelu"
        activation = op.gelu if is_exact else op.gelu_tanh
        self.wte = Embedding(self.words, width)
        self.wpe = Embedding(self.positions, width)
        self.h = ModuleList(
            GPT2Layer(width, heads, inner, epsilon, activation) for _ in range(self.layer_count)
        )
        self.ln_f = LayerNorm(width, epsilon)
        self.is_tied = bool(config.get("tie_word_embeddings", True))
        self.lm_head = Linear(width, self.words, bias=False)
        if self.is_tied:
            self.lm_head.weight = self.wte.weight

    def hidden(self, tokens: Any, cache: OpenCache) -> Any:
        cache.mask(tokens)
        x = emit(self.wte(tokens) + self.wpe(cache.positions(tokens)))
        for layer, own in zip(self.h, cache, strict=True):
            x = layer(x, own)
        return x

    def head(self, x: Any) -> Any:
        return self.lm_head(self.ln_f(x))
