"""The interface that decoders share: logits, the next token, caches, and names of their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from relax_dialect.builder import op
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.nn.attention import Rotary
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.exporting import Spec, control_flow
from relax_dialect.nn.generation import COUNT, generate
from relax_dialect.nn.kv_cache import KVCache, OpenCache
from relax_dialect.nn.layers import Embedding, last
from relax_dialect.nn.module import Module, ModuleList, sizes
from relax_dialect.nn.sampling import sample


class Decoder(Module):
    """A decoder of tokens [batch, length], with caches of keys and values."""

    words: int
    """The size of the vocabulary."""
    positions: int
    """The most tokens that the model has been trained for."""
    layer_count: int
    key_heads: int
    depth: int
    is_tied: bool = False
    """Whether the head has the weight of the embedding."""

    PREFIX: ClassVar[str] = "model."
    """The beginning of names in checkpoints."""
    RENAMED: ClassVar[Mapping[str, str]] = {}
    """Parts of names in checkpoints, and ours."""
    TRANSPOSED: ClassVar[tuple[str, ...]] = ()
    """The ends of names of weights that checkpoints have as [inputs, outputs]."""
    DROPPED: ClassVar[tuple[str, ...]] = ()
    """The ends of names of arrays that are no weights."""

    def hidden(self, tokens: Any, cache: OpenCache) -> Any:
        """Return what the last layer computes: [batch, length, width]."""
        raise NotImplementedError

    def head(self, x: Any) -> Any:
        """Return the scores of all words by the last layer."""
        raise NotImplementedError

    def forward(self, tokens: Any, cache: OpenCache) -> Any:
        """Return the logits after each token: [batch, length, words]."""
        return self.head(self.hidden(tokens, cache))

    def decode(self, tokens: Any, cache: OpenCache) -> Any:
        """Return the logits after the last token: [batch, words]."""
        return self.head(last(self.hidden(tokens, cache)))

    def draw(
        self, tokens: Any, cache: OpenCache, key: Any, temperature: Any, top_k: Any, top_p: Any
    ) -> Any:
        """Return the next token, and the key of the next call: see `nn.sample`."""
        logits = self.decode(tokens, cache)
        return sample(logits, key, temperature, top_k, top_p), op.take(
            op.random_bits(key, [2]), 1, 0
        )

    @control_flow
    def generate(
        self, tokens: Any, cache: OpenCache, count: Any, end: Any, key: Any, temperature: Any,
        top_k: Any, top_p: Any,
    ) -> list[Any]:  # fmt: skip
        """Return the next tokens [batch, count], and how many were drawn: see `nn.generation`."""
        return generate(self, tokens, cache, count, end, key, temperature, top_k, top_p)

    def cache(self, batch: int | str = 1, dtype: str = "f32", is_padded: bool = False) -> KVCache:
        """Return the caches that the decoder takes."""
        return KVCache(
            self.layer_count, self.key_heads, self.depth, batch, dtype, is_padded=is_padded
        )

    def spec(self, *methods: str, cache: KVCache | None = None) -> dict[str, Spec]:
        """Return the arguments of methods for `nn.export`: of forward, decode, draw and generate."""
        cache = cache or self.cache()
        tokens = {"tokens": TensorType([cache.batch, cache.length], "i64"), "cache": cache}
        number, real = TensorType([], "i64"), TensorType([], "f32")
        asked = {"key": number, "temperature": real, "top_k": number, "top_p": real}
        count = {"cache": replace(cache, ahead=COUNT), COUNT: PrimType(COUNT), "end": number}
        known = {"draw": tokens | asked, "generate": tokens | count | asked}
        return {name: known.get(name, tokens) for name in methods}

    def renamed(self, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint under the names and in the layouts of this module, without the
        head that repeats the embedding, and tables that are no weights."""
        found: dict[str, np.ndarray] = {}
        for name, array in arrays.items():
            name = name.removeprefix(self.PREFIX)
            if name.endswith(self.DROPPED) or (self.is_tied and name == "lm_head.weight"):
                continue
            array = array.T if name.endswith(self.TRANSPOSED) else array
            for theirs, ours in self.RENAMED.items():
                name = name.replace(theirs, ours)
            found[name] = array
        return found


class RotaryDecoder(Decoder):
    """A decoder whose layers rotate queries and keys by their positions."""

    embed_tokens: Embedding
    layers: ModuleList
    rotary: Rotary

    def hidden(self, tokens: Any, cache: OpenCache) -> Any:
        angles = self.rotary(cache.positions(tokens), sizes(tokens)[0])
        cache.mask(tokens)
        x = self.embed_tokens(tokens)
        for layer, own in zip(self.layers, cache, strict=True):
            x = layer(x, angles, own)
        return x


def read(config: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """Return a field of a configuration. Raises `ModuleError` if there is none."""
    found = config.get(name, default)
    if found is None:
        raise ModuleError(
            f"config.json: expected {name!r}, found none; take the configuration of the model"
        )
    return found


def require(config: Mapping[str, Any], name: str, *known: Any) -> None:
    """Refuse a field of a configuration that is there and none of the known ones."""
    if (found := config.get(name, known[0])) not in known:
        raise ModuleError(
            f"config.json: expected {name} to be {' or '.join(map(repr, known))}, found {found!r}; this "
            "model is not supported"
        )
