"""The convolutions of the benchmark are what their peers compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.convolution import LAYERS, Layer, numpys, peer


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_the_layers_agree_with_both_peers(layer: Layer):
    small = replace(layer, image=9)
    rng = np.random.default_rng(0)
    w = rng.standard_normal(small.weight, dtype=np.float32)
    x = rng.standard_normal((1, small.channels, 9, 9), dtype=np.float32)
    y = numpys(small, x, w)
    np.testing.assert_allclose(peer(small)[1](x, w), y, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(small.compiled("NCHW").main(x, w), y, rtol=1e-3, atol=1e-3)
