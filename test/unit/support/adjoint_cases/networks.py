"""Normalizations, attention, recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}


def joined(results: Any, count: int) -> Any:
    """The elements of all results of an operator."""
    return op.concat([op.reshape(results[i], [-1]) for i in range(count)], 0)


QUERY, KEY = (2, 3, 4, 5), (2, 6, 2, 5)
CASES |= {
    "layer_norm": case(lambda x, g, b: op.layer_norm(x, g, b, [-1]), (2, 3), (3,), (3,)),
    "layer_norm_two": case(
        lambda x, g, b: op.layer_norm(x, g, b, [-1, -2]), (2, 3, 2), (2, 3), (2, 3)
    ),
    "instance_norm": case(lambda x, g, b: op.instance_norm(x, g, b, 1, [2]), (2, 3, 4), (3,), (3,)),
    "group_norm": fixed(lambda x, g, b: op.group_norm(x, g, b, 2, 1, [2]), (2, 4, 3), (4,), (4,)),
    "rms_norm": case(op.rms_norm, (2, 3), (3,)),
    "batch_norm": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1)[0],
        (4, 3),
        (3,),
        (3,),
        (3,),
        (3,),
        low=0.3,
    ),
    "batch_norm_statistics": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1)[2],
        (4, 3),
        (3,),
        (3,),
        (3,),
        (3,),
        low=0.3,
    ),
    "batch_norm_inference": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1, training=False)[0],
        *((4, 3), (3,), (3,), (3,), (3,)),
        low=0.3,
    ),
    "attention": fixed(op.attention, QUERY, KEY, KEY),
    "attention_causal": fixed(
        lambda q, k, v, b: op.attention(q, k, v, b, causal_mask="BottomRight", window_size=3),
        *(QUERY, KEY, KEY, (2, 4, 3, 6)),
    ),
    "rotary_embedding": fixed(op.rotary_embedding, (1, 3, 2, 4), (1, 3, 2), (1, 3, 2)),
    "rotary_embedding_interleaved": fixed(
        lambda x, c, s: op.rotary_embedding(x, c, s, interleaved=True),
        (1, 3, 2, 6),
        (1, 3, 2),
        (1, 3, 2),
    ),
}
CASES |= {
    "layer_norm_bare": case(
        lambda x, g, b: op.layer_norm(x, g, b, [0, 2], center=False, scale=False),
        *((2, 3, 4), (2, 4), (2, 4)),
    ),
    "layer_norm_turned": case(
        lambda x, g, b: op.layer_norm(x, g, b, [2, 0]), (2, 3, 4), (4, 2), (4, 2)
    ),
    "rms_norm_first": case(lambda x, w: op.rms_norm(x, w, [0, 1]), (2, 3, 2), (2, 3)),
    "batch_norm_mean": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 0)[1],
        *((3, 2, 2), (3,), (3,), (3,), (3,)),
        low=0.3,
    ),
    "local_response_norm": case(lambda x: op.local_response_norm(x, 3, 0.7, 0.6, 1.5), (2, 4, 2)),
    "local_response_norm_even": fixed(lambda x: op.local_response_norm(x, 4, 0.5), (1, 3)),
    "dropout": case(lambda x: op.dropout(x)[0], (2, 3)),
    "attention_grouped": fixed(op.attention, (1, 2, 4, 3), (1, 3, 2, 3), (1, 3, 1, 2)),
    "attention_mask": fixed(
        lambda q, k, v: op.attention(q, k, v, np.array([[[[1, 0], [0, 0]]]], bool)),
        *((1, 2, 1, 3), (1, 2, 1, 3), (1, 2, 1, 2)),
    ),
    "attention_backward": fixed(
        lambda g, q, k, v, b: joined(
            op.attention_backward(g, q, k, v, b, causal_mask="TopLeft"), 3
        ),
        *((1, 2, 2, 2), (1, 2, 2, 3), (1, 3, 1, 3), (1, 3, 1, 2), (1, 1, 2, 3)),
    ),
    "attention_var_len": fixed(
        lambda q, k, v: op.attention_var_len(q, k, v, np.array([0, 2, 5]), np.int64(3)),
        *((1, 6, 2, 3), (1, 6, 1, 3), (1, 6, 2, 2)),
    ),
    "attention_var_len_causal": fixed(
        lambda q, k, v: op.attention_var_len(
            *(q, k, v, np.array([1, 2, 5]), np.int64(3), np.array([0, 3, 7]), np.int64(4)),
            causal_mask="BottomRight",
            window_size=2,
        ),
        *((1, 5, 1, 3), (1, 7, 1, 3), (1, 7, 1, 2)),
    ),
}
