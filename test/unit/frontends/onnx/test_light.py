"""The light networks of ONNX's own data, with random weights, compared with ONNX Runtime.

AlexNet, VGG-19 and ZFNet have the operators of these, and weights of 240 to 550 MB: they are compared by
`python test/unit/support/onnx_suite.py --light` with the others.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import expected, found, light
from optional import LONG, needs, shortened

SMALL = ("squeezenet", "shufflenet")
LARGE = ("densenet121", "inception_v1", "inception_v2", "resnet50")


@shortened
@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(n, marks=needs(LONG)) for n in LARGE)])
def test_logits(name: str):
    network, inputs = light(name)
    (ours,), (theirs,) = found(network, inputs), expected(network, inputs)
    assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
