"""Quantised regions compared with ONNX Runtime's integer operators with the same parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from optional import package
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.interpret import run
from relax_dialect.rewrites.quantization.quantize import quantize

from .quantizable import Array, network, normal, numbers

helper = package("onnx.helper")
numpy_helper = package("onnx.numpy_helper")
onnxruntime = package("onnxruntime")

FLOAT = 1
"""The number of f32 in ONNX."""


def runtime(nodes: Sequence[Any], constants: dict[str, Array], x: Array) -> Array:
    """The value `y` of a graph of nodes, for an input `x`."""
    graph = helper.make_graph(
        nodes,
        "quantised",
        [helper.make_tensor_value_info("x", FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(["y"], {"x": x})[0]


def node(kind: str, inputs: str, output: str, **attributes: Any) -> Any:
    return helper.make_node(kind, inputs.split(), [output], **attributes)


def parameters(module: ModuleOp, product: str) -> dict[str, Array]:
    """The numbers that the pass has chosen for a region without bias and relu."""
    ((sx, zx),) = numbers(module, "quantize", 1, 2)
    ((w, _, zw),) = numbers(module, product, 1, 2, 3)
    ((sums,),) = numbers(module, "dequantize", 1)
    return {"sx": sx, "zx": zx, "w": w, "zw": zw, "sums": sums}


QUANTIZE = node("QuantizeLinear", "x sx zx", "q")
TO_FLOAT = [node("Cast", "i", "f", to=FLOAT), node("Mul", "f sums", "y")]


def around_128(found: dict[str, Array]) -> None:
    """Weights of i8 as ui8: on processors that lack an instruction for ui8 times i8, ONNX Runtime cuts sums
    of those off at 16 bits."""
    found["w"] = (found["w"].astype(np.int16) + 128).astype(np.uint8)
    found["zw"] = np.asarray(128, np.uint8)


def test_a_matmul_is_a_matmul_integer():
    module = network(["n", 20], lambda x: x @ const(normal(1, 20, 7)))
    x = normal(2, 33, 20)
    quantize(module, {"x": x * np.float32(0.8)})
    found = parameters(module, "matmul_integer")
    assert found["w"].dtype == np.int8 and found["zx"].dtype == np.uint8
    around_128(found)
    theirs = runtime([QUANTIZE, node("MatMulInteger", "q w zx zw", "i"), *TO_FLOAT], found, x)
    np.testing.assert_array_equal(run(module, "main", x), theirs)


def test_a_convolution_is_a_conv_integer():
    module = network(
        ["n", 3, "h", "w"], lambda x: op.conv2d(x, const(normal(1, 4, 3, 3, 2)), [2, 1], [1, 0])
    )
    x = normal(2, 2, 3, 9, 8)
    quantize(module, {"x": x})
    found = parameters(module, "conv2d_integer")
    found["sums"] = found["sums"].reshape(-1, 1, 1)
    around_128(found)
    convolution = node("ConvInteger", "q w zx zw", "i", strides=[2, 1], pads=[1, 0, 1, 0])
    theirs = runtime([QUANTIZE, convolution, *TO_FLOAT], found, x)
    np.testing.assert_array_equal(run(module, "main", x), theirs)


def test_two_matmuls_are_a_qlinear_matmul_and_a_matmul_integer():
    """Both multiply in f32, in another order: a step of the 8 bits in between may differ, once in a while."""
    module = network(["n", 20], lambda x: x @ const(normal(1, 20, 9)) @ const(normal(2, 9, 5)))
    x = normal(3, 40, 20)
    quantize(module, {"x": x})
    ((sx, zx),) = numbers(module, "quantize", 1, 2)
    (w, _, zw), (v, zh, zv) = numbers(module, "matmul_integer", 1, 2, 3)
    ((sums, sh),) = numbers(module, "requantize", 1, 3)
    ((last,),) = numbers(module, "dequantize", 1)
    constants = {
        **{"sx": sx, "zx": zx, "w": w, "sw": sums / sx, "zw": np.zeros(9, np.int8)},
        **{"sh": sh, "zh": zh, "v": v, "zv": zv, "sums": last},
    }
    assert zw == 0
    layers = [
        node("QLinearMatMul", "q sx zx w sw zw sh zh", "h"),
        node("MatMulInteger", "h v zh zv", "i"),
    ]
    theirs = runtime([QUANTIZE, *layers, *TO_FLOAT], constants, x)
    ours = run(module, "main", x)
    step = float(np.abs(v.astype(np.float32) * last).max())
    assert np.abs(ours - theirs).max() <= 2 * step
    assert (ours != theirs).mean() < 0.05
