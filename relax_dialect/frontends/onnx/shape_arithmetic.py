"""Arithmetic and comparisons on symbolic sizes: evaluators of nodes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.frontends.onnx.evaluators import (
    LIMIT,
    MOST_SIZES,
    elements_of,
    evaluator,
    result_of,
)
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.shapes import axes_of
from relax_dialect.frontends.onnx.values import Array, Known, Sizes, exprs, is_natural
from relax_dialect.symbolic import Expr


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
        array = elements_of(node, place)
        if array.dtype != object and not np.array_equal(array, np.trunc(array)):
            return None
        arrays.append(exprs(array))
    found = arrays[0]
    for array in arrays[1:]:
        pairs = np.broadcast(found, array)
        if pairs.size > MOST_SIZES:
            return None
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
    return None if found is None else result_of(found, node)


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
    x, y = elements_of(node, 1), elements_of(node, 2)
    return result_of(np.where(condition, x, y), node, node.dtype(1))


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
    return result_of(exprs(np.asarray(found, object)), node)
