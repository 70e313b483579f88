"""Attention of sequences of several lengths, one after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.attention import attended, heads_first, scores, seen, shares
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.demands import require
from relax_dialect.ops.packed_attention import AttentionVarLenOp


def pieces(
    op: AttentionVarLenOp, starts: Array, name: str, longest: Array | None, size: int
) -> list[slice]:
    """Return the slice of every sequence, in the order in which they are checked."""
    places, before = [int(start) for start in starts], 0
    for number, start in enumerate(places):
        if start < before:
            raise RelaxError(f"expected {op.ascending(name)}, found {start} after {before}")
        if number and longest is not None and start - before > int(longest):
            found, limit = start - before, name.replace("seqstart", "max_seqlen")
            raise RelaxError(f"expected {op.not_longer(limit)}, found {found} for {int(longest)}")
        before = start
    if before > size:
        raise RelaxError(f"expected {op.ascending(name)}, found {before} for {size}")
    return [slice(low, high) for low, high in pairwise(places)]


def attention_var_len(
    op: AttentionVarLenOp,
    queries: Array,
    keys: Array,
    values: Array,
    starts: Array,
    longest: Array,
    of_keys: list[Array],
) -> Array:
    """Compute attention sequence by sequence."""
    require(op.demands(*dims(queries, keys, values, starts, longest, *of_keys)))
    found = pieces(op, starts, "seqstart_q", longest, queries.shape[1])
    others, most = (*of_keys, None, None)[:2]
    own = "seqstart_q" if others is None else "seqstart_k"
    key_pieces = pieces(op, starts if others is None else others, own, most, keys.shape[1])
    result = np.zeros((*queries.shape[:3], values.shape[3]), queries.dtype)
    for piece, key_piece in zip(found, key_pieces):
        result[:, piece] = _of_seen(op, queries[:, piece], keys[:, key_piece], values[:, key_piece])
    return result


def _of_seen(op: AttentionVarLenOp, query: Array, key: Array, value: Array) -> Array:
    """Return the means of the values, query by query: a masked value is not read, even if infinite."""
    if np.isfinite(value).all() or not query.shape[1]:
        return attended(op, query, key, value, None)
    (q, k, v), scale = heads_first(op, query, key, value)
    weights, keep = shares(scores(op, q, k, scale, None)), seen(op, q.shape[2], k.shape[2])
    rows = [weights[:, :, i : i + 1, row] @ v[:, :, row] for i, row in enumerate(keep)]
    return np.concatenate(rows, axis=2).transpose(0, 2, 1, 3).astype(query.dtype)


@register_impls
class PackedAttentionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.packed_attention`."""

    attention_var_len = operator_with_attributes(AttentionVarLenOp, attention_var_len)
