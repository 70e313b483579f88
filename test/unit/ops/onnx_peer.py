"""One operator of ONNX, run by ONNX Runtime on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest


def onnx_runtime(
    operator: str,
    arrays: Sequence[np.ndarray],
    outputs: int = 1,
    opset: int = 21,
    **attributes: Any,
) -> list[np.ndarray]:
    """What ONNX Runtime makes of the arrays; the test is skipped where it is not installed."""
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper = onnx.helper
    names = [f"x{place}" for place in range(len(arrays))]
    results = [f"y{place}" for place in range(outputs)]
    node = helper.make_node(operator, names, results, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in zip(names, arrays)
    ]
    untyped = [onnx.ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph([node], operator, inputs, untyped)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(None, dict(zip(names, arrays)))
