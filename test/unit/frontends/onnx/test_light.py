"""The light networks of ONNX's own data, with random weights, compared with ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import expected, found, light
from optional import FULL, shortened

SMALL = ("squeezenet", "shufflenet")
LARGE = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "vgg19",
    "zfnet512",
)


@shortened
@pytest.mark.parametrize("name", (*SMALL, *LARGE) if FULL else SMALL)
def test_logits(name: str):
    network, inputs = light(name)
    (ours,), (theirs,) = found(network, inputs), expected(network, inputs)
    assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
