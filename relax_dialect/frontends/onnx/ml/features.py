"""Features made ready: scaled, replaced, chosen, joined, encoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.ml import DOMAIN
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def as_float(node: OnnxNode, place: int = 0) -> Any:
    """Return an input as f32."""
    x = node.tensor(place)
    return x if node.dtype(place).name == "float32" else op.astype(x, "f32")


@converter("Scaler", domain=DOMAIN)
def scaler(node: OnnxNode) -> Any:
    """Convert a `Scaler`: `(x - offset) * scale`, f64 computed as such, as f32."""
    is_double = node.dtype(0).name == "float64"
    dtype = np.float64 if is_double else np.float32
    offset, scale = (np.array(node.attr(n, None) or [], dtype) for n in ("offset", "scale"))
    found = node.tensor(0) if is_double else as_float(node)
    found = op.subtract(found, offset) if offset.any() else found
    found = op.multiply(found, scale) if scale.size else found
    return op.astype(found, "f32") if is_double else found


def _l2(x: Any) -> tuple[Any, Any]:
    squares = op.square(x)
    return op.sum(squares, -1, True), lambda total: op.multiply(
        op.where(op.less(x, 0.0), np.float32(-1), np.float32(1)), op.sqrt(op.divide(squares, total))
    )


NORMS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "MAX": lambda x: (op.max(x, -1, True), lambda total: op.divide(x, total)),
    "L1": lambda x: (op.sum(op.abs(x), -1, True), lambda total: op.divide(x, total)),
    "L2": _l2,
}
"""The number that a row is divided by, and the quotient."""


@converter("Normalizer", domain=DOMAIN)
def normalizer(node: OnnxNode) -> Any:
    """Convert a `Normalizer`; rows whose norm is zero are unchanged."""
    x = node.emit(as_float(node))
    total, quotient = node.choice("norm", NORMS)(x)
    total = node.emit(total)
    return op.where(op.equal(total, 0.0), x, quotient(total))


@converter("Imputer", domain=DOMAIN)
def imputer(node: OnnxNode) -> Any:
    is_float = node.dtype(0).kind == "f"
    kind = "float" if is_float else "int64"
    x, dtype = node.tensor(0), node.dtype(0)
    new = np.array(node.attr(f"imputed_value_{kind}s", None) or [], dtype)
    if not new.size:
        node.fail(f"numbers in imputed_value_{kind}s", "none", "correct the model")
    old = np.array(node.attr(f"replaced_value_{kind}"), dtype)
    is_missing = op.isnan(x) if is_float and np.isnan(old) else op.equal(x, old)
    return op.where(is_missing, new[0] if new.size == 1 else new, x)


@converter("Binarizer", domain=DOMAIN)
def binarizer(node: OnnxNode) -> Any:
    dtype = node.dtype(0)
    above = op.greater(node.tensor(0), np.array(node.attr("threshold"), dtype))
    return op.astype(above, dtype.name)


@converter("ArrayFeatureExtractor", domain=DOMAIN)
def array_feature_extractor(node: OnnxNode) -> Any:
    """Select columns by index."""
    found = op.take(node.tensor(0), op.reshape(node.tensor(1), [-1]), -1)
    return op.reshape(found, [1, -1]) if node.rank(0) == 1 else found


@converter("FeatureVectorizer", domain=DOMAIN)
def feature_vectorizer(node: OnnxNode) -> Any:
    """Join rows, each input cropped to its number of features or padded with zeros."""
    parts = []
    for place, width in zip(range(len(node.inputs)), node.attr("inputdimensions")):
        x, rank = as_float(node, place), node.rank(place)
        shape = node.shape(place)
        x = op.reshape(x, [1, -1] if rank == 1 else [shape[0], -1]) if rank != 2 else x
        (_, size) = node.shape_of(node.emit(x))
        if size.value is None:
            node.unsupported(f"an input of {size} features", "fix its sizes (dims={...})")
        if size.value > width:
            x = op.strided_slice(x, [1], [0], [width])
        elif size.value < width:
            x = op.pad(x, [0, 0, 0, width - size.value])
        parts.append(x)
    return op.concat(parts, 1)


TABLES = ("int64s", "floats", "tensor")
"""LabelEncoder's suffixes of numeric keys and values."""


def _column(node: OnnxNode, kind: str) -> tuple[str, Any] | None:
    """Return the keys or values of an encoder, and the suffix of their attributes."""
    for name in TABLES:
        found = node.attr(f"{kind}_{name}", None)
        if found is not None and len(found):
            dtype = {"int64s": np.int64, "floats": np.float32}.get(name)
            return name, np.asarray(found, dtype)
    return None


@converter("LabelEncoder", since=2, domain=DOMAIN)
def label_encoder(node: OnnxNode) -> Any:
    """Look up each element in a table of keys by bisection."""
    found_keys, found_values = (_column(node, kind) for kind in ("keys", "values"))
    if found_keys is None or found_values is None:
        node.unsupported(
            "keys or values that are strings", "encode text before the model is called"
        )
    (_, keys), (name, values) = found_keys, found_values
    default = node.attr(f"default_{name.removesuffix('s')}", None)
    if default is None:
        default = {"i": -1, "f": -0.0}[values.dtype.kind]
    default = np.asarray(default, values.dtype).reshape(())
    x = node.tensor(0)
    has_nan = keys.dtype.kind == "f" and bool(np.isnan(keys).any())
    sorted_keys, first = np.unique(keys[::-1], return_index=True)
    table = np.append(values[::-1][first], default)
    places = node.emit(op.searchsorted(sorted_keys, op.reshape(x, [-1])))
    places = node.emit(op.minimum(places, len(sorted_keys) - 1))
    hit = op.equal(op.take(sorted_keys, places, 0), op.reshape(x, [-1]))
    if has_nan:
        hit = op.logical_or(hit, op.isnan(op.reshape(x, [-1])))
    chosen = op.take(table, op.where(hit, places, np.array(len(sorted_keys))), 0)
    return op.reshape(chosen, node.shape(0))


@converter("OneHotEncoder", domain=DOMAIN)
def one_hot_encoder(node: OnnxNode) -> Any:
    """Compare each element with each of the categories."""
    if node.attr("cats_strings", None):
        node.unsupported("categories that are strings", "encode text before the model is called")
    x = op.astype(node.tensor(0), "i64") if node.dtype(0) != np.int64 else node.tensor(0)
    categories = np.array(node.attr("cats_int64s"), np.int64)
    return op.astype(op.equal(op.expand_dims(x, [-1]), categories), "f32")
