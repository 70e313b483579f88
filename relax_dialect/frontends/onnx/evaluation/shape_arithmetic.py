"""Arithmetic and comparisons on symbolic sizes: evaluators of nodes that are known.

Sizes of unknown sign are written with `max(x, 0)`. A comparison that is not decided stays in the program;
`Where` on it is a size again (`_chosen`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import Value
from relax_dialect.frontends.onnx.evaluation.evaluators import (
    LIMIT,
    MOST_SIZES,
    elements_of,
    evaluator,
    result_of,
)
from relax_dialect.frontends.onnx.evaluation.shapes import axes_of
from relax_dialect.frontends.onnx.imported_values import Array, Known, SizeArray, exprs, of_exprs
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.symbolic import Expr

ZERO, ONE = symbolic.const(0), symbolic.const(1)


def positive(x: Expr) -> Expr:
    """Return max(x, 0)."""
    return symbolic.maximum(x, ZERO)


def is_positive(x: Expr) -> Expr:
    """Return 1 if an integer is positive, else 0."""
    return symbolic.minimum(positive(x), ONE)


def _absolute(x: Expr) -> Expr:
    return symbolic.maximum(x, -x)


def _divide(x: Expr, y: Expr) -> Expr | None:
    """Return the quotient rounded towards zero: of the positive and of the negative part, rounded down."""
    exact = symbolic.exact_quotient(x, y) if y.value != 0 else None
    if exact is not None:
        return exact
    if (y.bounds()[0] or 0) <= 0:
        return None
    return positive(x) // y - positive(-x) // y


def _modulo(x: Expr, y: Expr) -> Expr | None:
    """Return the remainder with the sign of the divisor."""
    return x % y if (y.bounds()[0] or 0) > 0 else None


def _remainder(x: Expr, y: Expr) -> Expr | None:
    """Return the remainder with the sign of x."""
    quotient = _divide(x, y)
    return None if quotient is None else x - quotient * y


UNARY: dict[str, Callable[[Expr], Expr]] = {
    "Neg": lambda x: -x,
    "Abs": _absolute,
    "Sign": lambda x: is_positive(x) - is_positive(-x),
}


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


def _on_sizes(
    node: OnnxNode, function: Callable[[Expr, Expr], Any], *, is_float: bool
) -> Array | None:
    """Apply a function to pairs of expressions; None if it returns None for a pair."""
    if not any(isinstance(v, SizeArray) for v in node.inputs):
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


def _is_inexact(node: OnnxNode) -> bool:
    return node.dtype(0).kind == "f"


@evaluator(*UNARY)
def unary(node: OnnxNode) -> Any:
    array = node.input(0)
    if not isinstance(array, SizeArray):
        return None
    found = np.empty(array.array.shape, object)
    found.reshape(-1)[:] = [UNARY[node.op_type](x) for x in array.array.reshape(-1)]
    return result_of(found, node)


@evaluator(*ARITHMETIC)
def arithmetic(node: OnnxNode) -> Any:
    if _is_inexact(node) and node.op_type in ("Div", "Mod"):
        return None
    function = ARITHMETIC[node.op_type]
    if node.op_type == "Mod" and node.attr("fmod", 0):
        function = _remainder
    found = _on_sizes(node, function, is_float=_is_inexact(node))
    return None if found is None else result_of(found, node)


@evaluator(*COMPARISONS)
def comparison(node: OnnxNode) -> Any:
    found = _on_sizes(node, COMPARISONS[node.op_type], is_float=False)
    return None if found is None else Known(found.astype(bool))


def note_comparison(node: OnnxNode, value: Value) -> None:
    """Record the comparison of a node that remains in the program, for a `Where` on its value."""
    if (
        node.op_type in COMPARISONS
        and node.folds
        and any(isinstance(v, SizeArray) for v in node.inputs)
    ):
        lhs, rhs = (elements_of(node, i) for i in (0, 1))
        if object in (lhs.dtype, rhs.dtype) and "f" not in (lhs.dtype.kind, rhs.dtype.kind):
            node.context.comparisons[value.value] = node.op_type, exprs(lhs), exprs(rhs)


@evaluator("Floor", "Ceil", "Round")
def rounded(node: OnnxNode) -> Any:
    return node.input(0) if isinstance(node.input(0), SizeArray) else None


@evaluator("Where")
def where(node: OnnxNode) -> Any:
    if not all(isinstance(node.input(i), Known | SizeArray) for i in (1, 2)):
        return None
    x, y = elements_of(node, 1), elements_of(node, 2)
    condition = node.known(0)
    if condition is None:
        return _by_comparison(node, x, y)
    if condition.size > LIMIT:
        return None
    return result_of(np.where(condition, x, y), node, node.dtype(1))


def _by_comparison(node: OnnxNode, x: Array, y: Array) -> Any:
    """Return sizes selected by an undecided comparison of sizes; None for any other condition."""
    compared = node.context.comparisons.get(node.tensor(0).value)
    if compared is None or max(x.size, y.size) > LIMIT or node.dtype(1) != np.int64:
        return None
    word, lhs, rhs = compared
    arrays = np.broadcast(lhs, rhs, exprs(x), exprs(y))
    found = np.empty(arrays.shape, object)
    found.reshape(-1)[:] = [_chosen(word, *each) for each in arrays]
    return of_exprs(found)


def _chosen(word: str, lhs: Expr, rhs: Expr, x: Expr, y: Expr) -> Expr:
    """Return x if a comparison holds, else y."""
    if word in ("LessOrEqual", "GreaterOrEqual"):
        return _chosen("Greater" if word == "LessOrEqual" else "Less", lhs, rhs, y, x)
    excess = rhs - lhs if word == "Less" else lhs - rhs
    gain = x - y
    if gain is excess or gain is -excess:
        if word == "Equal":
            return y
        return symbolic.maximum(x, y) if gain is excess else symbolic.minimum(x, y)
    holds = ONE - is_positive(_absolute(excess)) if word == "Equal" else is_positive(excess)
    return y + gain * holds


@evaluator("ReduceProd", "ReduceSum")
def reduced(node: OnnxNode) -> Any:
    array = node.input(0)
    if not isinstance(array, SizeArray):
        return None
    axes = axes_of(node)
    if not axes and node.attr("noop_with_empty_axes", 0):
        return array
    over = None if not axes else tuple(node.checked_axis(a, array.array.ndim) for a in axes)
    function = np.prod if node.op_type == "ReduceProd" else np.sum
    found = function(array.array, axis=over, keepdims=bool(node.attr("keepdims", 1)))
    return result_of(exprs(np.asarray(found, object)), node)
