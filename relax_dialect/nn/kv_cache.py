"""Caches of keys and values: arrays of the caller with room for `capacity` tokens, written in place.

    cache = KVCache(layers=2, heads=4, depth=64)
    module = nn.export(model, {"forward": {"tokens": tokens, "cache": cache}})

    @forward(%tokens, %past: !relax.prim<past>,
             %layer0_keys: !relax.tensor<[1, length + past + room, 4, 64], f32>, %layer0_values, ...)

A call of `length` tokens writes their keys and values behind those of the `past` tokens, and reads both.
The room that is left is a size like others: with too little of it a call is refused before anything is
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.builder import Value, op
from relax_dialect.builder.values import element_type
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.module import builder, emit, sizes
from relax_dialect.symbolic import Expr

PAST, PADDING = "past", "padding"


@dataclass(frozen=True)
class KVCache:
    """The caches of a model, as a parameter of a function; arrays are [batch, capacity, heads, depth]."""

    layers: int
    heads: int
    """The heads of keys and values, of which grouped queries have fewer."""
    depth: int
    batch: int | str = 1
    dtype: str = "f32"
    length: str = "length"
    """The symbolic size of the tokens that a call reads."""
    ahead: str | None = None
    """The symbolic number of tokens for which room is needed behind those that a call reads."""
    is_padded: bool = False
    """Whether sequences of a batch have lengths of their own: shorter ones begin with padding, whose length
    [batch] is a parameter."""

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "depth"):
            if getattr(self, name) < 1:
                raise ModuleError(
                    f"KVCache: expected {name} of at least 1, found {getattr(self, name)}; correct it"
                )

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays, in the order of the parameters."""
        return [f"layer{i}_{part}" for i in range(self.layers) for part in ("keys", "values")]

    def parameters(self) -> dict[str, Attribute]:
        """Return the parameters that a function takes for the caches, the number of past tokens first."""
        past, length, room = (symbolic.var(name) for name in (PAST, self.length, "room"))
        capacity = length + past + room + (0 if self.ahead is None else symbolic.var(self.ahead))
        array = TensorType([self.batch, capacity, self.heads, self.depth], self.dtype)
        padding = {PADDING: TensorType([self.batch], "i64")} if self.is_padded else {}
        return {PAST: PrimType(past), **padding, **dict.fromkeys(self.names, array)}

    def empty(self, capacity: int, batch: int | None = None) -> list[np.ndarray]:
        """Return arrays with room for `capacity` tokens."""
        count = self.batch if batch is None else batch
        if not isinstance(count, int):
            raise ModuleError(
                f"KVCache.empty: expected the number of sequences, found the size {count!r}; pass batch="
            )
        shape = (count, capacity, self.heads, self.depth)
        return [np.zeros(shape, numpy_dtype(element_type(self.dtype))) for _ in self.names]


@dataclass
class LayerCache:
    """The cache of one layer in a function."""

    past: Expr
    keys: Value
    values: Value
    mask: Value | None = None
    """Which of the keys of each sequence are no padding: [batch, 1, 1, keys]."""

    def append(self, keys: Any, values: Any) -> tuple[Value, Value]:
        """Write the keys and values of new tokens; returns those of all tokens, of the type of the new
        ones."""
        self.keys, all_keys = self._written(self.keys, emit(keys))
        self.values, all_values = self._written(self.values, emit(values))
        return all_keys, all_values

    def _written(self, cache: Value, new: Value) -> tuple[Value, Value]:
        bb, dtype = builder(), new.dtype
        if dtype != cache.dtype:
            new = bb.emit(new.astype(cache.dtype))
        end = self.past + sizes(new)[1]
        written = bb.emit(op.slice_scatter(cache, new, [self.past], [end], [1], axis=[1]))
        held = bb.emit(op.strided_slice(written, [1], [0], [end]))
        batch, length, *rest = sizes(held)
        if length != end:  # in a loop, where the capacity is a size of its own
            held = bb.match_cast(held, TensorType([batch, end, *rest], held.dtype))
        return written, held if held.dtype == dtype else bb.emit(held.astype(dtype))


@dataclass
class OpenCache:
    """The caches of a function that is being exported, layer by layer."""

    past: Expr
    """The number of tokens before those of this call."""
    layers: list[LayerCache] = field(default_factory=list)
    padding: Value | None = None

    def positions(self, tokens: Value) -> Any:
        """Return the positions of tokens [batch, length], of i64: [batch, length], or [1, length] if they
        are the same in all sequences."""
        length = sizes(tokens)[1]
        found = op.expand_dims(op.arange(self.past, self.past + length, 1), [0])
        if self.padding is None:
            return emit(found)
        return emit(op.maximum(found - op.expand_dims(self.padding, [1]), 0))

    def set(self, arrays: Sequence[Value]) -> None:
        """Set the arrays, in the order of the parameters."""
        for layer, keys, values in zip(self.layers, arrays[::2], arrays[1::2], strict=True):
            layer.keys, layer.values = keys, values

    def mask(self, tokens: Value) -> None:
        """Exclude the padding, if there is any, from the attention of all layers."""
        if self.padding is not None:
            keys = op.arange(0, self.past + sizes(tokens)[1], 1)
            mask = emit(op.greater_equal(keys, op.expand_dims(self.padding, [1, 2, 3])))
            for layer in self.layers:
                layer.mask = mask

    def __iter__(self) -> Iterator[LayerCache]:
        return iter(self.layers)

    def __getitem__(self, index: int) -> LayerCache:
        return self.layers[index]

    @property
    def results(self) -> list[Value]:
        """The arrays as they are after the call, in the order of the parameters."""
        return [each for layer in self.layers for each in (layer.keys, layer.values)]


def open_cache(cache: KVCache, values: Sequence[Value]) -> OpenCache:
    """Return the caches whose parameters have these values."""
    past, *arrays = values
    assert isinstance(past.type, PrimType)
    number, padding = past.type.value, arrays.pop(0) if cache.is_padded else None
    pairs = zip(arrays[::2], arrays[1::2], strict=True)
    layers = [LayerCache(number, keys, held) for keys, held in pairs]
    return OpenCache(number, layers, padding)
