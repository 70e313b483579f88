"""Attention against PyTorch, the rotary embedding against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.attention import AttentionOp, RotaryEmbeddingOp

from .onnx_peer import onnx_runtime
from .peers import agree

torch = package("torch")
attention = torch.nn.functional.scaled_dot_product_attention

TOLERANCE = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-11}


def normal(seed: int, *shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def inputs(queries: int, keys: int, own: int = 4, dtype: str = "float32") -> list[np.ndarray]:
    shapes = (2, queries, 4, 8), (2, keys, own, 8), (2, keys, own, 6)
    return [normal(seed, *shape, dtype=dtype) for seed, shape in enumerate(shapes)]


def peer(arrays: list[np.ndarray], **how: Any) -> np.ndarray:
    """PyTorch's heads stand before the sequence, ours behind it."""
    given = [torch.tensor(array).transpose(1, 2) for array in arrays]
    return attention(*given, **how).transpose(1, 2).contiguous().numpy()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("own", [4, 2, 1])
def test_grouped_heads_agree_with_torch(own: int, dtype: str):
    arrays = inputs(5, 7, own, dtype)
    expected = peer(arrays, enable_gqa=own != 4)
    agree(AttentionOp, arrays, expected, compiled=own == 2, tolerance=TOLERANCE[dtype])


@pytest.mark.parametrize("scale", [None, 0.25])
@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (3, 6), (6, 3)])
def test_the_causal_mask_of_the_top_left_agrees_with_torch(
    queries: int, keys: int, scale: float | None
):
    arrays = inputs(queries, keys)
    expected = peer(arrays, is_causal=True, scale=scale)
    agree(
        lambda *a: AttentionOp(*a, scale=scale, causal_mask="TopLeft"),
        arrays,
        expected,
        compiled=scale is None,
        tolerance=1e-5,
    )


@pytest.mark.parametrize("shape", [(2, 4, 5, 7), (1, 1, 5, 7), (2, 1, 1, 7)])
def test_a_bias_agrees_with_torch(shape: tuple[int, ...]):
    arrays, bias = inputs(5, 7), normal(3, *shape)
    expected = peer(arrays, attn_mask=torch.tensor(bias))
    agree(AttentionOp, [*arrays, bias], expected, compiled=True, tolerance=1e-5)


def test_a_mask_agrees_with_torch_where_it_leaves_nothing_too():
    arrays, mask = inputs(5, 7), normal(3, 2, 1, 5, 7) > 0
    mask[0, 0, 2] = False
    expected = peer(arrays, attn_mask=torch.tensor(mask))
    assert not expected[0, 2].any()
    agree(AttentionOp, [*arrays, mask], expected, compiled=True, tolerance=1e-5)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_special_numbers_agree_with_torch(number: float):
    arrays = inputs(5, 7)
    arrays[0][0, 2, 1, 3] = arrays[1][1, 4, 2, 0] = number
    expected = peer(arrays)
    assert np.isnan(expected).any() and not np.isnan(expected).all()
    agree(AttentionOp, arrays, expected, compiled=True, tolerance=1e-5)


@pytest.mark.parametrize(("queries", "keys"), [(4, 7), (5, 5)])
def test_a_window_agrees_with_torch_given_as_a_mask(queries: int, keys: int):
    arrays = inputs(queries, keys)
    distance = np.arange(keys) - np.arange(queries)[:, None] - (keys - queries)
    mask = torch.tensor((distance <= 0) & (distance > -3))
    operator = AttentionOp
    agree(
        lambda *a: operator(*a, causal_mask="BottomRight", window_size=3),
        arrays,
        peer(arrays, attn_mask=mask),
        compiled=True,
        tolerance=1e-5,
    )


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_the_rotary_embedding_agrees_with_onnx(positions: bool, interleaved: bool):
    x, angles = normal(0, 2, 5, 3, 8), normal(1, 9, 4)
    places = np.random.default_rng(2).integers(0, 9, (2, 5))
    tables = [np.cos(angles), np.sin(angles)]
    given = [*tables, places] if positions else [table[places] for table in tables]
    heads_first = np.ascontiguousarray(x.transpose(0, 2, 1, 3))
    (turned,) = onnx_runtime(
        "RotaryEmbedding", [heads_first, *given], opset=23, interleaved=int(interleaved)
    )
    agree(
        lambda *a: RotaryEmbeddingOp(*a, interleaved=interleaved),
        [x, *given],
        turned.transpose(0, 2, 1, 3),
        compiled=True,
        tolerance=1e-6,
    )
