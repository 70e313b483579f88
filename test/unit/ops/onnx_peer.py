"""One operator of ONNX, run by ONNX Runtime on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from optional import package


def onnx_runtime(
    operator: str,
    arrays: Sequence[np.ndarray | None],
    outputs: int = 1,
    opset: int = 21,
    **attributes: Any,
) -> list[np.ndarray]:
    """What ONNX Runtime makes of the arrays (None is an input left out); the test is skipped where it is
    not installed."""
    onnx = package("onnx")
    runtime = package("onnxruntime")
    helper = onnx.helper
    names = ["" if array is None else f"x{place}" for place, array in enumerate(arrays)]
    given = {name: array for name, array in zip(names, arrays) if array is not None}
    results = [f"y{place}" for place in range(outputs)]
    node = helper.make_node(operator, names, results, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in given.items()
    ]
    untyped = [onnx.ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph([node], operator, inputs, untyped)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(None, given)
