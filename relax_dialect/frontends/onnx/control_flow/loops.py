"""Loops: iterations as a `relax.while`, and scan outputs joined along a new first axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.control_flow.control import anything, tried
from relax_dialect.frontends.onnx.imported_values import Shape, numpy_dtype, tensor_type
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.ir.spelling import as_dtype
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import TensorType

Turn = Callable[..., list[Value]]
"""Maps the iteration number, the condition and the state to the next condition, the next state, and the
elements that the iteration appends to the scan outputs."""


@dataclass(frozen=True)
class ScanElement:
    """The element that each iteration appends to a scan output: a tensor of this shape and element type."""

    shape: Shape
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, node: OnnxNode, value: Value) -> ScanElement:
        type = tensor_type(value)
        dtype = None if type is None else numpy_dtype(type.dtype)
        if dtype is None:
            node.unsupported(f"a scan output of type {value.value.type}", "make it a tensor")
        return cls(node.shape_of(value, "a scan output"), dtype)

    def is_defined(self, defined: Set[str]) -> bool:
        """Returns whether its sizes are expressions of variables that are defined."""
        return all(set(size.free_variables) <= defined for size in self.shape)


@dataclass
class Remembered:
    """The result of an earlier conversion of a loop, which saves the search in the next.

    A nested loop is converted whenever the outer loop is; if each were converted twice, the number of
    conversions of the innermost loop would be exponential in its depth.
    """

    proto: Any
    """The node; it stays alive, so that nothing else gets its identity."""
    state: Sequence[Attribute]
    elements: list[ScanElement]


class _OtherElementsError(Exception):
    """The iterations append elements other than the expected ones."""


def run(
    node: OnnxNode,
    turn: Turn,
    carried: Sequence[Value],
    first: Any,
    limit: Value | None,
    adds: int,
    level: int = 0,
) -> tuple[Value, ...]:
    """Iterate from number 0 on, while the condition holds and the limit is not reached.

    Returns the state after the last iteration, and the scan outputs, whose first axis is the iterations.
    `level` distinguishes the loops of one node.
    """
    key = id(node.proto), level
    state = [node.emit(np.array(0, np.int64)), first, *carried]
    defined = node.context.builder.defined_sizes()
    known = node.context.loops.get(key)
    if known is None or not all(element.is_defined(defined) for element in known.elements):
        known = _searched(node, turn, state, adds)
    try:
        found = _emitted(node, turn, state, limit, known)
    except _OtherElementsError:
        known = _searched(node, turn, state, adds)
        try:
            found = _emitted(node, turn, state, limit, known)
        except _OtherElementsError:
            node.unsupported("scan outputs whose sizes differ between iterations")
    known.state = [value.value.type for value in found[: len(state)]]
    node.context.loops[key] = known
    return found[2:]


def _searched(node: OnnxNode, turn: Turn, state: Sequence[Value], adds: int) -> Remembered:
    """Find the elements that iterations append, by a discarded iteration if there are any."""
    types = [value.value.type for value in state]
    if not adds:
        return Remembered(node.proto, types, [])
    results = tried(node, lambda: turn(*state))
    defined = node.context.builder.defined_sizes()
    elements = [ScanElement.of(node, value) for value in results[len(state) - 1 :]]
    for element in elements:
        if not element.is_defined(defined):
            sizes = ", ".join(map(str, element.shape))
            node.unsupported(f"a scan output of sizes [{sizes}] that differ between iterations")
    next_state = [_seen_from(value.value.type, defined) for value in results]
    return Remembered(node.proto, [types[0], *next_state][: len(state)], elements)


def _seen_from(type: Attribute, defined: frozenset[str]) -> Attribute:
    """Return a type without the symbolic variables that are not defined."""
    return substitute(type, {name: None for name in free_variables(type) if name not in defined})


def _emitted(
    node: OnnxNode, turn: Turn, state: Sequence[Value], limit: Value | None, known: Remembered
) -> tuple[Value, ...]:
    count = len(state) - 2
    context = node.context
    defined, names = context.builder.defined_sizes(), context.size_names.taken()
    start = [node.emit(anything([0, *e.shape], as_dtype(e.dtype.name))) for e in known.elements]

    def condition(i: Value, go: Value, *_: Value) -> Any:
        return go if limit is None else op.logical_and(go, op.less(i, limit))

    def body(i: Value, go: Value, *values: Value) -> list[Any]:
        context.size_names.give_back(names)
        with context.region():
            go_on, *found = turn(i, go, *values[:count])
            elements = found[count:]
            for value, expected in zip(elements, known.elements):
                element = ScanElement.of(node, value)
                if element != expected and element.is_defined(defined):
                    raise _OtherElementsError
            scanned = [
                op.concat([joined, op.expand_dims(element, [0])], 0)
                for joined, element in zip(values[count:], elements)
            ]
            go_on = node.emit(op.reshape(go_on, []))
            return [op.add(i, 1), go_on, *found[:count], *scanned]

    joined = [TensorType([None, *e.shape], as_dtype(e.dtype)) for e in known.elements]
    at_least = [*known.state, *joined]
    return context.builder.while_(condition, body, *state, *start, at_least=at_least)
