"""Evaluators of sizes and of views of known arrays."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.frontends.onnx.evaluation.evaluators import (
    LIMIT,
    elements_of,
    evaluator,
    result_of,
)
from relax_dialect.frontends.onnx.imported_values import Known, SizeArray, of_exprs, vector
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.onnx_dtypes import numpy_of
from relax_dialect.ir.storage import MLIR_NAMES

# Where sizes come from ---------------------------------------------------------------------------


@evaluator("Shape")
def shape(node: OnnxNode) -> Any:
    sizes = node.shape(0)
    return vector(sizes[slice(node.attr("start", 0), node.attr("end", None))])


@evaluator("Size")
def size(node: OnnxNode) -> Any:
    found = np.empty((), object)
    found[()] = symbolic.product(node.shape(0))
    return of_exprs(found)


@evaluator("Constant")
def constant(node: OnnxNode) -> Any:
    types: dict[str, Any] = {"value_int": np.int64, "value_ints": np.int64}
    types |= {"value_float": np.float32, "value_floats": np.float32}
    for name in node.attributes:
        if name == "value":
            return Known(node.attr(name))
        if name in types:
            return Known(np.array(node.attr(name), types[name]))
    node.unsupported(f"a value of {', '.join(node.attributes) or 'no attribute'}")


@evaluator("ConstantOfShape")
def constant_of_shape(node: OnnxNode) -> Any:
    dims = node.known(0)
    if dims is None or (count := prod(map(int, dims))) > LIMIT or count < 0:
        return None
    value = node.attr("value", np.zeros(1, np.float32))
    return Known(np.full(tuple(map(int, dims)), value.reshape(-1)[0], value.dtype))


@evaluator("Range")
def arange(node: OnnxNode) -> Any:
    start, limit, step = (node.known(i) for i in range(3))
    if start is None or limit is None or step is None or not step.any():
        return None
    first, end, by = start.item(), limit.item(), step.item()  # Python's integers do not overflow
    if not (end - first) / by <= LIMIT:  # nor if that is no number
        return None
    return Known(np.arange(first, end, by).astype(start.dtype))


# Other views of the same elements ------------------------------------------------------------------


@evaluator("Identity")
def identity(node: OnnxNode) -> Any:
    return node.input(0)


@evaluator("Cast")
def cast(node: OnnxNode) -> Any:
    try:
        dtype = numpy_of(node.attr("to"))
    except OnnxError:
        return None
    array = elements_of(node, 0)
    if {dtype.name, array.dtype.name} & MLIR_NAMES.keys():
        return None
    if array.dtype == object:
        return SizeArray(array, dtype) if dtype.kind in "if" and dtype.itemsize > 2 else None
    if array.size > LIMIT or (array.dtype.kind == "f" and dtype.kind in "iu"):
        fits = (
            array.size <= LIMIT and np.isfinite(array).all() and abs(array).max(initial=0) < 2**31
        )
        if not fits:
            return None
    return Known(array.astype(dtype))


@evaluator("Reshape")
def reshape(node: OnnxNode) -> Any:
    array = elements_of(node, 0)
    if not node.has(1):
        target = list(node.attr("shape"))
    elif node.known(1) is None:
        return None
    else:
        target = node.ints(1)
    if not node.attr("allowzero", 0):
        target = [array.shape[i] if d == 0 and i < array.ndim else d for i, d in enumerate(target)]
    try:
        return result_of(array.reshape(target), node)
    except ValueError:
        found = f"{target} for {list(array.shape)}"
        node.fail("a shape with as many elements as the input", found, "correct the model")


def axes_of(node: OnnxNode, place: int = 1) -> list[int] | None:
    """Return the axes of an attribute, or in newer opsets of an input; None if neither is present."""
    given = node.attr("axes", None)
    if given is None and node.has(place):
        return node.ints(place)
    return None if given is None else list(given)


@evaluator("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Any:
    array, axes = elements_of(node, 0), axes_of(node)
    rank = array.ndim + len(axes or ())
    return result_of(
        np.expand_dims(array, tuple(node.checked_axis(a, rank) for a in axes or ())), node
    )


@evaluator("Squeeze")
def squeeze(node: OnnxNode) -> Any:
    array, axes = elements_of(node, 0), axes_of(node)
    if axes is None:
        return result_of(np.squeeze(array), node)
    return result_of(np.squeeze(array, tuple(node.checked_axis(a, array.ndim) for a in axes)), node)


@evaluator("Transpose")
def transpose(node: OnnxNode) -> Any:
    return result_of(np.transpose(elements_of(node, 0), node.attr("perm", None)), node)


@evaluator("Slice")
def slices(node: OnnxNode) -> Any:
    if node.opset < 10:
        starts, ends, axes = (node.attr(name, None) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        if any(node.has(i) and node.known(i) is None for i in range(1, 5)):
            return None
        starts, ends, axes, steps = (node.ints(i, None) for i in range(1, 5))
    array = elements_of(node, 0)
    places = [slice(None)] * array.ndim
    axes = range(len(starts)) if axes is None else [node.checked_axis(a, array.ndim) for a in axes]
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts)):
        size = array.shape[axis]
        places[axis] = slice(*_bounds(start, end, step, size), step)
    return result_of(array[tuple(places)], node)


def _bounds(start: int, end: int, step: int, size: int) -> tuple[int, int | None]:
    """Return the bounds of a Python slice, where None is an end before the first element."""
    start, end = (v + size if v < 0 else v for v in (start, end))
    if step > 0:
        return min(max(start, 0), size), min(max(end, 0), size)
    end = min(max(end, -1), size - 1)
    return min(max(start, -1 if size == 0 else 0), size - 1), None if end < 0 else end


@evaluator("Concat")
def concat(node: OnnxNode) -> Any:
    arrays = [elements_of(node, i) for i in range(len(node.inputs))]
    if sum(a.size for a in arrays) > LIMIT:
        return None
    return result_of(np.concatenate(arrays, node.axis(arrays[0].ndim)), node)


@evaluator("Split")
def split(node: OnnxNode) -> Any:
    array, count = elements_of(node, 0), len(node.outputs)
    axis = node.axis(array.ndim)
    lengths = node.attr("split", None) or node.ints(1, None)
    if lengths is None:
        part = -(-array.shape[axis] // count)
        lengths = [part] * count
    ends = np.cumsum(lengths)[:-1]
    return tuple(result_of(part, node) for part in np.split(array, ends, axis))


@evaluator("Gather")
def gather(node: OnnxNode) -> Any:
    array, places = elements_of(node, 0), node.known(1)
    if places is None or array.size > LIMIT or places.size > LIMIT:
        return None
    axis = node.axis(array.ndim)
    size = array.shape[axis]
    if size and array.size // size * places.size > LIMIT:
        return None
    if places.size and (places.min() < -size or places.max() >= size):
        node.fail(f"indices within -{size}..{size - 1}", str(places.tolist()), "correct the model")
    return result_of(np.asarray(np.take(array, places, axis)), node)


@evaluator("Expand")
def expand(node: OnnxNode) -> Any:
    array, target = elements_of(node, 0), node.known(1)
    if target is None:
        return None
    full = np.broadcast_shapes(array.shape, tuple(map(int, target)))
    return None if prod(full) > LIMIT else result_of(np.broadcast_to(array, full).copy(), node)
