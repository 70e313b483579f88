"""Attention, as compiled C, against a loop over batches, heads and queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering import lower
from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.attention import OPS, AttentionOp, RotaryEmbeddingOp

from .compiled import Case, Sizes, check, compile_cases, each_case, keep, tensor
from .inputs import ranked, refused, x
from .stopping import both_stop

SIZES = (
    {"n": 3, "m": 5, "b": 2},
    {"n": 5, "m": 3, "b": 1},
    {"n": 1, "m": 1, "b": 3},
    {"n": 4, "m": 0, "b": 1},
    {"n": 0, "m": 2, "b": 2},
    {"n": 6, "m": 1, "b": 1},
)
FEW = SIZES[:2]


def one_query(q: np.ndarray, keys: np.ndarray, values: np.ndarray, bias: np.ndarray) -> Any:
    """The mean of the values, weighted by the powers of the scores."""
    weights = np.array([np.exp((q * k).sum() + b) for k, b in zip(keys, bias)])
    if not weights.sum():
        return np.zeros(values.shape[-1])
    return sum(w * v for w, v in zip(weights, values)) / weights.sum()


def meaning(
    scale: float | None = None, causal: str | None = None, window: int | None = None
) -> Callable:
    def attention(
        q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: np.ndarray | None = None
    ) -> np.ndarray:
        batch, queries, heads, depth = q.shape
        keys = k.shape[1]
        factor = 1 / np.sqrt(depth) if scale is None else scale
        added = np.zeros((batch, heads, queries, keys))
        if bias is not None:
            added = added + (np.where(bias, 0, -np.inf) if bias.dtype == bool else bias)
        if causal is not None:
            shift = {"TopLeft": 0, "BottomRight": abs(queries - keys)}[causal]
            ones = np.ones((queries, keys))
            seen = np.tril(ones, shift)
            seen = seen if window is None else seen - np.tril(ones, shift - window)
            added = np.where(seen == 1, added, -np.inf)
        out = np.zeros((batch, queries, heads, v.shape[3]))
        for b, i, n in np.ndindex(batch, queries, heads):
            head, own = (n * x.shape[2] // heads for x in (k, v))
            wide = q[b, i, n].astype("d") * factor
            out[b, i, n] = one_query(wide, k[b, :, head], v[b, :, own], added[b, n, i])
        return out.astype(q.dtype)

    return attention


def case(
    *types: Any, scale: Any = None, causal: Any = None, window: Any = None, **more: Any
) -> Case:
    def operator(q: Any, k: Any, v: Any, bias: Any = None) -> AttentionOp:
        return AttentionOp(q, k, v, bias, scale, causal, window)

    more = {"sizes": FEW, "tolerance": 1e-4, **more}
    return Case(operator, types, meaning(scale, causal, window), **more)


def inputs(heads: Any = 4, keys: Any = 4, values: Any = 4, **how: Any) -> list[Any]:
    return [
        tensor("b", "n", heads, 8, **how),
        tensor("b", "m", keys, 8, **how),
        tensor("b", "m", values, 3, **how),
    ]


def nothing_for_some(bias: np.ndarray) -> np.ndarray:
    """A bias that leaves the first query nothing."""
    bias[..., :1, :] = -np.inf if bias.dtype.kind == "f" else False
    return bias


def small(x: np.ndarray) -> np.ndarray:
    return (x.astype("f") / 50).astype(x.dtype)


def rotated(interleaved: bool = False) -> Callable:
    """Pairs of numbers as complex ones, multiplied by cos + i * sin, position by position."""

    def meaning(
        x: np.ndarray, cos: np.ndarray, sin: np.ndarray, positions: np.ndarray | None = None
    ) -> np.ndarray:
        out, half = x.astype("d"), cos.shape[-1]
        for b, i in np.ndindex(*x.shape[:2]):
            at = (b, i) if positions is None else (positions[b, i],)
            turn = cos[at].astype("d") + 1j * sin[at]
            first, second = np.arange(half), np.arange(half) + half
            if interleaved:
                first, second = 2 * first, 2 * first + 1
            found = (out[b, i][:, first] + 1j * out[b, i][:, second]) * turn
            out[b, i][:, first], out[b, i][:, second] = found.real, found.imag
        return out.astype(x.dtype)

    return meaning


def within(bound: int) -> Callable:
    return lambda positions: (positions % bound).astype(positions.dtype)


CASES: dict[str, Case] = {
    "rotary": Case(
        RotaryEmbeddingOp,
        [tensor("b", "n", 2, 8), tensor("b", "n", 4), tensor("b", "n", 4)],
        rotated(),
        SIZES,
    ),
    "rotary_part": Case(
        lambda *a: RotaryEmbeddingOp(*a, interleaved=True),
        [tensor("b", "n", "m", 7, dtype="f16"), *[tensor("b", "n", 2, dtype="f16")] * 2],
        rotated(True),
        FEW,
    ),
    "rotary_positions": Case(
        RotaryEmbeddingOp,
        [tensor("b", "n", 2, 8), *[tensor(9, "m")] * 2, tensor("b", "n", dtype="i64")],
        rotated(),
        [{"b": 2, "n": 5, "m": 3}, {"b": 1, "n": 1, "m": 0}],
        values=[keep, keep, keep, within(9)],
    ),
    "plain": case(*inputs(), sizes=SIZES),
    "symbolic_heads": case(*inputs("h", "h", "h"), sizes=[{**s, "h": 2} for s in FEW]),
    "grouped": case(*inputs(4, 2, 1), sizes=SIZES),
    "grouped_bias": case(*inputs(4, 2, 2), tensor("b", 4, "n", "m")),
    "grouped_mask": case(*inputs(6, 2, 2), tensor("b", 1, "n", "m", dtype="i1"), causal="TopLeft"),
    "one_head_shared": case(*inputs(4, 1, 1), tensor(1, 1, 1, "m")),
    "bias": case(*inputs(), tensor("b", 4, "n", "m")),
    "bias_of_keys": case(*inputs(), tensor(1, 1, 1, "m"), scale=0.3),
    "bias_unproved": case(*inputs(), tensor("j", 1, 1, 1), sizes=[{**SIZES[0], "j": 1}]),
    "mask": case(*inputs(), tensor("b", 1, "n", "m", dtype="i1")),
    "nothing_seen": case(
        *inputs(), tensor(1, 4, "n", "m"), values=[keep, keep, keep, nothing_for_some]
    ),
    "nothing_kept": case(
        *inputs(), tensor(1, 4, "n", "m", dtype="i1"), values=[keep] * 3 + [nothing_for_some]
    ),
    "top_left": case(*inputs(), causal="TopLeft", sizes=SIZES),
    "bottom_right": case(*inputs(4, 2, 2), causal="BottomRight", sizes=SIZES),
    "window": case(*inputs(), causal="BottomRight", window=2),
    "f16": case(*inputs(dtype="f16"), tensor(1, 4, "n", "m", dtype="f16"), tolerance=3e-3),
    "bf16": case(*inputs(dtype="bf16"), values=small, tolerance=2e-2),
    "f64": case(*inputs(dtype="f64"), tolerance=1e-11),
    "static": case(tensor(1, 4, 2, 8), tensor(1, 6, 2, 8), tensor(1, 6, 2, 8), sizes=[{}]),
    "unproved": case(
        tensor("b", "n", 2, "d"),
        tensor("c", "m", 2, "e"),
        tensor("c", "o", 2, 3),
        sizes=[{"b": 2, "c": 2, "n": 3, "m": 4, "o": 4, "d": 5, "e": 5}],
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


def test_heads_in_groups_are_matrix_products():
    """Keys are operands of generic ops, which the schedule knows as products."""
    module = ModuleOp([CASES["grouped_bias"].function("main")])
    assert "tensor.extract " not in str(lower(module, ["relax-legalize"]))


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.slow
def test_sizes_that_do_not_fit_are_an_error(model: CompiledModule):
    def stop(query: Any, key: Any, value: Any, message: str) -> None:
        both_stop(model, CASES, "unproved", query, key, value, message=message)

    stop((2, 1, 2, 5), (3, 4, 2, 5), (3, 4, 2, 3), "query and key to have one batch size (C3)")
    stop((2, 1, 2, 5), (2, 4, 2, 6), (2, 4, 2, 3), "query and key to have one depth (C3)")
    stop((2, 1, 2, 5), (2, 4, 2, 5), (2, 3, 2, 3), "key and value to have one length (C3)")


@pytest.mark.slow
def test_a_bias_that_does_not_broadcast_is_an_error(model: CompiledModule):
    q, k, v = (2, 3, 4, 8), (2, 5, 4, 8), (2, 5, 4, 3)
    message = "relax.attention: expected 'bias' to broadcast to [batch, heads, queries, keys] (C5)"
    both_stop(model, CASES, "bias_unproved", q, k, v, (3, 1, 1, 1), message=message)


@pytest.mark.parametrize("position", [-1, 9])
def test_a_position_beyond_the_tables_is_an_error(model: CompiledModule, position: int):
    x, table = np.zeros((1, 2, 2, 8), "f"), np.zeros((9, 3), "f")
    given = x, table, table, np.array([[0, position]])
    module = ModuleOp([CASES["rotary_positions"].function("main")])
    message = "relax.rotary_embedding: expected positions that the rows of 'cos' are for, found"
    for attempt in (lambda: run(module, "main", *given), lambda: model.rotary_positions(*given)):
        with pytest.raises(RelaxError, match=re.escape(message)):
            attempt()


def test_tables_wider_than_the_heads_are_an_error(model: CompiledModule):
    message = "relax.rotary_embedding: expected 'cos' to be at most half as wide as the heads (C4)"
    given = [np.zeros(s, "f") for s in ((1, 2, 2, 8), (9, 5), (9, 5))], np.zeros((1, 2), "i8")
    module = ModuleOp([CASES["rotary_positions"].function("main")])
    operands = [*given[0], given[1]]
    for attempt in (
        lambda: run(module, "main", *operands),
        lambda: model.rotary_positions(*operands),
    ):
        with pytest.raises(RelaxError, match=re.escape(message)):
            attempt()


def test_what_is_unknown_stays_unknown():
    assert "tensor<[b, n, 4, 3]>" in str(
        AttentionOp(x("b", "n", 4, 8), x("b", "m", 4, 8, dtype=None), x("b", "m", 4, 3)).result.type
    )
    assert "tensor<[?, ?, ?, 3], f32>" in str(
        AttentionOp(ranked(), x("b", "m", None, 8), x("b", "m", 4, 3)).result.type
    )


def test_refused():
    q = x("b", "n", 4, 8)
    refused("C1", lambda: AttentionOp(q, q, q, x(1, 1, "n", "n", dtype="i32")))
    refused("C4", lambda: AttentionOp(x("b", "n", "h", 8), x("b", "n", "g", 8), q))
    refused("C4", lambda: AttentionOp(q, q, x("b", "n", 3, 8)))
    table, positions = x(9, 4), x("b", "n", dtype="i64")
    refused("C1", lambda: RotaryEmbeddingOp(q, table, table, x("b", "n")))
    refused("C2", lambda: RotaryEmbeddingOp(x("n", 4, 8), table, table, positions))
    refused("C2", lambda: RotaryEmbeddingOp(q, table, table))
    refused("C3", lambda: RotaryEmbeddingOp(q, table, x(9, 3), positions))
    refused("C4", lambda: RotaryEmbeddingOp(q, x(9, 5), x(9, 5), positions))
