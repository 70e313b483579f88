"""Attention and recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import WIDE, Draw, Values, normal, some_special
from peers.libraries import by_onnx, by_torch, functional, onnx_runtime, torch
from peers.registry import Build, Meaning, peer
from peers.table.backward import differentiated
from relax_dialect.ops import attention as ops
from relax_dialect.ops import recurrent
from relax_dialect.ops.attention_backward import AttentionBackwardOp
from relax_dialect.ops.packed_attention import AttentionVarLenOp

SUMS: dict[str, float] = {"cancels": 10, "digits": 10}


@peer("attention", "attention_backward", **SUMS)
def attention(d: Draw) -> tuple[Build, Meaning]:
    """PyTorch's heads stand before the sequence, ours after it."""
    is_back = d.operator == "attention_backward"
    dtype, batch = d.one((*WIDE, "float16")), d.size((0, 1, 2, 3))
    groups, own = d.fixed(1, 3), d.fixed(1, 2)
    mask = d.one((None, None, "TopLeft", "BottomRight", "bias", "boolean"))
    # PyTorch adds -inf for False, and has 0 for a NaN among queries of f16
    exact = mask in (None, "bias") and dtype != "float16" and not is_back
    values = some_special if exact else normal
    d.unknown = 0.0  # heads that divide others do so provably
    heads, queries, keys = groups * own, d.size((1, 2, 3, 5, 7)), d.size((1, 2, 3, 5, 9))
    depth = d.size((1, 2, 3, 8))
    d.array([batch, queries, heads, depth], dtype, values)
    d.array([batch, keys, own, depth], dtype, values)
    d.array([batch, keys, own, d.size((1, 2, 5))], dtype, values)
    scale = d.maybe(0.25)
    window = d.whole(1, 4) if mask in ("TopLeft", "BottomRight") and d.flag() else None
    if mask in ("bias", "boolean"):
        d.array(
            [1 if d.flag() else n for n in (batch, heads, queries, keys)],
            dtype if mask == "bias" else "bool",
            normal,
        )

    def theirs(q: Any, k: Any, v: Any, bias: Any = None) -> Any:
        given = [each.transpose(1, 2) for each in (q, k, v)]
        if mask in ("TopLeft", "BottomRight"):
            m, n = q.shape[1], k.shape[1]
            distance = torch.arange(n) - torch.arange(m)[:, None]
            distance = distance - abs(n - m) * (mask == "BottomRight")  # as TVM has it
            bias = distance <= 0
            if window is not None:
                bias = bias & (distance > -window)
        if bias is not None:
            bias = bias.expand(q.shape[0], heads, q.shape[1], k.shape[1])
        made = functional.scaled_dot_product_attention(
            *given, attn_mask=bias, scale=scale, enable_gqa=groups > 1
        )
        return made.transpose(1, 2)

    causal = mask if mask in ("TopLeft", "BottomRight") else None
    how: Any = {"scale": scale, "causal_mask": causal, "window_size": window}
    if is_back:
        meaning = differentiated(d, theirs, 3)
        return lambda *a: AttentionBackwardOp(*a, **how), meaning
    return lambda *a: ops.AttentionOp(*a, **how), by_torch(theirs)


@peer("attention_var_len", **SUMS)
def attention_var_len(d: Draw) -> tuple[Build, Meaning]:
    """Each sequence by itself."""
    dtype, groups, own = d.one((*WIDE, "float16")), d.fixed(1, 3), d.fixed(1, 2)
    queries, keys, count = d.size((1, 3, 8, 13)), d.size((2, 5, 9)), d.size((1, 2, 4))
    causal, scale, depth, width = d.flag(), d.maybe(0.25), d.size((1, 3, 8)), d.size((1, 2, 5))
    d.unknown = 0.0  # heads that divide others do so provably
    for size, heads, last in (
        (queries, groups * own, depth),
        (keys, own, depth),
        (keys, own, width),
    ):
        d.array([1, size, heads, last], dtype, normal)

    def within(size: int) -> Values:
        return lambda x, d: np.sort(d.numbers.integers(0, size + 1, x.shape))

    for size in (queries, keys):
        d.array([count], "int32", within(size))
        d.array([], "int32", lambda x, _, size=size: np.full(x.shape, size))

    def theirs(q: Any, k: Any, v: Any, starts: Any, _: Any, others: Any, *more: Any) -> Any:
        out = torch.zeros((*q.shape[:3], v.shape[3]), dtype=q.dtype)
        for s in range(len(starts) - 1):
            piece, seen = slice(starts[s], starts[s + 1]), slice(others[s], others[s + 1])
            if seen.stop > seen.start and piece.stop > piece.start:
                given = [each.transpose(1, 2) for each in (q[:, piece], k[:, seen], v[:, seen])]
                made = functional.scaled_dot_product_attention(
                    *given, is_causal=causal, scale=scale, enable_gqa=groups > 1
                )
                out[:, piece] = made.transpose(1, 2)
        return out

    mask = "TopLeft" if causal else None
    return lambda *a: AttentionVarLenOp(*a, scale=scale, causal_mask=mask), by_torch(theirs)


@peer("rotary_embedding")
def rotary_embedding(d: Draw) -> tuple[Build, Meaning]:
    batch, length, heads = d.size((1, 2, 3)), d.size((1, 2, 5)), d.size((1, 2, 3))
    half, interleaved = d.fixed(1, 4), d.flag()
    d.array([batch, length, heads, 2 * half], "float32", normal)
    if d.flag():
        table = [d.size((1, 3, 9)), half]
        d.array(table, "float32", normal)
        d.array(table, "float32", normal)
        d.array([batch, length], "int64", lambda x, d: d.numbers.integers(0, table[0], x.shape))
    else:
        d.array([batch, length, half], "float32", normal)
        d.array([batch, length, half], "float32", normal)
    node = by_onnx("RotaryEmbedding", opset=23, interleaved=int(interleaved))

    def theirs(x: np.ndarray, *given: np.ndarray) -> tuple[np.ndarray, ...]:
        (turned,) = node(np.ascontiguousarray(x.transpose(0, 2, 1, 3)), *given)
        return (turned.transpose(0, 2, 1, 3),)

    return lambda *a: ops.RotaryEmbeddingOp(*a, interleaved=interleaved), theirs


GATES = {"rnn": 1, "gru": 3, "lstm": 4}
CELLS: dict[str, tuple[Build, Any]] = {
    "rnn_cell": (recurrent.RnnCellOp, torch.nn.RNNCell),
    "gru_cell": (recurrent.GruCellOp, torch.nn.GRUCell),
    "lstm_cell": (recurrent.LstmCellOp, torch.nn.LSTMCell),
}
SEQUENCES: dict[str, tuple[Build, Any]] = {
    "rnn": (recurrent.RnnOp, torch.nn.RNN),
    "gru": (recurrent.GruOp, torch.nn.GRU),
    "lstm": (recurrent.LstmOp, torch.nn.LSTM),
}


def loaded(module: Any, parameters: tuple[Any, ...]) -> Any:
    """A module of PyTorch with these parameters, in its order."""
    with torch.no_grad():
        for own, given in zip(module.parameters(), parameters):
            own.copy_(given)
    return module


def flat(found: Any) -> list[Any]:
    if isinstance(found, tuple):
        return [each for part in found for each in flat(part)]
    return [found]


@peer(*CELLS, **SUMS)
def cells(d: Draw) -> tuple[Build, Meaning]:
    kind, dtype = d.operator.removesuffix("_cell"), d.one(WIDE)
    build, module = CELLS[d.operator]
    batch, inputs, hidden = d.size((0, 1, 2, 3)), d.size((1, 2, 5)), d.fixed(1, 4)
    rows, states, biased = GATES[kind] * hidden, 1 + (kind == "lstm"), d.flag()
    d.array([batch, inputs], dtype, some_special)
    for _ in range(states):
        d.array([batch, hidden], dtype, normal)
    d.array([rows, inputs], dtype, normal)
    d.array([rows, hidden], dtype, normal)
    for _ in range(2 * biased):
        d.array([rows], dtype, normal)
    how = {"nonlinearity": d.one(("tanh", "relu"))} if kind == "rnn" else {}

    def theirs(x: Any, *given: Any) -> Any:
        made = module(x.shape[1], hidden, biased, dtype=x.dtype, **how)
        loaded(made, given[states:])
        return tuple(flat(made(x, given[:states] if states > 1 else given[0])))

    return lambda *a: build(*a, **how), by_torch(theirs)


@peer(*SEQUENCES, **SUMS)
def networks(d: Draw) -> tuple[Build, Meaning]:
    dtype, (build, module) = d.one(WIDE), SEQUENCES[d.operator]
    steps, batch = d.size((1, 2, 3, 7)), d.size((1, 2, 3))
    inputs, hidden = d.size((1, 2, 5)), d.fixed(1, 4)
    both, first, biased = d.flag(), d.flag(), d.flag()
    rows, states = GATES[d.operator] * hidden, 1 + (d.operator == "lstm")
    d.array([batch, steps, inputs] if first else [steps, batch, inputs], dtype, some_special)
    for _ in range(states):
        d.array([1 + both, batch, hidden], dtype, normal)
    d.array([1 + both, rows, inputs], dtype, normal)
    d.array([1 + both, rows, hidden], dtype, normal)
    for _ in range(2 * biased):
        d.array([1 + both, rows], dtype, normal)
    how = {"nonlinearity": d.one(("tanh", "relu"))} if d.operator == "rnn" else {}

    def theirs(x: Any, *given: Any) -> Any:
        made = module(
            x.shape[2],
            hidden,
            bias=biased,
            batch_first=first,
            bidirectional=both,
            dtype=x.dtype,
            **how,
        )
        parameters = [p[place] for place in range(1 + both) for p in given[states:]]
        loaded(made, tuple(parameters))
        return tuple(flat(made(x, given[:states] if states > 1 else given[0])))

    direction = "bidirectional" if both else "forward"
    return lambda *a: build(*a, direction=direction, batch_first=first, **how), by_torch(theirs)


ORDERS = {"rnn": [0], "gru": [1, 0, 2], "lstm": [0, 3, 1, 2]}
"""The places of ONNX's gates in ours."""


@peer(*SEQUENCES, **SUMS)
def networks_by_onnx(d: Draw) -> tuple[Build, Meaning]:
    """The reverse direction, and the reset before the product."""
    build, gates = SEQUENCES[d.operator][0], ORDERS[d.operator]
    steps, batch = d.size((1, 2, 3, 7)), d.size((1, 2, 3))
    inputs, hidden = d.size((1, 2, 5)), d.fixed(1, 4)
    direction = d.one(("forward", "reverse", "bidirectional"))
    ways, rows, states = (
        1 + (direction == "bidirectional"),
        len(gates) * hidden,
        1 + (d.operator == "lstm"),
    )
    d.array([steps, batch, inputs], "float32", normal)
    for _ in range(states):
        d.array([ways, batch, hidden], "float32", normal)
    for shape in ([ways, rows, inputs], [ways, rows, hidden], [ways, rows], [ways, rows]):
        d.array(shape, "float32", normal)
    after = d.operator == "gru" and d.flag()
    own: Any = {"linear_before_reset": after} if d.operator == "gru" else {}
    more: Any = {
        "rnn": {"activations": ["Tanh"] * ways},
        "gru": {"linear_before_reset": int(after)},
    }.get(d.operator, {})

    def turned(parameter: np.ndarray) -> np.ndarray:
        blocks = np.split(parameter, len(gates), axis=1)
        return np.concatenate([blocks[gate] for gate in gates], axis=1)

    def theirs(x: np.ndarray, *given: np.ndarray) -> tuple[np.ndarray, ...]:
        w, u, b, c = map(turned, given[states:])
        lengths = np.full(x.shape[1], x.shape[0], np.int32)
        output, *last = onnx_runtime(
            d.operator.upper(),
            [x, w, u, np.concatenate([b, c], 1), lengths, *given[:states]],
            1 + states,
            hidden_size=hidden,
            direction=direction,
            **more,
        )
        return output.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), *last

    return lambda *a: build(*a, direction=direction, **own), theirs
