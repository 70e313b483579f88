"""Works as ONNX models, for ONNX Runtime, TVM and IREE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from bench.languages import Language
from bench.work import NUMPY_TYPES, Work

OPSET = 20
VERSION = 9
"""The IR version of the format that belongs to that opset."""

GRAPH = "work"
"""The name of every graph."""

KINDS = {
    **{"matmul": "MatMul", "add": "Add", "subtract": "Sub", "multiply": "Mul"},
    **{"relu": "Relu", "tanh": "Tanh", "exp": "Exp", "sigmoid": "Sigmoid", "gelu": "Gelu"},
    "matmul_integer": "MatMulInteger",
}
"""The operators that take the same operands, and no attributes."""
GATES = (0, 3, 1, 2)
"""ONNX's order of an LSTM's gates in ours: input, output, forget, cell."""


class Onnx(Language):
    """The operators as nodes of a graph; values are their names."""

    def __init__(self, sizes: Any):
        super().__init__(sizes)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def const(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def __getattr__(self, name: str) -> Any:
        kind = KINDS.get(name)
        return super().__getattr__(name) if kind is None else lambda *x: self.node(kind, *x)

    def _numbers(self, *numbers: int) -> str:
        return self.const(np.array(numbers, np.int64))

    def linear(self, x: str, weight: str, bias: str | None = None) -> str:
        product = self.node("MatMul", x, self.node("Transpose", weight, perm=[1, 0]))
        return product if bias is None else self.node("Add", product, bias)

    def softmax(self, x: str, axis: int = -1) -> str:
        return self.node("Softmax", x, axis=axis)

    def layer_norm(self, x: str, gamma: str, beta: str, axes: int) -> str:
        return self.node("LayerNormalization", x, gamma, beta, axis=axes)

    def permute_dims(self, x: str, axes: Sequence[int]) -> str:
        return self.node("Transpose", x, perm=list(axes))

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        return self.node("Reshape", x, self._numbers(*shape))

    def concat(self, tensors: Sequence[str], axis: int = 0) -> str:
        return self.node("Concat", *tensors, axis=axis)

    def split(self, x: str, sections: int, axis: int = 0) -> Sequence[str]:
        return self.node("Split", x, outputs=sections, axis=axis, num_outputs=sections)

    def sum(self, x: str, axis: int | None = None) -> str:
        axes = () if axis is None else (self._numbers(axis),)
        return self.node("ReduceSum", x, *axes, keepdims=0)

    def argmax(self, x: str, axis: int | None = None) -> str:
        if axis is None:
            x, axis = self.reshape(x, [-1]), 0
        return self.node("ArgMax", x, axis=axis, keepdims=0)

    def sort(self, x: str, axis: int = -1) -> str:
        count = self.node("Gather", self.node("Shape", x), self._numbers(axis))
        return self.node("TopK", x, count, outputs=2, axis=axis, largest=0)[0]

    def conv2d(
        self, x: str, weight: str, strides: int = 1, padding: int = 0, groups: int = 1
    ) -> str:
        return self.node("Conv", x, weight, strides=[strides] * 2, pads=[padding] * 4, group=groups)

    def max_pool2d(self, x: str, pool_size: int, strides: int, padding: int = 0) -> str:
        sizes = {"kernel_shape": [pool_size] * 2, "strides": [strides] * 2}
        return self.node("MaxPool", x, pads=[padding] * 4, **sizes)

    def adaptive_avg_pool2d(self, x: str, output_size: int) -> str:
        if output_size != 1:
            return super().__getattr__("adaptive_avg_pool2d")
        return self.node("GlobalAveragePool", x)

    def batch_norm(
        self, x: str, gamma: str, beta: str, mean: str, var: str, training: bool
    ) -> Sequence[str]:
        return (self.node("BatchNormalization", x, gamma, beta, mean, var),)

    def attention(self, query: str, key: str, value: str) -> str:
        """Build attention as exporters write it: operands with heads before positions, scores as a separate
        matrix."""
        depth = np.float32(1 / np.sqrt(self.sizes["depth"]))
        q, v = (self.permute_dims(x, [0, 2, 1, 3]) for x in (query, value))
        scores = self.node("MatMul", q, self.permute_dims(key, [0, 2, 3, 1]))
        shares = self.softmax(self.node("Mul", scores, self.const(np.array(depth))))
        return self.permute_dims(self.node("MatMul", shares, v), [0, 2, 1, 3])

    def lstm(self, x: str, h: str, c: str, *weights: str) -> str:
        """Build an LSTM with gates in ONNX's order; the number of directions is the axis after the
        length."""
        w_ih, w_hh, b_ih, b_hh = (self._gates(w) for w in weights)
        hidden = w_hh.shape[-1]
        biases = self.const(np.concatenate([b_ih, b_hh], axis=-1))
        arguments = (x, self.const(w_ih), self.const(w_hh), biases, "", h, c)
        y = self.node("LSTM", *arguments, hidden_size=hidden)
        return self.node("Squeeze", y, self._numbers(1))

    def _gates(self, weight: str) -> np.ndarray:
        (found,) = (each for each in self.weights if each.name == weight)
        parts = np.split(numpy_helper.to_array(found), 4, axis=1)
        return np.concatenate([parts[gate] for gate in GATES], axis=1)


def model(work: Work, *, symbolic: bool = False) -> onnx.ModelProto:
    """Build a work's model for its sizes, or for any sizes that its network does not name."""
    language = Onnx(work.sizes)
    inputs = []
    for i, input in enumerate(work.inputs):
        dtype = helper.np_dtype_to_tensor_dtype(np.dtype(NUMPY_TYPES[input.dtype]))
        shape = input.dims if symbolic else input.shape(work.sizes)
        inputs.append(helper.make_tensor_value_info(f"x{i}", dtype, shape))
    result = work.network(language, *(value.name for value in inputs))
    output = helper.make_empty_tensor_value_info(result)
    graph = helper.make_graph(language.nodes, GRAPH, inputs, [output], language.weights)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=VERSION)
