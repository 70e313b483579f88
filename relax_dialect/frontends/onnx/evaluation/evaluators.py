"""The table of evaluators, which compute nodes at import, on known arrays and arrays of symbolic sizes.

Each evaluator computes with numpy, on arrays of numbers or of symbolic expressions alike, and returns None
if the result is not known at import; the node is then converted. `shapes.py` and `shape_arithmetic.py`
fill the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from relax_dialect.errors import SymbolicError
from relax_dialect.frontends.onnx.evaluation.reference import folded
from relax_dialect.frontends.onnx.imported_values import Array, Known, SizeArray, of_exprs
from relax_dialect.frontends.onnx.node import OnnxNode

LIMIT = 1 << 16
"""The most elements that are computed now; larger constants are left to the program."""

MOST_SIZES = 1 << 10
"""The maximum number of symbolic sizes in one array, each of which becomes a separate op."""

Evaluator: TypeAlias = Callable[[OnnxNode], Any]

_TABLE: dict[str, Evaluator] = {}


def evaluator(*names: str) -> Callable[[Evaluator], Evaluator]:
    """Register an evaluator of operators."""

    def register(function: Evaluator) -> Evaluator:
        _TABLE.update(dict.fromkeys(names, function))
        return function

    return register


@cache
def table() -> Mapping[str, Evaluator]:
    """Return all evaluators by the names of operators of ONNX's own domain."""
    for name in ("shapes", "shape_arithmetic"):
        import_module(f"relax_dialect.frontends.onnx.evaluation.{name}")
    return _TABLE


def evaluated(node: OnnxNode) -> Any:
    """Return the outputs of a node if they are known at import; else None."""
    evaluate = table().get(node.op_type)
    if not node.folds and node.op_type not in ("Shape", "Size", "Where"):
        return None
    if evaluate is not None:
        try:
            found = evaluate(node)
        except SymbolicError:
            found = None
        if found is not None and not _is_long(found):
            return found
    return folded(node, LIMIT)


def _is_long(found: Any) -> bool:
    return isinstance(found, SizeArray) and found.array.size > MOST_SIZES


def elements_of(node: OnnxNode, place: int) -> Array:
    """Return the array of an input, of numbers or expressions."""
    found = node.input(place)
    assert isinstance(found, Known | SizeArray)
    return found.array


def result_of(array: Array, node: OnnxNode, dtype: Any = None) -> Known | SizeArray:
    """Wrap an array as a value: of expressions, or of numbers, with the element type of the first input."""
    if array.dtype == object:
        return of_exprs(array, node.dtype(0) if dtype is None else dtype)
    return Known(array)
