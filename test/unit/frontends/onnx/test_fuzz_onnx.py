"""A part of the searches for faults in the import of ONNX models: `python test/unit/fuzz --kinds models onnx`."""

from __future__ import annotations

import random

from optional import amount, package, shortened

package("onnx", "onnx")

from fuzz import models  # noqa: E402


@shortened
def test_damaged_models():
    """Some are imported all the same; the others are refused."""
    count = amount(400, 100)
    assert 0 < models.batch(random.Random(0), count, amount(4, 16)) < count


@shortened
def test_models_of_one_node():
    package("onnxruntime")
    from fuzz import onnx_nodes

    count = amount(75, 24)
    assert onnx_nodes.batch(random.Random(1), count) > count // 2
