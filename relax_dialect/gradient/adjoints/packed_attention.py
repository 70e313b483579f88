"""Attention of packed sequences as a composition to differentiate."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.attention import seen
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ops import packed_attention as ops


@expansion(ops.AttentionVarLenOp)
def attention_var_len(of: Applied[ops.AttentionVarLenOp]) -> Any:
    """Attention of all queries to all keys, with the keys of other sequences masked."""
    _, _, _, starts_q, _, *of_keys = of.inputs
    starts_q = starts_q.astype("i64")
    starts_k = of_keys[0].astype("i64") if of_keys else starts_q
    query, key = (op.arange(0, of.sizes(i)[1], 1) for i in (0, 1))
    number = _sequence(query, starts_q)
    keep = op.logical_and(
        op.expand_dims(number, [1]) == _sequence(key, starts_k),
        op.expand_dims(op.logical_and(number >= 0, query < _at(starts_q, -1)), [1]),
    )
    if of.op.causal_mask is not None:
        last = _at(starts_k, number) + query - _at(starts_q, number)
        if of.op.causal_mask == "BottomRight":
            last = last + op.abs(_length(starts_k, number) - _length(starts_q, number))
        keep = op.logical_and(keep, seen(of, key, op.expand_dims(last, [1])))
    query, key, value = of.inputs[:3]
    return op.attention(query, key, value, op.expand_dims(keep, [0, 1]), of.op.scale)


def _sequence(places: Any, starts: Any) -> Any:
    """Return the index of the sequence that contains each position, -1 before the first one."""
    begun = starts <= op.expand_dims(places, [1])
    return op.sum(begun.astype("i64"), [1]) - 1


def _at(starts: Any, number: Any) -> Any:
    """Return the start of sequences; that of -1 is the end of the last one."""
    if isinstance(number, int):
        return op.take(starts, op.full([1], number, "i64"), 0)
    return op.take(starts, number, 0, "clip")


def _length(starts: Any, number: Any) -> Any:
    """The lengths of sequences."""
    return _at(starts, number + 1) - _at(starts, number)
