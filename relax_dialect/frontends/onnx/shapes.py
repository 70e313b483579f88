"""Operators on values that are known when a model is imported: small arrays of sizes, and constants.

Each evaluator computes with numpy, on arrays of numbers or of symbolic expressions alike, and gives None
for what it cannot say now; then the node is converted as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.frontends.onnx.dtypes import numpy_of
from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.reference import folded
from relax_dialect.frontends.onnx.values import (
    Array,
    Known,
    Sizes,
    exprs,
    is_natural,
    of_exprs,
    vector,
)
from relax_dialect.symbolic import Expr

LIMIT = 1 << 16
"""The most elements that are computed now; larger constants are left to the program."""

Evaluator: TypeAlias = Callable[[Node], Any]

EVALUATORS: dict[str, Evaluator] = {}
"""By the name of the operator, all of ONNX's own domain."""


def evaluator(*names: str) -> Callable[[Evaluator], Evaluator]:
    """Register an evaluator of operators."""

    def register(function: Evaluator) -> Evaluator:
        EVALUATORS.update(dict.fromkeys(names, function))
        return function

    return register


def evaluated(node: Node) -> Any:
    """What a node gives, where it is known now; else None."""
    evaluate = EVALUATORS.get(node.op_type)
    if not node.folds and node.op_type not in ("Shape", "Size"):
        return None
    if evaluate is not None:
        try:
            found = evaluate(node)
        except SymbolicError:
            found = None
        if found is not None:
            return found
    return folded(node, LIMIT)


def _array(node: Node, place: int) -> Array:
    """The array of an input, of numbers or expressions."""
    found = node.input(place)
    assert isinstance(found, Known | Sizes)
    return found.array


def _result(array: Array, node: Node, dtype: Any = None) -> Known | Sizes:
    """An array as a value: of expressions, or of numbers, with the element type of the first input."""
    if array.dtype == object:
        return of_exprs(array, node.dtype(0) if dtype is None else dtype)
    return Known(array)


# Where sizes come from ---------------------------------------------------------------------------


@evaluator("Shape")
def shape(node: Node) -> Any:
    sizes = node.shape(0)
    return vector(sizes[slice(node.attr("start", 0), node.attr("end", None))])


@evaluator("Size")
def size(node: Node) -> Any:
    found = np.empty((), object)
    found[()] = symbolic.product(node.shape(0))
    return of_exprs(found)


@evaluator("Constant")
def constant(node: Node) -> Any:
    types: dict[str, Any] = {"value_int": np.int64, "value_ints": np.int64}
    types |= {"value_float": np.float32, "value_floats": np.float32}
    for name in node.attributes:
        if name == "value":
            return Known(node.attr(name))
        if name in types:
            return Known(np.array(node.attr(name), types[name]))
    node.unsupported(f"a value of {', '.join(node.attributes) or 'no attribute'}")


@evaluator("ConstantOfShape")
def constant_of_shape(node: Node) -> Any:
    dims = node.known(0)
    if dims is None or (count := prod(map(int, dims))) > LIMIT or count < 0:
        return None
    value = node.attr("value", np.zeros(1, np.float32))
    return Known(np.full(tuple(map(int, dims)), value.reshape(-1)[0], value.dtype))


@evaluator("Range")
def arange(node: Node) -> Any:
    start, limit, step = (node.known(i) for i in range(3))
    if start is None or limit is None or step is None or not step.any():
        return None
    if (limit - start) / step > LIMIT:
        return None
    return Known(np.arange(start.item(), limit.item(), step.item()).astype(start.dtype))


# Other views of the same elements ------------------------------------------------------------------


@evaluator("Identity")
def identity(node: Node) -> Any:
    return node.input(0)


@evaluator("Cast")
def cast(node: Node) -> Any:
    try:
        dtype = numpy_of(node.attr("to"))
    except OnnxError:
        return None
    array = _array(node, 0)
    if array.dtype == object:
        return Sizes(array, dtype) if dtype.kind in "if" and dtype.itemsize > 2 else None
    if array.size > LIMIT or (array.dtype.kind == "f" and dtype.kind in "iu"):
        fits = (
            array.size <= LIMIT and np.isfinite(array).all() and abs(array).max(initial=0) < 2**31
        )
        if not fits:
            return None
    return Known(array.astype(dtype))


@evaluator("Reshape")
def reshape(node: Node) -> Any:
    array = _array(node, 0)
    if not node.has(1):
        target = list(node.attr("shape"))
    elif node.known(1) is None:
        return None
    else:
        target = node.ints(1)
    if not node.attr("allowzero", 0):
        target = [array.shape[i] if d == 0 and i < array.ndim else d for i, d in enumerate(target)]
    try:
        return _result(array.reshape(target), node)
    except ValueError:
        found = f"{target} for {list(array.shape)}"
        node.fail("a shape with as many elements as the input", found, "correct the model")


def axes_of(node: Node, place: int = 1) -> list[int] | None:
    """The axes that an attribute gives, or in newer opsets an input; None where none are given."""
    given = node.attr("axes", None)
    if given is None and node.has(place):
        return node.ints(place)
    return None if given is None else list(given)


@evaluator("Unsqueeze")
def unsqueeze(node: Node) -> Any:
    array, axes = _array(node, 0), axes_of(node)
    rank = array.ndim + len(axes or ())
    return _result(
        np.expand_dims(array, tuple(node.checked_axis(a, rank) for a in axes or ())), node
    )


@evaluator("Squeeze")
def squeeze(node: Node) -> Any:
    array, axes = _array(node, 0), axes_of(node)
    if axes is None:
        return _result(np.squeeze(array), node)
    return _result(np.squeeze(array, tuple(node.checked_axis(a, array.ndim) for a in axes)), node)


@evaluator("Transpose")
def transpose(node: Node) -> Any:
    return _result(np.transpose(_array(node, 0), node.attr("perm", None)), node)


@evaluator("Slice")
def slices(node: Node) -> Any:
    if node.opset < 10:
        starts, ends, axes = (node.attr(name, None) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        if any(node.has(i) and node.known(i) is None for i in range(1, 5)):
            return None
        starts, ends, axes, steps = (node.ints(i, None) for i in range(1, 5))
    array = _array(node, 0)
    places = [slice(None)] * array.ndim
    axes = range(len(starts)) if axes is None else [node.checked_axis(a, array.ndim) for a in axes]
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts)):
        size = array.shape[axis]
        places[axis] = slice(*_bounds(start, end, step, size), step)
    return _result(array[tuple(places)], node)


def _bounds(start: int, end: int, step: int, size: int) -> tuple[int, int | None]:
    """Where a slice of Python begins and ends: an end before the first element is None there."""
    start, end = (v + size if v < 0 else v for v in (start, end))
    if step > 0:
        return min(max(start, 0), size), min(max(end, 0), size)
    end = min(max(end, -1), size - 1)
    return min(max(start, -1 if size == 0 else 0), size - 1), None if end < 0 else end


@evaluator("Concat")
def concat(node: Node) -> Any:
    arrays = [_array(node, i) for i in range(len(node.inputs))]
    if sum(a.size for a in arrays) > LIMIT:
        return None
    return _result(np.concatenate(arrays, node.axis(arrays[0].ndim)), node)


@evaluator("Split")
def split(node: Node) -> Any:
    array, count = _array(node, 0), len(node.outputs)
    axis = node.axis(array.ndim)
    lengths = node.attr("split", None) or node.ints(1, None)
    if lengths is None:
        part = -(-array.shape[axis] // count)
        lengths = [part] * count
    ends = np.cumsum(lengths)[:-1]
    return tuple(_result(part, node) for part in np.split(array, ends, axis))


@evaluator("Gather")
def gather(node: Node) -> Any:
    array, places = _array(node, 0), node.known(1)
    if places is None or array.size > LIMIT or places.size > LIMIT:
        return None
    axis = node.axis(array.ndim)
    size = array.shape[axis]
    if places.size and (places.min() < -size or places.max() >= size):
        node.fail(f"indices within -{size}..{size - 1}", str(places.tolist()), "correct the model")
    return _result(np.asarray(np.take(array, places, axis)), node)


@evaluator("Expand")
def expand(node: Node) -> Any:
    array, target = _array(node, 0), node.known(1)
    if target is None:
        return None
    full = np.broadcast_shapes(array.shape, tuple(map(int, target)))
    return None if prod(full) > LIMIT else _result(np.broadcast_to(array, full).copy(), node)


# Arithmetic ----------------------------------------------------------------------------------------


def _divide(x: Expr, y: Expr) -> Expr | None:
    """The quotient rounded towards zero: that rounded down, where nothing is negative."""
    exact = symbolic.exact_quotient(x, y) if y.value != 0 else None
    if exact is not None:
        return exact
    return x // y if is_natural(x) and (y.bounds()[0] or 0) > 0 else None


def _modulo(x: Expr, y: Expr) -> Expr | None:
    return x % y if is_natural(x) and (y.bounds()[0] or 0) > 0 else None


def _compare(decide: Callable[[tuple[int | None, int | None]], bool | None]) -> Any:
    return lambda x, y: decide((x - y).bounds())


def _equal(x: Expr, y: Expr) -> bool | None:
    if x is y:
        return True
    return False if symbolic.provably_different(x, y) else None


def _less(difference: tuple[int | None, int | None]) -> bool | None:
    low, high = difference
    if high is not None and high < 0:
        return True
    return False if low is not None and low >= 0 else None


def _greater(difference: tuple[int | None, int | None]) -> bool | None:
    low, high = difference
    return _less((None if high is None else -high, None if low is None else -low))


def _not(decide: Any) -> Any:
    def negated(x: Expr, y: Expr) -> bool | None:
        found = decide(x, y)
        return None if found is None else not found

    return negated


ARITHMETIC: dict[str, Callable[[Expr, Expr], Expr | None]] = {
    "Add": lambda x, y: x + y,
    "Sub": lambda x, y: x - y,
    "Mul": lambda x, y: x * y,
    "Div": _divide,
    "Mod": _modulo,
    "Min": symbolic.minimum,
    "Max": symbolic.maximum,
}
COMPARISONS: dict[str, Callable[[Expr, Expr], bool | None]] = {
    "Equal": _equal,
    "Less": _compare(_less),
    "Greater": _compare(_greater),
    "LessOrEqual": _not(_compare(_greater)),
    "GreaterOrEqual": _not(_compare(_less)),
}


def _on_sizes(node: Node, function: Callable[[Expr, Expr], Any], *, is_float: bool) -> Array | None:
    """A function on pairs of expressions; None where one gives none."""
    if not any(isinstance(v, Sizes) for v in node.inputs):
        return None
    arrays: list[Array] = []
    for place in range(len(node.inputs)):
        array = _array(node, place)
        if array.dtype != object and not np.array_equal(array, np.trunc(array)):
            return None
        arrays.append(exprs(array))
    found = arrays[0]
    for array in arrays[1:]:
        pairs = np.broadcast(found, array)
        values = [function(x, y) for x, y in pairs]
        if any(v is None for v in values):
            return None
        if is_float and not all(isinstance(v, Expr) for v in values):
            return None
        found = np.empty(pairs.shape, object)
        found.reshape(-1)[:] = values
    return found


def _is_inexact(node: Node) -> bool:
    return node.dtype(0).kind == "f"


@evaluator(*ARITHMETIC)
def arithmetic(node: Node) -> Any:
    if _is_inexact(node) and node.op_type in ("Div", "Mod"):
        return None
    found = _on_sizes(node, ARITHMETIC[node.op_type], is_float=_is_inexact(node))
    return None if found is None else _result(found, node)


@evaluator(*COMPARISONS)
def comparison(node: Node) -> Any:
    found = _on_sizes(node, COMPARISONS[node.op_type], is_float=False)
    return None if found is None else Known(found.astype(bool))


@evaluator("Floor", "Ceil", "Round")
def rounded(node: Node) -> Any:
    return node.input(0) if isinstance(node.input(0), Sizes) else None


@evaluator("Where")
def where(node: Node) -> Any:
    condition = node.known(0)
    if condition is None or condition.size > LIMIT:
        return None
    x, y = _array(node, 1), _array(node, 2)
    return _result(np.where(condition, x, y), node, node.dtype(1))


@evaluator("ReduceProd", "ReduceSum")
def reduced(node: Node) -> Any:
    array = node.input(0)
    if not isinstance(array, Sizes):
        return None
    axes = axes_of(node)
    if not axes and node.attr("noop_with_empty_axes", 0):
        return array
    over = None if not axes else tuple(node.checked_axis(a, array.array.ndim) for a in axes)
    function = np.prod if node.op_type == "ReduceProd" else np.sum
    found = function(array.array, axis=over, keepdims=bool(node.attr("keepdims", 1)))
    return _result(exprs(np.asarray(found, object)), node)
