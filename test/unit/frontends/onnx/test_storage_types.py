"""Storage types in ONNX models: packed constants, and rounding that ONNX's own reference has, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from optional import package  # pyright: ignore

onnx = package("onnx", "onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402 # pyright: ignore
from onnx.reference import ReferenceEvaluator  # noqa: E402 # pyright: ignore

from relax_dialect import RelaxError, interpret  # noqa: E402
from relax_dialect.frontends.onnx import load  # noqa: E402

TYPES = [
    getattr(TensorProto, name)
    for name in (
        *("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT8E8M0"),
        *("FLOAT4E2M1", "INT4", "UINT4", "INT2", "UINT2"),
    )
]
NAMES = [TensorProto.DataType.Name(code) for code in TYPES]


def model(node: Any, inputs: list[Any], target: int, constants: Sequence[Any] = ()) -> Any:
    infos = [
        helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for i, x in enumerate(inputs)
    ]
    result = helper.make_tensor_value_info("y", target, None)
    graph = helper.make_graph([node], "g", infos, [result], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])


def reference(made: Any, *inputs: Any) -> Any:
    """The result that ONNX's own evaluator gives."""
    (found,) = ReferenceEvaluator(made).run(None, {f"x{i}": x for i, x in enumerate(inputs)})
    return found


def constant(code: int, raw: bool) -> Any:
    values = np.resize(np.array([1, 2, 0, 1, 2, 1, 1], np.float32), (1, 7))
    values = values.astype(helper.tensor_dtype_to_np_dtype(code))
    if raw:
        return numpy_helper.from_array(values, "c")
    return helper.make_tensor("c", code, values.shape, values)


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("code", TYPES, ids=NAMES)
def test_constants_are_unpacked(code: int, raw: bool):
    tensor = constant(code, raw)
    node = helper.make_node("Transpose", ["c"], ["y"])
    found = interpret.run(load(model(node, [], code, [tensor])), "main")
    wanted = numpy_helper.to_array(tensor).T
    assert found.dtype == wanted.dtype and found.shape == (7, 1)
    np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("code", TYPES, ids=NAMES)
def test_damaged_constants_are_refused(code: int):
    for raw in (True, False):
        tensor = constant(code, raw)
        if raw:
            tensor.raw_data = tensor.raw_data[:-1]
        else:
            del tensor.int32_data[0]
        node = helper.make_node("Identity", ["c"], ["y"])
        with pytest.raises(RelaxError, match="the file is damaged"):
            load(model(node, [], code, [tensor]))


@pytest.mark.parametrize("code", TYPES, ids=NAMES)
@pytest.mark.parametrize("source", [np.float32, np.float16])
def test_casts_are_those_of_the_reference(code: int, source: Any):
    x = np.arange(65536, dtype=np.uint16).view(np.float16).astype(source)
    forms: list[dict[str, Any]] = [{"saturate": 1}, {"saturate": 0}]
    if code == TensorProto.FLOAT8E8M0:
        forms = [{"round_mode": way, **form} for form in forms for way in ("up", "down", "nearest")]
    for form in forms if TensorProto.DataType.Name(code).startswith("FLOAT8") else [{}]:
        made = model(helper.make_node("Cast", ["x0"], ["y"], to=code, **form), [x], code)
        with np.errstate(all="ignore"):
            wanted = reference(made, x)
            found = interpret.run(load(made), "main", x)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("block", [0, 3])
@pytest.mark.parametrize("code", [c for c in TYPES if c != TensorProto.FLOAT8E8M0])
def test_quantized_numbers_are_those_of_the_reference(code: int, block: int):
    rng, dtype = np.random.default_rng(code), helper.tensor_dtype_to_np_dtype(code)
    x = (rng.standard_normal((3, 7, 5)) * 20).astype(np.float32)
    scale = (rng.random((3, 3, 5) if block else 7) + 0.1).astype(np.float32)
    zero = np.zeros(scale.shape, np.int8).astype(dtype)
    inputs: list[Any] = [x, scale, zero]
    for op in ("QuantizeLinear", "DequantizeLinear"):
        target = code if op == "QuantizeLinear" else TensorProto.FLOAT
        how = {"saturate": 0} if block and op[0] == "Q" and dtype.name.startswith("float8") else {}
        node = helper.make_node(op, ["x0", "x1", "x2"], ["y"], axis=1, block_size=block, **how)
        made = model(node, inputs, target)
        wanted = reference(made, *inputs)
        found = interpret.run(load(made), "main", *inputs)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.astype(np.float32), wanted.astype(np.float32))
        inputs[0] = wanted
