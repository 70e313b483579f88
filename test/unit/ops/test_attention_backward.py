"""The gradient of attention, as compiled C, against its derivative written out for every head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY
from xdsl.dialects.builtin import ModuleOp

from lowering import estimate_memory_usage
from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.attention_backward import OPS, AttentionBackwardOp

from .compiled import Case, Sizes, check, compile_cases, each_case, keep, tensor
from .inputs import refused, x
from .stopping import both_stop
from .test_attention import FEW, SIZES, inputs, nothing_for_some, small


def meaning(causal: str | None = None, window: int | None = None) -> Callable:
    def backward(
        gy: np.ndarray,
        q: np.ndarray,
        k: np.ndarray,
        v: np.ndarray,
        bias: np.ndarray | None = None,
    ) -> tuple[np.ndarray, ...]:
        (batch, queries, heads, depth), keys = q.shape, k.shape[1]
        dq, dk, dv = (np.zeros(x.shape) for x in (q, k, v))
        shift = abs(queries - keys) if causal == "BottomRight" else 0
        for b, i, n in np.ndindex(batch, queries, heads):
            of_key, of_value = (n * x.shape[2] // heads for x in (k, v))
            seen = np.ones(keys, bool)
            if causal is not None:
                seen = np.arange(keys) <= i + shift
                seen &= np.arange(keys) > i + shift - (window or keys + queries)
            scores = k[b, :, of_key].astype("d") @ q[b, i, n] / np.sqrt(depth)
            if bias is not None:
                own = np.broadcast_to(bias, (batch, heads, queries, keys))[b, n, i]
                seen &= own if own.dtype == bool else own > -np.inf
                scores = scores + (0 if own.dtype == bool else own)
            powers = np.where(seen, np.exp(np.where(seen, scores, 0)), 0)
            shares = powers / (powers.sum() or 1)
            slope = np.diag(shares) - np.outer(shares, shares)
            of_scores = slope @ (v[b, :, of_value].astype("d") @ gy[b, i, n]) / np.sqrt(depth)
            dq[b, i, n] = of_scores @ k[b, :, of_key].astype("d")
            dk[b, :, of_key] += np.outer(of_scores, q[b, i, n])
            dv[b, :, of_value] += np.outer(shares, gy[b, i, n])
        return tuple(d.astype(x.dtype) for d, x in ((dq, q), (dk, k), (dv, v)))

    return backward


def case(heads: Any, *bias: Any, causal: Any = None, window: Any = None, **more: Any) -> Case:
    q, k, v = heads

    def operator(gy: Any, q: Any, k: Any, v: Any, bias: Any = None) -> AttentionBackwardOp:
        return AttentionBackwardOp(gy, q, k, v, bias, None, causal, window)

    assert q.shape is not None and v.shape is not None
    gy = TensorType([*q.shape[:3], v.shape[3]], q.dtype)
    more = {"sizes": FEW, "tolerance": 1e-4, **more}
    return Case(operator, [gy, q, k, v, *bias], meaning(causal, window), **more)


CASES: dict[str, Case] = {
    "plain": case(inputs(), sizes=SIZES),
    "grouped": case(inputs(4, 2, 1), causal="BottomRight", window=2, sizes=SIZES),
    "bias": case(inputs(2, 2, 2), tensor(1, 2, "n", "m"), values=[keep] * 4 + [nothing_for_some]),
    "mask_f16": case(
        inputs(2, 1, 2, dtype="f16"),
        tensor("b", 1, "n", "m", dtype="i1"),
        causal="TopLeft",
        values=[small] * 4 + [nothing_for_some],
        tolerance=3e-3,
    ),
    "static": case([tensor(2, 33, 2, 16), *[tensor(2, 40, 2, 16)] * 2], sizes=[{}]),
    "unproved": Case(
        AttentionBackwardOp,
        [
            tensor("b", "i", 2, 3),
            tensor("b", "n", 2, 5),
            tensor("b", "m", 2, 5),
            tensor("b", "m", 2, 3),
        ],
        meaning(),
        [{"b": 2, "i": 3, "n": 3, "m": 4}],
        tolerance=1e-4,
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@pytest.mark.slow
@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.slow
def test_a_cotangent_of_another_shape_is_an_error(model: CompiledModule):
    message = "relax.attention_backward: expected an output_grad of the shape of the result (C1), found 2 for 3"
    given = (1, 2, 2, 3), (1, 3, 2, 5), (1, 4, 2, 5), (1, 4, 2, 3)
    both_stop(model, CASES, "unproved", *given, message=message)
    q = x("b", "n", 4, 8)
    refused("C1", lambda: AttentionBackwardOp(x("b", "n", 2, 8), q, q, q))
    refused("C1", lambda: AttentionBackwardOp(x("b", "n", 4, 8, dtype="f16"), q, q, q))
    refused("C4", lambda: AttentionBackwardOp(q, q, x("b", "n", 3, 8), q))


def test_the_scores_of_one_head_are_held():
    """Those of all 64 batches and heads would take 1 MB."""
    operand = TensorType([32, 64, 2, 4], "f32")
    given = Case(AttentionBackwardOp, [operand] * 4, meaning())
    usage = estimate_memory_usage(ModuleOp([given.function("f")]), {})
    assert usage.peak("f") < 4 * (4 * 32 * 64 * 2 * 4)
