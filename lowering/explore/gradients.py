"""The graph of a function that returns a gradient: forward pass, backward pass, and the values kept
between.

The function's value is the first field of its result; the loss of a training step, which writes the other
fields over its arguments, is the last. The ops that it depends on are the forward pass, all others the
backward pass. A value of the forward pass that a backward op reads is kept until then.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.explore.dataflow import Drawing, Graph, Kept, functions
from lowering.explore.source_locations import SourceLocations
from relax_dialect import symbolic
from relax_dialect.ir.in_place import in_place
from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.collapse import CollapseSumLikeOp
from relax_dialect.ops.core import FuncOp, ShapeOfOp, TupleOp
from relax_dialect.ops.create import LikeOp
from relax_dialect.ops.memory import byte_count

SUFFIXES = ("_adjoint", "_vjp")
"""The suffixes that `relax_dialect.gradient` appends to the name of a function."""

NO_ELEMENTS: dict[type[Operation], int] = {
    ShapeOfOp: 0,
    LikeOp: 0,
    TupleOp: 0,
    CollapseSumLikeOp: 1,
}
"""Ops with the number of operands whose elements they read; of the rest they use sizes, or forward them."""


def graphs(module: ModuleOp, places: SourceLocations) -> list[Graph]:
    """Return the graphs of the Relax functions of a module."""
    found = list(functions(module))
    names = {function.sym_name.data for function in found}
    return [_graph(function, names, places) for function in found]


def _graph(function: FuncOp, names: set[str], places: SourceLocations) -> Graph:
    drawing = Drawing(function, places)
    if (value := _value(function, names)) is not None:
        _part(drawing, value)
    return drawing.finished()


def _value(function: FuncOp, names: set[str]) -> SSAValue | None:
    """Return the value that a function returns beside its gradients or updated state, or None."""
    name, made = function.sym_name.data, function.return_op.operands[0].owner
    if not isinstance(made, TupleOp):
        return None
    is_derived = any(name.endswith(s) and name.removesuffix(s) in names for s in SUFFIXES)
    if is_derived and len(made.operands) == 2:
        return made.operands[0]
    return made.operands[-1] if _is_step(function, made) else None


def _is_step(function: FuncOp, result: TupleOp) -> bool:
    """Returns whether a function updates parameters and state in place and returns a loss, as steps do."""
    loss, changed = result.operands[-1].type, len(result.operands) - 1
    is_loss = isinstance(loss, TensorType) and loss.shape == () and isinstance(loss.dtype, AnyFloat)
    return is_loss and changed >= 2 and list(in_place(function)) == [*range(changed), -1]


def _part(drawing: Drawing, value: SSAValue) -> None:
    """Split the backward pass from the forward pass, and find the kept values."""
    graph, top = drawing.graph, drawing.outermost
    operands: dict[int, set[int]] = {}
    for maker, user in drawing.uses:
        operands.setdefault(top.get(user, user), set()).add(top.get(maker, maker))
    waiting = [drawing.made_by[drawing.seen(value)]]
    forward: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node not in forward:
            forward.add(node)
            waiting += operands.get(node, ())
    graph.back = {n for n in range(len(graph.nodes)) if top.get(n, n) not in forward}
    kept = (drawing.seen(v) for op, user in drawing.users if user in graph.back for v in _read(op))
    others = dict.fromkeys(v for v in kept if v is not drawing.seen(value))
    graph.kept = [found for v in others if (found := _kept(drawing, v)) is not None]
    for maker, user in list(drawing.uses):
        if user in graph.back and maker not in graph.back and graph.nodes[maker].kind == "input":
            drawing.copy(maker, user)


def _read(op: Operation) -> Sequence[SSAValue]:
    """Return the operands whose elements an op reads."""
    most = next((n for kind, n in NO_ELEMENTS.items() if isinstance(op, kind)), None)
    return op.operands[:most]


def _kept(drawing: Drawing, value: SSAValue) -> Kept | None:
    """Return a value that the backward pass reads, if an op of the forward pass computes it."""
    graph, maker = drawing.graph, drawing.made_by[value]
    if maker in graph.back or graph.nodes[maker].kind == "input":
        return None
    return Kept(f"%{value.name_hint or maker}", _bytes(value.type), maker)


def _bytes(type: Attribute) -> Dim:
    """Return the bytes of a value, or None if unknown."""
    if isinstance(type, TupleType):
        parts = [_bytes(part) for part in type.types.data]
        known = [part for part in parts if part is not None]
        return symbolic.total(known) if len(known) == len(parts) else None
    return byte_count(type) if isinstance(type, TensorType) else None
