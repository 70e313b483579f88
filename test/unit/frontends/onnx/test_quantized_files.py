"""Models as the tools of ONNX Runtime leave them in files: quantized, and optimized."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import model, value
from optional import package

from relax_dialect import interpret
from relax_dialect.frontends.onnx import load

onnx = package("onnx", "onnx")
runtime = package("onnxruntime")
quantization = package("onnxruntime.quantization", "onnxruntime")
node = onnx.helper.make_node

RANDOM = np.random.default_rng(5)
OFF_BY_SOME_STEPS = 0.05
"""Of numbers around one: a quantized number that is rounded elsewhere moves by a step."""


def noise(*shape: int) -> Any:
    return (RANDOM.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


def perceptron() -> tuple[Any, Any]:
    nodes = [
        node("Gemm", ["x", "w1", "b1"], ["h"]),
        node("Sigmoid", ["h"], ["s"]),
        node("MatMul", ["s", "w2"], ["y"]),
    ]
    weights = {"w1": noise(16, 24), "b1": noise(24), "w2": noise(24, 8)}
    return model(nodes, [value("x", np.float32, ["n", 16])], ["y"], weights), noise(5, 16) * 3


def convolutions() -> tuple[Any, Any]:
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["r"]),
        node("AveragePool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Add", ["p", "p"], ["a"]),
        node("GlobalAveragePool", ["a"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("MatMul", ["f", "v"], ["y"]),
    ]
    weights = {"w": noise(6, 3, 3, 3), "b": noise(6), "v": noise(6, 4)}
    return model(nodes, [value("x", np.float32, ["n", 3, 8, 8])], ["y"], weights), noise(2, 3, 8, 8)


def recurrent() -> tuple[Any, Any]:
    nodes = [
        node("LSTM", ["x", "w", "r", "b"], ["h"], hidden_size=8),
        node("Squeeze", ["h", "one"], ["s"]),
        node("MatMul", ["s", "v"], ["y"]),
    ]
    weights = {"w": noise(1, 32, 6), "r": noise(1, 32, 8), "b": noise(1, 64), "v": noise(8, 4)}
    weights["one"] = np.array([1])
    return model(nodes, [value("x", np.float32, ["t", 2, 6])], ["y"], weights), noise(5, 2, 6) * 3


def encoder() -> tuple[Any, Any]:
    """A layer of attention, with what the optimizer fuses after it."""
    nodes = [
        *(node("MatMul", ["x", f"w{k}"], [k]) for k in "qkv"),
        node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["scores"]),
        node("Mul", ["scores", "scale"], ["scaled"]),
        node("Softmax", ["scaled"], ["p"]),
        node("MatMul", ["p", "v"], ["a"]),
        node("Add", ["a", "x"], ["sum"]),
        node("LayerNormalization", ["sum", "gamma", "beta"], ["norm"], axis=-1),
        node("MatMul", ["norm", "wf"], ["f"]),
        node("Add", ["f", "bf"], ["biased"]),
        node("Div", ["biased", "root"], ["d"]),
        node("Erf", ["d"], ["e"]),
        node("Add", ["e", "one"], ["e1"]),
        node("Mul", ["biased", "e1"], ["m"]),
        node("Mul", ["m", "half"], ["y"]),
    ]
    weights = {f"w{k}": noise(16, 16) for k in "qkv"}
    weights |= {"wf": noise(16, 32), "bf": noise(32), "gamma": noise(16) + 1, "beta": noise(16)}
    weights |= {"scale": np.float32(0.25), "root": np.float32(2**0.5)}
    weights |= {"one": np.float32(1), "half": np.float32(0.5)}
    return model(nodes, [value("x", np.float32, ["n", "t", 16])], ["y"], weights), noise(
        2, 5, 16
    ) * 3


MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "perceptron": perceptron,
    "convolutions": convolutions,
    "recurrent": recurrent,
    "encoder": encoder,
}


class Inputs:
    """The inputs that calibrate a model."""

    def __init__(self, x: Any):
        self.left = [{"x": x}]

    def get_next(self) -> Any:
        return self.left.pop() if self.left else None


def dynamic(source: Path, target: Path, x: Any) -> None:
    kinds = ["MatMul", "Gemm", "LSTM", "Attention"]
    quantization.quantize_dynamic(str(source), str(target), op_types_to_quantize=kinds)


def static(source: Path, target: Path, x: Any) -> None:
    form = quantization.QuantFormat.QOperator
    quantization.quantize_static(str(source), str(target), Inputs(x), quant_format=form)


def in_pairs(source: Path, target: Path, x: Any) -> None:
    """QuantizeLinear and DequantizeLinear around each operator."""
    quantization.quantize_static(str(source), str(target), Inputs(x), per_channel=True)


def session(path: Path, optimized: Path | None = None) -> Any:
    options = runtime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    if optimized is not None:
        levels = runtime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = str(optimized)
    return runtime.InferenceSession(str(path), options)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("tool", [None, dynamic, static, in_pairs])
def test_files_of_the_tools(name: str, tool: Callable[..., None] | None, tmp_path: Path):
    """The quantized file, and the one that the optimizer makes of it."""
    made, x = MODELS[name]()
    paths = [tmp_path / f"{k}.onnx" for k in ("float", "quantized", "optimized")]
    onnx.save(onnx.shape_inference.infer_shapes(made), str(paths[0]))
    if tool is not None:
        tool(paths[0], paths[1], x)
    path = paths[1] if tool is not None else paths[0]
    (theirs,) = session(path, paths[2]).run(None, {"x": x})
    for file in (path, paths[2]):
        ours = interpret.run(load(file), "main", x)
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < (OFF_BY_SOME_STEPS if tool else 1e-5), file.name
