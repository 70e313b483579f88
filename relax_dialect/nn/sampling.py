"""The next token of each sequence, drawn by temperature, top-k and top-p."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.nn.module import emit, sizes


def sample(logits: Any, key: Any, temperature: Any, top_k: Any, top_p: Any) -> Any:
    """Return tokens [batch], of i64, by logits [batch, words] and a key of random numbers, of i64.

    `temperature` and `top_p` are f32, `top_k` is i64, each of rank 0. A temperature of 0 takes the most
    likely word. Others draw among the `top_k` most likely words (all for 0), and of these among the fewest
    whose probabilities sum to `top_p` (Holtzman and others, 2020).
    """
    logits = emit(logits)
    best = op.argmax(logits, -1)
    divisor = op.where(op.greater(temperature, 0.0), temperature, 1.0)
    order = emit(op.argsort(logits, -1, descending=True, dtype="i64"))
    ranked = emit(op.gather_elements(logits, order, 1) / divisor)
    kept = emit(op.where(_within(ranked, top_k, top_p), ranked, -np.inf))
    batch = sizes(logits)[0]
    uniform = op.random_uniform(key, [batch, 1])
    rows = op.expand_dims(op.arange(0, batch, 1), [1])
    place = op.multinomial_from_uniform(op.softmax(kept, -1), uniform, op.astype(rows, "i64"))
    drawn = op.squeeze(op.gather_elements(order, emit(place), 1), [1])
    return op.where(op.greater(temperature, 0.0), drawn, best)


def _within(ranked: Value, top_k: Any, top_p: Any) -> Any:
    """Return which of the words, the most likely first, may be drawn: always the first."""
    places = emit(op.arange(0, sizes(ranked)[1], 1))
    likely = emit(op.softmax(ranked, -1))
    before = op.cumsum(likely, 1) - likely
    by_count = op.logical_or(op.less_equal(top_k, 0), op.less(places, top_k))
    by_sum = op.less(before, top_p)
    return op.logical_or(op.equal(places, 0), op.logical_and(by_count, by_sum))
