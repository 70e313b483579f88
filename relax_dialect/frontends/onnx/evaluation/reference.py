"""Small constants computed by ONNX's own reference implementation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from relax_dialect.frontends.onnx.imported_values import Known
from relax_dialect.frontends.onnx.model.node_order import graphs_of
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.onnx_dtypes import OURS

RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli"}
)
RANDOM |= {"Multinomial", "Dropout"}
"""Operators whose results differ from call to call."""


FAST = frozenset(
    {
        *(
            "Abs",
            "Add",
            "And",
            "ArgMax",
            "ArgMin",
            "BitwiseAnd",
            "BitwiseNot",
            "BitwiseOr",
            "Cast",
            "Ceil",
        ),
        *(
            "Clip",
            "Concat",
            "ConstantOfShape",
            "CumSum",
            "Div",
            "Equal",
            "Exp",
            "Expand",
            "Flatten",
            "Floor",
        ),
        *(
            "Gather",
            "GatherElements",
            "GatherND",
            "Greater",
            "GreaterOrEqual",
            "Identity",
            "IsInf",
            "IsNaN",
        ),
        *(
            "Less",
            "LessOrEqual",
            "Log",
            "MatMul",
            "Max",
            "Min",
            "Mod",
            "Mul",
            "Neg",
            "Not",
            "OneHot",
            "Or",
        ),
        *(
            "Pad",
            "Pow",
            "Range",
            "Reciprocal",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
        ),
        *(
            "ReduceSum",
            "Reshape",
            "Round",
            "ScatterElements",
            "ScatterND",
            "Shape",
            "Sigmoid",
            "Sign",
            "Size",
        ),
        *("Slice", "Split", "Sqrt", "Squeeze", "Sub", "Sum", "Tanh", "Tile", "Transpose", "Trilu"),
        *("Unsqueeze", "Where", "Xor"),
    }
)
"""Operators that the reference computes by a few calls of numpy; others are loops in Python."""

SLOW_LIMIT = 1 << 10
"""The maximum number of elements of other operators, and the largest number in their attributes."""

DATA_DEPENDENT = frozenset({"NonZero", "Unique", "Compress", "NonMaxSuppression"})
"""Operators of other fast ones whose results have no more elements than their rank allows."""


def _is_bounded(model: Any, op_type: str, arrays: Mapping[str, Any], limit: int) -> bool:
    """Returns whether small inputs of a node imply small results, and little time.

    The sizes of the results are inferred before anything is computed: a few bytes may request any number.
    """
    from onnx import numpy_helper, shape_inference  # pyright: ignore

    taken = sum(a.size for a in arrays.values())
    if op_type == "Einsum" and taken > 1 << 6:  # whose loops are over all its letters
        return False
    if op_type not in FAST:
        numbers = [n for a in model.graph.node[0].attribute for n in (a.i, *a.ints)]
        if taken > SLOW_LIMIT or max(map(abs, numbers), default=0) > SLOW_LIMIT:
            return False
        limit = SLOW_LIMIT
    if op_type in DATA_DEPENDENT:
        return True
    known = type(model)()
    known.CopyFrom(model)
    known.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in arrays.items())
    try:
        inferred = shape_inference.infer_shapes(known, data_prop=True).graph.output
    except Exception:  # the node is ill-formed, or has types that cannot be initializers
        return False
    if op_type == "OneHot":  # whose depth does not affect the inferred sizes
        depth = int(max(arrays[model.graph.node[0].input[1]].reshape(-1), default=0))
        return taken * max(depth, 0) <= limit
    return all(0 <= _count(output.type.tensor_type) <= limit for output in inferred)


def _count(type: Any) -> int:
    """Return the number of elements of an ONNX tensor type, or -1 if unknown."""
    sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in type.shape.dim]
    return prod(sizes) if type.HasField("shape") and min(sizes, default=0) >= 0 else -1


def folded(node: OnnxNode, limit: int) -> Any:
    """Return the outputs of a node whose inputs are all known and small; None if they are not known at
    import."""
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
    if not _is_bounded(model, node.op_type, arrays, limit):
        return None
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
