"""Attention of sequences of several lengths, as compiled C, against numpy's of each query."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import evaluate, run
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.packed_attention import OPS, AttentionVarLenOp

from .compiled import Case, Sizes, check, compile_cases, each_case, keep, tensor
from .inputs import refused, x
from .stopping import same_words

SIZES = [{"n": 11, "m": 9, "b": 5}, {"n": 1, "m": 1, "b": 2}, {"n": 3, "m": 0, "b": 3}]


def within(size: str) -> Any:
    """Starts within so many places, some of which may be in no sequence, and sequences of none."""
    most = {sizes["b"]: sizes[size] for sizes in SIZES}

    def values(starts: np.ndarray) -> np.ndarray:
        return np.sort(np.abs(starts) % (most[len(starts)] + 1)).astype(starts.dtype)

    return values


def longest(length: np.ndarray) -> np.ndarray:
    return np.asarray(11, length.dtype)


def row(q: np.ndarray, k: np.ndarray, v: np.ndarray, seen: Sequence[int], scale: float) -> Any:
    """The result of one query of one head."""
    if not len(seen):
        return np.zeros(v.shape[1])
    powers = np.exp([float(q @ k[j]) * scale for j in seen])
    return powers @ v[list(seen)] / powers.sum()


def case(
    heads: tuple[int, int, int] = (2, 2, 2),
    dtype: str = "f32",
    others: str = "",
    scale: float | None = None,
    causal: str | None = None,
    window: int | None = None,
) -> Case:
    keys = "m" if others else "n"

    def meaning(q: Any, k: Any, v: Any, starts: Any, _: Any, more: Any = None, *rest: Any) -> Any:
        q, k, v = (array[0].astype(np.float64) for array in (q, k, v))
        out = np.zeros((*q.shape[:2], v.shape[2]))
        own = starts if more is None else more
        for (a, b), (c, d) in zip(pairwise(starts), pairwise(own)):
            shift = abs((b - a) - (d - c)) if causal == "BottomRight" else 0
            for i, n in np.ndindex(b - a, heads[0]):
                last = min(i + shift, d - c - 1) if causal else d - c - 1
                first = max(i + shift - window + 1, 0) if window else 0
                out[a + i, n] = row(
                    q[a + i, n],
                    k[c:d, n * heads[1] // heads[0]],
                    v[c:d, n * heads[2] // heads[0]],
                    range(first, last + 1),
                    q.shape[2] ** -0.5 if scale is None else scale,
                )
        return out[None].astype({"f16": "e", "f32": "f", "f64": "d"}[dtype])

    types = [
        tensor(1, "n", heads[0], 4, dtype=dtype),
        tensor(1, keys, heads[1], 4, dtype=dtype),
        tensor(1, keys, heads[2], 3, dtype=dtype),
        tensor("b", dtype="i32"),
        tensor(dtype="i32"),
        *[tensor("b", dtype=others) for _ in others[:1]],
        *[tensor(dtype="i64") for _ in others[:1]],
    ]

    def build(*operands: Any) -> AttentionVarLenOp:
        more = (*operands[5:], None, None)[:2]
        return AttentionVarLenOp(*operands[:5], *more, scale, causal, window)

    values = [keep, keep, keep, within("n"), longest, within("m"), longest]
    return Case(build, types, meaning, SIZES, values)


CASES: dict[str, Case] = {
    "itself": case(),
    "causal": case(causal="TopLeft"),
    "other_keys": case(others="i64", causal="BottomRight"),
    "window": case(others="i32", causal="BottomRight", window=2, scale=0.5),
    "grouped": case((4, 2, 1), "f64", causal="TopLeft", window=3),
    "half": case(dtype="f16"),
    "causal_f64": case(dtype="f64", causal="TopLeft"),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


BAD: dict[str, tuple[list[int], int, list[int], int, str]] = {
    "descends": ([0, 3, 2], 3, [0, 1, 2], 9, "'seqstart_q' to ascend {}, found 2 after 3"),
    "negative": ([-1, 3, 4], 9, [0, 1, 2], 9, "'seqstart_q' to ascend {}, found -1 after 0"),
    "beyond": ([0, 3, 6], 9, [0, 1, 2], 9, "'seqstart_q' to ascend {}, found 6 for 5"),
    "longer": ([1, 2, 5], 2, [0, 1, 2], 9, "'seqstart_q' to be longer than 'max_seqlen_q', found 3 for 2"),
    "keys": ([0, 1, 2], 9, [0, 1, 8], 9, "'seqstart_k' to ascend {}, found 8 for 7"),
    "keys_longer": ([0, 1, 2], 9, [0, 1, 7], 5, "than 'max_seqlen_k', found 6 for 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_starts_that_say_no_sequences(model: CompiledModule, name: str):
    starts, longest, others, most, message = BAD[name]
    whose = "keys" if "_k" in message else "queries"
    message = message.format(f"from 0 or more to at most the number of {whose}")
    arrays: list[Any] = [np.zeros((1, n, 2, d), "f") for n, d in ((5, 4), (7, 4), (7, 3))]
    arrays += [np.array(starts, "i"), np.array(longest, "i")]
    arrays += [np.array(others, "q"), np.array(most, "q")]
    module = ModuleOp([CASES["other_keys"].function("other_keys")])
    same_words(
        lambda: run(module, "other_keys", *arrays), lambda: model.other_keys(*arrays), message
    )


def test_attention_var_len_is_attention_of_each_sequence():
    """Two sequences at once, and one after the other."""
    rng, starts = np.random.default_rng(0), np.array([0, 4, 9], "i")
    q, k, v = (rng.standard_normal((1, 9, 2, d)) for d in (4, 4, 3))
    packed = CASES["causal_f64"].function("f")
    (whole,) = [run(ModuleOp([packed]), "f", q, k, v, starts, np.asarray(5, "i"))]
    for piece in (slice(0, 4), slice(4, 9)):
        op = AttentionOp(*(x(1, "n", 2, d, dtype="f64") for d in (4, 4, 3)), causal_mask="TopLeft")
        (alone,) = evaluate(op, q[:, piece], k[:, piece], v[:, piece], None)
        np.testing.assert_allclose(whole[:, piece], alone)


def test_values_that_a_query_does_not_see_are_not_read(model: CompiledModule):
    """An infinite value behind the causal mask changes no result, interpreted or compiled."""
    rng, starts = np.random.default_rng(0), np.array([0, 4, 9], "i")
    q, k, v = (rng.standard_normal((1, 9, 2, d)) for d in (4, 4, 3))
    v[0, 3, :, 0], k[0, 8, 0, 1] = np.inf, np.nan
    module = ModuleOp([CASES["causal_f64"].function("f")])
    (found,) = [run(module, "f", q, k, v, starts, np.asarray(5, "i"))]
    assert np.isfinite(found[0, [0, 1, 2, 4, 5, 6, 7]]).all()
    assert np.isinf(found[0, 3, :, 0]).all() and np.isnan(found[0, 8, 0]).all()
    compiled = model.causal_f64(q, k, v, starts, np.asarray(5, "i"))
    np.testing.assert_allclose(found, compiled)


def test_attention_var_len_C2():
    q, starts = x(1, "n", 2, 4), x("b", dtype="i32")
    refused("C2", lambda: AttentionVarLenOp(q, q, q, starts, x(1, dtype="i32")))
    refused("C2", lambda: AttentionVarLenOp(q, q, x("n", 2, 4), starts, x(dtype="i32")))
