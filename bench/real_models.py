"""ONNX models by others: the light networks of ONNX's own data, and PP-OCR v4.

The weights of the light networks are constant, which would hide faults, so they are drawn anew. Outputs are
taken before a final softmax or sigmoid, where 0 and 1 would hide differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from examples.ocr import networks

Arrays = Mapping[str, "np.ndarray[Any, Any]"]

LIGHT = ("squeezenet", "shufflenet", "inception_v1", "inception_v2", "resnet50", "densenet121")
LIGHT += ("zfnet512", "bvlc_alexnet", "vgg19")

OCR: Mapping[str, Sequence[tuple[int, ...]]] = {
    "detector": ((1, 3, 640, 480), (1, 3, 320, 320), (2, 3, 96, 224)),
    "classifier": ((1, 3, 48, 192), (3, 3, 48, 192)),
    "recogniser": ((1, 3, 48, 320), (2, 3, 48, 161), (1, 3, 48, 77)),
}
"""The networks of PP-OCR, and sizes of pictures that one artifact of each serves."""


def light(name: str) -> tuple[Any, Arrays]:
    """Return a light network with random weights, and an input for it."""
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    network = onnx.load_model(str(folder / f"light_{name}.onnx"))
    graph, random = network.graph, np.random.default_rng(0)
    given = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    filled = {
        n.output[0]: tuple(given[n.input[0]]) for n in graph.node if n.op_type == "ConstantOfShape"
    }
    shapes = filled | {k: v.shape for k, v in given.items() if v.dtype == np.float32}
    variances = {n.input[4] for n in graph.node if n.op_type == "BatchNormalization"}
    weights: dict[str, Any] = {}
    for key, shape in shapes.items():
        array = random.standard_normal(shape, np.float32)
        if len(shape) > 1:
            array *= np.float32(np.sqrt(2 / np.prod(shape[1:])))
        weights[key] = np.abs(array) + np.float32(0.5) if key in variances else array
    kept = [t for t in graph.initializer if t.name not in shapes]
    nodes = [n for n in graph.node if n.output[0] not in filled]
    del graph.initializer[:], graph.node[:]
    made = (numpy_helper.from_array(a, k) for k, a in weights.items())
    graph.initializer.extend([*kept, *made])
    graph.node.extend(nodes)
    inputs = [v for v in graph.input if v.name not in weights and v.name not in given]
    del graph.input[:]
    graph.input.extend(inputs)
    network.ir_version = 4  # since then initializers need not be inputs
    shape = [d.dim_value for d in inputs[0].type.tensor_type.shape.dim]
    return by_logits(network), {inputs[0].name: random.standard_normal(shape, np.float32)}


def by_logits(network: Any) -> Any:
    """Return a network without its last softmax or sigmoid."""
    makers = {name: node for node in network.graph.node for name in node.output}
    last = makers[network.graph.output[0].name]
    while last.op_type == "Identity":
        last = makers[last.input[0]]
    if last.op_type in ("Softmax", "Sigmoid"):
        network.graph.output[0].CopyFrom(helper.make_empty_tensor_value_info(last.input[0]))
    return network


def picture(shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Draw dark strokes on light paper, in PP-OCR's format: numbers from -1 to 1."""
    random = np.random.default_rng(0)
    pictures = np.full(shape, 0.9, np.float32)
    height, width = shape[-2:]
    for _ in range(height * width // 400):
        y, x = random.integers(height - 12), random.integers(width - 12)
        tall, wide = (3, 12) if random.random() < 0.5 else (12, 3)
        pictures[..., y : y + tall, x : x + wide] = -0.8
    return pictures + random.uniform(-0.05, 0.05, shape).astype(np.float32)


def ocr(name: str) -> tuple[Any, Sequence[Arrays]]:
    """Return a network of PP-OCR, and pictures of several sizes for it."""
    network = by_logits(onnx.load_model(str(networks.file_of(name))))
    return network, [{network.graph.input[0].name: picture(shape)} for shape in OCR[name]]


def _light(name: str) -> Callable[[], tuple[Any, Sequence[Arrays]]]:
    def made() -> tuple[Any, Sequence[Arrays]]:
        network, inputs = light(name)
        return network, [inputs]

    return made


MODELS: Mapping[str, Callable[[], tuple[Any, Sequence[Arrays]]]] = {
    **{name: _light(name) for name in LIGHT},
    **({f"PP-OCR {n}": lambda n=n: ocr(n) for n in OCR} if networks.are_here() else {}),
}
"""Every available model, with its inputs; the first inputs are the timed ones."""
