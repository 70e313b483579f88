"""Small constants computed by ONNX's own reference implementation."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from relax_dialect.frontends.onnx.dtypes import OURS
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.order import graphs_of
from relax_dialect.frontends.onnx.values import Known

RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli"}
)
RANDOM |= {"Multinomial", "Dropout"}
"""Operators that do not give the same each time."""


def folded(node: Node, limit: int) -> Any:
    """What a node gives whose inputs are all known and small; None where it cannot be told now."""
    inputs = {n: v for n, v in zip(node.proto.input, node.inputs) if v is not None}
    arrays = {n: v.array for n, v in inputs.items() if isinstance(v, Known)}
    is_small = len(arrays) == len(inputs) and sum(a.size for a in arrays.values()) <= limit
    if (
        not inputs
        or not is_small
        or node.op_type in RANDOM
        or any(True for _ in graphs_of(node.proto))
    ):
        return None
    from onnx import helper  # pyright: ignore
    from onnx.reference import ReferenceEvaluator  # pyright: ignore

    outputs = [name for name in node.outputs if name]
    graph = helper.make_graph(
        [node.proto],
        "folded",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in arrays.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(node.domain, node.opset)])
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = dict(zip(outputs, ReferenceEvaluator(model).run(None, arrays)))
    except Exception:  # whatever the reference cannot do, the program does
        return None
    if any(isinstance(value, list) for value in found.values()):  # a sequence
        return None
    values = [np.asarray(found[name]) if name else None for name in node.outputs]
    if any(v is not None and (v.dtype.name not in OURS or v.size > limit) for v in values):
        return None
    return tuple(None if v is None else Known(v) for v in values)
