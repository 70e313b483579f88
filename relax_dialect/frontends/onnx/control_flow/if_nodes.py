"""`If`: branches whose types differ in rank, and branches that fit no types at all.

One of two branches may be ill-typed and yet be needed in the model: exporters write a test of the sizes,
and a branch for each outcome. If a branch cannot have the types that it must have, it stops the program
when it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.builder import Value, op
from relax_dialect.frontends.graph_builder import in_ascii
from relax_dialect.frontends.onnx.control_flow.control import anything, region_results, tried
from relax_dialect.frontends.onnx.control_flow.tail_duplication import (
    BranchFailsError,
    emit_with_tail,
)
from relax_dialect.frontends.onnx.errors import IllTypedError, OnnxError
from relax_dialect.frontends.onnx.model.node_order import graphs_of
from relax_dialect.frontends.onnx.name_scopes import GraphScope
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.effects import AssertOp

THEN, ELSE = "then_branch", "else_branch"

MOST_USERS = 64
"""The most nodes that are tried for the rank that they need."""


class _StopsError(Exception):
    """A branch that stops the program is known to be one only after the other was converted."""

    def __init__(self, name: str, reason: str):
        self.name, self.reason = name, reason


class _TwoRanksError(Exception):
    """Branches of different ranks, both of which the users can take."""


def emit_if(node: OnnxNode, condition: Any) -> Any:
    """Convert an `If`: the joined value of both branches, a tuple if they have several; or the outputs if
    the nodes that follow are converted in the branches."""
    stopping = node.context.stopping_branches
    found = stopping.get(id(node.proto))
    if found is None:
        try:
            return _of_two(node, condition)
        except (_StopsError, BranchFailsError) as error:
            found = stopping[id(node.proto)] = (error.name, error.reason, node.proto)
    name, reason, _ = found
    live = node.attr(ELSE if name == THEN else THEN)
    types: list[Attribute] = []

    def taken() -> Any:
        return _packed(_noted(region_results(node, live, {}), types))

    if name == THEN:
        condition = op.logical_not(condition)
    return node.context.builder.if_(condition, taken, lambda: _stopped(node, types, reason))


def _of_two(node: OnnxNode, condition: Any) -> Any:
    """Convert both branches, with the nodes after them if their ranks differ."""
    names = node.context.size_names.taken()
    try:
        return _as_they_are(node, condition)
    except _TwoRanksError:
        node.context.size_names.give_back(names)
        return emit_with_tail(node, condition, (THEN, ELSE))


def _as_they_are(node: OnnxNode, condition: Any) -> Value:
    """Convert both branches; `_StopsError` names a branch that cannot be kept."""
    types: list[Attribute] = []
    names = node.context.size_names.taken()

    def first() -> Any:
        try:
            return _packed(_noted(region_results(node, node.attr(THEN), {}), types))
        except IllTypedError as error:
            node.context.size_names.give_back(names)
            raise _StopsError(THEN, str(error)) from None

    def second() -> Any:
        try:
            found = region_results(node, node.attr(ELSE), {})
        except IllTypedError as error:
            node.context.size_names.give_back(names)
            raise _StopsError(ELSE, str(error)) from None
        for place, pair in enumerate(zip(types, found)):
            _refuse_rank(node, place, pair[0], pair[1].value.type)
        return _packed(found)

    return node.context.builder.if_(condition, first, second)


def _packed(values: Sequence[Value]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _noted(values: list[Value], types: list[Attribute]) -> list[Value]:
    types[:] = [value.value.type for value in values]
    return values


def _stopped(node: OnnxNode, types: Sequence[Attribute], reason: str) -> Any:
    """Build a branch that stops the program; its results have the types of the other."""
    builder = node.context.builder
    false = builder.emit(np.array(False))
    mended = f"{reason}, or pass inputs that take the other branch of the If"
    text = in_ascii(mended).replace("{", "{{").replace("}", "}}")
    builder.emit(AssertOp(false.value, format=text))
    return _packed([_nothing(node, type) for type in types])


def _nothing(node: OnnxNode, type: Attribute) -> Value:
    if not isinstance(type, TensorType) or type.shape is None or type.dtype is None:
        node.unsupported(f"a branch that returns {type} beside one that cannot be right")
    defined = node.context.builder.defined_sizes()
    sizes = [d if d is not None and set(d.free_variables) <= defined else 0 for d in type.shape]
    return node.emit(anything(sizes, type.dtype))


# Ranks -------------------------------------------------------------------------------------------


def _refuse_rank(node: OnnxNode, place: int, first: Attribute, second: Attribute) -> None:
    """Raise `_StopsError` for the branch whose rank is not the needed one."""
    types = [t for t in (first, second) if isinstance(t, TensorType) and t.shape is not None]
    ranks = [len(type.shape or ()) for type in types]
    if len(set(ranks)) < 2:
        return
    needed = _needed_rank(node, place, types)
    if needed is None and not node.context.is_trial:
        raise _TwoRanksError
    for name, rank in zip((THEN, ELSE), ranks):
        if needed is not None and rank != needed:
            raise _StopsError(
                name,
                f"{node.describe()}: expected the branch whose result has the rank {needed} that its users "
                f"need, found the {name} taken, whose result has rank {rank}; fix the size that decides",
            )


def _needed_rank(node: OnnxNode, place: int, types: Sequence[TensorType]) -> int | None:
    """Return the declared rank, or else the only rank that the users can take, or None."""
    name = node.outputs[place] if place < len(node.outputs) else ""
    declared = node.scope.declared_rank(name)
    ranks = [len(type.shape or ()) for type in types]
    if declared is not None or not name or node.context.is_trial:
        return declared if declared in ranks else None
    fitting = [rank for type, rank in zip(types, ranks) if _fits(node, name, type)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(node: OnnxNode, name: str, type: TensorType) -> bool:
    """Returns whether the nodes after this one can take a value of a type, as far as they can be tried."""
    context = node.context

    def users() -> list[Value]:
        builder = context.builder
        sizes = [context.size_names.fresh("n") for _ in type.shape or ()]
        whole = builder.match_cast(anything([1], type.dtype), TensorType(None, type.dtype))
        scope = GraphScope(node.scope)
        scope.values[name] = builder.match_cast(whole, TensorType(sizes, type.dtype))
        following = node.scope.nodes[node.index + 1 :]
        for proto in following[:MOST_USERS]:
            if not any(True for _ in graphs_of(proto)) and all(
                not i or scope.holder(i) for i in proto.input
            ):
                context.convert([proto], scope)
        return []

    context.is_trial = True
    try:
        tried(node, users)
    except OnnxError:
        return False
    finally:
        context.is_trial = False
    return True
