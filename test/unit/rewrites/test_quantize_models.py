"""Whole networks in 8-bit integers: how far they are from themselves in floats, on inputs not calibrated on.

The error is stated relative to the range of the result in floats, and as the cosine between both results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY

import lowering
from examples.models.models import MODELS
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.quantization.quantize import quantize

from .quantizable import names

REGIONS = {"encoder_block": 4, "residual_block": 3, "tagger": 1}
MOST_ERROR, LEAST_COSINE = 0.01, 0.9999


def inputs(name: str, seed: int) -> list[list[Any]]:
    model, random = MODELS[name], np.random.default_rng(seed)
    return [model.inputs(random, *sizes) for sizes in model.sizes]


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIONS)
def test_a_network_keeps_its_results(name: str, tmp_path: Path):
    model = MODELS[name]
    module = model.build(model.weights())
    tried = inputs(name, 9)
    exact = [run(module, "main", *call) for call in tried]
    seen = [tuple(call) for seed in range(3) for call in inputs(name, seed)]
    report = quantize(module, seen)
    verify(module)
    assert len(report.quantized) == REGIONS[name]
    compiled = lowering.compile(module, name, directory=tmp_path, extra_flags=LIGHTLY)
    for call, expected in zip(tried, exact):
        found = run(module, "main", *call)
        np.testing.assert_allclose(compiled.main(*call), found, atol=2e-6)
        assert np.abs(found - expected).max() <= MOST_ERROR * np.ptp(expected)
        cosine = np.vdot(found, expected) / np.linalg.norm(found) / np.linalg.norm(expected)
        assert cosine >= LEAST_COSINE


def test_a_calibration_that_is_off_is_seen():
    """Calibrated on nothing but zeros, everything is cut off: the bounds above are no matter of course."""
    model = MODELS["residual_block"]
    module = model.build(model.weights())
    (call,) = inputs("residual_block", 9)[:1]
    expected = run(module, "main", *call)
    quantize(module, [tuple(np.zeros_like(array) for array in call)])
    found = run(module, "main", *call)
    assert np.abs(found - expected).max() > 10 * MOST_ERROR * np.ptp(expected)


def test_folded_batch_norms_leave_8_bits_between_convolutions():
    model = MODELS["residual_block"]
    module = model.build(model.weights())
    lowering.lower(module, ["relax-fold-batch-norm", "relax-fold-constant"])
    tried = inputs("residual_block", 9)
    exact = [run(module, "main", *call) for call in tried]
    quantize(module, [tuple(call) for seed in range(3) for call in inputs("residual_block", seed)])
    verify(module)
    first = ["quantize", "conv2d_integer", "add", "maximum", "requantize", "conv2d_integer"]
    assert names(module)[1:7] == first
    for call, expected in zip(tried, exact):
        error = np.abs(run(module, "main", *call) - expected).max()
        assert error <= MOST_ERROR * np.ptp(expected)
