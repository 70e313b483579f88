"""Random numbers: the same at every run, from the seed of a node, or else from a hash of its name."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.datatype import element_type
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def key(node: OnnxNode) -> np.ndarray[Any, Any]:
    """Return the bits of the seed; a node without one gets a number that other nodes are unlikely to
    have."""
    seed = node.attr("seed", None)
    if seed is None:
        text = "\n".join([node.op_type, node.proto.name, *node.outputs])
        return np.asarray(zlib.crc32(text.encode()) + (1 << 32))
    return np.asarray(struct.unpack("<I", struct.pack("<f", float(seed)))[0], np.int64)


def draw(node: OnnxNode, shape: Any, dtype: str) -> Any:
    """Draw the numbers of a node's distribution."""
    if "Uniform" in node.op_type:
        low, high = node.attr("low"), node.attr("high")
        return op.random_uniform(key(node), shape, dtype, low=low, high=high)
    mean, scale = node.attr("mean"), node.attr("scale")
    return op.random_normal(key(node), shape, dtype, mean=mean, scale=scale)


@converter("RandomUniform", "RandomNormal")
def random(node: OnnxNode) -> Any:
    shape = node.attr("shape")
    if shape is None:
        node.fail("an attribute shape", "none", "correct the model")
    return draw(node, list(shape), element_type(node, node.attr("dtype")))


@converter("RandomUniformLike", "RandomNormalLike")
def random_like(node: OnnxNode) -> Any:
    return draw(node, list(node.shape(0)), own_type(node))


def own_type(node: OnnxNode) -> str:
    """Return the element type of the attribute, else that of the input."""
    code = node.attr("dtype", None)
    return node.dtype(0).name if code is None else element_type(node, code)


@converter("Bernoulli")
def bernoulli(node: OnnxNode) -> Any:
    dtype, wide = own_type(node), node.dtype(0).name
    number = op.random_uniform(key(node), list(node.shape(0)), wide)
    return op.astype(op.less(number, node.tensor(0)), dtype)


@converter("Multinomial")
def multinomial(node: OnnxNode) -> Any:
    """Convert a `Multinomial`; the input has logarithms of probabilities that need not add up to 1."""
    batch, count = node.shape(0)[0], node.attr("sample_size")
    number = op.random_uniform(key(node), [batch * count, 1], "f32")
    rows = op.reshape(op.arange(0, batch), [batch, 1])
    rows = op.reshape(op.broadcast_to(rows, [batch, count]), [batch * count, 1])
    dtype = element_type(node, node.attr("dtype"))
    prob = op.softmax(node.tensor(0), 1)
    drawn = op.multinomial_from_uniform(prob, number, rows, dtype)
    return op.reshape(drawn, [batch, count])


@converter("Dropout")
def dropout(node: OnnxNode) -> Any:
    """Convert a `Dropout`. In training an element is dropped if its random number is below the ratio, and
    the others are scaled accordingly; otherwise it is the identity. The mode may be known only at run
    time."""
    x: Any = node.tensor(0)
    shape, training, ratio = list(node.shape(0)), _training(node), _ratio(node)
    mask_type = "i1" if node.opset >= 10 else node.dtype(0).name
    if training is False:
        return x if len(node.outputs) == 1 else (x, op.ones(shape, mask_type))
    kept = op.greater_equal(op.random_uniform(key(node), shape, "f32"), ratio)
    wide = "f64" if node.dtype(0) == np.float64 else "f32"
    grown = op.divide(op.astype(x, wide), op.astype(op.subtract(1.0, ratio), wide))
    grown = op.astype(grown, node.dtype(0).name)
    if training is not True:
        kept = op.logical_or(kept, op.logical_not(training))
        grown = op.where(training, grown, x)
    kept = node.emit(kept)
    dropped = op.where(kept, grown, op.zeros_like(x))
    return dropped if len(node.outputs) == 1 else (dropped, op.astype(kept, mask_type))


def _training(node: OnnxNode) -> Any:
    """Returns whether a dropout is in training mode: True, False or a truth value of the program."""
    if node.opset < 12:
        return node.opset < 7 and not node.attr("is_test")
    known = node.known(2) if node.has(2) else np.zeros(())
    return _one(node, 2) if known is None else bool(known.any())


def _ratio(node: OnnxNode) -> Any:
    """Return the dropped share, in f32."""
    if node.opset < 12 or not node.has(1):
        return np.asarray(node.attr("ratio", 0.5), np.float32)
    return op.astype(_one(node, 1), "f32")


def _one(node: OnnxNode, place: int) -> Any:
    """Return the one element of an input."""
    return op.reshape(node.tensor(place), [])
