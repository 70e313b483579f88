"""Regions in the order of their text or of their graph, and graphs evaluated on demand.

A node of a `relax.graph` is evaluated when it is first needed, and at most once each time the region
it is kept in is evaluated; `relax.let` and what defines symbolic variables are evaluated when
control enters their region.
"""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    register_impls,
)
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.machine import RelaxInterpreter, Scope, machine
from relax_dialect.interpret.places import Places, find_places, ordered_graph
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.traits import RegionKind


class GraphScope(Scope):
    """The nodes evaluated so far of a region in a graph, and what it takes to evaluate others."""

    def __init__(self, interpreter: RelaxInterpreter, block: Block, places: Places, name: str):
        super().__init__(interpreter.scope, name=name)
        self.interpreter = interpreter
        self.block = block
        self.places = places
        self.frame = interpreter.frame
        self.demand = self._demand

    def _demand(self, scope: Scope, value: SSAValue) -> Any:
        """Evaluate a node and all it needs, without recursion along the edges of the graph."""
        interpreter = self.interpreter
        saved = interpreter.scope, interpreter.frame
        stack = [_kept(scope, value)]
        while stack:
            home, op = stack[-1]
            if op.results[0] in home.local_scope:
                stack.pop()
                continue
            missing = [o for o in op.operands if home.holder(o) is None]
            if missing:
                stack.extend(_kept(home, operand) for operand in reversed(missing))
                continue
            interpreter.scope, interpreter.frame = home, home.frame
            interpreter.run_ops((op,))
            stack.pop()
        interpreter.scope, interpreter.frame = saved
        return scope[value]


def _kept(scope: Scope, value: SSAValue) -> tuple[GraphScope, Operation]:
    """The node that gives a value, and the scope around that it is kept in."""
    current: Scope | None = scope
    while current is not None and isinstance(value, OpResult):
        if isinstance(current, GraphScope) and current.places.home(value.op) is current.block:
            return current, value.op
        current = current.parent  # pyright: ignore[reportAssignmentType]
    raise RelaxError(f"expected a value defined in a region around its use, found {value}")


def run_region(
    interpreter: RelaxInterpreter, region: Region, args: PythonValues, name: str
) -> PythonValues:
    """Run a region as its kind demands, in a scope of its own; gives what it passes out."""
    block = region.block
    places = _places(interpreter.scope, block)
    if places is not None:
        return _run_graph(interpreter, block, places, args, name)
    if block not in interpreter.orders:
        interpreter.orders[block] = ordered_graph(block) if _is_graph(block) else None
    order = interpreter.orders[block]
    if order is None:
        return interpreter.run_ssacfg_region(region, args, name)
    return interpreter.run_ordered(order, name, block, args)


def _places(scope: Scope, block: Block) -> Places | None:
    """The places of the graph being evaluated, where the block is one of its graph regions."""
    current: Scope | None = scope
    while current is not None and not isinstance(current, GraphScope):
        current = current.parent  # pyright: ignore[reportAssignmentType]
    return None if current is None or block not in current.places.pinned else current.places


def _is_graph(block: Block) -> bool:
    """Whether a block is a graph region: its op says so, or one around it that it inherits from."""
    op = block.parent_op()
    while op is not None:
        kinds = [trait.kind for trait in op.get_traits_of_type(RegionKind)]
        if kinds != ["inherited"]:
            return kinds == ["graph"]
        op = op.parent_op()
    return False


def _run_graph(
    interpreter: RelaxInterpreter, block: Block, places: Places, args: PythonValues, name: str
) -> PythonValues:
    """Evaluate what is pinned to a region, then what it passes out."""
    scope = GraphScope(interpreter, block, places, name)
    outer = interpreter.enter(scope)
    interpreter.set_values(zip(block.args, args))
    for op in places.pinned[block]:
        if op.results:
            scope[op.results[0]]
        else:
            interpreter.run_ops((op,))
    last = block.last_op
    assert last is not None
    end = interpreter.run_ops((last,))
    assert isinstance(end, ReturnedValues), f"{name} ends in a terminator"
    interpreter.leave(outer)
    return end.values


@register_impls
class GraphFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.graph`."""

    @impl(GraphOp)
    def run_graph(self, interpreter: Interpreter, op: GraphOp, args: PythonValues) -> PythonValues:
        own = machine(interpreter)
        block = op.body.block
        places = _places(own.scope, block)
        if places is None:
            places = own.orders.get(block)
            if places is None:
                places = own.orders[block] = find_places(block)
        return _run_graph(own, block, places, (), "graph")

    @impl(LetOp)
    def run_let(self, interpreter: Interpreter, op: LetOp, args: PythonValues) -> PythonValues:
        return args


__all__ = ["GraphFunctions", "GraphScope", "run_region"]
