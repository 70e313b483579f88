"""Models as files have them: saved, re-saved, merged, joined and quantized by the usual tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import check, found, helper, model, onnx, tensor, value
from optional import amount, package, shortened

from relax_dialect.frontends.onnx import OnnxError, load

package("onnxruntime")

import onnx_forms  # noqa: E402
from onnx_cases import some_node_cases  # noqa: E402

node = helper.make_node
F32, I64 = np.float32, np.int64


@shortened
def test_models_in_all_forms(tmp_path: Path):
    """A part of ONNX's own cases; `onnx_forms.py` reads all."""
    cases = [*some_node_cases(slice(1, None, amount(8, 24)))][:: amount(7, 9)]
    models = [
        (case.name, case.model, case.inputs)
        for case in cases
        if all(isinstance(a, np.ndarray) for a in case.inputs.values()) and not case.is_drawn
    ]
    counts = dict.fromkeys(onnx_forms.FORMS, 0)
    for name, kind, what in onnx_forms.differences(models, tmp_path):
        assert not what, (name, kind, what)
        counts[kind] += what == ""
    assert all(counts.values()), counts


def test_all_forms_of_a_network(tmp_path: Path):
    """Each tool can do it: weights, a convolution and a matrix product."""
    random = np.random.default_rng(0)
    weights = {"w1": random.random((4, 3, 3, 3), F32) - 0.5, "w2": random.random((36, 5), F32)}
    nodes = [
        node("Conv", ["x", "w1"], ["a"], kernel_shape=[3, 3]),
        node("Relu", ["a"], ["b"]),
        node("Flatten", ["b"], ["c"]),
        node("MatMul", ["c", "w2"], ["y"]),
    ]
    network = model(nodes, [value("x", F32, ["n", 3, 5, 5])], [], weights)
    network.graph.output.append(value("y", F32, ["n", 5]))
    inputs = {"x": random.random((2, 3, 5, 5), F32)}
    done = {
        kind: what for _, kind, what in onnx_forms.differences([("", network, inputs)], tmp_path)
    }
    assert done == dict.fromkeys(onnx_forms.FORMS, "")


def loop_with_initializer() -> tuple[Any, dict[str, Any]]:
    """A loop whose body has an initializer and a scan output, so that it is converted twice."""
    body = helper.make_graph(
        [
            node("Add", ["s", "one"], ["s2"]),
            node("Identity", ["c"], ["c2"]),
            node("Identity", ["s2"], ["o"]),
        ],
        "body",
        [value("i", I64, []), value("c", np.bool_, []), value("s", F32, [2])],
        [value("c2", np.bool_, []), value("s2", F32, [2]), value("o", F32, [2])],
        [tensor("one", F32(1))],
    )
    loop = node("Loop", ["n", "", "x"], ["y", "ys"], body=body)
    whole = model([loop], [value("n", I64, []), value("x", F32, [2])], ["y", "ys"])
    return whole, {"n": np.array(3), "x": np.zeros(2, F32)}


def test_initializers_of_a_body_are_read_once(tmp_path: Path):
    whole, inputs = loop_with_initializer()
    onnx.save(whole, str(tmp_path / "m.onnx"))
    y, ys = found(tmp_path / "m.onnx", inputs)
    assert y.tolist() == [3, 3] and ys.tolist() == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize("merged", [False, True])
def test_data_location_is_written_out(tmp_path: Path, merged: bool):
    """Large data in the file, in a tensor whose data_location = DEFAULT comes after it."""
    w = np.random.default_rng(0).random((128, 128), F32)
    whole = model(
        [node("MatMul", ["x", "w"], ["y"])], [value("x", F32, ["n", 128])], ["y"], {"w": w}
    )
    path = tmp_path / "m.onnx"
    if merged:
        onnx.save_model(whole, str(path), save_as_external_data=True, location="data")
        onnx.save(onnx.load(str(path)), str(path))
        (tmp_path / "data").unlink(missing_ok=True)
    else:
        whole.graph.initializer[0].data_location = onnx.TensorProto.DEFAULT
        onnx.save(whole, str(path))
    x = np.ones((2, 128), F32)
    (y,) = found(path, {"x": x})
    np.testing.assert_allclose(y, x @ w, 1e-5)


def test_versions_of_one_domain(tmp_path: Path):
    """The same version twice is one, under both names of ONNX's domain; two versions are refused."""
    for domain, version in (("", 17), ("ai.onnx", 17), ("", 18), ("ai.onnx", 16)):
        relu = model([node("Relu", ["x"], ["y"])], [value("x", F32, [2])], ["y"])
        relu.opset_import.append(helper.make_opsetid(domain, version))
        if version == 17:
            load(relu)
        else:
            with pytest.raises(OnnxError, match=r"one version of the domain '' within"):
                load(relu)


@pytest.mark.parametrize("op_type", ["QuantizeLinear", "DequantizeLinear"])
@pytest.mark.parametrize("shape", [(3,), (1,), (), (2, 3)])
def test_a_scale_of_one_element(op_type: str, shape: tuple[int, ...]):
    """A vector of one element is one number for all, whatever the axis is."""
    dtype = F32 if op_type == "QuantizeLinear" else np.int8
    whole = model(
        [node(op_type, ["x", "s", "z"], ["y"])],
        [value("x", dtype, list(shape))],
        ["y"],
        {"s": np.array([0.5], F32), "z": np.array([1], np.int8)},
    )
    check(whole, {"x": (np.arange(6)[: int(np.prod(shape))].reshape(shape)).astype(dtype)})
