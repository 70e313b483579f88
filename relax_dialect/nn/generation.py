"""The whole loop of generation as one function: the prompt is read, and token after token drawn."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.ir.types import PrimType, ShapeType
from relax_dialect.nn.kv_cache import LayerCache, OpenCache
from relax_dialect.nn.module import builder, emit, sizes

COUNT = "count"
"""The symbolic number of tokens to draw."""
NOW = "now"
"""The symbolic number of tokens that are in the caches before a turn of the loop."""


def generate(
    decoder: Any, tokens: Value, cache: OpenCache, count: Value, end: Value, *asked: Value
) -> list[Value]:
    """Return tokens [batch, count] that follow, and the number that were drawn: fewer where all sequences
    have reached the token `end`, the rest of the row is `end` then. Updates the caches.

    `count` is at least 1; `asked` are key, temperature, top_k and top_p, as for `nn.sample`. The caches
    hold the tokens that were read: all but the last one drawn.
    """
    bb = builder()
    batch, length = sizes(tokens)
    assert isinstance(count.type, PrimType)
    most = count.type.value
    token, key = emit(decoder.draw(tokens, cache, *asked))
    column = bb.emit(op.expand_dims(token, [1]))
    row = op.broadcast_to(op.reshape(end, [1, 1]), [batch, most])
    drawn = bb.emit(op.slice_scatter(row, column, [0], [1], [1], axis=[1]))
    held = bb.emit(op.shape_to_tensor(op.shape([cache.past + length])))
    one = bb.emit(const(1, "i64"))
    padding, further = cache.padding, asked[1:]

    def turn(number: Value, column: Value, key: Value, drawn: Value, *arrays: Value) -> list[Any]:
        shape = op.tensor_to_shape(emit(held + op.expand_dims(number, [0]) - 1))
        bb.match_cast(shape, ShapeType([NOW]))
        now = symbolic.var(NOW)
        layers = [LayerCache(now, *pair) for pair in zip(arrays[::2], arrays[1::2], strict=True)]
        inner = OpenCache(now, layers, padding)
        token, key = emit(decoder.draw(column, inner, key, *further))
        column = bb.emit(op.expand_dims(token, [1]))
        place = bb.emit(op.tensor_to_shape(op.expand_dims(number, [0])))
        place = bb.match_cast(place, ShapeType(["at"]))
        at = symbolic.var("at")
        written = op.slice_scatter(drawn, column, [at], [at + 1], [1], axis=[1])
        return [bb.emit(number + 1), column, key, bb.emit(written), *inner.results]

    def goes_on(number: Value, column: Value, *_: Value) -> Any:
        is_over = op.all(op.equal(column, end))
        return op.logical_and(op.less(number, count), op.logical_not(is_over))

    found = list(bb.while_(goes_on, turn, one, column, key, drawn, *cache.results))
    number, _, _, drawn, *arrays = found
    cache.set(arrays)
    return [drawn, number]
