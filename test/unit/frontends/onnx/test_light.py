"""Real models compared with ONNX Runtime: light networks with random weights, and the detector of PP-OCR v4.

The other light networks have the operators of these: all nine and the three of PP-OCR, in optimised C, with what
compiling takes, by `python -m bench --only onnx --check`.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import expected, found
from optional import LONG, OCR, needs, package, shortened

import lowering
from relax_dialect.frontends.onnx import load

package("onnx", "onnx")
# ruff: noqa: E402
from bench.real_models import light, ocr


@shortened
@pytest.mark.parametrize(
    "name",
    [
        *("squeezenet", "shufflenet"),
        *(pytest.param(n, marks=needs(LONG)) for n in ("densenet121", "inception_v2")),
    ],
)
def test_logits(name: str):
    network, inputs = light(name)
    (ours,), (theirs,) = found(network, inputs), expected(network, inputs)
    assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()


@needs(LONG, OCR)
def test_one_artifact_for_pictures_of_all_sizes():
    network, pictures = ocr("detector")
    compiled = lowering.compile(load(network), extra_flags=("-O0",))
    for given in pictures[1:]:
        (ours,), (theirs,) = [compiled.main(*given.values())], expected(network, given)
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
