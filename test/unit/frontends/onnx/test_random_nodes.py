"""Nodes that draw random numbers: types, shapes, means and deviations are those of ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import expected, found, one_node

P = np.linspace(0, 1, 4000, dtype=np.float32).reshape(40, 100)
LOGITS = np.log(np.array([[1, 2, 3, 4], [5, 0.5, 0.5, 4]], np.float32)) + np.float32(3)

NODES: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("RandomUniform", [], {"shape": [40, 100], "low": -2.0, "high": 3.0, "seed": 5.0}),
    ("RandomNormal", [], {"shape": [4000], "mean": 1.0, "scale": 0.5, "dtype": 11}),
    ("RandomUniformLike", [P], {"dtype": 11}),
    ("RandomNormalLike", [P], {"scale": 3.0}),
    ("Bernoulli", [P], {}),
    ("Bernoulli", [P.astype(np.float64)], {"dtype": 6, "seed": 1.5}),
    ("Multinomial", [LOGITS], {"sample_size": 3000}),
    ("Multinomial", [LOGITS], {"sample_size": 3000, "dtype": 7, "seed": 2.0}),
    ("Dropout", [P, np.float32(0.25), np.array(True)], {"seed": 3}),
]


@pytest.mark.parametrize(("name", "inputs", "attributes"), NODES)
def test_as_distributed_as_onnx_runtime(name: str, inputs: list[Any], attributes: dict[str, Any]):
    model, given = one_node(name, inputs, opset=15, **attributes)
    (ours,), (theirs,) = found(model, given), expected(model, given)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    deviation = theirs.std()
    assert (
        abs(ours.mean(dtype=float) - theirs.mean(dtype=float))
        < 6 * deviation / len(ours.reshape(-1)) ** 0.5
    )
    assert abs(ours.std(dtype=float) / deviation - 1) < 0.1


def test_draws_by_classes():
    model, given = one_node("Multinomial", [LOGITS], opset=15, sample_size=3000)
    (drawn,) = found(model, given)
    for row, logits in zip(drawn, LOGITS):
        share = np.exp(logits) / np.exp(logits).sum()
        assert np.abs(np.bincount(row, minlength=4) / 3000 - share).max() < 0.03


def test_nodes_without_a_seed_differ_and_runs_do_not():
    first, second = (
        one_node("RandomUniform", [], opset=15, shape=[9], **seed)[0]
        for seed in ({}, {"seed": 0.0})
    )
    a, b, c = found(first, {})[0], found(first, {})[0], found(second, {})[0]
    assert (a == b).all() and not (a == c).any()


@pytest.mark.parametrize("ratio", [0.0, 0.25, 1.0])
def test_dropout_in_training(ratio: float):
    """What is kept grows, what is not is 0, and the mask tells which."""
    x = P + np.float32(1)
    inputs = [x, np.float32(ratio), np.array(True)]
    model, given = one_node("Dropout", inputs, opset=15, outputs=2)
    y, mask = found(model, given)
    assert mask.dtype == bool and abs(mask.mean() - 1 + ratio) < 0.04
    grown = x / np.float32(1 - ratio) if ratio < 1 else x
    np.testing.assert_allclose(y, np.where(mask, grown, 0), 1e-6)
    y, mask = found(model, {**given, "x2": np.array(False)})
    assert mask.all() and (y == x).all()
